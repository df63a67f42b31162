"""What the job of a step has given: its output parameters, with their types, and the places of its output artifacts.

A job writes these files, and may write anything: no link is followed, no pipe is waited for, no size is trusted (`path_guard`).

Rule 1: a declared parameter without a file, or with a text of another type, fails the try with a sentence. An empty text is a String.
Rule 2: what an earlier job has left in a given directory is no output: it is cleared before each try (`jobs.clear_values`).
"""

from collections.abc import Mapping
from contextlib import suppress

from pai_jupyter.backends.local import beside_channels
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.jobs import read_values
from pai_jupyter.path_guard import JobDirectory, open_file, open_folder, scan
from pai_jupyter.runs.parameter_types import check_value
from pai_jupyter.runs.plan import DeclaredParameter, JobBody
from pai_jupyter.spec import RESERVED_CHANNELS, STANDARD_OUTPUTS, Json, env_name
from pai_jupyter.store import JobStore
from pai_jupyter.workflow.planning_bodies import PARAMETER_PATHS

PARAMETERS = "output_parameters"  # of a custom job, in /ml/output
PAI = "pai_outputs"  # in /ml/output: what a plain container finds at /pai/outputs
_ROOTS = {"/ml/output/": "", "/pai/outputs/": f"{PAI}/"}


def output_root(job_id: str) -> JobDirectory:
    """Return the directory that was the job's /ml/output.

    Raises:
        NotFoundError: it has none on this machine.
    """
    try:
        root, _ = beside_channels(JobStore().path(job_id))
    except (OSError, ValueError) as exc:
        raise NotFoundError(f"job {job_id} has no record of its outputs on this machine.") from exc
    return root


def read_parameters(body: JobBody, job_id: str, folder: str) -> dict[str, Json]:
    """Read all output parameters, each at its `path`, else in the file of its name in `folder` below the job's /ml/output.

    Raises:
        SpecError: one is missing or wrong.
    """
    paths = parameter_paths(body)
    default = "/pai/outputs/parameters" if folder.startswith(PAI) else f"/ml/output/{folder}"
    return {
        it.name: _parameter(it, job_id, paths.get(it.name, f"{default}/{it.name}")) for it in body.output_parameters
    }


def parameter_paths(body: JobBody) -> dict[str, str]:
    """Return where the job writes the output parameters whose `path` is declared."""
    paths = body.data.get(PARAMETER_PATHS)
    return {name: str(path) for name, path in paths.items()} if isinstance(paths, dict) else {}


def _parameter(declared: DeclaredParameter, job_id: str, where: str) -> Json:
    name, what = declared.name, f"output parameter `{declared.name}`"
    folder, _, file = artifact_path(name, {name: where}).rpartition("/")
    try:
        text = read_values(job_id, [file], directory=folder).get(file)
    except SpecError as exc:
        raise SpecError(f"{what}: {exc}", field=name) from exc
    if text is None:
        raise SpecError(f"{what} is missing: the job has not written {where}.", field=name)
    if not text.strip() and declared.type != "String":
        raise SpecError(f"{what} is empty: the job has written nothing into {where}.", field=name)
    return check_value(text.strip(), declared, what=what)


def artifact_path(name: str, paths: Mapping[str, Json]) -> str:
    """Return the path below /ml/output of an output artifact: the declared one, else a channel of its name."""
    given = paths.get(name)
    if isinstance(given, str):
        for root, here in _ROOTS.items():
            if given.startswith(root):
                return here + given.removeprefix(root).strip("/")
    return name


def artifact_channels(body: JobBody) -> list[str]:
    """Return the output artifacts that are a channel of their own: those without a path, and whose variable no other output has."""
    paths = body.data.get("paths")
    taken = {env_name(name) for name in (*STANDARD_OUTPUTS, *RESERVED_CHANNELS)}
    declared = paths if isinstance(paths, dict) else {}
    return [it.name for it in body.output_artifacts if it.name not in declared and env_name(it.name) not in taken]


def artifact_places(body: JobBody, root: JobDirectory, base: str | None = None) -> dict[str, Json]:
    """Return the places of the output artifacts that the job has written; `base`: the address that its output was copied to.

    Raises:
        SpecError: a required one is not there.
    """
    paths, found = body.data.get("paths"), dict[str, Json]()
    for it in body.output_artifacts:
        path = artifact_path(it.name, paths if isinstance(paths, dict) else {})
        kind = _kind(root, path)
        if kind is None:
            if it.required:
                raise SpecError(f"output artifact `{it.name}` is missing: the job has not written /ml/output/{path}.")
            continue
        place = (
            str(root.path / path) if base is None else f"{base.rstrip('/')}/{path}{'/' if kind == 'directory' else ''}"
        )
        found[it.name] = [place] if it.repeated else place
    return found


def _kind(root: JobDirectory, path: str) -> str | None:
    """Return whether there is a file or a directory with something in it; None for anything else."""
    try:
        open_file(root, path, what="the job's output").close()
    except NotFoundError:
        return None
    except SpecError:
        with suppress(NotFoundError, SpecError), open_folder(root, path, what="the job's output") as handle:
            return "directory" if next(scan(handle), None) else None  # channels are there before the job writes
        return None
    return "file"
