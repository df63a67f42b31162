"""PaiStudio as the emulator has it: training jobs that really run, and registered algorithms.

wanted      what a body of CreateTrainingJob must be like
order       that body as a job of this package. Pure
channels    code, inputs and outputs between OSS and the job's own directories
life        a job from its creation to its end, over restarts of the emulator
training    create, get, list, stop, delete; labels
reports     logs, events, metrics, what went wrong
algorithms  algorithms and their versions
"""

from pai_jupyter.emulator.studio import algorithms, reports, training
from pai_jupyter.emulator.studio.life import followed
from pai_jupyter.emulator.studio.table import TABLE

__all__ = ["TABLE", "algorithms", "followed", "reports", "training"]
