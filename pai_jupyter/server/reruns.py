"""A rerun by a form: the form of a job that ran, and the job that its line makes.

`GET jobs/<id>/form` gives the form's model and the job's line; `POST jobs/<id>/rerun {line}` takes the line as the form has
changed it. Without a body the job runs again as it was.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.jobs import Job, draft_rerun, rerun
from pai_jupyter.training import check_has_form, read_rerun, rerun_line, rerun_schema
from pai_jupyter.wire import Message
from pai_jupyter.wire.protocol.form_model import form_model
from pai_jupyter.wire.protocol.jobs import Parameters
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import RerunAsked
from pai_jupyter.wire.tabs.source import script_of

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import RerunFormAnswer
    from pai_jupyter.wire.schema.values import JobNamed


def rerun_form(job: Job, parameters: Parameters) -> Message:
    """Return the form of a rerun. Blocking.

    Raises:
        SpecError: the job has none, or a value that no line can hold.
    """
    record = job.folder.record
    check_has_form(record)
    schema = rerun_schema(record, script_of(job))
    body: RerunFormAnswer = {
        **form_model(schema, record.lines),
        "taken": [],
        "values": [],
        "assigned": [],
        "findings": [],
        "line": rerun_line(record, schema),
    }
    return Message(body=body)


def rerun_as_asked(root: str, job: Job, parameters: Parameters) -> Message:
    """Run a job again, as its form says if the request has a line; relative paths start at `root`. Blocking.

    Raises:
        PaiJupyterError: nothing was started.
    """
    line = RequestFields(parameters, RerunAsked).text("line", default="")
    if not line:
        again = rerun(job)
    else:
        record = job.folder.record
        check_has_form(record)
        form = read_rerun(line, record, rerun_schema(record, script_of(job)), base=Path(root).expanduser())
        with draft_rerun(job, form=form) as ready:
            again = ready.submit()
    named: JobNamed = {"job": again.id, "name": again.name}
    return Message(body=named)
