"""The GPUs of this machine."""

import re
from pathlib import Path


def count_gpus() -> int:
    """How many NVIDIA GPUs this machine has."""
    return sum(bool(re.fullmatch(r"nvidia\d+", entry.name)) for entry in Path("/dev").iterdir())
