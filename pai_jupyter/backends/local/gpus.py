"""The GPUs of this machine."""

import re
from pathlib import Path


def count_gpus() -> int:
    """Count the NVIDIA GPUs of this machine."""
    return sum(bool(re.fullmatch(r"nvidia\d+", entry.name)) for entry in Path("/dev").iterdir())
