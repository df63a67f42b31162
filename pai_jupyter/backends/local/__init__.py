"""What the backends of this machine share: where inputs and outputs lie, the /ml tree on disk, following log files.

    job folder/
      ml/                usercode/ input/config/ input/data/ output/   what a job sees as /ml
      output/            /ml/output, with a directory for each channel, unless the spec names other places
      logs/<replica>.log written by the job's side alone, never by a follower
      run/               the backend's own bookkeeping: <replica>.phases, outputs.json, ...

    places, mounts    where channels lie on this machine          checks     what cannot be honoured
    inputs            those that must be brought first: remote and cache (oss://), tables and rows (odps://)
    source            code that lies in OSS
    tree              the /ml tree on disk                        following  growing files as events
    outputs, record   what a job has put out: where, a copy of it foreign_links      on the way to an input

Rule 1: inputs are never copied, and for a file input that file alone is shown: its directory may be a home.
Rule 2: `ml/` holds an empty place for every input and for all outputs; the backend binds (or links) the real one over it.
    So whatever a job writes into /ml/output stays, beside the channels too. Only a channel that is to be elsewhere has a
    place of its own, bound over an empty one there.
Rule 3: a log is a file that nobody cuts. The cursor of a position is a byte offset in it.
Rule 4: a key that a job is given (odps://) is removed by whoever sees the job end.
"""

from pai_jupyter.backends.local.checks import check_local, count_gpus
from pai_jupyter.backends.local.following import follow_logs
from pai_jupyter.backends.local.foreign_links import written_by_a_job, written_by_a_running_job
from pai_jupyter.backends.local.outputs import fetch, misplaced, output_folder
from pai_jupyter.backends.local.passed import passed_names, passed_variables
from pai_jupyter.backends.local.places import LocalInput, input_files, output_place, resolve_inputs, resolve_outputs
from pai_jupyter.backends.local.source import is_remote_source, source_at
from pai_jupyter.backends.local.tables import remove_credential
from pai_jupyter.backends.local.tree import LocalTree, disk_errors, prepare

__all__ = [
    "LocalInput",
    "LocalTree",
    "check_local",
    "count_gpus",
    "disk_errors",
    "fetch",
    "follow_logs",
    "input_files",
    "is_remote_source",
    "misplaced",
    "output_folder",
    "output_place",
    "passed_names",
    "passed_variables",
    "prepare",
    "remove_credential",
    "resolve_inputs",
    "resolve_outputs",
    "source_at",
    "written_by_a_job",
    "written_by_a_running_job",
]
