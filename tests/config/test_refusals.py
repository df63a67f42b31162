"""Settings that cannot be meant are refused by name and line; secrets go nowhere, least of all into a job."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pai_jupyter.config import Settings, inherited_environment
from pai_jupyter.errors import SpecError
from tests.support.surroundings import KEY_ID, PROFILES, SECRET, Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# --- what is refused, and how --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("regoin", "cn-a", "there is no setting 'regoin'; there are backend, image, .* Did you mean 'region'?"),
        ("", "x", "there is no setting ''; there are backend"),
        ("region", "Shang hai", "`region` is 'Shang hai', which is not valid; e.g. region=cn-shanghai"),
        ("region", "x" * 500, "…', which is not valid"),
        ("image", "a b", "`image` is 'a b', which is not valid; e.g. image=python:3.11"),
        ("bucket", "Bucket_1", "`bucket` is 'Bucket_1', which is not valid"),
        ("instance_type", "8 GPUs", "`instance_type` is '8 GPUs', which is not valid"),
        ("backend", "dokcer", "there is no backend 'dokcer'; there are docker, process."),
        ("backend", "a\nb", r"`backend` is 'a\\nb', which is not valid"),
        ("profile", "中 文", "`profile` is '中 文', which is not valid"),
        ("network", "wlan", "`network` is 'wlan', which is not valid; e.g. network=vpc"),
        ("services", "https://pai.example.com", "`services` is 'https://pai.example.com', which is not valid"),
        ("services", "http://127.0.0.1.example.com:80", "which is not valid"),
        ("services", "http://user@127.0.0.1:80", "which is not valid"),
        *(
            ("process.max_parallel", value, f"is '{value}'; it must be .* a whole number from 1 to 9999")
            for value in ("0", "-1", "1.5", "none", "99999", "٣")
        ),
        ("docker.max_parallel", "all", "e.g. docker.max_parallel=4"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_not_kept(place: Place, name: str, value: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence) as caught:
        place.settings.set(name, value, backends=["process", "docker"])
    assert caught.value.field == name
    assert len(str(caught.value)) < 400
    assert {value.value for value in place.settings.all()} == {None}


def test_resolving_an_unknown_name_is_refused(place: Place) -> None:
    with pytest.raises(SpecError, match="there is no setting 'colour'"):
        place.settings.resolve("colour")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("access_key_secret", SECRET),
        ("ACCESS_KEY_SECRET", SECRET),
        ("access_key_id", "some-id-of-mine"),
        ("security_token", SECRET),
        ("db_password", SECRET),
        ("api_key", SECRET),
        ("deploy_key", SECRET),
        ("region", KEY_ID),
        ("image", f"registry/x:{KEY_ID}"),
        (KEY_ID, "x"),
        ("bucket", "loaded-secret-value"),
        ("instance_type", "-----BEGIN PRIVATE KEY-----"),
    ],
)
def test_a_secret_is_refused_and_not_repeated(place: Place, name: str, value: str) -> None:
    place.environ["DEPLOY_TOKEN"] = "loaded-secret-value"
    with pytest.raises(SpecError) as caught:
        place.settings.set(name, value)
    sentence = str(caught.value)
    assert "profile" in sentence
    assert "environment variable" in sentence
    assert "getpass" in sentence
    assert value not in sentence
    assert KEY_ID not in sentence + str(caught.value.field)


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("project", 'region = "cn-a"\nimage = \n', " line 2: "),
        ("project", 'region = "cn-a\n', " line 1: "),
        ("project", "[tool", " line 1: "),
        ("project", "x = [\n\n", "Correct the line"),
        ("project", 'image = "a"\nregoin = "cn-a"\n', " line 2: there is no setting 'regoin'.* Did you mean 'region'"),
        ("project", '# c\n\nregion = "Shang hai"\n', " line 3: `region` is 'Shang hai', which is not valid"),
        ("project", "region = [1]\n", r" line 1: `region` is '\[1\]', which is not valid"),
        ("project", "region = true\n", " line 1: `region` is 'True', which is not valid"),
        ("project", "[profiles.work]\nregion = 'x'\n", " line 1: there is no setting 'profiles'"),
        ("project", "process.max_paralel = 2\n", " line 1: there is no setting 'process.max_paralel'.* Did you mean"),
        ("project", "process.max_parallel = 0\n", " line 1: `process.max_parallel` is '0'; it must be"),
        ("project", b"region = '\xff'\n", " is not UTF-8 text. Save it as UTF-8."),
        ("user", 'region = "cn-a"\n', " line 1: there is no setting 'region'; there are profile, profiles"),
        ("user", "profiles = 1\n", " line 1: a profile is a table"),
        ("user", "[profiles]\nwork = 1\n", " line 1: a profile is a table"),
        ("user", '[profiles.default]\n\nregoin = "cn-a"\n', " line 3: there is no setting 'regoin'"),
        ("user", '[profiles.default]\nregion = ""\n', " line 2: `region` is '', which is not valid"),
        ("sdk", '{"region_id": "cn-a",\n}', r"config\.json' line [12]: .*Correct the file, or remove it\."),
        ("sdk", "[1]", " line 1: a JSON object is expected"),
        ("sdk", "[" * 100_000, "is nested too deeply"),
        ("sdk", '{"region_id": "Shang hai"}', "^SDK file .*: `region` is 'Shang hai', which is not valid"),
    ],
)
def test_a_file_that_cannot_be_meant_is_named_with_its_line(
    place: Place, file: str, content: str | bytes, sentence: str
) -> None:
    path: Path = getattr(place, file)
    place.write(path, content)
    with pytest.raises(SpecError, match=sentence) as caught:
        place.settings.get("region")
    assert str(path) in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_secret_in_a_project_file_is_refused_with_its_line(place: Place) -> None:
    place.write(place.project, f'image = "a"\nsecurity_token = "{SECRET}"\n')
    with pytest.raises(SpecError, match=r"pai_jupyter\.toml' line 2: a secret does not belong here") as caught:
        place.settings.get("region")
    assert SECRET not in str(caught.value)


def test_a_broken_file_stands_in_nobodys_way_who_does_not_need_it(place: Place) -> None:
    place.write(place.sdk, "{")
    place.write(place.user, "[")
    place.settings.set("region", "cn-a")
    assert place.settings.get("region") == "cn-a"
    assert place.settings.get("image", "python") == "python"


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to(path)], ids=["a directory", "a loop"])
def test_a_file_that_cannot_be_read_is_named(place: Place, make: Callable[[Path], object]) -> None:
    place.sdk.parent.mkdir(parents=True)
    make(place.sdk)
    with pytest.raises(SpecError, match=r"config\.json' cannot be read: "):
        place.settings.get("region")


def test_a_working_directory_that_was_removed_has_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert Settings(environ={}, home=tmp_path, user_file=tmp_path / "no").get("image") is None


# --- secrets and the environment -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({"OPENAI_API_KEY": SECRET}, True),
        ({"MY_SECRET": SECRET}, True),
        ({"HF_TOKEN": SECRET}, True),
        ({"db_password": SECRET}, True),
        ({"ALIBABA_CLOUD_ACCESS_KEY_SECRET": SECRET}, True),
        ({"ALIBABA_CLOUD_SECURITY_TOKEN": SECRET}, True),
        ({"ALIBABA_CLOUD_REGION_ID": "cn-shanghai"}, False),
        ({"ALIBABA_CLOUD_ACCESS_KEY_ID": SECRET}, False),
        ({"HF_TOKEN": "1234567"}, False),
        ({"SSH_KEY": os.__file__}, False),  # where a key lies is no secret
        ({"KEYBOARD": SECRET}, False),
        ({"PATH": SECRET}, False),
    ],
)
def test_secrets_of_the_environment(place: Place, environ: Mapping[str, str], found: bool) -> None:
    place.environ.update(environ)
    assert place.settings.loaded_secrets() == (frozenset(environ.values()) if found else frozenset())


def test_secrets_of_files_are_loaded_secrets_too(place: Place) -> None:
    place.write(place.sdk, json.dumps({"access_key_id": "an-id-no-secret", "access_key_secret": "sdk-secret-value"}))
    place.write(place.user, PROFILES + 'security_token = "a-token-value"\n')
    assert place.settings.loaded_secrets() == {"sdk-secret-value", SECRET, "a-token-value"}


def test_broken_files_hold_no_secrets(place: Place) -> None:
    place.write(place.sdk, "{")
    place.write(place.user, "[")
    assert place.settings.loaded_secrets() == frozenset()


@pytest.mark.parametrize(
    "name",
    [
        *("OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_SECRET", "HF_TOKEN", "hf_token", "TOKEN", "DB_PASSWORD"),
        *("ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_CREDENTIALS_URI"),
        *("PAI_HPS", "PAI_HPS_LR", "PAI_USER_ARGS", "PAI_INPUT_TRAIN", "PAI_OUTPUT_MODEL", "PAI_WORKING_DIR"),
        *("PAI_CONFIG_DIR", "PAI_ODPS_CREDENTIAL", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TF_CONFIG"),
        *("LOCAL_RANK", "LOCAL_WORLD_SIZE"),
        *("WORKER_ADDRS", "WORKER_PORT", "ELASTICBATCH_CONFIG", "NVIDIA_VISIBLE_DEVICES"),
        *("JPY_PARENT_PID", "PYDEVD_USE_FRAME_EVAL"),
    ],
)
def test_a_job_does_not_inherit(name: str) -> None:
    assert inherited_environment({name: "x"}) == {}


@pytest.mark.parametrize(
    "name",
    [
        *(
            "PATH",
            "HOME",
            "LANG",
            "LD_LIBRARY_PATH",
            "CUDA_VISIBLE_DEVICES",
            "http_proxy",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
        ),
        *("PAI_JUPYTER_HOME", "PAI_CONFIG_PATH", "LOCAL_RANK_HINT", "MY_RANK", "MPLBACKEND", "VIRTUAL_ENV"),
    ],
)
def test_a_job_inherits(name: str) -> None:
    assert inherited_environment({name: "x"}) == {name: "x"}


def test_a_job_does_not_draw_into_cells() -> None:
    assert inherited_environment({"MPLBACKEND": "module://matplotlib_inline.backend_inline"}) == {}


def test_importing_the_room_reads_no_toml_and_looks_for_no_folder() -> None:
    code = "import sys, pai_jupyter.config; print({'tomllib', 'platformdirs'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
