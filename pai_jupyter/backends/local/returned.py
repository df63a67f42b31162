"""Tell which variables a local job was to return and could not write."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pai_jupyter.backends.local.outputs import output_folder
from pai_jupyter.backends.local.record import read_outputs
from pai_jupyter.contract import RETURNED
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.values.returned import look, not_returned


def unreturned(folder: Path) -> Iterator[str]:
    """Yield one sentence for each variable that the job in `folder` could not write for the kernel."""
    with suppress(OSError, ValueError, PaiJupyterError):  # what is wrong with the channel is said when it is read
        if RETURNED in read_outputs(folder):
            yield from not_returned(look(output_folder(folder, RETURNED), what=f"output {RETURNED!r}"))
