"""One Jupyter server with our extension for all tests of the panel's REST, and an emulator as its cloud."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from pai_jupyter.store import JobFolder
from tests.support.emulators import KEY, SECRET, Emulator, emulator
from tests.support.programs import Program, lines
from tests.support.server import Server, job, model, running_server
from tests.support.started import ended_in

__all__ = ["job", "model"]  # fixtures


@pytest.fixture(scope="package")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with emulator(tmp_path_factory.mktemp("emulator") / "data") as running:
        yield running


@contextmanager
def served_beside(cloud: Emulator, folder: Path, **environ: str) -> Iterator[Server]:
    """A server whose settings name the emulator, as after `%pai_config use emulator`."""
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("PAI_", "ALIBABA_CLOUD_", "OSS_")):
                patch.delenv(name)
        for name, value in {"HOME": str(folder), "PAI_JUPYTER_SERVICES": cloud.address, **environ}.items():
            patch.setenv(name, value)
        (folder / "home" / "emulator").mkdir(parents=True)
        key = {"access_key_id": KEY, "access_key_secret": SECRET}
        (folder / "home" / "emulator" / "credentials.json").write_text(json.dumps(key))
        with running_server(folder) as server:
            yield server


@pytest.fixture(scope="package")
def server(cloud: Emulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served_beside(cloud, tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="package")
def job_id(server: Server) -> str:
    """A job that has ended, in the server's home."""
    return ended_in(server.home, Program(before=lines(0, 40))).id


def give_output(folder: JobFolder) -> Path:
    """Let a job that was only recorded have the output `model`; where that lies."""
    model = folder.path / "output" / "model"
    model.mkdir(parents=True)
    (folder.path / "run").mkdir()
    (folder.path / "run" / "outputs.json").write_text(json.dumps({"model": str(model)}))
    return model


def at(uri: str) -> str:
    """An address as the query of a request."""
    return f"?uri={quote(uri, safe='')}"
