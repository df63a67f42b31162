"""`%pai_config use emulator`: one for all kernels of a user, found again, started again where it was, stopped."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.cloud.session import get_default_session, need_session, session_for, setup_default_session
from pai_jupyter.cloud.session.account import Account, Choice
from pai_jupyter.cloud.session.keys import emulator_home
from pai_jupyter.config import loaded_secrets, settings
from pai_jupyter.errors import BackendError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.jobs import close_runtime, submit
from pai_jupyter.magics import emulator
from pai_jupyter.spec import JobSpec
from tests.support.patience import DEADLINE
from tests.support.sessions import GIVEN, SECRET, Surroundings, surroundings
from tests.support.shells import Shell


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    with surroundings(tmp_path, monkeypatch) as place:
        try:
            yield place
        finally:
            emulator.stop()


def test_the_magic_starts_one_and_points_the_session_at_it(place: Surroundings) -> None:
    with Shell() as shell:
        setup_default_session(**GIVEN)
        result = shell.run("%pai_config use emulator")
        assert result.error is None, result.text
        session = need_session()
        assert f"{session.endpoints.address} (emulator)" in result.text
        assert settings().get("backend") == "pai"
        assert session.is_emulator

        Path("data.txt").write_text("训练")
        session.upload("data.txt", session.uri("data/"))
        assert session.download("oss://emulator/data/data.txt", "back.txt").read_text() == "训练"
        assert session.oss_bucket.object_exists("data/data.txt")

        stopped = shell.run("%pai_config use emulator --stop")
        assert "the emulator is stopped" in stopped.text
        assert get_default_session() == setup_default_session(**GIVEN)
        assert emulator.find() is None
    assert place.reached == []


def test_jobs_of_an_emulator_that_was_stopped_say_how_to_start_it(place: Surroundings) -> None:
    with Shell() as shell:
        assert shell.run("%pai_config use emulator").error is None
        begun = shell.run(
            "%%pai_train done --run --backend pai --image python:3.11 --instance-type ecs.c6.large\n"
            "import os\nopen(os.environ['PAI_OUTPUT_MODEL'] + '/m', 'w').close()"
        )
        assert begun.error is None, begun.text
        address = need_session().endpoints.address
        shell.run("%pai_config use emulator --stop")
        gone = f"the emulator at {address} is not running. Start it again, jobs included: %pai_config use emulator"
        assert str(shell.run("%pai_download done out").error) == gone
        rerun = shell.run("%pai_rerun done").error
        assert "ran at the emulator, which is not running here. Type %pai_config use emulator" in str(rerun)
        assert shell.run("%pai_config use emulator").error is None
        assert shell.run("%pai_download done out").error is None
    assert place.reached == []


@contextmanager
def started(command: list[str]) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def test_one_that_was_started_by_hand_is_used_as_it_is(place: Surroundings, tmp_path: Path) -> None:
    (tmp_path / "mounted" / "in").mkdir(parents=True)
    (tmp_path / "mounted" / "in" / "x.txt").write_text("训练")
    words = ["--region", "cn-hangzhou", "--workspace", "4711", "--bucket", "my-bucket"]
    words += ["--mount", f"nas://fs.cn-hangzhou={tmp_path / 'mounted'}"]
    command = [sys.executable, "-m", "pai_jupyter.emulator", "--data", str(emulator_home()), *words]
    with started(command) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("listening on ")
        settings().use_emulator(emulator.start("process"))
        session = need_session()
        assert (session.region_id, session.workspace_id, session.oss_bucket_name) == (
            "cn-hangzhou",
            "4711",
            "my-bucket",
        )
        Path("data.txt").write_text("训练")
        session.upload("data.txt", session.uri("data/"))
        assert session_for("cn-hangzhou", session.endpoints.address, "4711").oss_bucket.object_exists("data/data.txt")
        assert setup_default_session(region_id="cn-hangzhou") == session

        spec = JobSpec(
            name="a", command="cat /ml/input/data/train/x.txt > /ml/output/model/m", image_uri="img:1",
            instance_type="ecs.c6.large", inputs={"train": "nas://fs.cn-hangzhou/in/"},
            outputs={"model": "nas://fs.cn-hangzhou/out/"},
        )  # fmt: skip
        job = submit(spec, backend="pai")
        job.wait(DEADLINE)
        assert job.status == Status.SUCCEEDED, job.state.reason
        assert (tmp_path / "mounted" / "out" / "m").read_text() == "训练"
        with pytest.raises(SpecError, match=r"--mount nas://other/x=DIRECTORY"):
            submit(replace(spec, inputs={"train": "nas://other/x"}), backend="pai")
        close_runtime()


def test_where_outputs_must_not_change_no_address_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_STABLE", "1")
    with Shell() as shell:
        shown = shell.run("%pai_config use emulator").text
    assert "on this machine (emulator)" in shown
    assert "127.0.0.1" not in shown


def test_two_kernels_at_once_get_the_same_one() -> None:
    found: list[str] = []
    kernels = [threading.Thread(target=lambda: found.append(emulator.start("process"))) for _ in range(3)]
    for kernel in kernels:
        kernel.start()
    for kernel in kernels:
        kernel.join(DEADLINE)
    assert len(found) == 3
    assert set(found) == {emulator.find()}


def test_it_outlives_the_kernel_that_started_it(place: Surroundings) -> None:
    program = "from pai_jupyter.magics import emulator; print(emulator.start('process'))"
    kernel = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert emulator.find() == kernel.stdout.strip()


def test_it_has_ended_when_it_is_stopped() -> None:
    emulator.start("process")
    pid = json.loads((emulator_home() / "address.json").read_text())["pid"]
    os.kill(pid, 0)
    assert emulator.stop()
    with pytest.raises(ProcessLookupError):  # a child that nobody has waited for would still be there
        os.kill(pid, 0)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_started_again_it_is_where_it_was_and_has_what_it_had(end: str) -> None:
    settings().use_emulator(emulator.start("process"))
    before = need_session()
    before.oss_bucket.put_object("kept", b"x")
    if end == "stop":
        emulator.stop()
    else:
        kill()
    assert emulator.find() is None
    settings().use_emulator(emulator.start("process"))
    assert need_session() == before
    assert before.oss_bucket.get_object("kept").read() == b"x"


def test_a_job_of_its_is_asked_for_there_when_another_place_is_in_force() -> None:
    address = emulator.start("process")
    setup_default_session(**GIVEN)
    there = session_for("cn-emulator", address, "10001")
    assert there.oss_bucket.list_objects().object_list == []


def test_no_key_of_the_cloud_gets_near_it(place: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_SECRET", SECRET)
    monkeypatch.setenv("MY_TOKEN", SECRET)
    setup_default_session(**GIVEN)
    emulator.start("process")
    assert SECRET.encode() not in Path(f"/proc/{pid()}/environ").read_bytes()
    assert SECRET.encode() not in Path(f"/proc/{pid()}/cmdline").read_bytes()
    assert not [path for path, text in place.texts() if SECRET in text]


def test_its_own_key_is_readable_by_its_user_alone_and_counts_as_a_secret() -> None:
    settings().use_emulator(emulator.start("process"))
    secret = need_session().credentials.get().access_key_secret
    assert (emulator_home() / "credentials.json").stat().st_mode & 0o777 == 0o600
    assert (emulator_home() / "emulator.log").stat().st_mode & 0o777 == 0o600
    assert secret in loaded_secrets()


def test_one_that_does_not_start_says_why_and_is_not_in_force(place: Surroundings) -> None:
    place.write(emulator_home() / "state", "no folder")
    with Shell() as shell:
        result = shell.run("%pai_config use emulator")
    assert isinstance(result.error, BackendError)
    assert "the emulator ended at once: " in str(result.error)
    assert settings().get("services") is None


def test_one_that_was_never_started_is_no_error_to_stop() -> None:
    with Shell() as shell:
        assert "no emulator was running" in shell.run("%pai_config use emulator --stop").text


@pytest.mark.parametrize("content", ["", "[]", '{"address": 1}', "listening on http://127.0.0.1:99999999"])
def test_what_is_left_damaged_is_passed_over(place: Surroundings, content: str) -> None:
    place.write(emulator_home() / "address.json", content)
    place.write(emulator_home() / "emulator.log", content)
    assert emulator.find() is None
    assert emulator.start("process").startswith("http://127.0.0.1:")


def test_the_process_of_a_stale_record_is_left_alone(place: Surroundings) -> None:
    place.write(emulator_home() / "address.json", {"address": "http://127.0.0.1:1", "pid": os.getpid()})
    assert emulator.stop() is False


def test_stop_belongs_to_the_emulator() -> None:
    with Shell() as shell:
        assert "%pai_config use emulator --stop" in str(shell.run("%pai_config use work --stop").error)


def test_what_an_account_has() -> None:
    settings().use_emulator(emulator.start("process"))
    session = need_session()
    account = Account(credentials=session.credentials, address=session.endpoints.address)
    assert [choice.value for choice in account.workspaces("cn-emulator")] == ["10001"]
    assert account.buckets("cn-emulator") == [Choice(value="emulator")]
    assert account.default_bucket("cn-emulator", "10001") == "emulator"


def pid() -> int:
    found = emulator._record()
    assert found is not None
    return found.pid


def kill() -> None:
    os.kill(pid(), signal.SIGKILL)
    deadline = time.monotonic() + DEADLINE
    while emulator.find() is not None and time.monotonic() < deadline:
        time.sleep(0.02)
