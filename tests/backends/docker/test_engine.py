"""Finding the engine, and the ones that cannot be used."""

import hashlib
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pai_jupyter.backends.docker import (
    DockerBackend,
    engine_address,
    engine_answers,
    engine_facts,
)
from pai_jupyter.errors import BackendError
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec
from tests.support.engine import Engine

pytestmark = pytest.mark.docker


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("unix:///nowhere/docker.sock", "no Docker engine answers"),
        ("tcp://engine.example:2375", "is remote"),
        ("ssh://me@engine.example", "is remote"),
    ],
)
async def test_an_engine_that_cannot_be_used_is_refused_in_a_sentence(
    pack: Callable[..., Package], monkeypatch: pytest.MonkeyPatch, address: str, sentence: str
) -> None:
    monkeypatch.setenv("DOCKER_HOST", address)
    backend, wanted = DockerBackend(), JobSpec(name="x", command="true", image_uri="python")
    assert [sentence in problem for problem in backend.check(wanted)] == [True]
    with pytest.raises(BackendError, match=sentence):
        await backend.submit(wanted, pack(), job_id="nowhere")


def test_the_engine_tells_what_it_is(engine: Engine) -> None:
    facts = engine_facts(engine.address)
    assert facts.address == engine.address
    assert facts.cpus >= 1
    assert facts.memory > 1 << 20


def test_an_engine_that_hangs_does_not_answer(tmp_path: Path) -> None:
    path = tempfile.mktemp(prefix="pai-")  # short: a socket's path has at most 107 bytes
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        assert not engine_answers(f"unix://{path}", timeout=0.05)
    Path(path).unlink()


def test_the_address_is_that_of_the_docker_commands_context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.delenv("DOCKER_CONTEXT", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    assert engine_address() == "unix:///var/run/docker.sock"
    meta = tmp_path / "contexts" / "meta" / hashlib.sha256(b"desktop").hexdigest()
    meta.mkdir(parents=True)
    (meta / "meta.json").write_text('{"Endpoints": {"docker": {"Host": "unix:///home/me/.docker/run/docker.sock"}}}')
    (tmp_path / "config.json").write_text('{"currentContext": "desktop"}')
    assert engine_address() == "unix:///home/me/.docker/run/docker.sock"
