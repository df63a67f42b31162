"""An emulator that is ended or killed while its jobs go on: the next one on its directory takes them up."""

import asyncio
from pathlib import Path

import pytest

from pai_jupyter.cloud.client import paistudio
from tests.support.emulators import BUCKET, Emulator, emulator
from tests.support.patience import DEADLINE

COMMAND = "echo before; until [ -e /tmp/nothing ] || [ -e ${PAI_INPUT_GATE}open ]; do sleep 0.05; done; echo after"


def open_gate(running: Emulator, job_id: str) -> None:
    """Let the job go on, whose input this machine has as a directory."""
    (running.data / "work" / job_id / "input" / "gate" / "open").touch()


@pytest.mark.parametrize("ends_meanwhile", [False, True])
@pytest.mark.parametrize("end", [Emulator.end, Emulator.kill])
async def test_a_job_outlives_its_emulator(tmp_path: Path, end: object, *, ends_meanwhile: bool) -> None:
    assert callable(end)
    with emulator(tmp_path / "data") as running:
        running.put("gate/x", "")
        async with running.client() as client:
            job_id = await running.create(
                client,
                COMMAND + "; echo done > ${PAI_OUTPUT_MODEL}m",
                InputChannels=[{"Name": "gate", "InputUri": f"oss://{BUCKET}/gate/"}],
                OutputChannels=[{"Name": "model", "OutputUri": f"oss://{BUCKET}/m/"}],
            )
            await running.until(client, job_id, "Running")
        end(running)
        if ends_meanwhile:
            open_gate(running, job_id)
            await _supervisor_gone(running, job_id)
        running.start()
        async with running.client() as client:
            if not ends_meanwhile:
                assert (await running.until(client, job_id, "Running"))["Status"] == "Running"
                open_gate(running, job_id)
            job = await running.ended(client, job_id)
            assert job["Status"] == "Succeed"
            assert [each["Status"] for each in job["StatusTransitions"]].count("Running") == 1
            assert await running.lines(client, job_id) == ["before", "after"]
        assert await asyncio.to_thread(running.get, "m/m") == b"done\n"


async def test_what_was_recorded_is_still_there(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as running:
        async with running.client() as client:
            job = await running.run(client, "echo kept", Labels=[{"Key": "a", "Value": "训练"}])
        running.put("kept", "bytes")
        running.kill()
        running.start()
        async with running.client() as client:
            again = await client.call(paistudio.GET_TRAINING_JOB, path={"training_job_id": job["TrainingJobId"]})
            assert (again["Labels"], again["Status"]) == (job["Labels"], "Succeed")
            assert await running.lines(client, job["TrainingJobId"]) == ["kept"]
        assert await asyncio.to_thread(running.get, "kept") == b"bytes"


async def _supervisor_gone(running: Emulator, job_id: str) -> None:
    async with asyncio.timeout(DEADLINE):
        while not (running.data / "home" / "jobs" / job_id / "run" / "exit.json").exists():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_no_secret_variable_is_in_the_files_of_an_emulator(tmp_path: Path) -> None:
    secrets = {"API_TOKEN": "s3cr3t-value", "DB": "postgres://app:s3cr3t-value@db/x", "PLAIN": "kept"}
    with emulator(tmp_path / "data") as running:
        async with running.client() as client:
            command = "test ${API_TOKEN} = s3cr3t-\\value && echo equal"
            job = await running.run(client, command, Environments=secrets)
            assert await running.lines(client, job["TrainingJobId"]) == ["equal"]
            asked = await client.call(paistudio.GET_TRAINING_JOB, path={"training_job_id": job["TrainingJobId"]})
            assert asked["Environments"] == secrets
        files = [path for path in running.data.rglob("*") if path.is_file() and b"s3cr3t-value" in path.read_bytes()]
        assert files == []
        running.kill()
        running.start()
        async with running.client() as client:
            again = await client.call(paistudio.GET_TRAINING_JOB, path={"training_job_id": job["TrainingJobId"]})
            assert again["Environments"] == {"API_TOKEN": "***", "DB": "***", "PLAIN": "kept"}
            assert await running.lines(client, job["TrainingJobId"]) == ["equal"]
