"""The service DLC: jobs of several roles, TensorBoard apps, instance types.

validation       checks the body of CreateJob
request_mapping  converts that body to a job of this package
command          wraps a job's command
mount_paths      checks where data sources are mounted
lifecycle        a job's statuses, and its way to submission
pods             the pods of a job
jobs             create, get, list, stop, delete; logs and events
tensorboards     TensorBoard apps
specs            the list of instance types
"""

from pai_jupyter.emulator.calls.tables import DLC as TABLE
from pai_jupyter.emulator.dlc import jobs, specs, tensorboards
from pai_jupyter.emulator.dlc.lifecycle import DlcLifecycle

__all__ = ["TABLE", "DlcLifecycle", "jobs", "specs", "tensorboards"]
