"""Reading what a job has put into its channel, which may be anything."""

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pai_jupyter.errors import NotFoundError, PaiJupyterError
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.values.pai_values import write_all
from pai_jupyter.values.returned import look, read_returned

WHAT = "the values of job 'j'"


def read(folder: Path, *names: str, allow_pickle: bool = False) -> dict[str, Any]:
    place = JobDirectory(folder)
    found = look(place, what=WHAT)
    return read_returned(place, found, names or tuple(found.items), what=WHAT, allow_pickle=allow_pickle)


def manifest(folder: Path, **item: Any) -> None:
    entry = {"file": "x.json", "format": "json", **item}
    (folder / "values.json").write_text(json.dumps({"version": 1, "values": {"x": entry}, "failed": {}}))


def test_what_a_job_writes_is_read(tmp_path: Path) -> None:
    values = {"model": np.arange(3), "history": {"loss": [1.0]}, "odd": (1, 2), "lock": __import__("threading").Lock()}
    failed = write_all(str(tmp_path), values, [*values, "gone"])
    assert failed["gone"] == "is not defined at the end of the cell."
    assert "cannot be pickled" in failed["lock"]
    found = look(JobDirectory(tmp_path), what=WHAT)
    assert (list(found.items), found.failed, found.pickles) == (["model", "history", "odd"], failed, ["odd"])
    assert read(tmp_path, "history") == {"history": {"loss": [1.0]}}
    assert read(tmp_path, allow_pickle=True)["odd"] == (1, 2)
    with pytest.raises(PaiJupyterError, match="`odd` of the values of job 'j' cannot be read"):
        read(tmp_path, "odd")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history.json", "model.npy", "odd.pkl", "values.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"values": 1, "failed": {}}', "[" * 100_000, '{"values": {}}', "\0"])
def test_a_damaged_manifest_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "values.json").write_text(text)
    with pytest.raises(PaiJupyterError, match=r"has a damaged values\.json"):
        look(JobDirectory(tmp_path), what=WHAT)


def test_names_that_are_no_variables_are_left_out(tmp_path: Path) -> None:
    values = {name: {"file": "x", "format": "json"} for name in ("ok", "a b", "../x", "for", "", "__import__('os')")}
    (tmp_path / "values.json").write_text(
        json.dumps({"values": values, "failed": {"x\ny": "no", "z": "a\x1b[31m\nb" * 200}})
    )
    found = look(JobDirectory(tmp_path), what=WHAT)
    assert list(found.items) == ["ok"]
    assert list(found.failed) == ["z"]
    assert found.failed["z"].isprintable()
    assert len(found.failed["z"]) <= 300


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret", "sub/x", "..", "", "\0", None, 3, {}])
def test_a_file_elsewhere_is_not_read(name: Any, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('"secret"')
    folder = tmp_path / "returned"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/x").write_text("1")
    manifest(folder, file=name)
    with pytest.raises(PaiJupyterError):
        read(folder)


def test_links_and_pipes_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text('"secret"')
    folder = tmp_path / "returned"
    folder.mkdir()
    manifest(folder)
    (folder / "x.json").symlink_to("../secret")
    with pytest.raises(PaiJupyterError, match="link"):
        read(folder)
    (folder / "x.json").unlink()
    os.mkfifo(folder / "x.json")
    with pytest.raises(PaiJupyterError):
        read(folder)
    (folder / "x.json").unlink()
    with pytest.raises(NotFoundError):
        read(folder)
    (folder / "values.json").unlink()
    (folder / "values.json").symlink_to("../secret")
    with pytest.raises(PaiJupyterError):
        look(JobDirectory(folder), what=WHAT)


class Evil:
    def __reduce__(self) -> Any:
        return exec, ("raise SystemError('ran')",)


@pytest.mark.parametrize("format_", ["npy", "parquet", "safetensors", "json", "pickle"])
def test_a_pickle_under_another_name_is_not_run(format_: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(pickle.dumps(Evil()))
    manifest(tmp_path, format=format_, tensors=[{"name": "x"}], one=True)
    with pytest.raises(PaiJupyterError, match="cannot be read"):
        read(tmp_path)
