"""`CustomJob`, as PAI's "Custom training jobs" shows it: a script with its parameters, run here or on PAI.

    job = CustomJob(entry_point="xgb_train.py", source_code="src", image_uri=..., parameters={"max_depth": 5})
    job.local_run(inputs={"train_data": "./train.csv"}, output_path="./output/")
    job.run(job_config=JobConfig.create(worker_count=1, worker_instance_type="ecs.c6.large"), inputs=..., output_path=...)

The script gets `--<parameter> <value>` for each parameter and `--<input> <path>` for each input; files that it writes below
/ml/output go to `output_path` (contract/README.md, Command and Outputs).
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pai_jupyter import callbacks, contract
from pai_jupyter.errors import SpecError
from pai_jupyter.estimator.given import named
from pai_jupyter.estimator.job_config import JobConfig, given_config
from pai_jupyter.estimator.naming import job_name
from pai_jupyter.estimator.source import code_origin, read_entry_point, with_values
from pai_jupyter.jobs import Job, detaching, draft, for_python, notes_for_python, place_of, presenter
from pai_jupyter.spec import JobSpec, JobType, Json, Role, Scalar

if TYPE_CHECKING:
    from decimal import Decimal

_NAMES = {  # arguments with another name than in Estimator
    "hyperparameters": "parameters",
    "source_dir": "source_code",
    "roles": "job_config",
    r'Role\(name="(\w+)", instance_count=(\w+)\)': r"JobConfig.create(\1_count=\2, \1_instance_type=...)",
}
_PLACES = {"base_dir": "/ml", "work_dir": "/ml/code"}


class CustomJob:
    """A script to run as a job.

    Args:
        entry_point: the script, below `source_code`: .py is run with Python, .sh with bash.
        source_code: the directory to pack, or its OSS address; without it only the entry point is packed.
        image_uri: the image for Docker and PAI.
        parameters: passed to the script as `--name value`.
        job_type: how the replicas of a distributed job find each other.
        base_dir, work_dir: where a job has its data and its code, as PAI's SDK has them by default; they are nowhere else.
        code_path: PAI's SDK packs the code to there; here it goes to the bucket of the session.

    Raises:
        SpecError: a value is invalid.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("train.sh").write_text("echo trained")
        >>> CustomJob(entry_point="train.sh", parameters={"lr": 0.1}).local_run()  # doctest: +ELLIPSIS
        job ... runs on: Local process (no image is given)
        trained
        '...'
    """

    @for_python(_NAMES)
    def __init__(
        self,
        *,
        entry_point: str,
        source_code: str | Path | None = None,
        image_uri: str | None = None,
        parameters: Mapping[str, Scalar] | None = None,
        job_type: JobType = "TFJob",
        environments: Mapping[str, str] | None = None,
        requirements: Sequence[str] = (),
        base_dir: str | None = None,
        work_dir: str | None = None,
        code_path: str | None = None,
    ) -> None:
        _check_places({"base_dir": base_dir, "work_dir": work_dir, "code_path": code_path})
        self.entry_point = entry_point
        self.source_code = source_code
        self.image_uri = image_uri
        self.parameters = named("parameters", parameters)
        self.job_type: JobType = job_type
        self.environments = named("environments", environments)
        self.requirements = tuple(requirements)
        self._latest: Job | None = None

    @for_python(_NAMES)
    def run(
        self,
        name: str | None = None,
        *,
        job_config: JobConfig,
        inputs: Mapping[str, str | Path] | None = None,
        output_path: str | Path | None = None,
        max_cost: "str | float | Decimal | None" = None,
        wait: bool = True,
    ) -> str:
        """Run the script on the resources of `job_config` and return the job's id; `latest_job` is the job.

        Roles that differ from the job type's default, e.g. `ps_count=2` alone, are kept.

        `output_path` receives all that the script writes into /ml/output. PAI's training service, which runs jobs of one role,
        saves files beside the channels (model, checkpoints, tensorboard, output_parameters) at the script's end.
        `max_cost` ends the job before it costs more, by the prices in prices.json: 30, or "30CNY".

        Raises:
            SpecError, PackageError, BackendError: nothing was started.
            JobFailed, JobStopped: the job failed or was stopped.
        """
        roles = given_config(job_config).roles
        spec = self._spec(
            name,
            inputs,
            output_path,
            instance_type=roles[0].instance_type or "ecs",
            instance_count=sum(role.instance_count for role in roles),
            roles=() if job_config.is_plain(self.job_type) else roles,
            max_run_time=job_config.max_run_time,
            max_cost=max_cost,
            options=job_config.options,
        )
        return self._run(spec, wait=wait, has_own_name=bool(name), notes=job_config.notes(self.job_type))

    @for_python(_NAMES)
    def local_run(
        self,
        inputs: Mapping[str, str | Path] | None = None,
        *,
        output_path: str | Path | None = None,
        instance_type: str = "local",
        name: str | None = None,
        job_config: JobConfig | None = None,
        max_cost: "str | float | Decimal | None" = None,
    ) -> str:
        """Run the script on this machine to its end, in a container of the image if a Docker engine answers.

        With `job_config` all of its roles run on this machine, and its `max_run_time` holds; a note names what of it is not used
        here: instance types of PAI (`instance_type` stands for them), quota, priority. `max_cost`: as in `run`.

        Raises:
            SpecError, PackageError, BackendError: nothing was started.
            JobFailed, JobStopped: the job failed or was stopped.
        """
        if job_config is None:
            spec = self._spec(name, inputs, output_path, instance_type=instance_type, max_cost=max_cost)
            return self._run(spec, wait=True, has_own_name=bool(name))
        roles = given_config(job_config).roles_here
        spec = self._spec(
            name,
            inputs,
            output_path,
            instance_type=job_config.machine_here(instance_type),
            instance_count=sum(role.instance_count for role in roles),
            roles=() if job_config.is_plain(self.job_type) else roles,
            max_run_time=job_config.max_run_time,
            max_cost=max_cost,
        )
        notes = [*job_config.notes(self.job_type), *job_config.not_used_here(instance_type)]
        return self._run(spec, wait=True, has_own_name=bool(name), notes=notes)

    # Any: the types of `workflow`, which is above this package
    def as_component(self, inputs: Sequence[Any] = (), outputs: Sequence[Any] = ()) -> Any:
        """Return the job as a component of workflows, a `CustomJobComponent`; its source is packed now.

        Its inputs are `job_config`, `output_path`, the job's parameters with their values as defaults, and `inputs`
        (`PipelineArtifact`s, passed to the script as `--name path` and in PAI_INPUT_<NAME>). Of `outputs`, the script
        writes each `PipelineParameter` to the file PAI_OUTPUT_OUTPUT_PARAMETERS + name, and the files of each
        `PipelineArtifact` into PAI_OUTPUT_<NAME>, a directory that is there before it starts; an artifact with
        path="/ml/output/rows.csv" is that file.

        Raises:
            SpecError, PackageError: the script or its source is not there, or a name is there twice.
        """
        make = callbacks.component_maker
        assert make is not None  # set when the package is imported
        return make(self, inputs, outputs)

    @property
    def latest_job(self) -> Job:
        """The job of the last `run` or `local_run`."""
        if self._latest is None:
            raise SpecError("this CustomJob has not run yet. Call .run(job_config=...) or .local_run() first.")
        return self._latest

    def _spec(
        self,
        name: str | None,
        inputs: Mapping[str, str | Path] | None,
        output_path: str | Path | None,
        *,
        instance_type: str,
        instance_count: int = 1,
        roles: tuple[Role, ...] = (),
        max_run_time: int | None = None,
        max_cost: "str | float | Decimal | None" = None,
        options: Mapping[str, Json] | None = None,
    ) -> JobSpec:
        channels = {channel: str(place) for channel, place in named("inputs", inputs).items()}
        entry_point = self.entry_point if self.source_code is not None else Path(self.entry_point).name
        return JobSpec(
            name=name or job_name(Path(entry_point).stem, datetime.now()),  # noqa: DTZ005  local time, as people read names
            # every input is passed as an option, even if the script does not declare it
            command=contract.default_command(entry_point, options=channels, inputs=channels, outputs=()),
            source_dir=self.source_code,
            image_uri=self.image_uri,
            output_path=str(output_path) if output_path is not None else None,
            instance_type=instance_type,
            instance_count=instance_count,
            job_type=self.job_type,
            roles=roles,
            inputs=channels,
            environments=self.environments,
            requirements=self.requirements,
            max_run_time=max_run_time,
            max_cost=None if max_cost is None else str(max_cost),
            options=options or {},
        )

    def _run(self, spec: JobSpec, *, wait: bool, has_own_name: bool, notes: Sequence[str] = ()) -> str:
        script = read_entry_point(self.entry_point, self.source_code, inputs=spec.inputs)
        spec, overlay = with_values(spec, script, self.parameters)
        with draft(
            spec,
            place_of(spec),
            overlay=overlay,
            entry_point=script.name if script else None,
            has_own_name=has_own_name,
            origin=code_origin(self.entry_point, self.source_code),
        ) as ready:
            job = self._latest = ready.submit()
        with detaching(job):
            presenter().show(job, notes_for_python([*notes, *ready.notes], _NAMES), wait=wait)
            if wait:
                job.wait()
        return job.id


def _check_places(given: Mapping[str, str | None]) -> None:
    """Accept the places that PAI's SDK has by default, which are those of every job."""
    for name, place in given.items():
        if place is None or (name in _PLACES and str(place).rstrip("/") == _PLACES[name]):
            continue
        where = f"jobs always have it at {_PLACES[name]}" if name in _PLACES else "code goes to the session's bucket"
        raise SpecError(f"`{name}` is {place!r:.100}, and {where}. Leave `{name}` out.", field=name)
