"""The shared code of local backends: locations of inputs and outputs, the /ml tree on disk, following log files.

    job folder/
      ml/                usercode/ input/config/ input/data/ output/   the job's /ml
      output/            /ml/output, with a directory per channel, unless the spec has other locations
      logs/<replica>.log written only by the job's side, never by a follower
      run/               the backend's own files: <replica>.phases, outputs.json, packed.json, ...

    places, mounts    locations of channels on this machine       checks     what the backend cannot run
    inputs            inputs to fetch first: remote and cache (oss://), tables and rows (odps://)
    source            code in OSS                               workdir    what a job left in its working directory
    tree              the /ml tree on disk                        following  growing files as events
    outputs, record   location and copies of a job's outputs    foreign_links  links in the path of an input
    gpus              which GPUs a job gets, for itself         addresses  of replicas on this machine, with their ports
    returned          variables that a job could not return       replica_history  starts and ends of replicas

Rule 1: inputs are never copied, and of a file input only that file is visible: its directory may be a home.
Rule 2: `ml/` has an empty placeholder for every input and for all outputs; the backend binds (or links) the real one over it.
    So all files that a job writes into /ml/output stay, also beside the channels. Only a channel with another location has its
    own placeholder there.
Rule 3: a log file is never truncated. A cursor is a byte offset in it.
Rule 4: a key that a job got (odps://) is deleted by the first process that sees the job end.
"""

from pai_jupyter.backends.local.checks import check_local
from pai_jupyter.backends.local.following import follow_logs
from pai_jupyter.backends.local.foreign_links import written_by_a_job, written_by_a_running_job
from pai_jupyter.backends.local.gpus import check_gpus, choose_gpus, count_gpus, visible_gpus, wants_gpus, with_few_gpus
from pai_jupyter.backends.local.outputs import beside_channels, fetch, has_outputs, misplaced, output_folder
from pai_jupyter.backends.local.passed import passed_names, passed_variables
from pai_jupyter.backends.local.places import LocalInput, input_files, output_place, resolve_inputs, resolve_outputs
from pai_jupyter.backends.local.returned import unreturned
from pai_jupyter.backends.local.source import is_remote_source, source_at
from pai_jupyter.backends.local.tables import remove_credential
from pai_jupyter.backends.local.tree import SHARDS_DONE, LocalTree, disk_errors, prepare
from pai_jupyter.backends.local.workdir import PackedFiles, beside_sentence, packed_files, workdir, written_beside

__all__ = [
    "SHARDS_DONE",
    "LocalInput",
    "LocalTree",
    "PackedFiles",
    "beside_channels",
    "beside_sentence",
    "check_gpus",
    "check_local",
    "choose_gpus",
    "count_gpus",
    "disk_errors",
    "fetch",
    "follow_logs",
    "input_files",
    "is_remote_source",
    "has_outputs",
    "misplaced",
    "output_folder",
    "output_place",
    "packed_files",
    "passed_names",
    "passed_variables",
    "prepare",
    "remove_credential",
    "resolve_inputs",
    "resolve_outputs",
    "source_at",
    "unreturned",
    "visible_gpus",
    "wants_gpus",
    "with_few_gpus",
    "workdir",
    "written_beside",
    "written_by_a_job",
    "written_by_a_running_job",
]
