"""The table of the service; the modules beside this one fill it."""

from pai_jupyter.cloud.client import paistudio
from pai_jupyter.emulator.api import Table

TABLE = Table(paistudio.SERVICE.version)
