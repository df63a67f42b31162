"""`Estimator` (PAI: Submit a training job): the training job of the magics, for Python code.

It only builds a `JobSpec`; `jobs.submit` runs it, and `jobs.presenter()` shows it: the view in a notebook, plain lines
elsewhere.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.estimator.given import given_roles, named
from pai_jupyter.estimator.naming import job_name
from pai_jupyter.estimator.source import code_origin, read_entry_point, with_values
from pai_jupyter.jobs import (
    Job,
    Script,
    detaching,
    draft,
    entry_point_of,
    for_python,
    notes_for_python,
    place_of,
    presenter,
)
from pai_jupyter.spec import Compat, JobSpec, JobType, Json, MetricDefinition, Role, Scalar

if TYPE_CHECKING:
    from decimal import Decimal

    from pai_jupyter.tensorboard import Board


class Estimator:
    """A training job to be run with `fit`.

    Args:
        command: the command of the job, e.g. "python train.py $PAI_USER_ARGS".
        entry_point: a script instead of a command: "train.py" means "python train.py $PAI_USER_ARGS".
        source_dir: the directory to pack; without it only the entry point is packed.
        image_uri: the image for Docker and PAI.
        instance_type: "local", "local_gpu", or a type of PAI.
        output_path: where outputs go, as `<job>/<channel>/` below it; default: the job folder.
        checkpoints_path: location of the checkpoints channel, e.g. those of an earlier job to continue from.
        base_job_name: the job is named `{base_job_name}_{yyyymmdd-HHMMSS}`.
        metric_definitions: `[{"Name": "acc", "Regex": "acc=([0-9.]+)"}]`, or `MetricDefinition`s.
        job_type: how the replicas of a distributed job find each other; default: PyTorchJob if there are several.
        roles: replicas by role of `job_type`, instead of `instance_count`: ["chief=1", "worker=2:ecs.c6.large"], or `Role`s. What
            a replica's end means for the job differs by type (contract/README.md, Distributed jobs).
        max_run_time: seconds.
        max_cost: end the job before it costs more, by the prices in prices.json: 30, or "30CNY".
        compat: "sagemaker", "azureml" or "vertex": the code finds the variables of that service, e.g. SM_MODEL_DIR.
        backend: "process", "docker", ...; chosen automatically if not given.

    Raises:
        SpecError: both or neither of `command` and `entry_point` are given, or a value is invalid.

    Example:
        >>> estimator = Estimator(command="echo epoch 1 loss=0.5", backend="process", base_job_name="demo")
        >>> job = estimator.fit()  # doctest: +ELLIPSIS
        job ... runs on: Local process (asked for)
        epoch 1 loss=0.5
        >>> job.metrics()["loss"]
        0.5
    """

    @for_python()
    def __init__(
        self,
        *,
        command: str | None = None,
        entry_point: str | None = None,
        source_dir: str | Path | None = None,
        image_uri: str | None = None,
        instance_type: str = "local",
        instance_count: int = 1,
        job_type: JobType | None = None,
        roles: Sequence[Role | str] = (),
        hyperparameters: Mapping[str, Scalar] | None = None,
        environments: Mapping[str, str] | None = None,
        requirements: Sequence[str] = (),
        base_job_name: str | None = None,
        output_path: str | Path | None = None,
        checkpoints_path: str | Path | None = None,
        metric_definitions: Sequence[MetricDefinition | Mapping[str, str]] = (),
        max_run_time: int | None = None,
        max_cost: "str | float | Decimal | None" = None,
        compat: Compat | None = None,
        options: Mapping[str, Json] | None = None,
        backend: str | None = None,
    ) -> None:
        if (command is None) == (entry_point is None):
            raise SpecError(
                "give either `command` or `entry_point`, e.g. Estimator(entry_point='train.py', ...).", field="command"
            )
        self.command = command
        self.entry_point = entry_point
        self.source_dir = source_dir
        self.image_uri = image_uri
        self.instance_type = instance_type
        self.job_type: JobType | None = job_type
        self.roles = given_roles(roles)
        contract.check_asked(self.roles, job_type, instance_count if instance_count != 1 else None)
        self.instance_count = sum(role.instance_count for role in self.roles) or instance_count
        self.hyperparameters = named("hyperparameters", hyperparameters)
        self.environments = named("environments", environments)
        if isinstance(requirements, str):
            raise SpecError(
                f"`requirements` is text; give a list: requirements=[{requirements!r}]", field="requirements"
            )
        self.requirements = tuple(requirements)
        self.base_job_name = base_job_name
        self.output_path = None if output_path is None else str(output_path)
        self.checkpoints_path = None if checkpoints_path is None else str(checkpoints_path)
        self.metric_definitions = tuple(_metric_definition(each) for each in metric_definitions)
        self.max_run_time = max_run_time
        self.max_cost = None if max_cost is None else str(max_cost)
        self.compat: Compat | None = compat
        self.options = named("options", options)
        self.backend = backend
        self._latest: Job | None = None

    @for_python()
    def fit(self, inputs: Mapping[str, str | Path] | None = None, *, wait: bool = True) -> Job:
        """Submit a job on `inputs` (channel -> path or URI) and, unless `wait` is false, show it until its end.

        Raises:
            SpecError, PackageError, BackendError: nothing was started.
            JobFailed, JobStopped: the job failed or was stopped.
        """
        channels = {name: str(place) for name, place in named("inputs", inputs).items()}
        script = self._script(channels)
        name = job_name(self.base_job_name or _stem(script), datetime.now(), self.output_path)  # noqa: DTZ005  local time, as people read names
        spec, overlay = with_values(self._spec(script, channels, name), script, self.hyperparameters)
        place = place_of(spec, backend=self.backend)
        with draft(
            spec,
            place,
            overlay=overlay,
            entry_point=script.name if script else None,
            has_own_name=bool(self.output_path),
            origin=code_origin(self.entry_point, self.source_dir),
            progress_callback=presenter().tell,
        ) as ready:
            job = self._latest = ready.submit()
        with detaching(job):
            presenter().show(job, notes_for_python(ready.notes), wait=wait)
            return job.wait() if wait else job

    @property
    def latest_job(self) -> Job:
        """The job of the last `fit`."""
        if self._latest is None:
            raise SpecError("this Estimator has not run yet. Call .fit() first.")
        return self._latest

    def model_data(self) -> str:
        """Return the location of the last job's model."""
        return self.latest_job.model_data()

    def checkpoints_data(self) -> str:
        return self.latest_job.checkpoints_data()

    def tensorboard_data(self) -> str:
        return self.latest_job.tensorboard_data()

    def tensorboard(self) -> "Board":
        """Open TensorBoard for the latest job, locally or on PAI; `.app_uri` is its address, `.delete()` ends it."""
        return self.latest_job.tensorboard()

    def _script(self, inputs: Mapping[str, str]) -> Script | None:
        """Read the script whose declarations check our values; None if the command runs something else."""
        if self.entry_point is not None:
            return read_entry_point(self.entry_point, self.source_dir, inputs=inputs)
        name = entry_point_of(self.command or "")
        if name is None or self.source_dir is None or not (Path(self.source_dir).expanduser() / name).is_file():
            return None
        return read_entry_point(name, self.source_dir, inputs=inputs)

    def _spec(self, script: Script | None, inputs: dict[str, str], name: str) -> JobSpec:
        outputs = {"checkpoints": self.checkpoints_path} if self.checkpoints_path else {}
        command = self.command
        if command is None:
            name_there = script.name if script is not None else self.entry_point or ""  # source_dir may lie in OSS
            command = contract.default_command(name_there, options=(), inputs=(), outputs=())
        return JobSpec(
            name=name,
            command=command,
            source_dir=self.source_dir,
            image_uri=self.image_uri,
            output_path=f"{self.output_path.rstrip('/')}/{name}/" if self.output_path else None,
            instance_type=self.instance_type,
            instance_count=self.instance_count,
            job_type=self.job_type,
            roles=self.roles,
            hyperparameters=self.hyperparameters,
            inputs=inputs,
            outputs=outputs,
            environments=self.environments,
            requirements=self.requirements,
            metric_definitions=self.metric_definitions,
            max_run_time=self.max_run_time,
            max_cost=self.max_cost,
            compat=self.compat,
            options=self.options,
        )


def _stem(script: Script | None) -> str:
    return Path(script.name).stem if script is not None else "job"


def _metric_definition(given: MetricDefinition | Mapping[str, Any]) -> MetricDefinition:  # Any: a user's mapping
    """Convert a definition that is spelled as in CreateTrainingJob, or in lower case."""
    if isinstance(given, MetricDefinition):
        return given
    fields = {re.sub(r"\W", "", str(name)).lower(): value for name, value in given.items()}
    if not isinstance(fields.get("name"), str) or not isinstance(fields.get("regex"), str):
        raise SpecError(
            "a metric definition needs a Name and a Regex: {'Name': 'acc', 'Regex': 'acc=([0-9.]+)'}",
            field="metric_definitions",
        )
    return MetricDefinition(name=fields["name"], regex=fields["regex"], description=fields.get("description", ""))
