"""What sent and returned values share is shared where they are read; each can be read alone, and none takes another with it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.path_guard import JobDirectory
from pai_jupyter.values import send_values
from pai_jupyter.values.pai_values import load, write_all
from pai_jupyter.values.returned import look, read_returned


class Holder:
    """Has what it is given: an optimizer with its parameters."""

    def __init__(self, held: Any) -> None:
        self.held = held


def sent(names: dict[str, Any], home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("PAI_INPUT_SENT", str(send_values(list(names), names, home).place))
    return dict(zip(names, load(*names), strict=True))


def returned(names: dict[str, Any], home: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    assert write_all(str(home), names, names) == {}
    found = look(JobDirectory(home), what="it")
    return read_returned(JobDirectory(home), found, list(names), what="it", allow_pickle=True)


@pytest.fixture(params=[sent, returned], ids=["sent", "returned"])
def there(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return lambda **names: request.param(names, tmp_path, monkeypatch)


def test_two_objects_share_a_third(there: Any) -> None:
    part = Holder({1})
    back = there(net=Holder(part), opt=Holder([part]))
    assert back["opt"].held[0] is back["net"].held


def test_a_pickled_object_has_the_list_the_array_and_the_frame_that_go_with_it(there: Any) -> None:
    w, array, df, cfg = [0], np.arange(6.0), pd.DataFrame({"a": [1, 2]}), {"layers": [{"n": 1}]}
    back = there(o=Holder((w, array, df, cfg["layers"][0])), w=w, X=array, df=df, cfg=cfg)
    own = back["w"], back["X"], back["df"], back["cfg"]["layers"][0]
    assert [one is other for one, other in zip(back["o"].held, own, strict=True)] == [True] * 4
    assert back["X"].tolist() == array.tolist()


def test_lists_that_share_a_list_and_names_of_one_value_share_it(there: Any) -> None:
    row, array = [1], np.zeros(3)
    back = there(a={"row": row}, b=[row], grid=[row, row], X=array, Y=array, same=array, n=5, m=5)
    assert back["a"]["row"] is back["b"][0] is back["grid"][0] is back["grid"][1]
    assert back["X"] is back["Y"] is back["same"]
    assert (back["n"], back["m"]) == (5, 5)


def test_a_function_works_on_the_variable_that_goes_with_it(there: Any) -> None:
    log: list[int] = []
    names: dict[str, Any] = {"log": log, "__name__": "__main__"}
    exec("def note(n):\n    log.append(n)", names)
    back = there(log=log, note=names["note"])
    back["note"](7)
    assert back["log"] == [7]


def test_each_keeps_its_format_and_can_be_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.arange(3)
    names = {"one": Holder(array), "X": array, "two": Holder(1), "w": [1]}
    place = send_values(list(names), names, tmp_path).place
    monkeypatch.setenv("PAI_INPUT_SENT", str(place))
    items = json.loads((place / "values.json").read_text())["values"]
    assert {name: item["format"] for name, item in items.items()} == {
        "one": "pickles",
        "X": "npy",
        "two": "pickles",
        "w": "json",
    }
    assert load("two").held == 1
    assert load("one").held.tolist() == [0, 1, 2]
    assert items["one"]["size"] < (place / items["one"]["file"]).stat().st_size


def test_what_cannot_be_pickled_is_named_and_takes_no_other_with_it(tmp_path: Path) -> None:
    part = [1]
    with open(__file__) as file:  # noqa: PTH123
        names = {"a": Holder(part), "bad": Holder((part, file)), "c": Holder(part)}
        with pytest.raises(SpecError, match="`bad` cannot be sent: it is an open file"):
            send_values(list(names), names, tmp_path / "home")
        (tmp_path / "out").mkdir()
        failed = write_all(str(tmp_path / "out"), names, names)
    assert list(failed) == ["bad"]
    place = JobDirectory(tmp_path / "out")
    found = look(place, what="it")
    back = read_returned(place, found, ["a", "c"], what="it", allow_pickle=True)
    assert back["a"].held is back["c"].held
    assert found.pickles == ["a", "c"]


def test_a_manifest_of_an_older_job_is_read(tmp_path: Path) -> None:
    write_all(str(tmp_path), {"x": Holder(3)}, ["x"])
    item = json.loads((tmp_path / "values.json").read_text())["values"]["x"]
    assert (item["format"], item["file"], "index" in item) == ("pickle", "x.pkl", False)


@pytest.mark.parametrize("index", [-1, 10**9, "0", None, True])
def test_a_place_that_is_none_is_one_sentence(index: Any, tmp_path: Path) -> None:
    write_all(str(tmp_path), {"x": Holder(3), "y": Holder(4)}, ["x", "y"])
    manifest = json.loads((tmp_path / "values.json").read_text())
    manifest["values"]["y"]["index"] = index
    (tmp_path / "values.json").write_text(json.dumps(manifest))
    place = JobDirectory(tmp_path)
    with pytest.raises(Exception, match="`y` of it cannot be read"):
        read_returned(place, look(place, what="it"), ["y"], what="it", allow_pickle=True)
