"""Job folders: the request, the events, and the logs with their line index. Plain files, no database.

home      the directory of jobs and their ids; jobstore: `JobStore` finds them
folder    one job: `JobFolder`, and the map of its files
record    job.json: the job as requested
snapshot  state.json: the last commit
provenance  provenance.json and git.diff: what the job was started from
writer    writes events to files exactly once: `JobWriter`, with replica (writing one log)
logs      windows of lines: `LogFile` (merged: `MergedLog`, of all replicas), with view and index (the format of the line index)
search    lines by text and level (levels) and, in a process of its own (worker), by pattern (patterns): `Query`, `FoundLines`
annotations  the user's name, star, tags and note of a job; annotation_files keeps them, and tells lists of changes
lock      one follower per job; attention: whether anybody is viewing it
scratch   temporary directories that are cleaned up even after a kill
trouble   why a job cannot be reached or recorded at the moment
disk      atomic writes, private modes, translated errors
"""

from pai_jupyter.store.annotation_files import AnnotationLog
from pai_jupyter.store.annotations import AnnotationChange, Annotations
from pai_jupyter.store.attention import note_look
from pai_jupyter.store.folder import JobFolder
from pai_jupyter.store.home import home, home_errors, new_job_id
from pai_jupyter.store.job_names import JobNames
from pai_jupyter.store.jobstore import JobStore
from pai_jupyter.store.levels import Level
from pai_jupyter.store.lock import FollowLock
from pai_jupyter.store.logs import LogFile, LogLine
from pai_jupyter.store.merged import MergedLog, with_replica
from pai_jupyter.store.record import MASKED, JobRecord
from pai_jupyter.store.scratch import Scratch
from pai_jupyter.store.search import FoundLines, Query
from pai_jupyter.store.snapshot import Snapshot
from pai_jupyter.store.trouble import GOES_ON, Trouble, clear_trouble, note_trouble, read_trouble
from pai_jupyter.store.writer import JobWriter

__all__ = [
    "AnnotationChange",
    "AnnotationLog",
    "Annotations",
    "JobStore",
    "JobFolder",
    "JobNames",
    "JobRecord",
    "MASKED",
    "Snapshot",
    "JobWriter",
    "FollowLock",
    "Scratch",
    "note_look",
    "GOES_ON",
    "Trouble",
    "clear_trouble",
    "note_trouble",
    "read_trouble",
    "LogFile",
    "LogLine",
    "MergedLog",
    "with_replica",
    "Query",
    "FoundLines",
    "Level",
    "home",
    "home_errors",
    "new_job_id",
]
