"""Programs whose every byte of output is known beforehand: really run by the real backends, recited by the fake one."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.package import Package, build

_TRAIN = """\
import os, pathlib, sys, time, zlib

def say(name):
    packed = pathlib.Path(name + ".z")
    sys.stdout.buffer.write(zlib.decompress(packed.read_bytes()) if packed.exists() else pathlib.Path(name).read_bytes())
    sys.stdout.buffer.flush()

say("before")
time.sleep(float(os.environ.get("PROBE_SECONDS", "0")))
gate = os.environ.get("PROBE_GATE") or os.environ.get("PAI_INPUT_GATE")
while gate and not os.path.exists(os.path.join(gate, "open")):
    time.sleep(0.01)
say("after")
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "model.bin").write_bytes(pathlib.Path("model").read_bytes())
sys.exit(int(pathlib.Path("exit_code").read_text()))
"""


@dataclass(frozen=True, kw_only=True)
class Program:
    """Prints `before`, waits until the gate is open if the job has one, prints `after`, and ends with `exit_code`.

    Where a job has no gate that can be opened from outside, it waits for $PROBE_SECONDS.
    """

    before: bytes = b""
    after: bytes = b""
    exit_code: int = 0
    model: bytes = b"\x00weights\xff"

    @property
    def log(self) -> bytes:
        return self.before + self.after

    @property
    def files(self) -> Mapping[str, bytes]:
        return {
            "train.py": _TRAIN.encode(),
            "before": self.before,
            "after": self.after,
            "exit_code": str(self.exit_code).encode(),
            "model": self.model,
        }

    def pack(self, to: Path, *, is_small: bool = False) -> Package:
        """Pack it; `is_small`: as few bytes as can be."""
        files = dict(self.files)
        if is_small:
            files["before.z"] = zlib.compress(files.pop("before"), 9)
        return build(None, to=to, files=files)


def lines(start: int, stop: int) -> bytes:
    return b"".join(b"line %d\n" % number for number in range(start, stop))


FORTY = Program(before=lines(0, 20), after=lines(20, 40))
"""Forty lines, half of them behind the gate."""
