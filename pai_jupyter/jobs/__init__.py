"""The life of a job: submit, follow, wait, attach, stop, rerun. One runtime thread; all state is in the job folders."""

from pai_jupyter.jobs.annotated import annotate
from pai_jupyter.jobs.boards import find_job_board, open_job_board
from pai_jupyter.jobs.drafts import Draft
from pai_jupyter.jobs.import_remote import adopt, import_job
from pai_jupyter.jobs.job import Job, detaching
from pai_jupyter.jobs.job_index import (
    JobIndex,
    JobRow,
    JobSearch,
    JobSelection,
    all_rows,
    get_job_index,
    watching_all,
)
from pai_jupyter.jobs.listing import attach, follow_all, list_jobs, list_rows
from pai_jupyter.jobs.options import ALLOW_LARGE
from pai_jupyter.jobs.present import (
    PlainLines,
    Presenter,
    follow_log,
    headline,
    presenter,
    print_line,
    tell_terminal,
    use_presenter,
)
from pai_jupyter.jobs.python_words import for_python, notes_for_python
from pai_jupyter.jobs.removal import remove, stop_removed
from pai_jupyter.jobs.rerun import RerunForm, draft_rerun, rerun
from pai_jupyter.jobs.runtime import Runtime, close_runtime, runtime
from pai_jupyter.jobs.script import Script, entry_point_of, passes_args, read_script_file
from pai_jupyter.jobs.script_values import (
    ScriptValue,
    changed_values,
    dropped_defaults,
    schema_of_cell,
    schema_of_source,
)
from pai_jupyter.jobs.step_outputs import clear_values, copy_output, copying_problem, is_filled, read_values
from pai_jupyter.jobs.submission import check, draft, submit
from pai_jupyter.jobs.target import Target, choose_place, gives_literal_ml, place_for, place_of, type_of_roles
from pai_jupyter.jobs.waiting import WaitingJob

__all__ = [
    "ALLOW_LARGE",
    "JobIndex",
    "Draft",
    "Job",
    "JobRow",
    "JobSearch",
    "JobSelection",
    "Target",
    "PlainLines",
    "Presenter",
    "Runtime",
    "RerunForm",
    "Script",
    "WaitingJob",
    "ScriptValue",
    "adopt",
    "annotate",
    "all_rows",
    "attach",
    "changed_values",
    "check",
    "choose_place",
    "clear_values",
    "close_runtime",
    "copy_output",
    "copying_problem",
    "detaching",
    "draft",
    "draft_rerun",
    "dropped_defaults",
    "entry_point_of",
    "find_job_board",
    "follow_all",
    "follow_log",
    "for_python",
    "get_job_index",
    "gives_literal_ml",
    "headline",
    "import_job",
    "is_filled",
    "list_jobs",
    "list_rows",
    "notes_for_python",
    "open_job_board",
    "passes_args",
    "place_for",
    "place_of",
    "type_of_roles",
    "presenter",
    "print_line",
    "read_script_file",
    "read_values",
    "remove",
    "rerun",
    "runtime",
    "schema_of_cell",
    "schema_of_source",
    "stop_removed",
    "submit",
    "tell_terminal",
    "use_presenter",
    "watching_all",
]
