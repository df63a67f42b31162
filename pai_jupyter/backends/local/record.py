"""Read `run/outputs.json` of a job folder: the directory of every output channel."""

import json
from collections.abc import Mapping
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.store.disk import read_plain

OUTPUTS = Path("run") / "outputs.json"  # in the job folder
_ALWAYS_BELOW = "output_parameters"  # no channel can have this name


def read_outputs(folder: Path) -> dict[str, Path]:
    """Read the directory of each output channel of the job in `folder`.

    Raises:
        OSError, ValueError: there is no record, or it is damaged.
    """
    try:
        outputs = json.loads(read_plain(folder / OUTPUTS))
    except (PaiJupyterError, RecursionError) as exc:  # a job of the same user may have replaced it
        raise ValueError(str(exc)) from exc
    if not isinstance(outputs, dict) or not all(isinstance(path, str) for path in outputs.values()):
        raise ValueError(f"no record of outputs in {folder}")
    return {channel: Path(path) for channel, path in outputs.items()}


def whole_of(outputs: Mapping[str, Path], folder: Path) -> Path:
    """Return the directory of all outputs: `output_path`, else one in the job folder."""
    return outputs[_ALWAYS_BELOW].parent if _ALWAYS_BELOW in outputs else folder / "output"
