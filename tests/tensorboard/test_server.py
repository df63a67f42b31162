"""The process of a TensorBoard, as several threads ask for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from pai_jupyter.tensorboard import server


class SeenElsewhere(subprocess.Popen[bytes]):
    """A child that has ended, which another thread finds out while this one asks."""

    def poll(self) -> int | None:
        server._children.pop(self.pid, None)
        return super().poll()


def test_two_threads_may_find_a_board_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    child = SeenElsewhere([sys.executable, "-c", ""])
    child.wait()
    monkeypatch.setitem(server._children, child.pid, child)
    assert not server.is_alive(child.pid, tmp_path)
