"""Components over REST, as the panel asks: from a form with mistakes to a job, at the emulator."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from pai_jupyter.component import problems
from pai_jupyter.component.forms import from_json
from pai_jupyter.events import Status
from pai_jupyter.jobs import attach
from tests.server.conftest import served_beside
from tests.support.emulators import Emulator
from tests.support.server import AUTHORIZED, Reply, Server

IMAGE = "registry.cn-emulator.aliyuncs.com/pai-dlc/pytorch-training:2.0-cpu-py310-ubuntu22.04"
FORM: dict[str, Any] = {  # Any: JSON values
    "name": "counted",
    "image": IMAGE,
    "source": "code",
    "inputs": [{"name": "train"}],
    "parameters": [{"name": "lr", "type": "Float", "default": 0.1, "minimum": 0, "maximum": 1}],
}
SCRIPT = """import os, pathlib, sys
print("rows", len(pathlib.Path(os.environ["PAI_INPUT_TRAIN"]).read_text().split()), os.environ["PAI_HPS_LR"])
"""


@pytest.fixture(scope="module")
def beside(cloud: Emulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose settings name the emulator, with code and rows below its root directory."""
    with served_beside(cloud, tmp_path_factory.mktemp("components")) as server:
        yield server


@pytest.fixture
def rest(beside: Server, cloud: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    root = beside.folder
    (root / "code").mkdir(exist_ok=True)
    (root / "code" / "main.py").write_text(SCRIPT)
    (root / "rows.txt").write_text("1 2 3")
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(beside.home))
    yield beside
    for row in beside.ask("components").json()["components"]:
        query = urlencode({"name": row["name"], "registered": str(row["is_registered"]).lower()})
        assert beside.ask(f"component?{query}", method="DELETE").status == 200


def post(server: Server, path: str, language: str = "en", **body: object) -> Reply:
    headers = {**AUTHORIZED, "Accept-Language": language}
    return server.ask(path, method="POST", headers=headers, body=json.dumps(body).encode())


def test_a_component_goes_from_a_form_to_jobs_here_and_there(rest: Server) -> None:
    made = post(rest, "components", form=FORM, register=True)
    assert (made.status, made.json()["version"]) == (200, "1.0.0"), made.body
    rows = rest.ask("components").json()["components"]
    assert [(row["name"], row["next_version"], row["is_registered"], row["image"]) for row in rows] == [
        ("counted", "1.0.1", False, IMAGE),
        ("counted", "1.0.1", True, IMAGE),
    ]
    given: dict[str, Any] = {"name": "counted", "inputs": {"train": "rows.txt"}, "values": {"lr": 0.5}}
    places: list[dict[str, Any]] = [{"backend": "process"}, {"registered": True, "instance_type": "ecs.c6.large"}]
    for where in places:
        started = post(rest, "component/run", **given, **where)
        assert started.status == 200, started.body
        job = attach(started.json()["job"])
        assert job.wait().status is Status.SUCCEEDED
        assert "rows 3 0.5" in [line.text for line in job.logs()]


def test_a_new_version_keeps_the_files_of_a_cell_that_no_browser_has(rest: Server) -> None:
    form = {**FORM, "source": None, "files": {"main.py": SCRIPT}}
    assert post(rest, "components", form=form).status == 200
    shown = rest.ask("component?name=counted").json()
    assert (shown["files"], "files" in shown["form"], shown["values"][0]["name"]) == (["main.py"], False, "lr")
    following = {**shown["form"], "version": shown["next_version"]}
    of = {"name": "counted", "version": "1.0.0"}
    assert post(rest, "component/problems", form=following, files_of=of).json()["problems"] == []
    assert post(rest, "components", form=following, files_of=of).status == 200
    assert rest.ask("component?name=counted&version=1.0.1").json()["files"] == ["main.py"]
    assert rest.ask("component?name=counted&version=1.0.0", method="DELETE").json() == {"deleted": ["1.0.0"]}
    assert rest.ask("component?name=counted&version=1.0.0").status == 404


def test_every_sentence_arrives_unchanged_at_its_field(rest: Server) -> None:
    wrong = {
        **FORM,
        "name": "鸢尾",
        "version": "1",
        "image": "python:3",
        "branch": "main",
        "command": "python main.py",
        "inputs": [{"name": "train"}, {"name": "lr"}],
    }
    said = post(rest, "component/problems", form=wrong).json()["problems"]
    assert [each["text"] for each in said] == [each.text for each in problems(from_json(wrong))]
    assert [(each["field"], each["index"]) for each in said] == [
        ("name", None),
        ("version", None),
        ("image", None),
        ("branch", None),
        ("parameters", 0),
    ]
    assert [each["on_pai"] for each in said] == [False, False, True, False, False]


def test_problems_are_said_in_chinese(rest: Server) -> None:
    [said] = post(rest, "component/problems", "zh", form={**FORM, "version": "1"}).json()["problems"]
    assert said["text"] == "版本 '1' 不是 x.y.z 的形式。请写三个数字，例如 1.0.0。"


def test_a_directory_that_is_not_there_is_told_before_anything_is_sent(rest: Server) -> None:
    said = post(rest, "component/problems", form={**FORM, "source": "nowhere"}).json()["problems"]
    assert [each["field"] for each in said] == ["source"]
    assert f"'{rest.folder}/nowhere' is not there" in said[0]["text"]
    refused = post(rest, "components", form={**FORM, "source": "nowhere"}, register=True)
    assert (refused.status, refused.json()["type"]) == (400, "PackageError")
    assert rest.ask("components").json()["components"] == []


def test_a_script_that_the_code_lacks_is_told_and_no_code_at_all_is_refused(rest: Server) -> None:
    (rest.folder / "src").mkdir(exist_ok=True)
    (rest.folder / "src" / "train.py").write_text(SCRIPT)
    [said] = post(rest, "component/problems", form={**FORM, "source": "src"}).json()["problems"]
    assert (said["field"], said["severity"]) == ("command", "warning")
    assert "'main.py', which is not in the code" in said["text"]
    [said] = post(rest, "component/problems", "zh", form={**FORM, "source": None}).json()["problems"]
    assert (said["field"], said["severity"]) == ("source", "error")
    assert said["text"] == "命令运行 'main.py'，而组件没有代码。请指定其目录、oss:// 地址或仓库。"
    refused = post(rest, "components", form={**FORM, "source": None}, register=True)
    assert (refused.status, "has no code" in refused.json()["message"]) == (400, True)
    assert rest.ask("components").json()["components"] == []


def test_the_saved_ones_alone_are_listed_without_asking_the_workspace(rest: Server, cloud: Emulator) -> None:
    assert post(rest, "components", form=FORM, register=True).status == 200
    assert [row["is_registered"] for row in rest.ask("components").json()["components"]] == [False, True]
    cloud.fault("server-error", action="ListAlgorithms", times=1_000)
    listed = rest.ask("components?saved=true").json()
    cloud.clear_faults()
    assert ([row["is_registered"] for row in listed["components"]], listed["problem"]) == ([False], "")


def test_a_version_that_is_taken_is_told_with_the_next(rest: Server) -> None:
    assert post(rest, "components", form=FORM).status == 200
    answer = post(rest, "component/problems", form=FORM).json()
    assert (answer["next_version"], [each["field"] for each in answer["problems"]]) == ("1.0.1", ["version"])
    assert post(rest, "components", form=FORM).status == 400
    assert post(rest, "component/register", name="counted").status == 200
    again = post(rest, "component/register", name="counted")
    assert (again.status, "is registered already" in again.json()["message"]) == (400, True)


def test_a_run_that_cannot_be_is_told_before_it_starts(rest: Server) -> None:
    assert post(rest, "components", form=FORM).status == 200
    refused = post(rest, "component/run", name="counted", values={"lr": 7}, backend="process")
    assert refused.status == 400
    assert "input 'train' has no place" in refused.json()["message"]
    assert "`lr` is 7" in refused.json()["message"]
    assert post(rest, "component/run", name="nothing").status == 404


@pytest.mark.parametrize("name", ["../jobs", "..", "a/b", "%2e%2e", "counted\0"])
def test_a_name_leads_to_no_other_file(rest: Server, name: str) -> None:
    assert post(rest, "components", form=FORM).status == 200
    query = urlencode({"name": name})
    assert rest.ask(f"component?{query}").status == 404
    assert rest.ask(f"component?{query}", method="DELETE").status == 404
    assert post(rest, "component/problems", form={**FORM, "name": name}).json()["problems"] != []
    assert post(rest, "components", form={**FORM, "name": name}).status == 400
    assert [row["name"] for row in rest.ask("components").json()["components"]] == ["counted"]


def test_a_login_is_in_no_answer_and_no_file(rest: Server) -> None:
    form = {**FORM, "source": "https://SECRET-TOKEN@127.0.0.1:9/r.git", "version": "x"}
    asked = post(rest, "component/problems", form=form)
    refused = post(rest, "components", form={**form, "version": "1.0.0"})
    assert (asked.status, refused.status) == (200, 400)
    assert b"SECRET" not in asked.body + refused.body
    assert "SECRET" not in rest.log


def test_a_new_version_of_a_registered_component_keeps_its_code(rest: Server) -> None:
    assert post(rest, "components", form=FORM, register=True).status == 200
    assert rest.ask("component?name=counted", method="DELETE").status == 200  # nothing of it is saved here
    shown = rest.ask("component?name=counted&registered=true").json()
    form = {**shown["form"], "version": shown["next_version"]}
    assert form["source"].startswith("oss://")
    assert [each for each in post(rest, "component/problems", form=form).json()["problems"] if not each["on_pai"]] == []
    made = post(rest, "components", form=form, register=True)
    assert made.status == 200, made.body
    run = {"name": "counted", "version": form["version"], "registered": True, "instance_type": "ecs.c6.large"}
    started = post(rest, "component/run", **run, inputs={"train": "rows.txt"})
    assert started.status == 200, started.body
    assert attach(started.json()["job"]).wait().status is Status.SUCCEEDED
