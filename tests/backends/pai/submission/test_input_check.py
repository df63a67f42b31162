"""Whether inputs in OSS are there at all: looked at before a job is made, and in doubt believed."""

import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from pai_jupyter.backends.pai import PaiBackend
from pai_jupyter.backends.pai.submission import input_check
from pai_jupyter.cloud.session import Session
from pai_jupyter.emulator.oss_protocol.refusal import OssRefusal
from pai_jupyter.errors import NotFoundError
from pai_jupyter.package import Package, build
from pai_jupyter.spec import JobSpec
from tests.fakes.oss import BUCKET, FakeOss
from tests.support.emulators import BUCKET as EMULATED
from tests.support.emulators import Emulator
from tests.support.pai_jobs import rehearsal, rehearsed
from tests.support.patience import SOON
from tests.support.storages import oss, session

__all__ = ["oss", "rehearsal", "rehearsed", "session"]  # fixtures


@pytest.fixture(autouse=True)
def data(oss: FakeOss) -> None:
    for key in ("data/a.csv", "data/b/c.csv", "训练 集/'x'", "made/", "one.csv", "one.csv.old", "other.csv"):
        oss.put(key, b"1")


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return build(None, to=tmp_path / "package.tar.gz", files={"train.py": b"print()"})


def look(session: Session, source: str | None = None, **inputs: str) -> str:
    """What is said against a job with these inputs; empty where nothing is."""
    spec = JobSpec(name="a", command="true", source_dir=source, inputs=inputs)
    try:
        input_check.need_inputs(session, spec)
    except NotFoundError as exc:
        return str(exc)
    return ""


@pytest.mark.parametrize(
    "key", ["data/", "data", "data/b/", "训练 集/", "训练 集/'x'", "made/", "made", "one.csv", "other.csv", ""]
)
def test_what_is_there_is_not_spoken_of(session: Session, key: str) -> None:
    assert look(session, train=f"oss://{BUCKET}/{key}") == ""


@pytest.mark.parametrize("key", ["dat/", "dat", "data/a", "data/A.csv", "one", "训练/", "other.csv/", "line\nbreak/"])
def test_where_nothing_is_the_address_is_named(session: Session, key: str) -> None:
    address = f"oss://{BUCKET}/{key}"
    assert look(session, train=address) == (
        f"input 'train': there is nothing at {address!r}. Check the address, upper and lower case included: "
        f"%pai_oss ls oss://{BUCKET}/"
    )


def test_a_bucket_that_is_not_there_is_named(session: Session) -> None:
    said = look(session, train="oss://no-such-bucket/data/")
    assert said.startswith("input 'train': there is no such bucket. Check its name and region. (")
    assert "listing 'oss://no-such-bucket/data/'" in said


def test_all_that_is_missing_is_said_at_once(session: Session) -> None:
    places = {"train": f"oss://{BUCKET}/data/", "cfg": f"oss://{BUCKET}/x", "test": "oss://no-such-bucket/"}
    said = look(session, source=f"oss://{BUCKET}/code.tar.gz", **places).splitlines()
    assert [line.partition(":")[0] for line in said] == ["`source_dir`", "input 'cfg'", "input 'test'"]


@pytest.mark.parametrize(
    "inputs",
    [{}, {"a": "nas://fs.cn-test/x/"}, {"a": "d-0123456789"}, {"a": "odps://p/tables/t"}, {"a": "./here"}],
    ids=["none", "nas", "data set", "table", "local"],
)
def test_what_is_not_in_oss_is_not_looked_at(session: Session, oss: FakeOss, inputs: Mapping[str, str]) -> None:
    assert look(session, source="./src", **inputs) == ""
    assert oss.requests == []


def test_a_large_directory_costs_one_request(session: Session, oss: FakeOss) -> None:
    oss.page = 2
    assert look(session, train=f"oss://{BUCKET}/data/") == ""
    assert len(oss.requests) == 1


@pytest.mark.parametrize(
    "fault",
    [
        OssRefusal(403, "AccessDenied"),
        OssRefusal(404, "NoSuchWebsite"),
        OssRefusal(500, "InternalError"),
        "html",
        "reset",
    ],
    ids=["forbidden", "another 404", "500", "html", "reset"],
)
def test_who_may_not_look_is_not_held_up(session: Session, oss: FakeOss, fault: object) -> None:
    oss.fault(fault, "GET", times=9)  # type: ignore[arg-type]  # a Break or a Refusal
    assert look(session, train=f"oss://{BUCKET}/nothing/") == ""


def test_who_gets_no_answer_goes_on_soon(session: Session, oss: FakeOss, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_check, "LONGEST", 0.2)
    oss.fault("hold", "GET")
    began = time.monotonic()
    assert look(session, train=f"oss://{BUCKET}/nothing/") == ""
    assert time.monotonic() - began < SOON


def test_an_endpoint_inside_of_a_region_is_not_asked_from_outside(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_check, "LONGEST", 2 * SOON)
    began = time.monotonic()
    assert look(session, train="oss://some-bucket.oss-cn-test-internal.aliyuncs.com/data/") == ""
    assert time.monotonic() - began < SOON


@pytest.mark.parametrize("place", [f"oss://{EMULATED}/nothing-at-all/", "oss://no-such-bucket/x/"])
async def test_nothing_is_uploaded_or_made_for_data_that_are_not_there(
    rehearsed: PaiBackend, rehearsal: Emulator, package: Package, place: str
) -> None:
    spec = JobSpec(name="a", command="true", image_uri="img:1", instance_type="ecs.c6.large", inputs={"train": place})
    with pytest.raises(NotFoundError, match="input 'train': there is no"):
        await rehearsed.submit(spec, package, job_id="nothing-there")
    with pytest.raises(NotFoundError):
        await rehearsed.find("nothing-there")
    assert not [key for key in rehearsal.keys("pai-jupyter/code/") if package.digest in key]
