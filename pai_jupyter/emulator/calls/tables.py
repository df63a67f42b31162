"""The tables of the services; their modules fill them."""

from pai_jupyter.cloud.client import aiworkspace, dlc, paistudio
from pai_jupyter.emulator.calls.calls import Table

STUDIO = Table(paistudio.SERVICE.version)
WORKSPACE = Table(aiworkspace.SERVICE.version)
DLC = Table(dlc.SERVICE.version)
