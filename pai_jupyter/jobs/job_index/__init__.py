"""The list of this user's jobs, kept current while it has subscribers; one list per process.

    row         one job in a list
    columns     how jobs are shown, sorted and searched
    names       states and backends in Chinese
    search      the search language and matching
    folders     polls the job folders for changes
    orphans     running jobs without a follower: this process follows them while there are subscribers
    remote_jobs jobs that a service lists and that have no folder here
    index       combines all these, with the subscribers

Rule 1: without subscribers nothing is polled, requested or followed for the list. Rows are kept: opening a list again costs one
    scan.
Rule 2: a scan costs a name per job and a `stat` per running job. A folder is read only when it changes, and never again once
    its job has ended, but for annotations that their log says were changed.
Rule 3: a damaged folder or a service that does not answer hides no other job.
Rule 4: rows are immutable: a new object means a change, the same object means none.
"""

from pai_jupyter.jobs.job_index.index import JobIndex, all_rows, get_job_index, watching_all
from pai_jupyter.jobs.job_index.row import JobRow
from pai_jupyter.jobs.job_index.search import JobSearch, JobSelection

__all__ = ["JobIndex", "JobRow", "JobSearch", "JobSelection", "all_rows", "get_job_index", "watching_all"]
