"""The marker that tells a kernel of the server above it: found by its own kernels only, and never in anybody's way."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.config.marker import Marker, leave, remove, server_of_this_kernel

HERE = Marker(pid=os.getpid(), api=1, version="0.1.0", base_url="/user/a b/", home="/家", has_proxy=True)
OUR_KERNEL = {"JPY_PARENT_PID": str(os.getpid())}


@pytest.fixture(autouse=True)
def runtime_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "new" / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(place))
    return place


def change(path: Path, **fields: Any) -> None:  # Any: JSON values
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def dead_pid() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_a_kernel_finds_the_marker_of_the_server_that_started_it() -> None:
    leave(HERE)
    assert server_of_this_kernel(OUR_KERNEL) == HERE


def test_the_marker_is_a_private_file_named_after_the_process(runtime_dir: Path) -> None:
    path = leave(HERE)
    assert path == runtime_dir / f"pai-jupyter-{os.getpid()}.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(runtime_dir.iterdir()) == [path]


def test_a_server_of_an_older_version_passes_no_boards_on() -> None:
    path = leave(replace(HERE, has_boards=True))
    assert server_of_this_kernel(OUR_KERNEL) == replace(HERE, has_boards=True)
    fields = json.loads(path.read_text())
    del fields["has_boards"]
    path.write_text(json.dumps(fields))
    assert server_of_this_kernel(OUR_KERNEL) == HERE


def test_leaving_it_again_replaces_it() -> None:
    leave(HERE)
    leave(replace(HERE, base_url="/other/"))
    assert server_of_this_kernel(OUR_KERNEL) == replace(HERE, base_url="/other/")


def test_a_removed_marker_is_found_no_more(runtime_dir: Path) -> None:
    leave(HERE)
    remove(os.getpid())
    remove(os.getpid())
    assert server_of_this_kernel(OUR_KERNEL) is None
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.parametrize("pid", ["", "0", "-1", "1", "²", "../x", "1\0", "9" * 30, "9" * 10_000])
def test_a_kernel_that_nobody_of_ours_started_finds_none(pid: str) -> None:
    leave(HERE)
    assert server_of_this_kernel({"JPY_PARENT_PID": pid}) is None
    assert server_of_this_kernel({}) is None


def test_a_later_process_with_the_number_of_the_server_is_not_taken_for_it() -> None:
    change(leave(HERE), birth="1")
    assert server_of_this_kernel(OUR_KERNEL) is None


def test_a_server_on_another_host_with_the_same_number_is_not_taken_for_ours() -> None:
    change(leave(HERE), host="another")
    assert server_of_this_kernel(OUR_KERNEL) is None


def test_the_marker_of_a_dead_process_is_ignored_and_swept_by_the_next_server() -> None:
    pid = dead_pid()
    left = leave(replace(HERE, pid=pid))
    assert server_of_this_kernel({"JPY_PARENT_PID": str(pid)}) is None
    leave(HERE)
    assert not left.exists()


def test_sweeping_leaves_what_other_hosts_and_others_have_there(runtime_dir: Path) -> None:
    change(leave(replace(HERE, pid=(pid := dead_pid()))), host="another")
    (runtime_dir / "jpserver-1.json").write_text("{}")
    leave(HERE)
    assert {path.name for path in runtime_dir.iterdir()} == {
        "jpserver-1.json",
        f"pai-jupyter-{pid}.json",
        f"pai-jupyter-{os.getpid()}.json",
    }


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"null", b"\xff", b'{"pid": 1}', b"[" * 100_000, b'{"pid": "1", "birth": null}']
)
def test_a_damaged_marker_is_no_marker(damage: bytes) -> None:
    path = leave(HERE)
    path.write_bytes(damage)
    assert server_of_this_kernel(OUR_KERNEL) is None
    leave(HERE)
    assert server_of_this_kernel(OUR_KERNEL) == HERE


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("pid", "1"),
        ("pid", True),
        ("has_proxy", 1),
        ("has_boards", 1),
        ("base_url", None),
        ("birth", None),
        ("api", 1.0),
    ],
)
def test_a_marker_with_a_field_of_another_type_is_no_marker(field: str, value: object) -> None:
    change(leave(HERE), **{field: value})
    assert server_of_this_kernel(OUR_KERNEL) is None


def test_a_newer_servers_marker_is_read_too() -> None:
    change(leave(HERE), something_new=[1])
    assert server_of_this_kernel(OUR_KERNEL) == HERE
