"""DLC as the emulator has it: jobs whose roles differ, TensorBoard apps, the machines that jobs can have.

wanted         what a body of CreateJob must be like
order          that body as a job of this package. Pure
life           a job from its creation to its end, over restarts of the emulator
pods           the machines of a job
jobs           create, get, list, stop, delete; logs and events
tensorboards   TensorBoard apps, as the service shows them; boards: the processes behind them
specs          the machines that jobs can have
"""

from pai_jupyter.emulator.dlc import jobs, specs, tensorboards
from pai_jupyter.emulator.dlc.boards import Boards
from pai_jupyter.emulator.dlc.life import followed
from pai_jupyter.emulator.dlc.table import TABLE

__all__ = ["TABLE", "Boards", "followed", "jobs", "specs", "tensorboards"]
