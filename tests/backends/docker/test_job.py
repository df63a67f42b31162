"""What a job in a container sees, and what is done before its command runs."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.events import Phase, PhaseChanged, Status
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from tests.support.docker_jobs import Jobs, end, log
from tests.support.engine import Engine

pytestmark = pytest.mark.docker


async def test_a_job_runs_in_its_code_and_its_output_stays(jobs: Jobs, spec: JobSpec) -> None:
    script = "import os\nprint(os.getcwd())\nopen(os.environ['PAI_OUTPUT_MODEL'] + 'm.txt', 'w').write('模型')\n"
    ref = await jobs.start(spec, {"train.py": script})
    events = await jobs.events(ref)
    assert (end(events).status, end(events).exit_code, log(events)) == (Status.SUCCEEDED, 0, "/ml/usercode\n")
    model = await jobs.backend.fetch(ref, "model", JobStore().path(ref.job_id) / "copy")
    assert (model / "m.txt").read_text() == "模型"


@pytest.mark.parametrize("value", ["a b", "a'; echo x", '"$HOME" *', "训练", "", "--x", "back\\slash", "two\nlines"])
async def test_argparse_receives_a_value_unchanged(jobs: Jobs, spec: JobSpec, value: str) -> None:
    script = "import argparse, json\np = argparse.ArgumentParser()\np.add_argument('--v')\nprint(json.dumps(p.parse_args().v))\n"
    events = await jobs.run(replace(spec, hyperparameters={"v": value}), {"train.py": script})
    assert json.loads(log(events)) == value


async def test_inputs_are_read_only_and_a_file_input_shows_that_file_alone(
    jobs: Jobs, spec: JobSpec, tmp_path: Path
) -> None:
    odd = tmp_path / "数据: a'b, c"
    odd.mkdir()
    (odd / "one file.csv").write_text("1")
    (odd / "secret").write_text("2")
    script = """\
import os, pathlib
print(open(os.environ["PAI_INPUT_ONE"]).read(), sorted(os.listdir("/ml/input/data/one")), sorted(os.listdir(os.environ["PAI_INPUT_ALL"])))
for place in (os.environ["PAI_INPUT_ONE"], os.environ["PAI_INPUT_ALL"] + "new", os.environ["PAI_CONFIG_DIR"] + "new"):
    try:
        open(place, "w")
    except OSError as exc:
        print(exc.strerror)
"""
    inputs = {"one": str(odd / "one file.csv"), "all": str(odd)}
    events = await jobs.run(replace(spec, inputs=inputs), {"train.py": script})
    assert log(events).splitlines() == [
        "1 ['one file.csv'] ['one file.csv', 'secret']",
        *["Read-only file system"] * 3,
    ]


async def test_both_links_of_the_contract_are_there(jobs: Jobs, spec: JobSpec) -> None:
    command = "readlink /ml/code; readlink /ml/output/logs; echo x > $PAI_OUTPUT_LOGS/a; ls /ml/output/logs /ml/code/"
    assert log(await jobs.run(replace(spec, command=command))).split() == [
        *("usercode", "tensorboard"),
        *("/ml/code/:", "train.py", "/ml/output/logs:", "a"),
    ]


async def test_variables_of_the_image_that_the_contract_does_not_give_are_unset(jobs: Jobs, spec: JobSpec) -> None:
    events = await jobs.run(replace(spec, command="echo [${NVIDIA_VISIBLE_DEVICES-unset}]"))  # the image sets it
    assert log(events) == "[unset]\n"


async def test_secrets_of_the_kernel_stay_outside(jobs: Jobs, spec: JobSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "tell-nobody")
    assert "tell-nobody" not in log(await jobs.run(replace(spec, command="env")))


async def test_standard_output_and_error_are_one_log_in_program_order(jobs: Jobs, spec: JobSpec) -> None:
    command = "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done"
    expected = [f"{stream} {i}" for i in range(1, 6) for stream in ("out", "err")]
    assert log(await jobs.run(replace(spec, command=command))).splitlines() == expected


async def test_replicas_find_each_other_by_name(jobs: Jobs, spec: JobSpec) -> None:
    script = """\
import os, socket, time
address = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))
if os.environ["RANK"] == "0":
    server = socket.create_server(("", address[1]))
    for _ in range(int(os.environ["WORLD_SIZE"]) - 1):
        print("met", server.accept()[0].recv(9).decode())
else:
    while True:
        try:
            socket.create_connection(address).send(os.environ["RANK"].encode())
            break
        except OSError:
            time.sleep(0.05)
"""
    events = await jobs.run(replace(spec, instance_count=3), {"train.py": script})
    assert end(events).status is Status.SUCCEEDED
    assert sorted(log(events).splitlines()) == ["met 1", "met 2"]


async def test_limits_are_those_of_the_options(jobs: Jobs, spec: JobSpec, engine: Engine) -> None:
    ref = await jobs.start(
        replace(spec, command="sleep 60", options={"docker.memory": "64m", "docker.cpus": 0.5, "docker.shm_size": "1m"})
    )
    with engine.client() as client:
        host = client.inspect_container(f"{ref.data['name']}-master-0")["HostConfig"]
    assert (host["Memory"], host["NanoCpus"], host["ShmSize"]) == (64 << 20, 5e8, 1 << 20)


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A directory with a wheel of `tiny_model`, made on the spot."""
    import zipfile

    folder = tmp_path / "wheels"
    folder.mkdir()
    info = "tiny_model-1.0.dist-info"
    with zipfile.ZipFile(folder / "tiny_model-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_model.py", "answer = 42\n")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return folder


@pytest.mark.parametrize("given", ["in the source", "in the spec"])
async def test_requirements_are_installed_first_in_a_log_section_of_their_own(
    jobs: Jobs, spec: JobSpec, wheels: Path, given: str
) -> None:
    lines = ("--no-index", "--find-links /ml/input/data/wheels", "tiny-model >= 1  # a comment")
    files = {"train.py": "import tiny_model\nprint(tiny_model.answer)\n"}
    if given == "in the source":
        files["requirements.txt"] = "\n".join(lines)
    else:
        spec = replace(spec, requirements=lines)
    events = await jobs.run(replace(spec, inputs={"wheels": str(wheels)}), files)
    running = next(e for e in events if isinstance(e, PhaseChanged) and e.phase is Phase.RUNNING)
    assert "Successfully installed tiny-model" in log(events)[: running.offset]
    assert log(events)[running.offset :] == "42\n"


async def test_requirements_that_cannot_be_installed_fail_the_job_before_its_command(jobs: Jobs, spec: JobSpec) -> None:
    events = await jobs.run(spec, {"requirements.txt": "--no-index\nno-such-thing\n", "train.py": "print('trained')"})
    assert end(events).status is Status.FAILED
    assert "installing the requirements failed" in end(events).reason
    assert "no-such-thing" in log(events)
    assert "trained" not in log(events)


@pytest.mark.parametrize(
    ("variant", "files", "sentence"),
    [
        ("no-python", {"train.py": ""}, "has no `python`"),
        ("no-python", {"requirements.txt": "x", "train.py": ""}, "has no `python`"),
        ("no-pip", {"requirements.txt": "x", "train.py": ""}, "has no `pip`"),
    ],
)
async def test_an_image_that_lacks_a_program_is_named(
    jobs: Jobs, spec: JobSpec, image_of: Callable[[str], str], variant: str, files: dict[str, str], sentence: str
) -> None:
    image = image_of(variant)
    events = await jobs.run(replace(spec, image_uri=image), files)
    assert end(events).status is Status.FAILED
    assert sentence in end(events).reason
    assert image in end(events).reason


async def test_a_variable_given_by_name_reaches_the_container_and_no_other(
    jobs: Jobs, spec: JobSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "s3cr3t-value")
    monkeypatch.setenv("OTHER_TOKEN", "s3cr3t-value")
    script = "import os\nprint(os.environ.get('HF_TOKEN'), os.environ.get('OTHER_TOKEN'))\n"
    wanted = replace(spec, options={"local.pass_env": ["HF_TOKEN"]})
    assert log(await jobs.run(wanted, {"train.py": script})) == "s3cr3t-value None\n"
