"""PaiStudio as the emulator has it: training jobs that really run, and registered algorithms.

wanted      what a body of CreateTrainingJob must be like
order       that body as a job of this package. Pure
places      what it names in OSS
life        how a job comes to its submission, and its statuses
training    create, get, list, stop, delete; labels
reports     logs, events, metrics, what went wrong
algorithms  algorithms and their versions
"""

from pai_jupyter.emulator.studio import algorithms, reports, training
from pai_jupyter.emulator.studio.life import TrainingLife
from pai_jupyter.emulator.studio.table import TABLE

__all__ = ["TABLE", "TrainingLife", "algorithms", "reports", "training"]
