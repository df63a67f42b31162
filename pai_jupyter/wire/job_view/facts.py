"""What a view is told of a job that does not change while it lives (`JobFacts`), and why one failed (`Failure`).

Rule 1: it is small, whatever the job was given: long values are clipped; the answer to `source` has them whole.
Rule 2: it holds no secret, and no home directory: "~" stands for that.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter import contract
from pai_jupyter.backends import plugin_titles
from pai_jupyter.errors import SpecError
from pai_jupyter.hyperparameters import Schema, as_options, as_text
from pai_jupyter.jobs import Job
from pai_jupyter.jobs.failure import DEFAULT_ENTRY_POINT
from pai_jupyter.spec import Scalar
from pai_jupyter.store import MASKED
from pai_jupyter.wire.protocol.jobs import replicas_of

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.job import Failure, JobFacts
    from pai_jupyter.wire.schema.values import Scalar as Plain

MAX_TEXT = 1_000  # characters of a cause, of a line of a log
MAX_VALUE = 200  # characters of a value
MAX_VALUES = 100
MAX_LINE = 4_000  # characters of a magic's line
TAIL_LINES = 20
_EXACT = 2**53  # whole numbers beyond it are not exact in a browser


def job_facts(job: Job) -> "JobFacts":
    """`JobFacts` of the wire.

    Raises:
        PaiJupyterError: the job's record cannot be read.
    """
    record, spec = job.folder.record, job.spec
    facts: JobFacts = {
        "id": job.id,
        "name": spec.name,
        "backend": record.backend,
        "place": job.place,
        "instance_type": spec.instance_type,
        "instance_count": spec.instance_count,
        "max_run_time": spec.max_run_time,
        "notebook": record.notebook,
        "created": record.created,
        "folder": _at_home(job.folder.path),
        "replicas": list(replicas_of(job)),
        "values": {name: _shown(name, spec.hyperparameters[name]) for name in list(spec.hyperparameters)[:MAX_VALUES]},
        "line": rerun_line(job),
        "entry_point": (record.entry_point or DEFAULT_ENTRY_POINT) if record.cell else "",
    }
    if title := plugin_titles().get(record.backend):
        facts["title"] = title
    return facts


def rerun_line(job: Job) -> str:
    """Return the line that reruns the job with the same values, which can be edited there."""
    line = f"%pai_rerun {job.id}"
    values = {name: value for name, value in job.hyperparameters.items() if not contract.is_secret(name)}
    try:
        whole = f"{line} {as_options(values, Schema())}".rstrip()
    except SpecError:  # a line break in a value: the job has it all the same
        return line
    return whole if len(whole) <= MAX_LINE else line


def failure_of(job: Job) -> "Failure":
    """`Failure` of the wire, of a job that has failed."""
    why = job.failure()
    return {
        "cause": _clipped(why.cause),
        "hint": _clipped(why.hint),
        "line": why.line,
        "tail": [_clipped(line.text) for line in job.tail(TAIL_LINES)],
    }


def _shown(name: str, value: Scalar) -> "Plain":
    if contract.is_secret(name):
        return MASKED
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) <= _EXACT):
        return value
    return _clipped(as_text(value), MAX_VALUE)


def _clipped(text: str, limit: int = MAX_TEXT) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


def _at_home(path: Path) -> str:
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
