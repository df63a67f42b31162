"""See whether the journal of a run has lost entries: what they announced would be done again."""

from pai_jupyter.runs.damage import damaged
from pai_jupyter.runs.journal import TryBegun
from pai_jupyter.runs.journal_file import read_journal
from pai_jupyter.runs.run_folder import RunFolder
from pai_jupyter.runs.try_facts import TryReader


def check_journal(folder: RunFolder) -> None:
    """Compare the journal with the jobs that there are; the caller holds the lock of the driver.

    Raises:
        PaiJupyterError: the journal is damaged, or does not name a job of the run.
    """
    known = {entry.job_id for entry in read_journal(folder.journal) if isinstance(entry, TryBegun)}
    lost = TryReader(folder.home).unknown_try(folder.id, known)
    if lost is not None:
        why = f"job {lost.id}, which step `{lost.record.step}` has started, is not in it"
        raise damaged(folder.journal, why)
