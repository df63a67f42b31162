"""Read the values that a job has returned: `Job.returned`.

Rule 1: a pickle runs its code when it is read. It is read by itself only if a process job of this home wrote it into its own folder,
    which could have run the same code here before; any other only if the caller says so.
Rule 2: nothing is left out in silence: what is missing has a sentence, at once or when it is asked for.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends import find_info
from pai_jupyter.errors import JobNotReady, NotFoundError, PaiJupyterError
from pai_jupyter.events import Status
from pai_jupyter.jobs.results import Results, still
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.spec import JobSpec
from pai_jupyter.values.returned import ReturnedValues, look, read_returned


class ReturnedResults(Results[Any]):  # Any: values are of any type
    """The values by name; one that was not written says why when it is asked for."""

    def __init__(self, values: Mapping[str, Any], failed: Mapping[str, str], *, name: str, status: Status) -> None:
        super().__init__(values, noun="returned value", name=name, status=status)
        self.failed = dict(failed)

    def _sentence(self, key: object) -> str:
        if isinstance(key, str) and key in self.failed:
            return f"`{key}` was not returned: it {self.failed[key]}"
        return super()._sentence(key)


def read_values(
    found: ReturnedValues, place: JobDirectory, names: Sequence[str], *, name: str, status: Status, allow_pickle: bool
) -> ReturnedResults:
    """Read the values `names` (empty: all) that were found in the channel of the job `name`."""
    results = ReturnedResults({}, found.failed, name=name, status=status)
    wanted = list(names) or list(found.items)
    for each in wanted:
        if each not in found.items:
            results[each]  # raises with the reason
    refused = [each for each in wanted if each in found.pickles]
    if refused and not allow_pickle:
        raise PaiJupyterError(pickle_sentence(refused, [each for each in wanted if each not in refused]))
    results.update(read_returned(place, found, wanted, what=f"the values of job {name!r}", allow_pickle=allow_pickle))
    return results


def pickle_sentence(refused: Sequence[str], others: Sequence[str] = ()) -> str:
    """Return why the values `refused` are not read, and what reads them."""
    names = ", ".join(refused)
    if not others:
        return (
            f"{names}: came back as a pickle, and reading one runs its code. If you trust what the job ran, type "
            "job.returned(pickle=True)"
        )
    return (
        f"{names}: came back as a pickle, and reading one runs its code. If you trust what the job ran, type "
        f"job.returned(pickle=True); without it, job.returned({', '.join(map(repr, others))})"
    )


def found_in(place: JobDirectory, spec: JobSpec, *, name: str, status: Status) -> ReturnedValues:
    """Read the manifest of the channel at `place`; keep the names that the job was asked for.

    Raises:
        NotFoundError: the job wrote no values.
    """
    found = look(place, what=f"the values of job {name!r}")
    if not found.items and not found.failed:
        raise nothing_returned(spec, name=name, status=status)
    if not spec.returns:  # recorded elsewhere
        return found
    kept = {each: found.items[each] for each in spec.returns if each in found.items}
    return ReturnedValues(
        items=kept, failed={each: found.failed[each] for each in spec.returns if each in found.failed}
    )


def nothing_returned(spec: JobSpec, *, name: str, status: Status) -> PaiJupyterError:
    """Return the error for a job without values."""
    if not status.is_terminal:
        return JobNotReady(still(name, status))
    if not spec.returns:
        return NotFoundError(f"job {name!r} returns nothing. Name variables of its cell: %%pai_train --return model")
    if spec.effective_job_type == "ElasticBatchJob":
        return NotFoundError(
            f"job {name!r} returned nothing: its first worker did not get to the last line of the cell, after which values are written. "
            "The end of its shards ends the job, as an exception or sys.exit() does. What the loop leaves is in the output `model`: "
            "job.fetch('model')"
        )
    return NotFoundError(
        f"job {name!r} returned nothing: its cell did not get to the last line, after which values are written. "
        "An exception or sys.exit() ends it before."
    )


def is_trusted(spec: JobSpec, backend: str, place: JobDirectory, own: JobDirectory) -> bool:
    """Return whether a pickle at `place` may be read: a local process of this home, with the channel `own`, wrote it."""
    info = find_info(backend)
    return (
        info is not None
        and info.shares_kernel
        and bool(spec.returns)
        and place.base == own.base
        and contract.RETURNED in place.parts
    )
