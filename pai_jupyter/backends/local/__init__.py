"""What the backends of this machine share: where inputs and outputs lie, the /ml tree on disk, following log files.

    job folder/
      ml/                usercode/ input/config/ input/data/ output/   what a job sees as /ml
      output/<channel>/  the outputs, unless the spec names other places
      logs/<replica>.log written by the job's side alone, never by a follower
      run/               the backend's own bookkeeping: <replica>.phases, outputs.json, ...

Rule 1: inputs are never copied, and for a file input that file alone is shown: its directory may be a home.
Rule 2: `ml/` holds an empty place for every channel; the backend binds (or links) the real one over it.
Rule 3: a log is a file that nobody cuts. The cursor of a position is a byte offset in it.
"""

from pai_jupyter.backends.local.following import follow_logs
from pai_jupyter.backends.local.places import LocalInput, check_local, input_files, resolve_inputs, resolve_outputs
from pai_jupyter.backends.local.tree import LocalTree, disk_errors, fetch, output_folder, prepare

__all__ = [
    "LocalInput",
    "LocalTree",
    "check_local",
    "disk_errors",
    "fetch",
    "follow_logs",
    "input_files",
    "output_folder",
    "prepare",
    "resolve_inputs",
    "resolve_outputs",
]
