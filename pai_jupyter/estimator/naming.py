"""What a job is called when nobody says: `{base}_{yyyymmdd-HHMMSS}`, as the documents have it."""

from datetime import datetime
from itertools import count
from pathlib import Path


def job_name(base: str, now: datetime, output_path: str | None = None) -> str:
    """`{base}_{yyyymmdd-HHMMSS}`; a second job of the same second gets a number, where both would share a directory."""
    name = f"{base}_{now:%Y%m%d-%H%M%S}"
    if output_path is None or not (Path(output_path).expanduser() / name).exists():
        return name
    names = (f"{name}-{number}" for number in count(2))
    return next(each for each in names if not (Path(output_path).expanduser() / each).exists())
