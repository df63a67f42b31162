"""In a job: divide data into shards, which the job's workers take until all are done.

    for shard in pai_shards.shards(size=len(rows), shard_size=100):
        shard.path.write_text("".join(predict(row) for row in rows[shard.start : shard.stop]))
        shard.commit()

The results are TO/done/0, 1, ... of a directory `to` that all workers share, by default `shards` in the output channel `model`.
When all are there, TO gets _MANIFEST.json and _SUCCESS, and the job ends: code behind the loop may not run. If all workers leave
the loop before, the job fails; a later one with the same TO goes on. A shard that several workers had is delivered once.
"""

from __future__ import annotations

import fcntl
import json
import os
import statistics
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any, Generator, Iterator

_IS_SPLIT = "PAI_SHARDS_WORKERS" in os.environ  # on PAI, without locks and links: worker I of N has I, I + N, ...
_held: weakref.WeakSet[Any] = weakref.WeakSet()  # open claims, which a child that outlives this process must not keep
os.register_at_fork(after_in_child=lambda: [file.close() for file in _held])


class Shard:
    def __init__(self, to: Path, number: int, start: int, stop: int) -> None:
        self.number, self.start, self.stop, self._to, self._began = number, start, stop, to, time.time()
        self.path, self.is_committed = to / "parts" / f"{number}.{os.urandom(6).hex()}", False

    def commit(self) -> bool:
        """Deliver the file at `path`, without one an empty file; return whether no other worker was first."""
        self.is_committed = True
        with self.path.open("ab") as file:
            if file.tell():
                os.fsync(file.fileno())  # else a crash of the machine could leave an empty result
        if (is_first := _publish(self.path, self._to / "done" / str(self.number))) and not _IS_SPLIT:
            with (self._to / "claims" / "seconds").open("a") as seconds:
                seconds.write(f"{time.time() - self._began:.4f}\n")
        self.path.unlink(missing_ok=True)
        return is_first


def shards(size: int, shard_size: int, *, to: str | os.PathLike[str] | None = None) -> Iterator[Shard]:
    """Yield the shards of `size` rows that this worker gets, until those of all workers are done."""
    if any(type(n) is bool or not hasattr(n, "__index__") or n < at for n, at in ((size, 0), (shard_size, 1))):
        _tell(".refused", f"size={size!r}, shard_size={shard_size!r}: they must be whole numbers of at least 0 and 1")
    size, shard_size = int(size), int(shard_size)  # numpy's, say
    place = Path(to or Path(os.environ.get("PAI_OUTPUT_MODEL", ""), "shards")).absolute()
    for name in ("claims", "parts", "done"):
        (place / name).mkdir(parents=True, exist_ok=True)
    plan, count, told = {"size": size, "shard_size": shard_size}, -(-size // shard_size), time.monotonic()
    _agree(place, "_PLAN.json", plan)
    if done := count - len(_left(place, count)):
        print(f"pai_shards: {done} of {count} shards were done already in '{place}'", flush=True)
    _tell(".left")
    try:
        for number in _numbers(place, count):
            shard = Shard(place, number, number * shard_size, min((number + 1) * shard_size, size))
            yield shard
            if not shard.is_committed:
                raise RuntimeError(f"shard {number} was not committed: end the loop's body with shard.commit()")
            if time.monotonic() - told > 1:
                told = time.monotonic()
                print(f"shard {count - len(_left(place, count))}/{count}", flush=True)
        _agree(place, "_PLAN.json", plan)  # without links, another worker's may have come later
        _tell("" if _IS_SPLIT else ".left")  # its own part is done
    finally:  # the loop may be left before its end
        _finish(place, plan, count)


def _numbers(place: Path, count: int) -> Iterator[int]:
    if _IS_SPLIT:
        task, workers = json.loads(os.environ["ELASTICBATCH_CONFIG"])["task"], int(os.environ["PAI_SHARDS_WORKERS"])
        yield from (number for number in _left(place, count) if number % workers == task["index"])
    pause, start = 0.01, os.urandom(1)[0] / 256  # workers that start apart seldom want the same shard
    while not _IS_SPLIT and (left := _left(place, count)):
        found, first = False, int(start * len(left))
        for number in left[first:] + left[:first]:
            found |= yield from _claim(place, number)
        for number in [] if found else _late(place, left):
            if found := (yield from _claim(place, number, ".backup")):
                break
        time.sleep(0 if found else pause)
        pause = 0.01 if found else min(2 * pause, 0.5)


def _claim(place: Path, number: int, copy: str = "") -> Generator[int, None, bool]:
    """Yield a shard while this process has the claim to it; return whether it was free."""
    done, is_free = place / "done" / str(number), False
    if not done.exists():
        with (place / "claims" / f"{number}{copy}").open("a") as file, suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the kernel frees it however a worker dies
            _held.add(file)
            os.utime(file.fileno())  # the time of the claim
            if is_free := not done.exists():
                yield number
    return is_free


def _late(place: Path, numbers: list[int]) -> list[int]:  # claimed for 3 times the median: they get a backup copy
    with suppress(FileNotFoundError):  # none is done yet, or all are
        limit = time.time() - 3 * statistics.median(map(float, (place / "claims/seconds").read_text().split()))
        return [n for at, n in sorted(((place / f"claims/{n}").stat().st_mtime, n) for n in numbers) if at < limit]
    return []


def _finish(place: Path, plan: dict[str, int], count: int) -> None:
    if left := _left(place, count):
        print(f"pai_shards: {len(left)} of {count} shards are not done at the end of this worker's loop", flush=True)
        return
    print(f"shard {count}/{count}", flush=True)
    if not (place / "_SUCCESS").exists():
        files = [{"path": f"done/{n}", "bytes": (place / "done" / str(n)).stat().st_size} for n in range(count)]
        _agree(place, "_MANIFEST.json", {**plan, "shards": files})
        (place / "_SUCCESS").touch()
        for path in (*(place / "claims").iterdir(), *(place / "parts").iterdir()):
            with suppress(OSError):
                path.unlink()
    _tell("")


def _tell(what: str, refusal: str = "") -> None:
    """Tell the job's backend that nothing is left to do (""), something is (".left"), or that the job must fail (".refused")."""
    with suppress(KeyError, OSError):
        Path(os.environ["PAI_SHARDS_DONE"] + what).write_text(refusal)
    if refusal:
        raise ValueError(refusal)


def _agree(place: Path, name: str, value: Any) -> None:  # Any: JSON
    if not (place / name).exists():  # else another worker or job was first
        draft = place / "parts" / f"{name}.{os.urandom(6).hex()}"
        draft.write_text(json.dumps(value))
        _publish(draft, place / name)
    if (old := json.loads((place / name).read_text())) != value:
        _tell(".refused", f"'{place}' has the shards of {old}: give these sizes, or another directory with to=...")


def _publish(draft: Path, final: Path) -> bool:
    with suppress(FileExistsError, FileNotFoundError):  # another one was first; all was done, and the parts deleted
        return (os.replace if _IS_SPLIT else os.link)(draft, final) is None
    return False


def _left(place: Path, count: int) -> list[int]:
    return sorted(map(int, {*map(str, range(count))}.difference(os.listdir(place / "done"))))
