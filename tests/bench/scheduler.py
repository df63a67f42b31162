"""The incumbent `jupyter-scheduler`, in an environment of its own: its server extension over a database of ended jobs."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.support.started import until

PYTHON = Path(os.environ.get("SCHEDULER_PYTHON", Path(__file__).parents[2] / ".venv-scheduler/bin/python"))
# One transaction through its own tables: to submit so many jobs would be to run them.
_FILL = """
import sys
from jupyter_scheduler.models import Status
from jupyter_scheduler.orm import Job, create_session, create_tables
address, count = sys.argv[1], int(sys.argv[2])
create_tables(address)
with create_session(address)() as session:
    for number in range(count):
        began = 1_700_000_000_000 + 60_000 * number
        session.add(Job(
            name=f"job {number}", input_filename=f"notebook {number % 7}.ipynb", runtime_environment_name="python3",
            output_formats=["ipynb"], output_filename_template="{{input_filename}}", status=Status.COMPLETED,
            create_time=began, start_time=began, end_time=began + 60_000,
        ))
    session.commit()
"""


@dataclass(frozen=True, kw_only=True)
class Scheduler:
    """A server of the peer's, below `place`."""

    process: "subprocess.Popen[bytes]"
    place: Path

    def page(self, most: int, after: str = "0") -> Any:  # Any: parsed JSON
        """So many jobs, the newest first, as its own page asks for them."""
        noted = json.loads((self.place / "runtime" / f"jpserver-{self.process.pid}.json").read_text())
        query = {"max_items": most, "next_token": after, "token": noted["token"]}
        reply = httpx.get(f"{noted['url']}scheduler/jobs", params=query, timeout=60, trust_env=False)
        reply.raise_for_status()
        return reply.json()

    def all(self) -> int:
        """Ask for all jobs, in pages as large as it makes them; how many there are."""
        found, after = 0, "0"
        while True:
            page = self.page(1_000, after)
            found += len(page["jobs"])
            if not page.get("next_token"):
                return found
            after = page["next_token"]

    def is_up(self) -> bool:
        assert self.process.poll() is None, "the peer's server has ended"
        with suppress(OSError, ValueError, httpx.TransportError):
            return bool(self.page(1))
        return False


@contextmanager
def scheduler(count: int) -> Iterator[Scheduler]:
    """Its server, with so many jobs that have ended."""
    with tempfile.TemporaryDirectory(prefix="pai-bench-", ignore_cleanup_errors=True) as place:
        database = f"sqlite:///{place}/jobs.sqlite"
        subprocess.run([PYTHON, "-c", _FILL, database, str(count)], check=True)
        options = {"ServerApp.ip": "127.0.0.1", "ServerApp.port": "0", "ServerApp.root_dir": place}
        options |= {"ServerApp.open_browser": "False", "ServerApp.allow_root": "True", "SchedulerApp.db_url": database}
        process = subprocess.Popen(
            [PYTHON, "-m", "jupyter_server", *(f"--{name}={value}" for name, value in options.items())],
            env=_environment(place),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            running = Scheduler(process=process, place=Path(place))
            until(running.is_up)
            yield running
        finally:
            process.kill()
            process.wait()


def _environment(place: str) -> dict[str, str]:
    folders = {f"JUPYTER_{name.upper()}_DIR": f"{place}/{name}" for name in ("config", "data", "runtime")}
    return {"PATH": os.environ["PATH"], "HOME": place, **folders}
