"""PaiStudio as the emulator has it: training jobs that really run, and registered algorithms.

validation       what a body of CreateTrainingJob must be like
request_mapping  that body as a job of this package. Pure
locations        what it names in OSS
lifecycle        how a job comes to its submission, and its statuses and machines
training         create, get, list, stop, delete; labels
reports          logs, events, metrics, what went wrong; event_log: where they come from
algorithms       algorithms and their versions
"""

from pai_jupyter.emulator.calls.tables import STUDIO as TABLE
from pai_jupyter.emulator.studio import algorithms, reports, training
from pai_jupyter.emulator.studio.lifecycle import TrainingLife

__all__ = ["TABLE", "TrainingLife", "algorithms", "reports", "training"]
