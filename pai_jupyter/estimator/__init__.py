"""The façades that users know from PAI's documents. Each only builds a `JobSpec`; running it is `jobs.submit`.

estimator    `Estimator` (PAI: Submit a training job): a job that is fitted to inputs
custom_job   `CustomJob` (PAI: Custom training jobs): a script with parameters, where a `JobConfig` says on what it runs
job_config   `JobConfig`: how many machines of which type in which role
naming       what a job is called when nobody says
"""

from pai_jupyter.estimator.custom_job import CustomJob
from pai_jupyter.estimator.estimator import Estimator
from pai_jupyter.estimator.job_config import JobConfig

__all__ = ["CustomJob", "Estimator", "JobConfig"]
