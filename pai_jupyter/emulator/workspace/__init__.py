"""AIWorkSpace as the emulator has it: one workspace, a catalogue of images, datasets, experiments with runs.

catalogue    the official images, which nobody can change
images       images and their labels, official ones and those of users
workspaces   the one workspace and its settings
datasets     names for places of data
features     what of PAI is switched on for the account
experiments  experiments, their runs, the metrics of those
"""

from pai_jupyter.emulator.workspace import datasets, experiments, features, images, workspaces
from pai_jupyter.emulator.workspace.table import TABLE

__all__ = ["TABLE", "datasets", "experiments", "features", "images", "workspaces"]
