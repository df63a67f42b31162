"""AIWorkSpace as the emulator has it: one workspace, a catalogue of images, datasets, experiments with runs.

catalogue    the official images, which nobody can change
images       images and their labels, official ones and those of users
workspaces   the one workspace, its settings, and what of PAI is switched on
datasets     names for places of data
experiments  experiments, their runs, the metrics of those
"""

from pai_jupyter.emulator.calls.tables import WORKSPACE as TABLE
from pai_jupyter.emulator.workspace import datasets, experiments, images, workspaces

__all__ = ["TABLE", "datasets", "experiments", "images", "workspaces"]
