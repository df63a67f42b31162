"""The processes of containers, as this machine knows them, and their stacks."""

import re
from dataclasses import replace

import pytest

from pai_jupyter.backends.docker import DockerBackend, host_processes
from pai_jupyter.errors import BackendError
from pai_jupyter.spec import JobSpec
from pai_jupyter.stacks import ScriptLines, check_py_spy, dump, py_spy, python_processes
from pai_jupyter.stacks.frames import stacks_of
from tests.support.docker_jobs import Jobs, log_has

pytestmark = pytest.mark.docker
SCRIPT = "import time\nprint('up', flush=True)\ndef wait():\n    time.sleep(600)\nwait()\n"


@pytest.mark.skipif(py_spy.find_py_spy() is None, reason="py-spy is missing: pip install 'pai_jupyter[stack]'")
async def test_each_replica_has_its_own_and_their_stacks_can_be_read(jobs: Jobs, spec: JobSpec) -> None:
    ref = await jobs.start(replace(spec, instance_count=2), {"train.py": SCRIPT})
    try:
        for replica in ("master-0", "worker-0"):
            await log_has(ref, "up", replica)
        found = await jobs.backend.processes(ref)
        assert list(found) == ["master-0", "worker-0"]
        assert not set(found["master-0"]) & set(found["worker-0"])
        (pid,) = python_processes(found["worker-0"])
        lines = ScriptLines("train.py", is_cell=True, origins=None)
        (thread,) = stacks_of("worker-0", pid, dump(pid, check_py_spy()), lines).threads
        assert [frame.place for frame in thread.frames] == ["cell line 5", "cell line 4"]
    finally:
        await jobs.backend.stop(ref)
    assert await jobs.backend.processes(ref) == {}


async def test_an_engine_whose_processes_are_not_here_is_told(
    jobs: Jobs, spec: JobSpec, docker_backend: DockerBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await jobs.start(spec, {"train.py": SCRIPT})
    try:
        await log_has(ref, "up")
        monkeypatch.setattr(host_processes, "stat_fields", lambda pid: None)
        with pytest.raises(BackendError, match=re.escape("docker top")):
            await docker_backend.processes(ref)
    finally:
        await jobs.backend.stop(ref)
