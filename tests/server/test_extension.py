"""The extension in a real Jupyter server: listed, loaded, known to the server's kernels, and never in the server's way."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.support.server import environment, run_kernel, running_server
from tests.support.started import until

FIND_SERVER = """
import dataclasses, json, os, pathlib
from pai_jupyter.config.marker import server_of_this_kernel
found = server_of_this_kernel(os.environ)
pathlib.Path({path!r}).write_text(json.dumps(found and dataclasses.asdict(found)))
"""


def test_the_installed_file_lists_the_extension_as_enabled_and_valid(tmp_path: Path) -> None:
    listed = subprocess.run(
        [sys.executable, "-m", "jupyter", "server", "extension", "list"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    said = (listed.stdout + listed.stderr).split("pai_jupyter.server", 1)[1].split("Config dir")[0]
    assert "enabled" in said
    assert "OK" in said
    assert "X" not in said


def test_a_server_leaves_its_marker_for_its_kernels_and_takes_it_away_at_its_end(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        marker = server.runtime_dir / f"pai-jupyter-{server.process.pid}.json"
        run_kernel(server, FIND_SERVER.format(path=str(tmp_path / "found")))
        found = json.loads((tmp_path / "found").read_text())
        assert found.items() >= {"pid": server.process.pid, "base_url": "/user/jo.e/", "home": str(server.home)}.items()
        assert "token" not in marker.read_text()
    assert not marker.exists()


def test_a_server_that_was_killed_leaves_nothing_that_a_kernel_or_the_next_server_believes(tmp_path: Path) -> None:
    with running_server(tmp_path) as server:
        server.stop(signal.SIGKILL)
        left = server.runtime_dir / f"pai-jupyter-{server.process.pid}.json"
        assert left.exists()
        server.start()
        assert not left.exists()


def test_the_marker_says_whether_the_server_has_a_proxy(tmp_path: Path) -> None:
    with running_server(tmp_path, **{"ServerApp.jpserver_extensions": "{'jupyter_server_proxy': False}"}) as server:
        marker = server.runtime_dir / f"pai-jupyter-{server.process.pid}.json"
        assert json.loads(marker.read_text())["has_proxy"] is False
        server.stop()
        server.start()
        marker = server.runtime_dir / f"pai-jupyter-{server.process.pid}.json"
        assert json.loads(marker.read_text())["has_proxy"] is True


def test_a_server_that_cannot_load_us_says_so_in_one_sentence_and_serves_on(tmp_path: Path) -> None:
    (tmp_path / "runtime").mkdir()
    with running_server(tmp_path, before="import sys; sys.modules['pai_jupyter.wire'] = None") as server:
        until(lambda: "pai_jupyter cannot show jobs in this server" in server.log)
        assert "Traceback" not in server.log
        assert server.ask("/api").status == 200
        assert not list(server.runtime_dir.glob("pai-jupyter-*"))


def test_nothing_of_ours_is_served_without_the_extension(tmp_path: Path) -> None:
    with running_server(tmp_path, **{"ServerApp.jpserver_extensions": "{'pai_jupyter.server': False}"}) as server:
        assert server.ask("jobs/j1").status == 404
        assert not list(server.runtime_dir.glob("pai-jupyter-*"))
