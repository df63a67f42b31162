"""The Files tab over outputs that lie in OSS: what is listed, previewed and downloaded is what is there."""

from collections.abc import Iterator

import pytest

from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.spec import JobRef, Json
from pai_jupyter.wire.files.output_files import MAX_TEXT, files, open_file
from tests.support.emulators import BUCKET, KEY, REGION, SECRET, WORKSPACE, Emulator
from tests.support.wire import RecordedJob


@pytest.fixture
def far(running: Emulator, monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordedJob]:
    """A job of the emulator; this process has the key in its settings."""
    from pai_jupyter.cloud.session import setup_default_session
    from pai_jupyter.config import settings

    settings.cache_clear()
    monkeypatch.setenv("PAI_JUPYTER_SERVICES", running.address)
    setup_default_session(KEY, SECRET)
    place: dict[str, Json] = {"kind": "training", "id": "t1", "region": REGION, "workspace": WORKSPACE}
    ref = JobRef(backend="pai", job_id="far", data={**place, "address": running.address})
    written = RecordedJob("far", ref=ref, output_path=f"oss://{BUCKET}/far")
    yield written
    written.release()
    settings.cache_clear()


def names(far: RecordedJob, path: str = "") -> list[tuple[object, object]]:
    answer = files(far.job, {"channel": "model", "path": path})[0]
    entries = answer["entries"]
    assert isinstance(entries, list)
    return [(each["name"], each["size"]) for each in entries if isinstance(each, dict)]


def test_a_directory_of_objects_is_listed_directories_first(running: Emulator, far: RecordedJob) -> None:
    for key, content in (("a.txt", "abc"), ("模型/w 1.bin", "x"), ("z/", ""), ("z/deep/er", "y")):
        running.put(f"far/model/{key}", content)
    assert names(far) == [("z", 0), ("模型", 0), ("a.txt", 3)]
    assert names(far, "模型") == [("w 1.bin", 1)]
    assert names(far, "z") == [("deep", 0)]


def test_the_time_of_a_directory_is_one_that_nobody_knows(running: Emulator, far: RecordedJob) -> None:
    running.put("far/checkpoints/z/er", "y")
    entries = files(far.job, {"channel": "checkpoints"})[0]["entries"]
    assert entries == [{"name": "z", "is_directory": True, "size": 0, "modified": None}]


def test_what_the_job_has_not_written_yet_is_empty(far: RecordedJob) -> None:
    answer = files(far.job, {"channel": "output_parameters"})[0]
    assert answer["entries"] == []


def test_an_object_is_previewed_by_its_head(running: Emulator, far: RecordedJob) -> None:
    running.put("far/model/long.txt", "0123456789" * 100_000)
    answer, _ = files(far.job, {"channel": "model", "path": "long.txt", "preview": True})
    assert (answer["type"], answer["size"], answer["is_cut"]) == ("text", 1_000_000, True)
    assert len(str(answer["text"])) == MAX_TEXT


def test_a_piece_and_a_download_are_the_bytes(running: Emulator, far: RecordedJob) -> None:
    data = bytes(range(256)) * 10_000
    running.put("far/model/data.bin", data)
    answer, (piece,) = files(far.job, {"channel": "model", "path": "data.bin", "offset": 2_559_990, "length": 100})
    assert (answer["size"], piece) == (len(data), data[-10:])
    file, size = open_file(far.job, "model", "data.bin")
    with file:
        assert (size, file.read(7), file.read(-1)) == (len(data), data[:7], data[7:])


@pytest.mark.parametrize("path", ["nothing", "no/where"])
def test_what_is_not_there_is_said(far: RecordedJob, path: str) -> None:
    with pytest.raises(NotFoundError, match="there is no directory"):
        names(far, path)
    with pytest.raises(NotFoundError, match="there is no file"):
        open_file(far.job, "model", path)


@pytest.mark.parametrize("path", ["..", "../other", "a//b", "/etc", "a/./b", "a\0"])
def test_no_path_leads_out_of_the_channel(running: Emulator, far: RecordedJob, path: str) -> None:
    running.put("far/other", "not of the model")
    with pytest.raises(SpecError, match="is not inside an output"):
        names(far, path)
    with pytest.raises(SpecError, match="is not inside an output"):
        open_file(far.job, "model", path)
