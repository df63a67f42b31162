"""What a job is started from: the state of its code's repository, Python with its packages, images. Never a failure of the job.

    git        a repository, asked of `git` in a few short calls
    packages   the packages of this Python, as `pip freeze` writes them
    code       where code is from: a directory here, another job, a package that is kept
    recording  finds all of it out on threads beside the packing, and writes it before the job starts

Rule 1: what cannot be found out is told in a sentence (`store.provenance`), in time: a job waits for `git` for seconds at most.
Rule 2: secrets are masked before anything is written (`contract.masking`).
Rule 3: a directory without a repository above it costs a few `stat`s, and no process.
"""

from pai_jupyter.jobs.provenance.code import BESIDE, CodeOrigin, RecordedCode, code_of_job, keep_code, kept_code
from pai_jupyter.jobs.provenance.recording import (
    CodeRecording,
    Recording,
    image_states,
    local_directory,
    looked_up_again,
)

__all__ = [
    "BESIDE",
    "CodeOrigin",
    "CodeRecording",
    "RecordedCode",
    "Recording",
    "code_of_job",
    "image_states",
    "keep_code",
    "kept_code",
    "local_directory",
    "looked_up_again",
]
