"""Turn a spec into a `Draft`, checked by its backend and packed; start nothing before that."""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.backends import Inherits, get_backend
from pai_jupyter.backends.capabilities import TakesJobFiles
from pai_jupyter.cell import LineMap
from pai_jupyter.config import loaded_secrets, plain_variables, refuse_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs.drafts import Draft
from pai_jupyter.jobs.job import Job
from pai_jupyter.jobs.options import ALLOW_LARGE, check_options
from pai_jupyter.jobs.present import presenter
from pai_jupyter.jobs.provenance import CodeOrigin, Recording, local_directory
from pai_jupyter.jobs.python_words import for_python
from pai_jupyter.jobs.runtime import job_store
from pai_jupyter.jobs.script import entry_point_of
from pai_jupyter.jobs.source import directory_of, is_passed_on, with_absolute_paths
from pai_jupyter.jobs.target import Target, about_given_type, place_of
from pai_jupyter.package import Package, build, take_packed, unpack
from pai_jupyter.shards import ShardsImport, find_shards
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.store import Scratch, new_job_id

_PACKED = "package.tar.gz"
NOTE = "note: "  # prefix of sentences of Backend.check that do not stop the job


def draft(
    spec: JobSpec,
    place: Target,
    *,
    files: Mapping[str, bytes] | None = None,
    overlay: Mapping[str, bytes] | None = None,
    include: Sequence[Path] = (),
    modules: Sequence[tuple[Path, str]] = (),
    allow_large: bool = False,
    source: Path | None = None,
    cell: str | None = None,
    notebook: str | None = None,
    entry_point: str | None = None,
    asked_by: str | None = None,
    given: Mapping[str, Json] | None = None,
    lines: LineMap | None = None,
    has_own_name: bool = True,
    job_id: str | None = None,
    package: Path | None = None,
    run: str = "",
    step: str = "",
    origin: CodeOrigin | None = None,
    notify: bool | None = None,
    progress_callback: Callable[[str], None] = lambda text: None,
) -> Draft:
    """Check `spec` with its backend and pack its source; start nothing.

    `files` are added to those of `source_dir`, `modules` as `package.build` says; `overlay` replaces files of the same name.
    `source` is packed instead of `source_dir`. Local paths become absolute. Unless `has_own_name`, the job gets a unique name
    that begins with that of `spec`. `job_id` is for a spec that contains its own id, and for a caller that notes the id first:
    whatever was submitted under it is found again by `Draft.submit`. `lines` tells where the lines of a cell's script are from.
    `package`: the code, packed already in a tar.gz that never changes; `source_dir` is then not looked at. `run`, `step`: of a
    try in a run. `origin`: where the code is from, if not from a local `source_dir`. `notify`: whether alerts of the job are
    wanted; None: as the settings say.
    `progress_callback` is told of much data before they are packed.

    Raises:
        SpecError: the backend cannot run the spec, a value in it is a known secret, or it has a cost limit and no known price.
        PackageError: the source cannot be packed.
    """
    refuse_secrets(_in_clear(spec), is_line=True)
    allow_large = allow_large or spec.options.get(ALLOW_LARGE) is True
    spec = replace(spec, options={name: value for name, value in spec.options.items() if name != ALLOW_LARGE})
    spec = with_absolute_paths(spec if package is None else replace(spec, source_dir=None))
    notes = [
        *check(spec, place),
        *_held_back(spec, place),
        *contract.quoting_needed(spec, spec.command),
        *contract.exposed_secrets(spec),
        *contract.not_used(spec, by_service=not get_backend(place.backend).info.is_local),
    ]
    _check_channels(spec)
    from pai_jupyter.jobs.pricing import priced  # late, as in drafts

    spec, price, about_cost = priced(spec, place)
    notes += about_cost
    if isinstance(backend := get_backend(place.backend), TakesJobFiles):
        spec = backend.with_cluster(spec)
    stem = "" if has_own_name else spec.name
    fields = {
        "cell": cell,
        "notebook": notebook,
        "entry_point": entry_point,
        "asked_by": asked_by,
        "given": given,
        "lines": lines,
        "stem": stem,
        "run": run,
        "step": step,
        "price": price,
    }
    record = {name: value for name, value in fields.items() if value}
    scratch = Scratch(job_store().home)
    recording = Recording(spec, place.backend, origin or CodeOrigin(directory=local_directory(spec.source_dir)))
    try:
        is_elastic = spec.effective_job_type == "ElasticBatchJob"  # a file of ours may have to be added
        if package is not None and (overlay or is_elastic):
            source, allow_large = scratch.path / "source", True
            unpack(package, source, allow_large=True)
            package = None
        if package is not None:
            packed = take_packed(package, to=scratch.path / _PACKED, allow_large=True)
        else:
            packed, more = _pack(
                spec,
                place,
                scratch,
                script=entry_point or entry_point_of(spec.command),
                source=source,
                files=files or {},
                overlay=overlay or {},
                include=include,
                modules=modules,
                allow_large=allow_large,
                lines=lines,
                progress_callback=progress_callback,
            )
            notes += more
    except BaseException:
        recording.cancel()
        scratch.drop()
        raise
    return Draft(
        spec,
        place,
        packed,
        job_id=job_id or fresh_id(),
        notes=notes,
        record=record,
        scratch=scratch,
        recording=recording,
        notify=notify,
    )


def _in_clear(spec: JobSpec) -> list[tuple[str, object]]:
    """Return what records keep of a spec, by name."""
    others = [(name, it) for name, it in spec.to_json().items() if name not in ("hyperparameters", "environments")]
    return [*spec.hyperparameters.items(), *plain_variables(spec.environments), *others]


def _check_channels(spec: JobSpec) -> None:
    """Reject channels with names of ours; a recorded job of an older version may have them."""
    for kind, channels in (("inputs", spec.inputs), ("outputs", spec.outputs)):
        if taken := contract.OUR_CHANNELS & channels.keys():
            raise SpecError(
                f"`{kind}` has {min(taken)!r}, a name that every job uses itself. Choose another.", field=kind
            )


def _about_shards(spec: JobSpec, place: Target, shards: ShardsImport, lines: LineMap | None) -> list[str]:
    """Return a note about an ElasticBatchJob whose data are not divided, or otherwise than its code may make believe."""
    if not shards.is_there:
        return contract.undivided(spec)
    if spec.effective_job_type != "ElasticBatchJob":
        return []
    if get_backend(place.backend).info.is_local:
        if spec.returns:
            return [
                "the values of --return may be missing: they are written behind the loop over the shards, and the job ends when "
                "all of them are done. Write what you need inside of the loop."
            ]
        if shards.behind is None:
            return []
        line = lines.origin(shards.behind)[1] if lines else shards.behind
        return [
            f"line {line}: what stands behind the loop over the shards may not run: the job ends when all of them are done. "
            "Put it into a cell of its own."
        ]
    return [
        f"on PAI each of the {len(contract.replicas(spec))} workers does a fixed part of the shards, and none takes over from "
        "another one. Shards that are done already are skipped."
    ]


def _check_alone(spec: JobSpec, package: Package) -> None:
    """Reject additional files if the backend fetches the code itself."""
    if package.files:
        raise SpecError(
            f"`source_dir` lies at {spec.source_dir!r} and is used there as it is, so {package.files[0].name!r} cannot be added "
            "to it. Put it there and run what is there (%pai_train, with one %), or give a directory of this machine: "
            "--source-dir ./src",
            field="source_dir",
        )


def fresh_id() -> str:
    """Generate the id of a new job."""
    return new_job_id(time.time(), secrets.randbits(64))


def check(spec: JobSpec, place: Target) -> list[str]:
    """Ask the backend whether it can run `spec`; return its notes."""
    sentences = [*check_options(spec), *about_given_type(get_backend(place.backend).check(spec), spec, place.backend)]
    problems = [sentence for sentence in sentences if not sentence.startswith(NOTE)]
    if problems and place.is_emulated and place.is_configured:
        problems.append(
            "Jobs go to the emulator, as %pai_config says. To run this one on this machine, type --backend process; "
            "to leave the emulator, type %pai_config use emulator --stop."
        )
    if problems:
        raise SpecError("\n".join(problems))
    return [sentence.removeprefix(NOTE) for sentence in sentences]


_named: set[str] = set()  # variables already named in a note


def _held_back(spec: JobSpec, place: Target) -> list[str]:
    """Return a note naming the variables that the job does not inherit; each is named once per process."""
    backend = get_backend(place.backend)
    names = [name for name in backend.held_back(spec) if name not in _named] if isinstance(backend, Inherits) else []
    if not names:
        return []
    _named.update(names)
    return [
        f"not passed on: {', '.join(names)}, since they may be secrets. What the job needs, give it with --pass-env {names[0]}"
    ]


@for_python()
def submit(spec: JobSpec, *, backend: str | None = None) -> Job:
    """Pack and start `spec`; the basic Python API, also used by `Estimator` and `%%pai_train`.

    Raises:
        SpecError, PackageError, BackendError: nothing was started or left behind.

    Example:
        >>> from pai_jupyter import JobSpec
        >>> job = submit(JobSpec(name="demo", command="echo hello"), backend="process").wait()
        >>> [line.text for line in job.tail(1)]
        ['hello']
    """
    with draft(spec, place_of(spec, backend=backend), progress_callback=presenter().tell) as ready:
        return ready.submit()


def _pack(
    spec: JobSpec,
    place: Target,
    scratch: Scratch,
    *,
    script: str | None,
    source: Path | None,
    files: Mapping[str, bytes],
    overlay: Mapping[str, bytes],
    include: Sequence[Path],
    modules: Sequence[tuple[Path, str]],
    allow_large: bool,
    lines: LineMap | None,
    progress_callback: Callable[[str], None],
) -> tuple[Package, list[str]]:
    """Pack the code into a file in `scratch`; return the package and notes about it."""
    home = job_store().home
    with nullcontext(source) if source else directory_of(spec, place.backend, allow_large=allow_large) as directory:
        shards = find_shards(script, directory=directory, files={**files, **overlay}, modules=modules)
        package = build(
            directory,
            to=scratch.path / _PACKED,
            files={**files, **shards.files},
            overlay=overlay,
            include=include,
            modules=modules,
            without=home,  # a home inside the source would be packed with all its jobs
            secrets=loaded_secrets(),
            allow_large=allow_large,
            cache_dir=home / "cache" / "packages",
            progress_callback=progress_callback,
        )
    if source is None and is_passed_on(spec, place.backend):
        _check_alone(spec, package)
    return package, [*_about_shards(spec, place, shards, lines), *package.warnings]
