"""What is said of job files: the same verdicts as the servers', as a table, and texts that people write."""

import json
import subprocess
import sys
from typing import Any

import pytest
import yaml

from pai_jupyter.backends import openpai
from pai_jupyter.backends.openpai.job_file import read_job_file
from pai_jupyter.view.chinese import in_chinese
from tests.support.openpai_files import OF_V1, OF_V2, SEED, V1, V2, changed

TABLE = [("v1", changed(V1, changes), said) for changes, said in OF_V1] + [
    ("v2", changed(V2, changes), said) for changes, said in OF_V2
]

HUGE = 10**5000
BOMB = "a: &a [1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_the_table_is_long_and_has_both_verdicts_for_each_version() -> None:
    assert len(TABLE) >= 60
    assert {(version, said is None) for version, _, said in TABLE} == {
        (v, good) for v in ("v1", "v2") for good in (0, 1)
    }


@pytest.mark.parametrize(("version", "config", "said"), TABLE)
def test_a_job_file_has_its_verdict_and_its_sentence(version: str, config: dict[str, Any], said: str | None) -> None:
    problems = openpai.validate(config, version)
    if said is None:
        assert problems == []
    else:
        assert [problem for problem in problems if said in problem]
        assert all(problem.endswith((".", "?")) for problem in problems)


@pytest.mark.parametrize(("version", "config", "said"), TABLE)
def test_the_text_of_a_job_file_has_the_verdict_of_the_object(
    version: str, config: dict[str, Any], said: str | None
) -> None:
    text = json.dumps(config) if version == "v1" else yaml.safe_dump(config, allow_unicode=True)
    assert openpai.validate(text, version) == openpai.validate(config, version)


def test_the_seeds_job_file_is_good() -> None:
    assert openpai.validate(SEED, "v1") == []


def test_json_may_have_the_comments_and_commas_that_editors_write() -> None:
    text = '{\n// the name\n"jobName": "a//b", /* two\nlines */ "image": "x", "taskRoles": [{"name": "a", "command": "ls /*",},],}'
    assert openpai.validate(text, "v1") == ["`jobName` is 'a//b'; use letters, digits and . _ -."]


@pytest.mark.parametrize(
    ("text", "version", "said"),
    [
        ("{", "v1", "the job file is no JSON: line 1: Expecting property name enclosed in double quotes."),
        ('{"jobName": "a",\n// b\n"jobName" "c"}', "v1", "the job file is no JSON: line 3: Expecting ':' delimiter."),
        ('{"jobName": "a", "jobName": "b"}', "v1", "the job file has the name 'jobName' twice in one object."),
        ('{"retryCount": NaN}', "v1", "the job file has NaN, which is no JSON."),
        ("[" * 100_000, "v1", "nested more than 50 deep"),
        ("[" * 60 + "]" * 60, "v1", "nested more than 50 deep"),
        ('{"retryCount": ' + "9" * 5000 + "}", "v1", "a number that cannot be read"),
        ("[]", "v1", "the job file is no object."),
        ("", "v2", "the job file is no object. It begins e.g. with protocolVersion: 2"),
        ("name: [", "v2", "the job file is no YAML: line 1: "),
        ("name: a\nname: b", "v2", "the job file is no YAML: line 2: the name 'name' is there twice."),
        ("a: !!python/object/apply:os.system [ls]", "v2", "the job file is no YAML: line 1: "),
        ("[" * 50_000, "v2", "the job file is no YAML: "),
        ("# " + "x" * 100_000, "v2", "the job file has 100002 bytes; servers take 100000."),
        (BOMB, "v2", "the job file has more than 20000 values."),
        ("a: &a [*a]", "v2", "nested more than 50 deep"),
        ('{"jobName": "a", "image": "\\ud83d"}', "v1", "the job file has half of a character"),
        ('"\\udc00": a', "v2", "the job file has half of a character"),
        ("a: \ud83d", "v2", "the job file has half of a character"),
        (json.dumps(V2), "v1", "this is a job file of version 2 (`protocolVersion`)."),
        (json.dumps(V1), "v2", "this is a job file of version 1 (`jobName`)."),
    ],
)
def test_what_cannot_be_read_is_said(text: str, version: str, said: str) -> None:
    [problem] = openpai.validate(text, version)
    assert said in problem


@pytest.mark.parametrize(
    "config",
    [
        *(None, 3, b"{}", [V1], {1: 2}, {"taskRoles": {None: None}}, {"taskRoles": [None]}, "\0"),
        *(
            pytest.param(HUGE, id="huge"),
            {HUGE: 1},
            {"jobEnvs": {HUGE: []}},
            changed(V1, {"taskRoles/0/taskNumber": HUGE, "retryCount": -HUGE}),
        ),
        *(f"a: {number}" for number in ("0x" + "f" * 6000, "1" + ":59" * 3000)),
        *(f"a: !!{tag}" for tag in ("timestamp foo", "int ''", "bool foo", "float x", "binary =", "omap [1]")),
    ],
)
@pytest.mark.parametrize("version", ["v1", "v2", "v3", None, [], pytest.param(HUGE, id="huge")])
def test_nothing_raises(config: Any, version: Any) -> None:  # Any: what is no job file
    problems = openpai.validate(config, version)
    assert problems
    assert all(isinstance(problem, str) for problem in problems)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        *((word, None) for word in ("yes", "on", "Off", "'true'", "make all")),
        *(("true", "is true"), ("010", "is 8"), ("1:30", "is 90"), ("1.0", "is 1"), ("a: b", "is an object")),
        *(("2019-01-01", "is of no JSON type"), ("~", "is null")),
    ],
)
def test_yaml_means_what_it_means_to_the_servers(command: str, said: str | None) -> None:
    config = yaml.safe_dump(changed(V2, {"taskRoles/worker/commands": ["HERE"]})).replace("HERE", command)
    wanted = [] if said is None else [f"`taskRoles.worker.commands[0]` {said}; it must be text."]
    assert openpai.validate(config, "v2") == wanted


def test_importing_it_is_cheap() -> None:
    loaded = "print(*(m for m in ('yaml', 'httpx', 'docker') if m in sys.modules))"
    checked = f"import sys, pai_jupyter.backends.openpai as o; o.validate({{}}, 'v2'); {loaded}"
    assert _printed(checked) == _printed(f"import sys, pai_jupyter.backends; {loaded}")


def _printed(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("version", "config", "said"), [row for row in TABLE if row[2] is not None])
def test_every_sentence_is_said_in_chinese(version: str, config: dict[str, Any], said: str | None) -> None:
    for problem in openpai.validate(config, version):
        chinese = in_chinese(problem)
        assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)
        assert not any(word in chinese for word in ("must be", "missing", "empty", " has ", "characters"))


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_escapes_of_a_character_in_two_halves_are_one_character(version: str) -> None:
    config = (
        changed(V1, {"jobEnvs": {"😀": "训😀"}}) if version == "v1" else changed(V2, {"parameters": {"😀": "训😀"}})
    )
    read = read_job_file(json.dumps(config, ensure_ascii=True), version)
    assert read == config
