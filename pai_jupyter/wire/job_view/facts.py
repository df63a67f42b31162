"""Facts of a job that do not change while it runs (`JobFacts`), what the user says about it, and why it failed (`Failure`).

Rule 1: they are small: long values are clipped. The answer to `source` has them whole.
Rule 2: they hold no secret, and "~" instead of the home directory.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter import contract
from pai_jupyter.backends import find_info, plugin_titles
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, as_options, as_text
from pai_jupyter.jobs import Job
from pai_jupyter.jobs.failure import DEFAULT_ENTRY_POINT, last_lines
from pai_jupyter.jobs.job_index.facts import MAX_VALUES
from pai_jupyter.spec import Scalar
from pai_jupyter.store import MASKED
from pai_jupyter.wire.protocol.jobs import replicas_of
from pai_jupyter.wire.protocol.prices import price_body

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.job import Failure, JobAnnotations, JobFacts
    from pai_jupyter.wire.schema.values import Scalar as Plain

MAX_TEXT = 1_000  # characters of a cause or of a log line
MAX_VALUE = 200  # characters of a value
MAX_LINE = 4_000  # characters of a magic's line
TAIL_LINES = 20
_EXACT = 2**53  # larger whole numbers are not exact in a browser


def job_facts(job: Job) -> "JobFacts":
    """Return the facts of a job for the wire.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    record, spec, labels = job.folder.record, job.spec, job_labels(job)
    facts: JobFacts = {
        "id": job.id,
        "name": labels["name"],
        "backend": record.backend,
        "place": job.place,
        "instance_type": spec.instance_type,
        "instance_count": spec.total_instances,
        "max_run_time": spec.max_run_time,
        "notebook": record.notebook,
        "created": record.created,
        "folder": _with_tilde(job.folder.path),
        "replicas": list(replicas_of(job)),
        "values": {name: _shown(name, spec.hyperparameters[name]) for name in list(spec.hyperparameters)[:MAX_VALUES]},
        "line": rerun_line(job),
        "entry_point": (record.entry_point or DEFAULT_ENTRY_POINT) if record.cell else "",
    }
    if labels["is_starred"]:
        facts["is_starred"] = True
    if labels["tags"]:
        facts["tags"] = labels["tags"]
    if labels["note"]:
        facts["note"] = labels["note"]
    if spec.roles:
        facts["machines"] = contract.machines_text(spec)
    if record.lines is not None:
        facts["lines_before"] = record.lines.before
    if record.price is not None:
        facts["cost"] = price_body(record.price)
    info = find_info(record.backend)
    if info is not None and not info.measures(spec):
        facts["is_measured"] = False
    if title := plugin_titles().get(record.backend):
        facts["title"] = title
    return facts


def job_labels(job: Job) -> "JobAnnotations":
    """Return what the user says about a job, as its head and its overview show it."""
    told = job.annotations
    return {"name": told.name or job.spec.name, "is_starred": told.is_starred, "tags": [*told.tags], "note": told.note}


def rerun_line(job: Job) -> str:
    """Return the `%pai_rerun` line with the job's values for the user to edit; without values if it would be too long."""
    line = f"%pai_rerun {job.id}"
    values = {name: value for name, value in job.hyperparameters.items() if not contract.is_secret(name, value)}
    try:
        whole = f"{line} {as_options(values, Schema())}".rstrip()
    except SpecError:  # a value has a line break, which a magic's line cannot hold
        return line
    return whole if len(whole) <= MAX_LINE else line


def failure_of(job: Job) -> "Failure":
    """Return why a job failed, with the last lines of its log."""
    why = job.failure()
    return {
        "cause": _clipped(why.cause),
        "hint": _clipped(why.hint),
        "line": why.line,
        "tail": [_clipped(line.text) for line in last_lines(job.folder, why.replica, TAIL_LINES)],
    }


def _shown(name: str, value: Scalar) -> "Plain":
    if contract.is_secret(name, value):
        return MASKED
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) <= _EXACT):
        return value
    return _clipped(as_text(value), MAX_VALUE)


def _clipped(text: str, limit: int = MAX_TEXT) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


def _with_tilde(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
