"""DLC as the emulator has it: jobs whose roles differ, TensorBoard apps, the machines that jobs can have.

wanted         what a body of CreateJob must be like
order          that body as a job of this package. Pure
life           how a job comes to its submission, and its statuses
pods           the machines of a job
jobs           create, get, list, stop, delete; logs and events
tensorboards   TensorBoard apps, as the service shows them; boards: the processes behind them
specs          the machines that jobs can have
"""

from pai_jupyter.emulator.dlc import jobs, specs, tensorboards
from pai_jupyter.emulator.dlc.boards import Boards
from pai_jupyter.emulator.dlc.life import DlcLife
from pai_jupyter.emulator.dlc.table import TABLE

__all__ = ["TABLE", "Boards", "DlcLife", "jobs", "specs", "tensorboards"]
