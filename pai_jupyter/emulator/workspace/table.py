"""The table of the service; the modules beside this one fill it."""

from pai_jupyter.cloud.client import aiworkspace
from pai_jupyter.emulator.api import Table

TABLE = Table(aiworkspace.SERVICE.version)
