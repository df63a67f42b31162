"""Settings: the nearest layer decides and says so; what cannot be meant is refused by name; secrets go nowhere."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pai_jupyter.config import EMULATOR, Key, Settings, inherited_environment
from pai_jupyter.config.names import SETTINGS
from pai_jupyter.errors import SpecError

KEY_ID, SECRET = "LTAI5tQkLmNoPqRsTuVw", "wJalrXUtnFEMIK7MDENGx"


class Place:
    """A user's surroundings: a project directory, a user file, a home, an environment."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project/pai_jupyter.toml"
        self.user = root / "config/config.toml"
        self.sdk = root / "home/.pai/config.json"
        self.environ: dict[str, str] = {}
        (root / "project/deep/er").mkdir(parents=True)
        self.settings = Settings(
            environ=self.environ, home=root / "home", cwd=root / "project/deep/er", user_file=self.user
        )

    def write(self, path: Path, content: str | bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def fill(self, layer: str, region: str) -> None:
        """Let one layer say that the region is `region`."""
        match layer:
            case "notebook":
                self.settings.set("region", region)
            case "project":
                self.write(self.project, f'region = "{region}"\n')
            case "profile":
                self.write(self.user, f'profile = "work"\n[profiles.work]\nregion = "{region}"\n')
            case "sdk":
                self.write(self.sdk, json.dumps({"region_id": region}))
            case "environment":
                self.environ["PAI_REGION_ID"] = region


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def origins(place: Place) -> dict[str, str]:
    return {
        "notebook": "notebook",
        "project": f"project file {str(place.project)!r}",
        "profile": "profile 'work'",
        "sdk": f"SDK file {str(place.sdk)!r}",
        "environment": "variable PAI_REGION_ID",
    }


LAYERS = ["notebook", "project", "profile", "sdk", "environment"]


@pytest.mark.parametrize("first", range(len(LAYERS)))
def test_the_nearest_layer_decides_and_is_named(place: Place, first: int) -> None:
    for number, layer in enumerate(LAYERS[first:]):
        place.fill(layer, f"cn-{number}")
    value = place.settings.resolve("region")
    assert (value.value, value.origin) == ("cn-0", origins(place)[LAYERS[first]])


def test_the_line_goes_before_everything(place: Place) -> None:
    for layer in LAYERS:
        place.fill(layer, "cn-far")
    value = place.settings.resolve("region", "cn-near")
    assert (value.value, value.origin) == ("cn-near", "line")


@pytest.mark.parametrize("name", SETTINGS)
def test_what_nobody_said_is_none(place: Place, name: str) -> None:
    value = place.settings.resolve(name)
    assert (value.value, value.origin) == (None, "default")


def test_all_has_every_setting_once(place: Place) -> None:
    place.settings.set("image", "python:3.11")
    assert [value.name for value in place.settings.all()] == list(SETTINGS)
    assert {value.value for value in place.settings.all()} == {None, "python:3.11"}


def test_an_empty_value_takes_a_setting_back(place: Place) -> None:
    place.settings.set("image", "a")
    place.settings.set("image", "")
    assert place.settings.get("image") is None


def test_two_kernels_do_not_share_what_was_set(place: Place) -> None:
    place.settings.set("image", "a")
    assert (
        Settings(environ={}, home=place.sdk.parent, cwd=place.project.parent, user_file=place.user).get("image") is None
    )


def test_a_changed_file_counts_at_once(place: Place) -> None:
    for region in ("cn-1", "cn-2", "cn-3"):  # of one size, within one tick of the clock
        place.fill("project", region)
        assert place.settings.get("region") == region
    place.project.unlink()
    assert place.settings.get("region") is None


def test_the_nearest_project_file_counts(place: Place, tmp_path: Path) -> None:
    place.fill("project", "cn-outer")
    place.write(tmp_path / "project/deep/pai_jupyter.toml", 'image = "x"\n')
    assert (place.settings.get("region"), place.settings.get("image")) == (None, "x")


def test_numbers_are_taken_as_text(place: Place) -> None:
    place.write(place.project, "workspace = 12345\n")
    assert place.settings.get("workspace") == "12345"


def test_the_sdk_file_is_where_the_sdk_looks_for_it(place: Place, tmp_path: Path) -> None:
    place.environ["PAI_CONFIG_PATH"] = str(tmp_path / "elsewhere.json")
    content = {
        "region_id": "cn-a",
        "workspace_id": 7,
        "oss_bucket_name": "my-bucket",
        "oss_endpoint": "e.com",
        "new": [1],
    }
    place.write(tmp_path / "elsewhere.json", json.dumps(content))
    assert [place.settings.get(name) for name in ("region", "workspace", "bucket", "endpoint")] == [
        "cn-a",
        "7",
        "my-bucket",
        "e.com",
    ]


@pytest.mark.parametrize(
    ("environ", "name", "value"),
    [
        ({"PAI_JUPYTER_BACKEND": "docker"}, "backend", "docker"),
        ({"PAI_JUPYTER_REGION": "cn-a", "PAI_REGION_ID": "cn-b"}, "region", "cn-a"),
        ({"REGION": "us-east-1"}, "region", None),  # somebody else's
        ({"REGION": "cn-a", "DSW_INSTANCE_ID": "dsw-1"}, "region", "cn-a"),
        ({"REGION": "cn-a", "DLC_JOB_ID": "dlc-1"}, "region", "cn-a"),
        ({"REGION": "EMEA", "DLC_JOB_ID": "dlc-1", "dsw_region": "cn-b"}, "region", "cn-b"),
        ({"PAI_NETWORK_TYPE": "VPC"}, "network", "VPC"),
        ({"PAI_NETWORK_TYPE": "auto"}, "network", None),
        ({"PAI_AI_WORKSPACE_ID": "7"}, "workspace", "7"),
        ({"PAI_REGION_ID": ""}, "region", None),
    ],
)
def test_variables(place: Place, environ: Mapping[str, str], name: str, value: str | None) -> None:
    place.environ.update(environ)
    assert place.settings.get(name) == value


# --- profiles ------------------------------------------------------------------------------------------------------

PROFILES = f"""
[profiles.default]
region = "cn-d"
[profiles.work]
region = "cn-w"
access_key_id = "an-id-no-secret"
access_key_secret = "{SECRET}"
"""


def test_a_profile_called_default_is_in_force_by_itself(place: Place) -> None:
    place.write(place.user, PROFILES)
    assert place.settings.resolve("region").origin == "profile 'default'"


def test_using_a_profile_puts_it_in_force(place: Place) -> None:
    place.write(place.user, PROFILES)
    place.settings.use("work")
    assert place.settings.get("region") == "cn-w"


@pytest.mark.parametrize("layer", ["project", "user", "variable"])
def test_a_profile_is_chosen_like_any_setting(place: Place, layer: str) -> None:
    place.write(place.user, PROFILES)
    match layer:
        case "project":
            place.write(place.project, 'profile = "work"')
        case "user":
            place.write(place.user, 'profile = "work"\n' + PROFILES)
        case _:
            place.environ["PAI_JUPYTER_PROFILE"] = "work"
    assert place.settings.get("region") == "cn-w"


def test_a_profile_that_is_not_there_is_not_used(place: Place) -> None:
    place.write(place.user, PROFILES)
    with pytest.raises(SpecError, match=r"there is no profile 'wrok' in .*; there are: default, work"):
        place.settings.use("wrok")
    assert place.settings.get("region") == "cn-d"


def test_a_project_with_a_missing_profile_says_which_file(place: Place) -> None:
    place.write(place.project, 'profile = "work"')
    with pytest.raises(
        SpecError, match=r"^project file '.*pai_jupyter\.toml': there is no profile 'work' .* there are: none"
    ):
        place.settings.get("region")


def test_credentials_of_a_profile_are_shown_nowhere(place: Place) -> None:
    place.write(place.user, 'profile = "work"\n' + PROFILES)
    assert SECRET not in repr(place.settings.all())


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ("[profiles.default]\naccess_key_id = 'a'\naccess_key_secret = 'b'", ("a", "b", None)),
        ("[profiles.default]\naccess_key_id = 'a'\naccess_key_secret = 'b'\nsecurity_token = 'c'", ("a", "b", "c")),
        ("[profiles.default]\nregion = 'cn-a'", None),
        ("[profiles.other]\naccess_key_id = 'a'\naccess_key_secret = 'b'", None),
        ("", None),
    ],
)
def test_the_key_of_the_profile_in_force(place: Place, content: str, key: tuple[str, str, str | None] | None) -> None:
    place.write(place.user, content)
    found = place.settings.profile_key()
    assert key == (found and (found.access_key_id, found.access_key_secret, found.security_token))


def test_the_key_of_a_profile_is_read_anew(place: Place) -> None:
    place.write(place.user, PROFILES)
    assert place.settings.profile_key("work") is not None
    place.write(place.user, PROFILES.replace(SECRET, "renewed-secret"))
    found = place.settings.profile_key("work")
    assert found is not None
    assert found.access_key_secret == "renewed-secret"


@pytest.mark.parametrize("name", ["access_key_id", "access_key_secret", "security_token"])
def test_half_a_key_is_none_and_said(place: Place, name: str) -> None:
    place.write(place.user, f'[profiles.default]\n{name} = "{SECRET}"')
    with pytest.raises(SpecError, match="profile 'default' has half an access key: `access_key_") as caught:
        place.settings.profile_key()
    assert SECRET not in str(caught.value)


# --- what a cell sets up, and the emulator -------------------------------------------------------------------------

GIVEN = Key(access_key_id="an-id", access_key_secret=SECRET, origin="a cell")
ADDRESS = "http://127.0.0.1:4711"


def values(place: Place) -> dict[str, str]:
    return {value.name: value.value for value in place.settings.all() if value.value is not None}


def test_several_values_apply_together_or_not_at_all(place: Place) -> None:
    place.settings.set("region", "cn-before")
    with pytest.raises(SpecError, match="`bucket`"):
        place.settings.update({"region": "cn-a", "bucket": "_"}, key=GIVEN)
    assert (values(place), place.settings.key(None)) == ({"region": "cn-before"}, None)
    place.settings.update({"region": "cn-a", "bucket": "my-bucket"}, key=GIVEN)
    assert (values(place), place.settings.key(None)) == ({"region": "cn-a", "bucket": "my-bucket"}, GIVEN)


def test_a_given_key_is_a_loaded_secret_and_shown_nowhere(place: Place) -> None:
    place.settings.update({}, key=GIVEN)
    place.settings.keep_secret("another-secret")
    assert place.settings.loaded_secrets() == {SECRET, "another-secret"}
    assert SECRET not in repr([place.settings.all(), place.settings.key(None), vars(place.settings)])


def test_a_key_counts_only_where_it_was_given(place: Place) -> None:
    place.settings.update({}, key=GIVEN)
    place.settings.use_emulator(ADDRESS)
    assert (place.settings.key(None), place.settings.key(ADDRESS)) == (GIVEN, None)


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if layer != "notebook"])
def test_an_emulator_in_force_goes_before_what_is_set_for_the_cloud(place: Place, layer: str) -> None:
    place.fill(layer, "cn-cloud")
    place.environ["PAI_JUPYTER_SERVICES"] = ADDRESS
    assert values(place).items() >= {**EMULATOR, "endpoint": ADDRESS, "backend": "pai"}.items()
    assert place.settings.resolve("region").origin == "emulator"


def test_the_emulator_sets_aside_what_was_set_here_and_gives_it_back(place: Place) -> None:
    place.settings.update({"region": "cn-cloud", "bucket": "my-bucket", "backend": "docker"})
    place.settings.use_emulator(ADDRESS)
    assert values(place) == {**EMULATOR, "endpoint": ADDRESS, "services": ADDRESS, "backend": "docker"}
    place.settings.set("workspace", "20002")
    place.settings.use_emulator(ADDRESS.replace("4711", "4712"))
    assert place.settings.get("workspace") == "20002"
    place.settings.leave_emulator()
    place.settings.leave_emulator()
    assert values(place) == {"region": "cn-cloud", "bucket": "my-bucket", "backend": "docker"}


# --- what is refused, and how --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("regoin", "cn-a", "there is no setting 'regoin'; there are backend, image, .* Did you mean 'region'?"),
        ("", "x", "there is no setting ''; there are backend"),
        ("region", "Shang hai", "`region` is 'Shang hai', which is none; an example: region=cn-shanghai"),
        ("region", "x" * 500, "…', which is none"),
        ("image", "a b", "`image` is 'a b', which is none; an example: image=python:3.11"),
        ("bucket", "Bucket_1", "`bucket` is 'Bucket_1', which is none"),
        ("instance_type", "8 GPUs", "`instance_type` is '8 GPUs', which is none"),
        ("backend", "dokcer", "there is no backend 'dokcer'; there are docker, process."),
        ("backend", "a\nb", r"`backend` is 'a\\nb', which is none"),
        ("profile", "中 文", "`profile` is '中 文', which is none"),
        ("network", "wlan", "`network` is 'wlan', which is none; an example: network=vpc"),
        ("services", "https://pai.example.com", "`services` is 'https://pai.example.com', which is none"),
        ("services", "http://127.0.0.1.example.com:80", "which is none"),
        ("services", "http://user@127.0.0.1:80", "which is none"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_not_kept(place: Place, name: str, value: str, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence) as caught:
        place.settings.set(name, value, backends=["process", "docker"])
    assert caught.value.field == name
    assert len(str(caught.value)) < 300
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
        ("project", '# c\n\nregion = "Shang hai"\n', " line 3: `region` is 'Shang hai', which is none"),
        ("project", "region = [1]\n", r" line 1: `region` is '\[1\]', which is none"),
        ("project", "region = true\n", " line 1: `region` is 'True', which is none"),
        ("project", "[profiles.work]\nregion = 'x'\n", " line 1: there is no setting 'profiles'"),
        ("project", b"region = '\xff'\n", " is not UTF-8 text. Save it as UTF-8."),
        ("user", 'region = "cn-a"\n', " line 1: there is no setting 'region'; there are profile, profiles"),
        ("user", "profiles = 1\n", " line 1: a profile is a table"),
        ("user", "[profiles]\nwork = 1\n", " line 1: a profile is a table"),
        ("user", '[profiles.default]\n\nregoin = "cn-a"\n', " line 3: there is no setting 'regoin'"),
        ("user", '[profiles.default]\nregion = ""\n', " line 2: `region` is '', which is none"),
        ("sdk", '{"region_id": "cn-a",\n}', r"config\.json' line [12]: .*Correct the file, or remove it\."),
        ("sdk", "[1]", " line 1: a JSON object is expected"),
        ("sdk", "[" * 100_000, "is nested too deeply"),
        ("sdk", '{"region_id": "Shang hai"}', "^SDK file .*: `region` is 'Shang hai', which is none"),
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
