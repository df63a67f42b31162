"""Default names of jobs: `{base}_{yyyymmdd-HHMMSS}`, as in PAI's documents."""

from datetime import datetime
from itertools import count
from pathlib import Path


def job_name(base: str, now: datetime, output_path: str | None = None) -> str:
    """Return `{base}_{yyyymmdd-HHMMSS}`, plus a number if a job of the same second would share its directory."""
    name = f"{base}_{now:%Y%m%d-%H%M%S}"
    if output_path is None or not (Path(output_path).expanduser() / name).exists():
        return name
    names = (f"{name}-{number}" for number in count(2))
    return next(each for each in names if not (Path(output_path).expanduser() / each).exists())
