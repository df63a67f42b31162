"""The classes known from PAI's documents. Each only builds a `JobSpec`; `jobs.submit` runs it.

estimator    `Estimator` (PAI: Submit a training job): a job that is fitted to inputs
custom_job   `CustomJob` (PAI: Custom training jobs): a script with parameters, run on the resources of a `JobConfig`
job_config   `JobConfig`: how many machines of which type in which role
naming       default names of jobs
"""

from pai_jupyter.estimator.custom_job import CustomJob
from pai_jupyter.estimator.estimator import Estimator
from pai_jupyter.estimator.job_config import JobConfig

__all__ = ["CustomJob", "Estimator", "JobConfig"]
