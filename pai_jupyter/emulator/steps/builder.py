"""Jobs of steps, made in the driver's process: their data come from the emulator's buckets, and their outputs go back there.

It stands around the builder that `workflow` gave to the body, which sees directories of this machine alone:

    input artifacts, code    copied from OSS into `work/<run>/<job>/` before the job
    `output_path`            `work/<run>/<job>/output/`, with the objects that are there already, as a mount would show them
    outputs                  copied to OSS once the job has succeeded; other steps and clients get their addresses there
"""

import hashlib
import importlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

from pai_jupyter.emulator.execution import own_python
from pai_jupyter.emulator.jobs.validation import check_instance_type
from pai_jupyter.emulator.protocol.fields import items_of, mapping_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal
from pai_jupyter.emulator.steps.own_buckets import OwnBuckets
from pai_jupyter.errors import SpecError
from pai_jupyter.runs.plan import Given, JobBody, JobBuilder, JobRequest, Outputs
from pai_jupyter.spec import STANDARD_OUTPUTS, Json
from pai_jupyter.storage.opening import scheme_of

_OUTPUT_PATH = "output_path"
_SOURCE = "source"
_AS_ON_PAI = "as_on_pai"  # of `workflow.custom_job_step`
_OWN = ("PAI_JUPYTER_HOME", "PAI_JUPYTER_ML", "PAI_JUPYTER_PROCESS_MAX_PARALLEL", "PAI_JUPYTER_DOCKER_MAX_PARALLEL")


class EmulatedStep:
    """The builder of all steps in the emulator."""

    def prepare(
        self, body: JobBody, given: Given, *, job_id: str, run_folder: Path, environment: Mapping[str, str]
    ) -> JobRequest:
        """Copy the step's data here and have its job made."""
        if problem := body.data.get("problem"):
            raise SpecError(str(problem), field="image_uri")
        _check_job_config(given.parameters.get("job_config"))
        work = _Work(run_folder, job_id)
        inner, local = work.body(body), work.given(given)
        work.bring(given)
        request = _builder(body).prepare(inner, local, job_id=job_id, run_folder=run_folder, environment=environment)
        return _as_in_the_service(request, work.folder)

    def collect(self, body: JobBody, given: Given, *, job_id: str, run_folder: Path) -> Outputs:
        """Read the outputs and copy them to OSS."""
        work = _Work(run_folder, job_id)
        outputs = _builder(body).collect(work.inner(body), work.given(given), job_id=job_id, run_folder=run_folder)
        return Outputs(parameters=outputs.parameters, artifacts=work.save(given, outputs.artifacts))


STEP: JobBuilder = EmulatedStep()


def _builder(body: JobBody) -> JobBuilder:
    module, _, name = str(body.data["builder"]).partition(":")
    return cast(JobBuilder, getattr(importlib.import_module(module), name))


def _as_in_the_service(request: JobRequest, work: Path) -> JobRequest:
    """Return the job with a command that finds nothing of the emulator's own, and installs packages for itself alone."""
    command = request.spec.command
    taking = own_python.taking(command, None if request.backend == "docker" else work)
    lines = [f"unset {' '.join(_OWN)}", *taking, command]
    return replace(request, spec=replace(request.spec, command="\n".join(lines)))


def _check_job_config(config: Json) -> None:
    """Refuse instance types that the service does not have.

    Raises:
        SpecError: there is one.
    """
    try:
        for spec in items_of(config, "JobSpecs") if isinstance(config, dict) else ():
            check_instance_type("job_config.JobSpecs.EcsSpec", spec.get("EcsSpec"))
    except ApiRefusal as exc:
        raise SpecError(f"{exc.message}.", field="job_config") from exc


def work_folder(data: Path, run_id: str) -> Path:
    """Return where the jobs of a run have their data; the emulator deletes it when the run has ended."""
    return data / "work" / run_id


class _Work:
    """The directory of one job, and what of its data is where."""

    def __init__(self, run_folder: Path, job_id: str) -> None:
        self._run, self._job_id = run_folder, job_id
        data = run_folder.parents[2]  # DIR/home/runs/ID
        self.folder = work_folder(data, run_folder.name) / job_id
        self._buckets = OwnBuckets(data)

    def inner(self, body: JobBody) -> JobBody:
        data = {**mapping_of({**body.data}, "data"), _AS_ON_PAI: True}  # PAI's executor does not read the script
        return replace(body, builder=str(body.data["builder"]), data=data)

    def body(self, body: JobBody) -> JobBody:
        """Return the body for the builder within, with its code here."""
        inner = self.inner(body)
        source = inner.data.get(_SOURCE)
        if not isinstance(source, str) or scheme_of(source) != "oss" or not source.endswith(".tar.gz"):
            return inner
        name = f"{hashlib.sha256(source.encode()).hexdigest()[:32]}.tar.gz"
        package = self._run / "packages" / name
        if not package.exists():
            package.parent.mkdir(mode=0o700, exist_ok=True)
            self._buckets.fetch(source, package)
        others = {key: value for key, value in inner.data.items() if key != _SOURCE}
        return replace(inner, data={**others, "package": name})

    def given(self, given: Given) -> Given:
        """Return the values for the builder within: directories of this machine for addresses in OSS."""
        parameters = dict(given.parameters)
        if _is_oss(parameters.get(_OUTPUT_PATH)):
            parameters[_OUTPUT_PATH] = str(self.folder / "output")
        artifacts = {name: self._place(name, value) for name, value in given.artifacts.items()}
        return Given(parameters=parameters, artifacts=artifacts)

    def _place(self, name: str, value: Json) -> Json:
        if isinstance(value, list):
            return [self._place(f"{name}_{number}", item) for number, item in enumerate(value)]
        if not _is_oss(value):
            return value
        key = str(value)
        return str(self.folder / "input" / name / ("" if key.endswith("/") else key.rpartition("/")[2]))

    def bring(self, given: Given) -> None:
        """Copy input artifacts, and what is at the output path already, to where `given` says."""
        for name, value in given.artifacts.items():
            for number, item in enumerate(value if isinstance(value, list) else [value]):
                if _is_oss(item):
                    here = self._place(f"{name}_{number}" if isinstance(value, list) else name, item)
                    self._buckets.fetch(str(item), Path(str(here)))
        if _is_oss(to := given.parameters.get(_OUTPUT_PATH)):
            output = self.folder / "output"
            output.mkdir(parents=True, exist_ok=True)
            self._buckets.fetch_existing(str(to), output)

    def save(self, given: Given, artifacts: Mapping[str, Json]) -> dict[str, Json]:
        """Copy the outputs to OSS and return the addresses of the artifacts."""
        output = self.folder / "output"
        to = given.parameters.get(_OUTPUT_PATH)
        if _is_oss(to) and output.is_dir():
            _take_away_own(output)
            self._buckets.store(output, f"{str(to).rstrip('/')}/")
        base = str(to).rstrip("/") if _is_oss(to) else ""
        return {name: self._saved(name, value, output, base) for name, value in artifacts.items()}

    def _saved(self, name: str, value: Json, output: Path, base: str) -> Json:
        if isinstance(value, list):
            return [self._saved(f"{name}_{number}", item, output, base) for number, item in enumerate(value)]
        if not isinstance(value, str) or scheme_of(value):
            return value
        place = Path(value)
        end = "/" if place.is_dir() else ""
        if base and place.is_relative_to(output):
            return f"{base}/{place.relative_to(output)}{end}"
        to = self._buckets.own_address(f"paiflow/{self._run.name}/{self._job_id}/{name}/")
        return self._buckets.store(place, to if end else f"{to}{place.name}")


def _take_away_own(output: Path) -> None:
    """Delete what every local job has in its output, and a custom job of the service only if it makes it."""
    if (output / "logs").is_symlink():
        (output / "logs").unlink()
    for name in (*STANDARD_OUTPUTS, "logs"):
        with suppress(OSError):  # there is something in it
            (output / name).rmdir()


def _is_oss(value: Json) -> bool:
    return isinstance(value, str) and scheme_of(value) == "oss"
