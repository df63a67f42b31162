"""DLC as the emulator has it: jobs whose roles differ, TensorBoard apps, the machines that jobs can have.

validation       what a body of CreateJob must be like
request_mapping  that body as a job of this package, with its command (command). Pure
mount_paths      where datasets are mounted
lifecycle        how a job comes to its submission, and its statuses
pods             the machines of a job
jobs             create, get, list, stop, delete; logs and events
tensorboards     TensorBoard apps, as the service shows them
specs            the machines that jobs can have
"""

from pai_jupyter.emulator.calls.tables import DLC as TABLE
from pai_jupyter.emulator.dlc import jobs, specs, tensorboards
from pai_jupyter.emulator.dlc.lifecycle import DlcLife

__all__ = ["TABLE", "DlcLife", "jobs", "specs", "tensorboards"]
