"""The secrets of a job file reach the task, and no record, print or file on either side."""

import json
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.backends.openpai import files
from pai_jupyter.backends.openpai.backend import OpenPaiBackend
from pai_jupyter.backends.openpai.clusters import Secret, add_cluster, cluster_of, hold_secret, remove_cluster
from pai_jupyter.backends.openpai.job_file.hiding import hidden, references, restored
from pai_jupyter.config import loaded_secrets
from pai_jupyter.errors import PackageError, SpecError
from pai_jupyter.jobs import list_jobs
from pai_jupyter.jobs.submission import draft
from pai_jupyter.jobs.target import Target
from pai_jupyter.spec import JobSpec
from tests.support.openpai_cluster import LabCluster
from tests.support.openpai_files import V1, V2, changed
from tests.support.shells import Shell

TOKEN, REGISTRY = "kR7qTr0ub4dorWx9'f8", "Wx9-registry-pass-7d1e"
VARIABLES = ("OPENPAI_SECRET_secrets_token", "OPENPAI_SECRET_image_auth_password")


@pytest.fixture
def job() -> dict[str, Any]:  # Any: JSON
    image = {"name": "image", "type": "dockerimage", "uri": "python:3.11"}
    auth = {"username": "bob", "password": REGISTRY, "registryuri": "example.org"}
    command = 't="<% $secrets.token %>"; echo length ${#t}'
    return changed(
        V2,
        {
            "prerequisites": [{**image, "auth": auth}],
            "secrets": {"token": TOKEN},
            "taskRoles/worker/commands": [command],
        },
    )


def holding(*places: Path) -> list[str]:
    found = [path for place in places for path in place.rglob("*") if path.is_file()]
    words = [word.encode() for text in (TOKEN, REGISTRY) for word in (text, json.dumps(text)[1:-1])]
    return [str(path) for path in found if any(word in path.read_bytes() for word in words)]


def test_what_is_hidden_comes_back(job: dict[str, Any]) -> None:  # Any: JSON
    shown, values = hidden(job)
    assert values == dict(zip(VARIABLES, (TOKEN, REGISTRY), strict=True))
    assert TOKEN not in json.dumps(shown)
    assert REGISTRY not in json.dumps(shown)
    assert set(references(shown)) == set(VARIABLES)
    assert restored(shown, values) == job
    assert hidden(shown) == (shown, {})


def test_names_that_are_written_alike_keep_their_own_values() -> None:
    job = {"secrets": {"a-b": "one", "a_b": "two", "pin": 12}, "jobEnvs": {"API_KEY": "three", "EPOCHS": "3"}}
    shown, values = hidden(job)
    assert sorted(values.values()) == ["12", "one", "three", "two"]
    assert restored(shown, values) == {**job, "secrets": {"a-b": "one", "a_b": "two", "pin": "12"}}


def test_what_looks_like_a_secret_among_parameters_and_extras_is_hidden() -> None:
    plugins = {"com.microsoft.pai.runtimeplugin": [{"plugin": "git", "parameters": {"access_token": ["hush-1"]}}]}
    parameters = {"api_key": "hush-2", "url": "https://bob:hush-3@example.org", "num_token": 3, "epochs": 7}
    job = {"parameters": parameters, "extras": plugins}
    shown, values = hidden(job)
    assert "hush" not in json.dumps(shown)
    assert len(values) == 3
    assert (shown["parameters"]["num_token"], shown["parameters"]["epochs"]) == (3, 7)
    assert restored(shown, values) == job
    assert set(references(shown)) == values.keys()


def test_a_secret_parameter_reaches_the_command_of_a_simulation() -> None:
    lines = ["train --key <% $parameters.api_key %>"]
    job = changed(V2, {"parameters": {"api_key": "hush-2"}, "taskRoles/worker/commands": lines})
    spec, _ = files.local_job(json.dumps(job), user="bob")
    assert "hush-2" not in str(spec.roles)
    assert spec.environments["OPENPAI_SECRET_parameters_api_key"] == "hush-2"


def test_a_previewed_cell_shows_no_secret_variable(lab: LabCluster) -> None:
    spec = JobSpec(name="a", command="true", image_uri="python:3.11", environments={"HF_TOKEN": TOKEN, "B": "plain"})
    shown = json.dumps(OpenPaiBackend().request(spec, job_id="a"))
    assert "hf_token" in shown.lower()
    assert "plain" in shown
    assert not any(part in shown for part in (TOKEN, TOKEN[:18]))


def test_a_password_that_names_a_secret_is_none() -> None:
    auth = {"password": "<% $secrets.token %>"}
    assert hidden({"prerequisites": [{"name": "image", "auth": auth}]})[1] == {}


def test_a_simulated_job_has_its_secrets_in_variables_alone(job: dict[str, Any]) -> None:  # Any: JSON
    spec, _ = files.local_job(json.dumps(job), user="bob")
    assert TOKEN not in str(spec.roles)
    assert REGISTRY not in f"{spec.roles}{spec.environments}"
    assert spec.environments[VARIABLES[0]] == TOKEN


def test_the_secrets_of_a_job_file_are_nowhere(
    lab: LabCluster,
    home: Path,
    tmp_path: Path,
    job: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,  # Any: JSON
) -> None:
    path, folder = tmp_path / "job" / "a.pai.yaml", lab.emulator.data
    path.parent.mkdir()
    path.write_text(json.dumps(changed(job, {"name": "hush"})))
    with Shell() as shell:
        done = shell.run(f"%pai_openpai submit {path}")
        assert done.error is None
        assert f"length {len(TOKEN)}" in done.text
        again = (
            "from pai_jupyter.jobs.rerun import rerun\nfrom pai_jupyter.jobs import list_jobs\nrerun(list_jobs()[0])"
        )
        refused = shell.run(again)
        assert isinstance(refused.error, SpecError)
        assert VARIABLES[0] in str(refused.error)
        for name, value in zip(VARIABLES, (TOKEN, REGISTRY), strict=True):
            monkeypatch.setenv(name, value)
        said = shell.run(again + ".wait()")
        assert said.error is None
    output = f"{done.text}{refused.text}{refused.error}{said.text}{list_jobs()}"
    assert not any(secret in output for secret in (TOKEN, REGISTRY))
    assert holding(home, folder) == []


def test_a_secret_in_the_option_itself_is_refused(job: dict[str, Any], lab: LabCluster) -> None:  # Any: JSON
    from pai_jupyter import JobSpec
    from pai_jupyter.jobs import submit

    with pytest.raises(
        SpecError, match=r"the option openpai.job holds a secret.*to `environments` under the name OPENPAI_SECRET_"
    ) as error:
        submit(JobSpec(name="a", command="true", options={"openpai.job": job}), backend="openpai")
    assert TOKEN not in str(error.value)


def test_a_reference_in_the_file_takes_the_value_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(changed(V1, {"jobEnvs": {"API_KEY": "${OPENPAI_SECRET_mine}"}}))
    assert files.cluster_job(text, cluster=None, user="bob").environments == {}
    monkeypatch.setenv("OPENPAI_SECRET_mine", "abc")
    assert files.cluster_job(text, cluster=None, user="bob").environments == {"OPENPAI_SECRET_mine": "abc"}


# --- secrets that are known ---------------------------------------------------------------------------------------

PASSWORD, KEPT = "Wx9-cluster-pass", "Wx9-another-pass"


@pytest.fixture
def clusters_with_passwords() -> None:
    for name, password in (("a", PASSWORD), ("b", KEPT)):
        add_cluster(cluster := cluster_of(name, f"{name}.example.org", "bob"))
        hold_secret(cluster, Secret(kind="password", value=password), is_kept=password == KEPT)


@pytest.mark.usefixtures("clusters_with_passwords")
@pytest.mark.parametrize("secret", [PASSWORD, KEPT])
def test_a_secret_of_a_cluster_in_a_job_file_is_refused_where_it_is(secret: str) -> None:
    [first] = OpenPaiBackend().file_problems(json.dumps(changed(V1, {"taskRoles/0/command": f"login -p {secret}"})))
    [second] = OpenPaiBackend().file_problems(json.dumps(changed(V2, {"taskRoles/worker/commands": ["ls", secret]})))
    assert first.startswith("`taskRoles[0].command` holds one of the secrets loaded in this session")
    assert second.startswith("`taskRoles.worker.commands[1]` holds one of the secrets loaded in this session")
    assert secret not in first + second
    for make in (files.cluster_job, files.local_job):
        with pytest.raises(SpecError, match=r"`jobEnvs\.PLAIN` holds one of the secrets") as error:
            make(json.dumps(changed(V1, {"jobEnvs": {"PLAIN": secret}})), user="bob", **_needed(make))
        assert secret not in str(error.value)


def _needed(make: object) -> dict[str, Any]:  # Any: arguments
    return {"cluster": None} if make is files.cluster_job else {}


@pytest.mark.usefixtures("clusters_with_passwords")
def test_a_known_secret_may_be_where_it_is_hidden() -> None:
    secrets = [{"jobEnvs": {"MY_SECRET": PASSWORD}}, {"secrets": {"any": KEPT}}]
    for config, fields in zip((V1, V2), secrets, strict=True):
        assert OpenPaiBackend().file_problems(json.dumps(changed(config, fields))) == []


@pytest.mark.usefixtures("clusters_with_passwords")
def test_a_secret_of_a_cluster_is_refused_in_every_job() -> None:
    place = Target(backend="process", reason="")
    with pytest.raises(SpecError, match="`command` holds one of the secrets loaded in this session"):
        draft(JobSpec(name="a", command=f"login {KEPT}"), place)
    with pytest.raises(PackageError, match="line 1 holds one of the secrets loaded in this session"):
        draft(JobSpec(name="a", command="true"), place, files={"a.py": f"p = {PASSWORD!r}".encode()})
    remove_cluster("a")
    remove_cluster("b")
    with draft(JobSpec(name="a", command=f"login {KEPT} {PASSWORD}"), place) as ready:
        assert PASSWORD in ready.spec.command


async def test_a_token_that_a_cluster_gave_is_known(lab: LabCluster) -> None:
    backend = OpenPaiBackend()
    await backend.recorded()
    [known] = backend._known.values()
    assert known.token is not None
    assert known.token in loaded_secrets()
    assert lab.password in loaded_secrets()
    await backend.aclose()
