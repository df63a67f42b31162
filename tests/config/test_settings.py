"""Settings: the nearest layer decides and says so; profiles, what a cell sets up, and the emulator."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from pai_jupyter.config import EMULATOR, Key, Settings
from pai_jupyter.config.names import SETTINGS
from pai_jupyter.errors import SpecError
from tests.support.surroundings import PROFILES, SECRET, Place


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
        ({"PAI_JUPYTER_DOCKER_MAX_PARALLEL": "5"}, "docker.max_parallel", "5"),
    ],
)
def test_variables(place: Place, environ: Mapping[str, str], name: str, value: str | None) -> None:
    place.environ.update(environ)
    assert place.settings.get(name) == value


# --- profiles ------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("address", [ADDRESS, ADDRESS.replace("127.0.0.1", "localhost")])
def test_the_emulator_of_this_user_says_which_place_it_stands_for(place: Place, tmp_path: Path, address: str) -> None:
    place.environ["PAI_JUPYTER_HOME"] = str(tmp_path / "state")
    record = tmp_path / "state" / "emulator" / "address.json"
    record.parent.mkdir(parents=True)
    told = {"region": "cn-told", "workspace": "777", "bucket": "told-bucket"}
    record.write_text(json.dumps({"address": ADDRESS, "pid": 1, **told, "mounts": ["nas://a/b"]}))
    place.settings.use_emulator(address)
    assert values(place).items() >= {**told, "endpoint": address}.items()
    assert place.settings.emulated(address).has("nas://a/b/c")
    assert not place.settings.emulated(address).has("nas://a/bc")
    place.settings.use_emulator(ADDRESS.replace("4711", "4712"))
    assert values(place).items() >= EMULATOR.items()


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"address": 1}', '{"address": "http://[", "region": ["x"]}', "[" * 9**6]
)
def test_what_an_emulator_left_damaged_says_nothing(place: Place, tmp_path: Path, content: str) -> None:
    place.environ["PAI_JUPYTER_HOME"] = str(tmp_path / "state")
    record = tmp_path / "state" / "emulator" / "address.json"
    record.parent.mkdir(parents=True)
    record.write_text(content)
    place.settings.use_emulator(ADDRESS)
    assert values(place).items() >= EMULATOR.items()
    assert place.settings.emulated(ADDRESS).has("nas://whatever")


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


@pytest.mark.parametrize(
    "content",
    ["process.max_parallel = 3\n", '"process.max_parallel" = "3"\n', "[process]\nmax_parallel = 3\n"],
)
def test_a_name_with_a_dot_is_written_as_toml_has_it(place: Place, content: str) -> None:
    place.write(place.project, content)
    assert place.settings.get("process.max_parallel") == "3"
    place.write(place.project, "")
    place.write(place.user, "[profiles.default]\n" + content.replace("[process]", "[profiles.default.process]"))
    assert place.settings.get("process.max_parallel") == "3"
