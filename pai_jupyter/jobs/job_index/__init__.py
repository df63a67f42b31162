"""The list of all jobs of this user, kept current while somebody watches it: one list a process, however many watch.

    row         what a list knows of one job; names: states and backends in 中文
    columns     what is shown of it, what it is sorted and searched by
    search      the words of a search, and which rows fit
    folders     the folders of the store, looked at again and again: what has changed there
    orphans     jobs that go on while nobody follows them: this process does, while somebody watches
    remote_jobs jobs that a service knows of and that have no folder here
    index       all these together, and who watches

Rule 1: while nobody watches, nothing is looked at, nobody is asked, and nothing is followed for the list's sake. What was
    known is kept: a list that is opened again costs one look.
Rule 2: a look costs a name for each job and a `stat` for each that runs. A folder is read when there is something new in it,
    and never again once its job has ended.
Rule 3: one broken folder, one service that does not answer, hide themselves and nothing else.
Rule 4: rows that stand are never changed: a row that is another object has changed, one that is the same has not.
"""

from pai_jupyter.jobs.job_index.index import Catalogue, all_rows, get_catalogue, watching_all
from pai_jupyter.jobs.job_index.row import JobRow
from pai_jupyter.jobs.job_index.search import JobSearch, JobSelection

__all__ = ["Catalogue", "JobRow", "JobSearch", "JobSelection", "all_rows", "get_catalogue", "watching_all"]
