"""Real Jupyter kernels for tests: executes cells and keeps every message with the cell that it belongs to.

An update of a display belongs to the cell that made the display, as in every front end, whichever cell runs just then;
what a comm says belongs to the comm.
"""

import os
import queue
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from tests.support.patience import DEADLINE

IPYKERNEL_6 = Path(sys.prefix) / "ipykernel6"  # made by `make setup`: ipykernel 6 without its dependencies


@dataclass
class Cell:
    """What came back for one executed cell. `outputs` are messages whose parent is this cell."""

    reply: dict[str, Any] = field(default_factory=dict)
    outputs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def status(self) -> str:
        return str(self.reply.get("status"))

    def texts(self) -> str:
        """All text of the cell: streams, displayed text/plain, errors."""
        parts = []
        for message in self.outputs:
            content = message["content"]
            match message["msg_type"]:
                case "stream":
                    parts.append(content["text"])
                case "display_data" | "execute_result" | "update_display_data":
                    parts.append(content["data"].get("text/plain", ""))
                case "error":
                    parts.append("\n".join(content["traceback"]))
        return "\n".join(parts)


class Kernel:
    """One kernel process. `attended` cells are sent as a front end sends them, others as nbclient does."""

    def __init__(self, *, home: Path, cwd: Path, ipykernel: str = "7", **environ: str) -> None:
        env = {name: value for name, value in os.environ.items() if name not in ("CI", "PAI_JUPYTER_STABLE")}
        env |= {"PAI_JUPYTER_HOME": str(home), "IPYTHONDIR": str(home / "ipython"), **environ}
        home.mkdir(exist_ok=True)
        if ipykernel == "6":
            env["PYTHONPATH"] = str(IPYKERNEL_6)
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel(env=env, cwd=str(cwd), extra_arguments=["--HistoryManager.enabled=False"])
        self._client: BlockingKernelClient = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=DEADLINE)
        self.cells: dict[str, Cell] = {}
        self._makers: dict[str, Cell] = {}  # of displays, by their ids
        self.said: dict[str, list[dict[str, Any]]] = {}  # comm -> the custom messages of its widget (Any: JSON values)

    def start(self, code: str, *, attended: bool = True) -> Cell:
        """Send a cell without waiting for it."""
        cell = Cell()
        self.cells[self._client.execute(code, allow_stdin=attended)] = cell
        return cell

    def finish(self, cell: Cell, *, timeout: float = DEADLINE) -> Cell:
        """Wait until the kernel has answered `cell` and is idle again."""
        self.wait_for(lambda: bool(cell.reply) and self._is_idle(cell), timeout=timeout)
        return cell

    def run(self, code: str, *, attended: bool = True, timeout: float = DEADLINE) -> Cell:
        return self.finish(self.start(code, attended=attended), timeout=timeout)

    def ok(self, code: str, *, attended: bool = True, timeout: float = DEADLINE) -> str:
        """Run a cell that must succeed; returns its text."""
        cell = self.run(code, attended=attended, timeout=timeout)
        assert cell.status == "ok", cell.texts()
        return cell.texts()

    def wait_for(self, condition: Any, *, timeout: float = DEADLINE) -> None:  # Any: a callable without arguments
        """Take in messages until `condition()` holds."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, f"not within {timeout} s; so far: " + "\n".join(
                cell.texts() for cell in self.cells.values()
            )
            self._take(0.05)

    def press(self, cell: Cell, button: str) -> None:
        """Click the button of this description in the output of `cell`, as a front end does."""
        opened = [m["content"] for m in cell.outputs if m["msg_type"] == "comm_open"]
        states = {content["comm_id"]: content["data"].get("state", {}) for content in opened}
        self.say(next(comm for comm, state in states.items() if state.get("description") == button), {"event": "click"})

    def say(self, comm: str, content: dict[str, Any]) -> None:  # Any: JSON values
        """Send a widget a custom message, as its front end does."""
        data = {"comm_id": comm, "data": {"method": "custom", "content": content}}
        self._client.shell_channel.send(self._client.session.msg("comm_msg", data))

    def interrupt(self) -> None:
        self._manager.interrupt_kernel()

    def kill(self) -> None:
        """kill -9, as the out-of-memory killer does."""
        os.kill(self.pid, signal.SIGKILL)
        self.close()

    def restart(self) -> None:
        """Restart the kernel as JupyterLab does."""
        self._manager.restart_kernel(now=True)

    @property
    def pid(self) -> int:
        return int(self._manager.provisioner.pid)  # type: ignore[union-attr]  # a started kernel has one

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
        self._manager.cleanup_resources()

    def _is_idle(self, cell: Cell) -> bool:
        states = [m["content"]["execution_state"] for m in cell.outputs if m["msg_type"] == "status"]
        return "idle" in states

    def _take(self, timeout: float) -> None:
        try:
            message = self._client.get_iopub_msg(timeout=timeout)
            if message["msg_type"] == "comm_msg" and message["content"]["data"].get("method") == "custom":
                self.said.setdefault(message["content"]["comm_id"], []).append(message["content"]["data"]["content"])
            cell = self.cells.get(message["parent_header"].get("msg_id", ""))
            display = message["content"].get("transient", {}).get("display_id")
            if message["msg_type"] == "update_display_data":
                cell = self._makers.get(display, cell)
            elif display and cell is not None:
                self._makers[display] = cell
            if cell is not None:
                cell.outputs.append(message)
        except queue.Empty:
            pass
        try:
            reply = self._client.get_shell_msg(timeout=0)
            cell = self.cells.get(reply["parent_header"].get("msg_id", ""))
            if cell is not None:
                cell.reply = reply["content"]
        except queue.Empty:
            pass


@contextmanager
def kernel(**given: Any) -> Iterator[Kernel]:  # Any: the arguments of Kernel
    one = Kernel(**given)
    try:
        yield one
    finally:
        one.close()
