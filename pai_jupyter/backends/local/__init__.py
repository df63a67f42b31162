"""The shared code of local backends: locations of inputs and outputs, the /ml tree on disk, following log files.

    job folder/
      ml/                usercode/ input/config/ input/data/ output/   the job's /ml
      output/            /ml/output, with a directory per channel, unless the spec has other locations
      logs/<replica>.log written only by the job's side, never by a follower
      run/               the backend's own files: <replica>.phases, outputs.json, ...

    places, mounts    locations of channels on this machine       checks     what the backend cannot run
    inputs            inputs to fetch first: remote and cache (oss://), tables and rows (odps://)
    source            code in OSS
    tree              the /ml tree on disk                        following  growing files as events
    outputs, record   location and copies of a job's outputs    foreign_links  links in the path of an input

Rule 1: inputs are never copied, and of a file input only that file is visible: its directory may be a home.
Rule 2: `ml/` has an empty placeholder for every input and for all outputs; the backend binds (or links) the real one over it.
    So all files that a job writes into /ml/output stay, also beside the channels. Only a channel with another location has its
    own placeholder there.
Rule 3: a log file is never truncated. A cursor is a byte offset in it.
Rule 4: a key that a job got (odps://) is deleted by the first process that sees the job end.
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
