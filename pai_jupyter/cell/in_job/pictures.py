"""In a job: write pictures into the job's output, each with a line in the log that names it.

They lie in `pai_images/` of the channel `tensorboard`, which every job has on every backend.
"""

from __future__ import annotations

import os
import sys

PLACE = "pai_images"
MOST = 500  # pictures of a process; a loop that draws without end must not fill the disk
_SUFFIXES = ((b"\x89PNG\r\n\x1a\n", ".png"), (b"\xff\xd8\xff", ".jpg"), (b"GIF8", ".gif"))
_saved = 0


def directory() -> str | None:
    """Return the directory of pictures; None outside of a job."""
    output = os.environ.get("PAI_OUTPUT_TENSORBOARD") or os.environ.get("PAI_OUTPUT_LOGS")
    return os.path.join(output, PLACE) if output else None


def save(data: bytes) -> bool:
    """Write a picture and print its place; return False if it is none, or there is no place for it."""
    global _saved
    place = directory()
    suffix = next((suffix for magic, suffix in _SUFFIXES if data.startswith(magic)), None)
    if place is None or suffix is None:
        return False
    if _saved < MOST:
        _saved += 1
        try:
            name = _write(place, data, suffix)
        except OSError as exc:  # a full disk must not end the training
            say(f"[image] not saved: {exc.strerror}")
        else:
            say(f"[image] {PLACE}/{name}")
    elif _saved == MOST:
        _saved += 1
        say(f"[image] not saved: this is number {MOST + 1}, and a process saves at most {MOST}")
    return True


def _write(place: str, data: bytes, suffix: str) -> str:
    """Write the file under the next free name; other processes may write at the same time."""
    os.makedirs(place, exist_ok=True)
    rank = os.environ.get("RANK", "0")
    start = "image-" if rank == "0" or not rank.isdigit() else f"rank{rank}-image-"
    number = sum(name.startswith(start) for name in os.listdir(place))
    while True:
        number += 1
        name = f"{start}{number:04}{suffix}"
        try:
            with open(os.path.join(place, name), "xb") as file:
                file.write(data)
        except FileExistsError:
            continue
        return name


def say(text: str) -> None:
    """Print a line of the log; bars of tqdm make room for it."""
    tqdm = getattr(sys.modules.get("tqdm"), "tqdm", None)
    if tqdm is not None and hasattr(tqdm, "write"):
        tqdm.write(text, file=sys.stdout)
        sys.stdout.flush()
    else:
        print(text, flush=True)  # noqa: T201  the log of the job
