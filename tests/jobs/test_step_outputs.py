"""What a step's job leaves for later steps: values as text files, and directories copied to OSS; jobs may be hostile."""

import json
import os
from pathlib import Path

import pytest

from pai_jupyter.errors import JobNotReady, NotFoundError, PaiJupyterError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import Job, clear_values, copy_output, copying_problem, is_filled, read_values
from pai_jupyter.jobs.step_outputs import LARGEST_VALUE
from tests.fakes.oss import FakeOss
from tests.support.local_inputs import session
from tests.support.runs import ended, run
from tests.support.started import DEADLINE
from tests.support.storages import oss, write_tree

__all__ = ["oss", "session"]
CHANNELS = ("model", "tensorboard", "output_parameters")


@pytest.fixture
def job() -> Job:
    """A job that has ended, with empty outputs."""
    job = ended("step", Status.SUCCEEDED)
    places = {channel: str(job.folder.path / "output" / channel) for channel in CHANNELS}
    write_tree(job.folder.path, {"run/outputs.json": json.dumps(places).encode()})
    write_tree(job.folder.path / "output", {f"{channel}/": b"" for channel in CHANNELS})
    (job.folder.path / "output" / "logs").symlink_to("tensorboard")
    return job


@pytest.fixture
def output(job: Job) -> Path:
    return job.folder.path / "output"


def test_values_are_read_as_they_are_and_missing_ones_are_left_out(job: Job, output: Path) -> None:
    write_tree(output / "output_parameters", {"a": b" 0.9111\n", "b": "训练".encode(), "c": b"", "more": b"x"})
    assert read_values(job.id, ["a", "b", "c", "none"]) == {"a": " 0.9111\n", "b": "训练", "c": ""}


def test_values_of_a_plain_container_are_in_a_directory_of_their_own(job: Job, output: Path) -> None:
    write_tree(output, {"pai/outputs/parameters/a": b"1"})
    assert read_values(job.id, ["a"], directory="pai/outputs/parameters") == {"a": "1"}
    assert read_values(job.id, ["a"], directory="pai/outputs/none") == {}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"x" * (LARGEST_VALUE + 1), "more than 64 KiB"), (b"\xff\xfe", "not UTF-8")],
    ids=["large", "binary"],
)
def test_a_value_that_is_no_small_text_is_refused(job: Job, output: Path, content: bytes, sentence: str) -> None:
    write_tree(output / "output_parameters", {"a": content})
    with pytest.raises(SpecError, match=sentence):
        read_values(job.id, ["a"])


@pytest.mark.parametrize("kind", ["link", "pipe", "directory"])
def test_a_value_that_is_no_plain_file_is_refused_at_once(job: Job, output: Path, kind: str, tmp_path: Path) -> None:
    place = output / "output_parameters" / "a"
    match kind:
        case "link":
            (tmp_path / "secret").write_text("hunter2")
            place.symlink_to(tmp_path / "secret")
        case "pipe":
            os.mkfifo(place)
        case _:
            place.mkdir()
    with pytest.raises(SpecError, match="'a' in 'output_parameters'"):
        read_values(job.id, ["a"])


def test_a_directory_of_values_that_became_a_link_is_refused(job: Job, output: Path, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("hunter2")
    (output / "output_parameters").rmdir()
    (output / "output_parameters").symlink_to(tmp_path)
    with pytest.raises(SpecError, match="link"):
        read_values(job.id, ["a"])


@pytest.mark.parametrize("name", ["../model/x", "/etc/passwd", ".."])
def test_a_name_that_leads_out_is_refused(job: Job, name: str) -> None:
    with pytest.raises(SpecError, match="not inside"):
        read_values(job.id, [name])


@pytest.mark.usefixtures("plain")
def test_a_job_writes_them_for_real_and_nothing_is_read_before_its_end(gate: Path) -> None:
    script = (
        "import os, pathlib, time\n"
        "pathlib.Path(os.environ['PAI_OUTPUT_OUTPUT_PARAMETERS'], 'accuracy').write_text('0.97')\n"
        "while not os.path.exists(os.path.join(os.environ['PAI_INPUT_GATE'], 'open')): time.sleep(0.01)\n"
    )
    job = run(script, inputs={"gate": str(gate)})
    with pytest.raises(JobNotReady):
        read_values(job.id, ["accuracy"])
    (gate / "open").touch()
    job.wait(DEADLINE)
    assert read_values(job.id, ["accuracy"]) == {"accuracy": "0.97"}
    assert not is_filled(job.id, "model")


def test_there_are_no_values_of_a_job_without_outputs() -> None:
    with pytest.raises(NotFoundError, match="no record of its outputs"):
        read_values(ended("bare", Status.FAILED).id, ["a"])


def test_values_of_an_earlier_job_are_cleared(tmp_path: Path) -> None:
    write_tree(tmp_path, {"out/output_parameters/a": b"1", "out/output_parameters/sub/b": b"2", "out/model/m": b"3"})
    (tmp_path / "out" / "output_parameters" / "link").symlink_to(tmp_path / "out" / "model" / "m")
    clear_values(tmp_path / "out")
    assert list((tmp_path / "out" / "output_parameters").iterdir()) == []
    assert (tmp_path / "out" / "model" / "m").read_bytes() == b"3"
    clear_values(tmp_path / "nothing")


# --- to OSS ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("session")
def test_a_channel_or_the_whole_output_goes_to_oss_once(job: Job, output: Path, oss: FakeOss) -> None:
    write_tree(output, {"model/m.bin": b"weights", "tensorboard/e": b"1", "beside.txt": b"2"})
    assert is_filled(job.id, "model")
    assert copy_output(job.id, oss.uri("one"), channel="model") == oss.uri("one/")
    assert copy_output(job.id, oss.uri("all/")) == oss.uri("all/")
    assert {key: stored.data for key, stored in oss.objects.items()} == {
        "one/m.bin": b"weights",
        "all/model/m.bin": b"weights",
        "all/tensorboard/e": b"1",
        "all/beside.txt": b"2",
    }
    before = len(puts(oss))
    copy_output(job.id, oss.uri("all/"))
    assert len(puts(oss)) == before


def puts(oss: FakeOss) -> list[str]:
    return [request.key for request in oss.requests if request.method == "PUT"]


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("channel", ["model", None])
@pytest.mark.parametrize("place", ["model/l", "model", "beside"])
def test_a_link_out_of_the_outputs_is_never_copied(
    job: Job, output: Path, oss: FakeOss, tmp_path: Path, place: str, channel: str | None
) -> None:
    write_tree(tmp_path / "secret", {"key": b"hunter2"})
    if place == "model":
        (output / "model").rmdir()
    (output / place).symlink_to(tmp_path / "secret")
    if (place, channel) == ("beside", "model"):
        copy_output(job.id, oss.uri("x/"), channel=channel)
    else:
        with pytest.raises(PaiJupyterError, match="link"):
            copy_output(job.id, oss.uri("x/"), channel=channel)
    assert b"hunter2" not in [stored.data for stored in oss.objects.values()]


def test_a_place_that_cannot_be_copied_to_is_named_before_a_run() -> None:
    assert "oss:// only" in copying_problem("/data/out")
    assert "%pai_config wizard" in copying_problem("oss://bucket/x/")


@pytest.mark.usefixtures("session")
def test_a_place_in_a_bucket_is_fine(oss: FakeOss) -> None:
    assert copying_problem(oss.uri("x/")) == ""
    assert "no address in OSS" in copying_problem("oss:///x/")
