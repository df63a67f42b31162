"""The `environment` request: variables and paths as the script saw them, and the command as it was run.

Variables that the backend recorded at the start are used; the others are computed from the job's record by the functions of
the contract that the backend uses. So any process can answer for any job, also for one that has ended.
Rule 1: no secrets. The record has none in its variables; values that it masks stay masked, even if the backend recorded
    them. A hyperparameter whose name is that of a secret is masked wherever its value occurs.
Rule 2: only variables that were set for the job. Those inherited from a kernel or an image are not recorded, and `note` says
    so.
Rule 3: the command is expanded as `sh` does it: unquoted values are split into words; text in single quotes or in a
    here-document stays as written. So the command can be copied and run.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pai_jupyter import contract
from pai_jupyter.backends import RecordsVariables, RunsAsGiven, find_backend, find_info
from pai_jupyter.contract.shell import ShellContext, ShellReference, references
from pai_jupyter.contract.topology import role_of
from pai_jupyter.jobs import Job
from pai_jupyter.spec import JobSpec, env_name
from pai_jupyter.store import MASKED

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.tabs import EnvironmentAnswer, ReplicaEnvironment

_NOT_RECORDED = "The variables that the backend set were not recorded. These follow from the job's options."
_AS_GIVEN = (
    "Its commands run as its service runs them. Addresses, ports and directories of its tasks are known only there."
)
_OTHER_COMMANDS = "This is the command of {replica}. Other roles have their own commands."


def environment(job: Job) -> "EnvironmentAnswer":
    """Answer an `environment` request. Blocking.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    replicas = contract.replicas(job.spec)
    backend = find_backend(job.backend)
    if isinstance(backend, RunsAsGiven) and backend.is_as_given(job.spec):
        return _as_given(job, replicas[0], backend.given_variables(job.spec, job_id=job.id))
    recorded = backend.variables(job.spec, job.folder.path) if isinstance(backend, RecordsVariables) else {}
    noted = recorded or {}
    variables = {replica.name: _variables(job, replica, noted.get(replica.name, {})) for replica in replicas}
    info = find_info(job.backend)
    notes = [_NOT_RECORDED if recorded is None else info.inherits if info is not None else ""]
    if any(role.command for role in job.spec.roles):
        notes.append(_OTHER_COMMANDS.format(replica=replicas[0].name))
    described: list[ReplicaEnvironment] = [
        {"name": name, "variables": _pairs(dict(sorted(given.items()))), "paths": _pairs(_paths(job, given))}
        for name, given in variables.items()
    ]
    return {
        "command": _command(job, replicas[0], variables[replicas[0].name]),
        "replicas": described,
        "note": " ".join(filter(None, notes)),
    }


def _as_given(job: Job, first: contract.Replica, given: Mapping[str, Mapping[str, str]]) -> "EnvironmentAnswer":
    """Describe a job that has nothing of the training contract."""
    masked = {
        name: {key: MASKED if contract.is_secret(key, value) else value for key, value in sorted(variables.items())}
        for name, variables in given.items()
    }
    notes = [_AS_GIVEN, *([_OTHER_COMMANDS.format(replica=first.name)] if len(job.spec.roles) > 1 else [])]
    return {
        "command": _command(job, first, masked[first.name]),
        "replicas": [{"name": name, "variables": _pairs(variables), "paths": []} for name, variables in masked.items()],
        "note": " ".join(notes),
    }


def fill_in(command: str, variables: Mapping[str, str], words: Sequence[str]) -> str:
    """Replace the PAI_ variables in `command` by their values; `words` are the arguments in `$PAI_USER_ARGS`."""
    for reference in reversed(references(command)):
        if reference.name.startswith("PAI_") and reference.name in variables:
            value = _replacement(reference, variables[reference.name], words)
            if value is not None:
                command = command[: reference.start] + value + command[reference.end :]
    return command.rstrip(" ")


def _replacement(reference: ShellReference, value: str, words: Sequence[str]) -> str | None:
    """Return text that can replace the reference with the same meaning; None = keep the reference."""
    if reference.quote in ("'", "<<"):
        return None
    if reference.quote == '"':
        return re.sub(r'([\\"$`])', r"\\\1", value)
    if reference.place is ShellContext.HELD:  # an assignment or arithmetic
        return shlex.quote(value)
    if reference.name == "PAI_USER_ARGS":
        return shlex.join(words)
    return " ".join(map(shlex.quote, re.findall(r"[^ \t\n]+", value)))


def _command(job: Job, replica: contract.Replica, variables: Mapping[str, str]) -> str:
    role = role_of(job.spec, replica)
    text = (role and role.command) or job.spec.command
    return fill_in(text, variables, contract.user_args(_masked_spec(job.spec)))


def _variables(job: Job, replica: contract.Replica, noted: Mapping[str, str]) -> dict[str, str]:
    """Return the replica's variables: as its backend recorded them, else as the contract defines; secrets masked."""
    info = find_info(job.backend)
    expected = contract.environment(
        _masked_spec(job.spec),
        replica,
        input_files=_input_files(job),
        by_service=info is not None and not info.is_local,
    )
    masked = {name: value for name, value in expected.items() if MASKED in value}
    secrets = {
        name: MASKED
        for name, value in job.spec.environments.items()
        if name in expected and contract.is_secret(name, value)
    }
    return {**expected, **noted, **masked, **secrets}


def _masked_spec(spec: JobSpec) -> JobSpec:
    """Return `spec` with hyperparameters masked whose names are those of secrets."""
    values = {
        name: MASKED if contract.is_secret(name, value) else value for name, value in spec.hyperparameters.items()
    }
    return replace(spec, hyperparameters=values)


def _input_files(job: Job) -> dict[str, str]:
    """Return channel -> file name for inputs that were a single file; the job's tree has an empty file of that name."""
    found = {}
    for channel in job.spec.inputs:
        place = job.folder.path / "ml" / "input" / "data" / channel
        entry = next(place.iterdir(), None) if place.is_dir() and not place.is_symlink() else None
        if entry is not None:
            found[channel] = entry.name
    return found


def _paths(job: Job, variables: Mapping[str, str]) -> dict[str, str]:
    """Map the paths of the job's tree, as the job saw them, to descriptions."""
    tree = contract.Paths(root=variables["PAI_WORKING_DIR"].removesuffix("usercode/"))
    inputs = {variables[f"PAI_INPUT_{env_name(name)}"]: place for name, place in job.spec.inputs.items()}
    return {
        tree.working_dir: "the package, unpacked; the working directory",
        f"{tree.root.rstrip('/')}/code": "a link to usercode",
        f"{tree.config_dir}hyperparameters.json": "the hyperparameters, as text",
        f"{tree.config_dir}training_job.json": "the job in PAI's format",
        **inputs,
        **{tree.output(channel): job.output(channel) for channel in contract.output_channels(job.spec)},
        f"{tree.output_dir}logs": "a link to tensorboard",
    }


def _pairs(values: Mapping[str, str]) -> list[tuple[str, str]]:
    return [*values.items()]
