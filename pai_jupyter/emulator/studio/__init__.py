"""The service PaiStudio: training jobs, which run as real processes, and registered algorithms.

validation       checks the body of CreateTrainingJob
request_mapping  converts that body to a job of this package
locations        the addresses of its code and channels
lifecycle        a job's statuses, its way to submission, its instances
training         create, get, list, stop, delete; labels
reports          logs, events, metrics, usage, error info
event_log        reads metrics and usage of a job
algorithms       algorithms and their versions
"""

from pai_jupyter.emulator.calls.tables import STUDIO as TABLE
from pai_jupyter.emulator.studio import algorithms, reports, training
from pai_jupyter.emulator.studio.lifecycle import TrainingLifecycle

__all__ = ["TABLE", "TrainingLifecycle", "algorithms", "reports", "training"]
