"""The tables of the services; their modules fill them."""

from pai_jupyter.cloud.client import aiworkspace, dlc, paiflow, paistudio
from pai_jupyter.emulator.calls.calls import OperationTable

STUDIO = OperationTable(paistudio.SERVICE.version)
WORKSPACE = OperationTable(aiworkspace.SERVICE.version)
DLC = OperationTable(dlc.SERVICE.version)
FLOW = OperationTable(paiflow.SERVICE.version)
