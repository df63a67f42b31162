"""The data of this backend's `JobRef`: enough to find, explain and end a job without its spec.

Rule: names derive from the job's id and folder only. The engine rejects a second container with the same name, so two
submissions never run a job twice, and any process finds it later. The label is for people and filters.
The engine does not follow from them: its address is written to run/engine before the first request.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends.docker.engine import engine_address
from pai_jupyter.backends.info import HOST_NETWORK, NETWORK
from pai_jupyter.backends.local import SHARDS_DONE, output_place, resolve_outputs, wants_gpus, written_by_a_running_job
from pai_jupyter.errors import NotFoundError, PaiJupyterError, ProtocolError, UnavailableError
from pai_jupyter.path_guard import JobDirectory, place_in
from pai_jupyter.spec import JobRef, JobSpec
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import read_plain, replace_file
from pai_jupyter.typed_json import FieldError, Fields, line_of

JOB_LABEL, REPLICA_LABEL = "pai_jupyter.job", "pai_jupyter.replica"
_ENGINE = Path("run") / "engine"  # in the job folder
_MOST_RESTARTS = 1000


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """One job in the engine at address `engine`: a container per replica, from its role's image."""

    job_id: str
    engine: str
    name: str
    images: Mapping[str, str]  # replica -> image
    deciding: tuple[str, ...]  # the replicas that decide the job's success
    outputs: tuple[str, ...]  # the directories of the output channels
    output: str | None = None  # the directory bound to /ml/output; older versions bound only the channels
    memory: str | None = None
    max_run_time: int | None = None
    gpus: bool = False  # whether a replica asks for GPUs
    # replica -> seconds that it may run on after the job's success, None as long as it likes; of older versions none may
    lasts: Mapping[str, float | None] = field(default_factory=dict)
    restarts: int = 0  # how often a failed replica is started again
    completions: tuple[contract.RoleCompletion, ...] = ()  # of a job of TaskRoles, in place of `deciding`
    has_shards: bool = False  # whether the job succeeds when its shards are done
    is_on_host: bool = False  # whether its containers have the network of this machine

    @classmethod
    def plan(cls, spec: JobSpec, job_id: str, engine: str) -> "Deployment":
        every = contract.replicas(spec)
        own_images = {role.name.lower(): role.image_uri for role in spec.roles}
        folder = JobStore().path(job_id)
        options = spec.backend_options.get("docker", {})
        memory = options.get("memory")
        whole, outputs = _real_outputs(spec, folder)
        policies = {replica.name: contract.policy(spec, replica) for replica in every}
        return cls(
            job_id=job_id,
            engine=engine,
            name=f"pai-{job_id}-{hashlib.sha256(bytes(folder)).hexdigest()[:6]}",
            images={replica.name: own_images.get(replica.role) or spec.image_uri or "" for replica in every},
            deciding=tuple(name for name, policy in policies.items() if policy.decides),
            lasts={name: policy.lasts for name, policy in policies.items()},
            restarts=max(policy.restarts for policy in policies.values()),
            completions=contract.completions(spec),
            has_shards=spec.effective_job_type == "ElasticBatchJob",
            is_on_host=options.get(NETWORK) == HOST_NETWORK,
            output=str(whole),
            outputs=tuple(str(path) for path in outputs.values()),
            memory=None if memory is None else str(memory),
            max_run_time=spec.max_run_time,
            gpus=any(wants_gpus(spec, replica) for replica in every),
        )

    @classmethod
    def from_ref(cls, ref: JobRef) -> "Deployment":
        """Read the deployment from `ref`; without data, derive it from the job's record and the note of its engine.

        Raises:
            NotFoundError: it is not a job of this backend.
            ProtocolError: its data are damaged.
            UnavailableError: the note of its engine cannot be read now.
        """
        if not ref.data:
            return cls.plan(_recorded(ref.job_id), ref.job_id, engine_of(ref.job_id))
        try:
            return cls._read(Fields.of(ref.data, "ref.data"), ref.job_id)
        except FieldError as exc:
            raise ProtocolError(f"the record of job {ref.job_id} is damaged: state.json: {exc}") from exc

    @classmethod
    def _read(cls, given: Fields, job_id: str) -> "Deployment":
        lists = {
            name: tuple(line_of(item, path) for item, path in given.items(name)) for name in ("deciding", "outputs")
        }
        return cls(
            job_id=job_id,
            engine=given.line("engine"),
            name=given.line("name"),
            images=given.texts("images"),
            deciding=lists["deciding"],
            outputs=lists["outputs"],
            output=given.optional_line("output"),
            memory=given.optional_line("memory"),
            max_run_time=given.whole("max_run_time", least=1) if given.has("max_run_time") else None,
            gpus=given.values.get("gpus") is True,
            lasts=dict(_seconds(given)),
            restarts=given.whole("restarts", 0, most=_MOST_RESTARTS),
            completions=tuple(_completion(item, path) for item, path in given.items("completions")),
            has_shards=given.values.get("has_shards") is True,
            is_on_host=given.values.get("is_on_host") is True,
        )

    @property
    def ref(self) -> JobRef:
        data = {**asdict(self), "deciding": list(self.deciding), "outputs": list(self.outputs)}
        data["completions"] = [{**asdict(each), "replicas": list(each.replicas)} for each in self.completions]
        del data["job_id"]
        return JobRef(backend="docker", job_id=self.job_id, data=data)

    @property
    def folder(self) -> Path:
        return JobStore().path(self.job_id)

    @property
    def run(self) -> Path:
        """The directory of this backend's own files."""
        return self.folder / "run"

    @property
    def is_coordinated(self) -> bool:
        """Whether its containers watch each other, or what is left to do."""
        return len(self.images) > 1 or self.has_shards

    @property
    def all_done(self) -> Path | None:
        """The file whose existence says that all shards are done; None for a job without shards."""
        return self.folder / "ml" / SHARDS_DONE if self.has_shards else None

    @property
    def written(self) -> tuple[JobDirectory, ...]:
        """All host directories into which the containers write, as parts below a base that they cannot replace."""
        bases = [self.folder, *([self.shared] if self.shared is not None else [])]
        whole = () if self.output is None else (self.output,)
        return tuple(place_in(path, bases) for path in (self.folder / "ml", *map(Path, (*whole, *self.outputs))))

    @property
    def elsewhere(self) -> tuple[JobDirectory, ...]:
        """Those outside the job folder."""
        return tuple(place for place in self.written if place.base != self.folder)

    @property
    def given_back(self) -> tuple[JobDirectory, ...]:
        """The smallest set of directories that contains all of them; none is below another."""
        paths = {place.path for place in self.written}
        return tuple(place for place in dict.fromkeys(self.written) if paths.isdisjoint(place.path.parents))

    @property
    def shared(self) -> Path | None:
        """The directory bound to /ml/output if it is the user's own and may have other files; else None."""
        place = Path(self.output) if self.output is not None else None
        return None if place is None or place.is_relative_to(self.folder) else place

    @property
    def replicas(self) -> tuple[str, ...]:
        return tuple(self.images)

    @property
    def network(self) -> str | None:
        """The job's network. A single replica has none: creating and removing one takes 0.25 s."""
        return self.name if len(self.images) > 1 and not self.is_on_host else None

    def container(self, replica: str) -> str:
        return f"{self.name}-{replica.replace('~', '-.')}"  # a role of TaskRoles may have ~, but no -


def engine_of(job_id: str) -> str:
    """Return the address of the engine that the job was or is submitted to: the noted one, else the one in use now.

    Raises:
        UnavailableError: the note cannot be read now; another engine would know nothing of the job.
    """
    path = JobStore().path(job_id) / _ENGINE
    try:
        return read_plain(path).decode()
    except FileNotFoundError:
        return engine_address()
    except (OSError, ValueError, PaiJupyterError) as exc:
        raise UnavailableError(f"'{path}' cannot be read: {exc}. It says which engine has the job.") from exc


def note_engine(job: Deployment) -> None:
    """Note in the job folder which engine is about to be told of the job."""
    replace_file(job.folder / _ENGINE, job.engine.encode())


def check_outputs(spec: JobSpec) -> list[str]:
    """Return a sentence for each output below a directory that a container of this or another running job writes.

    The container could replace the output by a link there, which the engine would follow as root.
    """
    folder = Path("/nonexistent")
    whole, outputs = _real_outputs(spec, folder)
    return [*_within_themselves(spec, whole, outputs), *_within_others([whole, *outputs.values()], folder)]


def _within_others(outputs: Iterable[Path], folder: Path) -> Iterator[str]:
    for path in dict.fromkeys(path for path in outputs if not path.is_relative_to(folder)):
        if (top := written_by_a_running_job(path)) is not None and path.parent not in outputs:
            yield (
                f"an output is to go to {path}, which is in {top}, where another job writes that has not ended. Wait for its "
                "end, or name a directory elsewhere: -o CHANNEL=DIR, or `output_path`."
            )


def _within_themselves(spec: JobSpec, whole: Path, outputs: Mapping[str, Path]) -> list[str]:
    written = {whole: "the directory of all outputs"}
    written |= {path: f"that of output {channel!r}" for channel, path in outputs.items() if channel in spec.outputs}
    return [
        f"output {channel!r} is to go to {spec.outputs[channel]}, which is in {what}, {other}. Name a directory beside it: "
        f"-o {channel}=DIR"
        for channel, path in outputs.items()
        if channel in spec.outputs and path != whole / channel
        for other, what in written.items()
        if other in path.parents
    ]


def _real_outputs(spec: JobSpec, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Return the directory of all outputs and of each channel, resolving links only in paths given by the user."""
    given, outputs = output_place(spec, folder), resolve_outputs(spec, folder)
    whole = given if given.is_relative_to(folder) else Path(os.path.realpath(given))
    return whole, {
        channel: whole / channel if path == given / channel else Path(os.path.realpath(path))
        for channel, path in outputs.items()
    }


def _seconds(given: Fields) -> Iterator[tuple[str, float | None]]:
    lasts = given.inside("lasts") if given.has("lasts") else Fields.of({})
    for replica, _, _ in lasts.all():
        yield replica, lasts.time(replica) if lasts.has(replica) else None


def _completion(value: object, path: str) -> contract.RoleCompletion:
    given = Fields.of(value, path)
    return contract.RoleCompletion(
        replicas=tuple(line_of(item, place) for item, place in given.items("replicas")),
        failures=given.whole("failures"),
        successes=given.whole("successes"),
    )


def _recorded(job_id: str) -> JobSpec:
    try:
        return JobStore().open(job_id).record.spec
    except PaiJupyterError as exc:
        raise _unknown(job_id) from exc


def _unknown(job_id: str) -> NotFoundError:
    return NotFoundError(f"backend 'docker' knows no job {job_id}.")
