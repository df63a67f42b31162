"""Pushes to one mounted view of a run: `RunPush`, then `RunChangesPush` of `schema.run`.

Rule 1: as in the view of a job, at most `PER_SECOND` pushes a second, each of at most `PUSH_BYTES` and built just before it is
    sent. `send` returns when the client has taken the message; changes meanwhile go into the next.
Rule 2: `seq` counts the pushes of this view from 0, so a client notices a missing one.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pai_jupyter.runs.sources import StateWatcher
from pai_jupyter.runs.state import RunState
from pai_jupyter.wire.job_view.pushes import PER_SECOND, Send
from pai_jupyter.wire.protocol.messages import Message
from pai_jupyter.wire.run_view.delta import RunDelta
from pai_jupyter.wire.run_view.polling import RunPoller, watching_run

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.run import RunNews


class RunView:
    """A view of a run; it receives pushes while `run` runs."""

    def __init__(self, name: str, run_id: str, watcher: StateWatcher, open_levels: Sequence[str], send: Send) -> None:
        self.run_id = run_id
        self._name = name
        self._watcher = watcher
        self._send = send
        self._delta = RunDelta(open_levels)
        self._news = asyncio.Event()
        self._seq = 0
        self._free = 0.0  # monotonic time from which the next push may be sent

    def open_levels(self, paths: Sequence[str]) -> None:
        """Change which levels are shown of a large run."""
        self._delta.open_levels = frozenset(paths)
        self._news.set()

    async def run(self) -> None:
        """Push until cancelled."""
        async with watching_run(self.run_id, self._watcher, self._news) as poller:
            self._news.set()  # the poller may have found something before
            while True:
                await self._news.wait()
                self._news.clear()
                while (news := await self._next(poller)) is not None:
                    await self._push(news)

    async def _next(self, poller: RunPoller) -> "RunNews | None":
        """Return the next push when it may be sent; None if there is nothing new."""
        await asyncio.sleep(max(0.0, self._free - time.monotonic()))
        found = poller.found
        if found.state is None and not found.origin.trouble:
            return None
        state = found.state or RunState(id=self.run_id, name=self.run_id)  # all that is known of it
        return await asyncio.to_thread(self._delta.news, state, found.origin)

    async def _push(self, news: "RunNews") -> None:
        kind = "run_changes" if self._seq else "run"
        message = Message(body={"kind": kind, "view": self._name, "seq": self._seq, **news})
        self._seq += 1
        self._free = time.monotonic() + 1 / PER_SECOND
        await self._send(message)
