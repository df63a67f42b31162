"""The values and the tags of a job, as its run at MLflow has them.

Tags of ours begin with `pai_jupyter.`; a tag of the user's is one of its own name, with the value "true".
"""

import getpass
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress

from pai_jupyter.contract import is_secret
from pai_jupyter.contract.masking import masked_output
from pai_jupyter.delivery.failure import cause_of
from pai_jupyter.delivery.tracking.names import accepted, renamed
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.events import JobState, Status
from pai_jupyter.spec import Json
from pai_jupyter.store import MASKED, Annotations, JobFolder
from pai_jupyter.store.provenance import read_provenance

OURS = "pai_jupyter."
JOB, KEPT, USER_TAGS = f"{OURS}job_id", f"{OURS}run", f"{OURS}tags"
_RESERVED = (OURS, "mlflow.")  # what tags of others begin with
LONGEST_VALUE, LONGEST_TAG = 6000, 5000  # characters
_LONGEST_NAME = 200
Clean = Callable[[str], str]


def cleaner(secrets: Collection[str]) -> Clean:
    """Return what masks these secrets in a text, and what has the form of one."""

    def clean(text: str) -> str:
        return masked_output(text, secrets).encode("utf-8", "replace").decode()

    return clean


def values_of(folder: JobFolder, clean: Clean) -> tuple[dict[str, str], list[str]]:
    """Return the hyperparameters by their names at MLflow, and what is not as the job has it."""
    given = folder.record.spec.hyperparameters
    names = accepted(map(clean, given))
    found: dict[str, str] = {}
    changes = renamed(names)
    for name, value in given.items():
        text = MASKED if is_secret(name, value) else clean(str(value))
        if len(text) > LONGEST_VALUE:
            changes.append(f"{clean(name)} with its first {LONGEST_VALUE} characters")
        found[names[clean(name)]] = text[:LONGEST_VALUE]
    return found, changes


def _flag(value: bool) -> str:
    return "true" if value else "false"


def tags_of(folder: JobFolder, clean: Clean) -> dict[str, str]:
    """Return the tags that never change: where the job is from, and where it runs."""
    record = folder.record
    spec = record.spec
    source = record.notebook or record.entry_point or ""
    tags = {
        JOB: record.id,
        f"{OURS}backend": record.backend,
        f"{OURS}place": record.place.partition(" (")[0],
        f"{OURS}name": spec.name,
        f"{OURS}instance_type": spec.instance_type,
        f"{OURS}instance_count": str(spec.instance_count),
        f"{OURS}image": spec.image_uri or "",
        f"{OURS}pipeline_run": record.run,
        f"{OURS}step": record.step,
        "mlflow.source.name": source,
        "mlflow.source.type": "NOTEBOOK" if record.notebook else "JOB",
        "mlflow.user": _user(),
        **_git(folder),
    }
    return {name: clean(text)[:LONGEST_TAG] for name, text in tags.items() if text}


def _git(folder: JobFolder) -> dict[str, str]:
    with suppress(PaiJupyterError):  # damaged: the overview says so
        known = read_provenance(folder.path, has_diff=False)
        if known is not None and known.git is not None:
            git = known.git
            return {
                "mlflow.source.git.commit": git.commit,
                "mlflow.source.git.branch": git.branch,
                "mlflow.source.git.repoURL": git.remote,
                f"{OURS}git_is_changed": _flag(git.is_dirty),
            }
    return {}


def said_by_user(folder: JobFolder, clean: Clean) -> tuple[str, dict[str, str]]:
    """Return the run's name and the tags with what the user says now."""
    said = Annotations()
    with suppress(PaiJupyterError):  # lists of jobs say it
        said = folder.annotations()
    tags = {
        "mlflow.note.content": clean(said.note)[:LONGEST_TAG],
        f"{OURS}is_starred": _flag(said.is_starred),
        USER_TAGS: clean(",".join(said.tags)),
        **dict.fromkeys(own_tags(clean(",".join(said.tags))), "true"),
    }
    return clean(said.name or folder.record.spec.name)[:_LONGEST_NAME], tags


def own_tags(listed: str) -> list[str]:
    """Return the names of the tags that stand for those of the user's which are listed in `USER_TAGS`."""
    return [name for name in _tag_names(listed).values() if not name.startswith(_RESERVED)]


def changed_tags(listed: str) -> list[str]:
    """Return `a@b → a_b` for each of the user's tags that has another name at MLflow, or is only in `USER_TAGS`."""
    names = _tag_names(listed)
    return renamed({name: USER_TAGS if other.startswith(_RESERVED) else other for name, other in names.items()})


def _tag_names(listed: str) -> dict[str, str]:
    return accepted(it for it in listed.split(",") if it)


def end_of(folder: JobFolder, state: JobState, clean: Clean) -> dict[str, str]:
    """Return the tags that a job has when it has ended. The reason of a failure is the sentence that its view has."""
    tags = {
        f"{OURS}status": str(state.status),
        f"{OURS}reason": cause_of(folder, state) if state.status is Status.FAILED else state.reason,
        f"{OURS}exit_code": "" if state.exit_code is None else str(state.exit_code),
        f"{OURS}page": state.url or "",
    }
    return {name: clean(text)[:LONGEST_TAG] for name, text in tags.items() if text}


def body_of_outputs(places: Mapping[str, str], clean: Clean) -> dict[str, str]:
    """Return the tags that say where outputs are which are no artifacts."""
    return {f"{OURS}output.{channel}": clean(text)[:LONGEST_TAG] for channel, text in places.items()}


def _user() -> str:
    if sys.platform == "win32":
        return ""
    with suppress(OSError, KeyError):  # a user without a name
        return getpass.getuser()
    return ""


def text_in(body: Mapping[str, Json], name: str) -> str:
    text = body.get(name)
    return text if isinstance(text, str) else ""
