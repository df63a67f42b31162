"""Job files and clusters over REST, as the file browser and the panel ask: from a cluster to a job that has ended there."""

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from pai_jupyter.backends import get_backend, infos
from pai_jupyter.backends.capabilities import TakesJobFiles
from pai_jupyter.events import Status
from pai_jupyter.jobs import attach
from tests.server.conftest import served_beside
from tests.support.emulators import Emulator
from tests.support.openpai_cluster import LabCluster, lab_cluster
from tests.support.openpai_files import V1, V2, changed
from tests.support.server import AUTHORIZED, Reply, Server

COMMAND = {"taskRoles/worker/commands": ["echo hello $PAI_JOB_NAME"]}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabCluster]:
    with lab_cluster(tmp_path_factory.mktemp("lab") / "data", "v1.x") as lab:
        yield lab


@pytest.fixture(scope="module")
def beside(cloud: Emulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served_beside(cloud, tmp_path_factory.mktemp("jobfiles")) as server:
        yield server


@pytest.fixture
def rest(beside: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """The server, without clusters; job files are below its folder."""
    monkeypatch.setenv("PAI_JUPYTER_HOME", str(beside.home))
    (beside.folder / "work").mkdir(exist_ok=True)
    (beside.folder / "work" / "good.pai.yaml").write_text(json.dumps(changed(V2, COMMAND)))
    yield beside
    for row in beside.ask("clusters").json()["clusters"]:
        assert beside.ask(f"clusters?name={quote(row['name'])}", method="DELETE").status == 200


def post(server: Server, address: str, language: str = "en", /, **body: object) -> Reply:
    headers = {**AUTHORIZED, "Accept-Language": language}
    return server.ask(address, method="POST", headers=headers, body=json.dumps(body).encode())


def add(server: Server, lab: LabCluster, name: str = "lab", **changes: object) -> Reply:
    given = {"name": name, "address": lab.emulator.address, "user": lab.user, "password": lab.password}
    return post(server, "clusters", **{**given, **changes})


def check(server: Server, path: str) -> Reply:
    return server.ask(f"jobfile?path={quote(path)}")


def test_a_job_file_goes_to_the_cluster_that_was_added(rest: Server, lab: LabCluster) -> None:
    told = {"errors": [], "warnings": [], "images": ["python:3.11"]}
    assert check(rest, "work/good.pai.yaml").json() == {**told, "clusters": []}
    row = {"name": "lab", "address": lab.emulator.address, "user": lab.user, "password_in": "memory"}
    assert add(rest, lab).json() == {"clusters": [row]}
    assert check(rest, "work/good.pai.yaml").json()["clusters"] == [row]
    started = post(rest, "jobfile/submit", path="work/good.pai.yaml", cluster="lab")
    assert started.status == 200, started.body
    answer = started.json()
    lab.know()  # to this process, which waits for the job
    job = attach(answer["job"])
    assert job.wait().status is Status.SUCCEEDED
    assert answer["name"].startswith("demo_1")
    assert any(line.text.startswith("hello demo_1_") for line in job.logs())


@pytest.mark.parametrize(("keep", "place"), [(False, "memory"), (True, "file")])
def test_a_password_is_where_the_user_has_chosen_and_in_no_answer(
    rest: Server, lab: LabCluster, keep: bool, place: str
) -> None:
    answers = [add(rest, lab, keep=keep), rest.ask("clusters")]
    assert [answer.json()["clusters"][0]["password_in"] for answer in answers] == [place, place]
    assert not any(lab.password.encode() in answer.body for answer in answers)
    files = [path for path in rest.home.rglob("*") if path.is_file() and lab.password.encode() in path.read_bytes()]
    assert files == ([rest.home / "openpai" / "secrets.json"] if keep else [])


def test_clusters_are_chosen_logged_in_and_deleted(rest: Server, lab: LabCluster) -> None:
    add(rest, lab, "a", user="bob")
    add(rest, lab, "b")
    assert [row["name"] for row in rest.ask("clusters").json()["clusters"]] == ["b", "a"]
    assert [row["name"] for row in post(rest, "clusters/use", name="a").json()["clusters"]] == ["a", "b"]
    login = post(rest, "clusters/login", name="b", password="another", keep=True).json()["clusters"]
    assert [(row["name"], row["password_in"]) for row in login] == [("a", "memory"), ("b", "file")]
    refused = post(rest, "jobfile/submit", path="work/good.pai.yaml", cluster="b")
    assert (refused.status, refused.json()["type"]) == (502, "AuthError")
    assert "another" not in refused.body.decode()
    assert rest.ask("clusters?name=b", method="DELETE").json()["clusters"] == login[:1]


def test_a_cluster_is_asked_who_it_is_and_no_answer_has_the_password(rest: Server, lab: LabCluster) -> None:
    add(rest, lab)
    answer = rest.ask("clusters/check?name=lab")
    facts = ["OpenPAI v1.8.0 (Kubernetes)", f"logged in as {lab.user}", "no HDFS"]
    assert (answer.status, answer.json()) == (200, {"facts": facts, "problem": ""})
    heard = rest.ask("clusters/check?name=lab", headers={**AUTHORIZED, "Accept-Language": "zh-CN"}).json()
    assert heard["facts"][1:] == [f"已以 {lab.user} 登录", "没有 HDFS"]
    post(rest, "clusters/login", name="lab", password="not-the-password")
    wrong = rest.ask("clusters/check?name=lab")
    assert wrong.json()["facts"] == facts[:1]
    assert "Password is incorrect" in wrong.json()["problem"]
    assert not any(each in wrong.body + answer.body for each in (lab.password.encode(), b"not-the-password"))
    assert rest.ask("clusters/check?name=other").json()["message"] == "there is no cluster 'other'; there are lab."


@pytest.mark.parametrize(
    ("images", "said"),
    [
        ({"python:3.11": "a b"}, "'a b' is no name of an image; an example: python:3.11-slim"),
        ({"python:3.12": "here"}, "the job file has no image 'python:3.12'. Open its dialog again."),
        ({"python:3.11": 7}, "`images` must be an object: an image of the job file, and a local one."),
        (["python:3.11"], "`images` must be an object: an image of the job file, and a local one."),
    ],
)
def test_images_that_cannot_be_are_refused(rest: Server, images: object, said: str) -> None:
    refused = post(rest, "jobfile/simulate", path="work/good.pai.yaml", images=images)
    assert (refused.status, refused.json()["message"]) == (400, said)


def test_what_is_wrong_with_a_job_file_is_said_and_nothing_is_submitted(rest: Server, lab: LabCluster) -> None:
    add(rest, lab)
    wrong = changed(V1, {"taskRoles/0/taskNumber": 0, "taskRoles/0/command": "a | b"})
    (rest.folder / "work" / "wrong.pai.json").write_text(json.dumps(wrong))
    answer = check(rest, "work/wrong.pai.json").json()
    assert answer["errors"] == ["`taskRoles[0].taskNumber` is 0; it must be from 1 to 10000."]
    assert answer["warnings"][0].startswith("demo_001: a failure before the last `|` is not seen.")
    for action in ("submit", "simulate"):
        refused = post(rest, f"jobfile/{action}", path="work/wrong.pai.json")
        assert (refused.status, refused.json()["message"]) == (400, answer["errors"][0])
    heard = rest.ask("jobfile?path=work/wrong.pai.json", headers={**AUTHORIZED, "Accept-Language": "zh-CN"}).json()
    assert "应在 1 到 10000 之间" in heard["errors"][0]
    assert "不会被发现" in heard["warnings"][0]
    chinese = post(rest, "jobfile/submit", "zh-CN", path="work/wrong.pai.json").json()["message"]
    assert chinese == "`taskRoles[0].taskNumber` 是 0，应在 1 到 10000 之间。"


@pytest.mark.parametrize(
    "path", ["", "work", "work/none.pai.json", "/etc/passwd", "../secret.pai.json", "work/out", "a\0b"]
)
def test_only_files_below_the_root_are_read(rest: Server, path: str) -> None:
    (rest.folder.parent / "secret.pai.json").write_text("{}")
    if not (link := rest.folder / "work" / "out").is_symlink():
        link.symlink_to(rest.folder.parent / "secret.pai.json")
    answer = check(rest, path)
    assert (answer.status, answer.json()["message"]) == (
        400,
        f"there is no file {path!r} below the server's directory.",
    )


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("clusters", {"name": "a b", "address": "x", "user": "u", "password": "p"}, "is no name of a cluster"),
        ("clusters", {"name": "a", "address": "ftp://x", "user": "u", "password": "p"}, "is no address of a cluster"),
        ("clusters", {"name": "a", "address": "x", "user": "u", "password": ""}, "the password is empty"),
        ("clusters/use", {"name": "none"}, "no cluster of OpenPAI is known"),
        ("clusters/login", {"name": "none", "password": "p"}, "no cluster of OpenPAI is known"),
        ("jobfile/submit", {"path": "work/good.pai.yaml"}, "no cluster of OpenPAI is known"),
    ],
)
def test_what_cannot_be_done_is_said(rest: Server, path: str, body: dict[str, object], said: str) -> None:
    refused = post(rest, path, **body)
    assert refused.status == 400
    assert said in refused.json()["message"]


def test_the_panel_knows_which_backend_has_clusters(rest: Server) -> None:
    rows = rest.ask("backends").json()["backends"]
    assert [row["name"] for row in rows if row["takes_job_files"]] == ["openpai"]
    assert all(isinstance(get_backend(each.name), TakesJobFiles) == each.takes_job_files for each in infos())
