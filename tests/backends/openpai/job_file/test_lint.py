"""Warnings about commands that hide a failure, or go to a directory that is none."""

import pytest

from pai_jupyter.backends import openpai
from pai_jupyter.backends.openpai.job_file import lint, lint_script
from tests.support.openpai_files import SEED, V1, V2, changed

PIPE = "a failure before the last `|` is not seen. Put in front: set -o pipefail;"
TRAIN_SH = 'python train.py \\\n--hparams="batch_size=1024" 2>&1 | tee -a ${LOG_DIR}/train.log\n'
RUN_SAMPLES = 'import subprocess\n\n# Call train.sh\nsubprocess.call("./train.sh", shell=True)\n'


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cd $PAI_CODE_DIR && ls", ["`cd $PAI_CODE_DIR` fails"]),
        ('cd "${PAI_CODE_DIR}"', ["`cd $PAI_CODE_DIR` fails"]),
        ("cd $PAI_CODE_DIRECTORY", []),
        ("cd $PAI_JOB_NAME && python train.py", []),
        ("python train.py | tee log", [PIPE]),
        ("python train.py |& tee log", [PIPE]),
        ("set -o pipefail; python train.py | tee log", []),
        ("set -euo pipefail\npython train.py | tee log", []),
        ("grep 'a|b' file || true # a | b", []),
        ("echo x >| file", []),
    ],
)
def test_a_command_that_runs_otherwise_than_meant_is_warned_about(command: str, said: list[str]) -> None:
    found = openpai.lint(changed(V1, {"taskRoles/0/command": command}))
    assert len(found) == len(said)
    assert all(part in line and line.startswith("demo_001: ") for part, line in zip(said, found, strict=True))
    assert bool(openpai.lint(changed(V2, {"taskRoles/worker/commands": [command]}))) is bool(said)


def test_the_seeds_own_files_hide_a_failed_training() -> None:
    assert openpai.lint(SEED) == []
    [shell], [python] = lint_script("train.sh", TRAIN_SH), lint_script("run_samples.py", RUN_SAMPLES)
    assert "train.sh: a failure before the last `|` is not seen" in shell
    assert python.startswith("run_samples.py, line 4: the exit code is dropped")


@pytest.mark.parametrize(
    "text", ["sys.exit(subprocess.call('a'))", "code = subprocess.call('a')", "subprocess.check_call('a')"]
)
def test_an_exit_code_that_is_used_is_not_warned_about(text: str) -> None:
    assert list(lint_script("a.py", text)) == []


def test_lines_of_commands_are_warned_about_unless_the_first_one_ends_at_a_failure() -> None:
    [line] = openpai.lint(changed(V2, {"taskRoles/worker/commands": ["a", "b"]}))
    assert line.startswith("worker: where a line of `commands` fails, new servers go on with the next")
    assert openpai.lint(changed(V2, {"taskRoles/worker/commands": ["set -e", "a", "b"]})) == []


def test_what_cannot_be_read_is_not_warned_about() -> None:
    assert openpai.lint("{") == openpai.lint(3) == []


def test_what_this_client_knows_nothing_of_is_said() -> None:
    plugins = [{"plugin": "ssh"}, {"plugin": "git"}]
    extras = {"hivedScheduler": {"taskRoles": {}}, "com.microsoft.pai.runtimeplugin": plugins}
    said = lint({**V2, "extras": extras})
    assert [line.partition(":")[0] for line in said] == ["HiveD and its SKU types are not supported", "ssh"]
    assert lint({**V2, "extras": {"com.microsoft.pai.runtimeplugin": plugins[1:]}}) == []


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("API_KEY=sk-0123456789abcdef0123 python train.py", "API_KEY"),
        ("export DB_PASSWORD='correct-horse'; ls", "DB_PASSWORD"),
        ("python train.py --api-key abcdef123456", "api-key"),
        ("curl -H x --data=sk-0123456789abcdef0123", "data"),
        ("curl -H 'Authorization: Bearer 0123456789abcdef0123' a", "a text"),
        ("git clone https://bob:0123456789@example.org", "a text"),
        ("git clone https://$USER:${TOKEN}@example.org", ""),
        ("PASSWORD=$PASSWORD python train.py", ""),
        ("TOKEN=<% $secrets.token %> ls", ""),
        ("python train.py --password-file /etc/x --epochs 3", ""),
        ("tokenizer=bert-base python train.py --tokenizer bert-base", ""),
    ],
)
def test_a_text_of_a_command_that_looks_like_a_secret_is_warned_about(command: str, name: str) -> None:
    first = openpai.lint(changed(V1, {"taskRoles/0/command": command}))
    second = openpai.lint(changed(V2, {"taskRoles/worker/commands": [command]}))
    assert [line.partition(" looks")[0] for line in first] == ([f"demo_001: {name}"] if name else [])
    assert all("into `jobEnvs`" in line for line in first)
    assert [line.partition(" looks")[0] for line in second] == ([f"worker: {name}"] if name else [])
    assert all("into `secrets`" in line for line in second)
    assert "0123456789" not in "".join(first + second)
