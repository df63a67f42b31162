"""The service AIWorkSpace: one workspace, a catalogue of images, datasets, experiments with runs.

catalogue    the official images, which are fixed
images       official and users' images, and their labels
workspaces   the workspace, its settings, enabled features
datasets     names for addresses of data
experiments  experiments, their runs, the runs' metrics
"""

from pai_jupyter.emulator.calls.tables import WORKSPACE as TABLE
from pai_jupyter.emulator.workspace import datasets, experiments, images, workspaces

__all__ = ["TABLE", "datasets", "experiments", "images", "workspaces"]
