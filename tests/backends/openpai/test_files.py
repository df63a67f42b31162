"""Job files as jobs, and the clusters of a user."""

import json

import pytest

from pai_jupyter import contract
from pai_jupyter.backends.openpai import files
from pai_jupyter.backends.openpai.clusters import (
    Secret,
    add_cluster,
    cluster_at,
    cluster_of,
    clusters,
    find_cluster,
    hold_secret,
    remove_cluster,
    secret_of,
    secret_place,
    use_cluster,
)
from pai_jupyter.errors import SpecError
from pai_jupyter.store import home
from tests.support.openpai_files import SEED, V2, changed


def test_the_seeds_job_is_simulated_with_its_own_names() -> None:
    spec, notes = files.local_job(SEED, user="bob", images=[("vzich/*", "mine:1")])
    [role] = spec.roles
    assert (spec.name, role.name, role.image_uri, role.memory) == ("train_couplet_demo", "demo_001", "mine:1", 8192)
    assert "cd train_couplet_demo && ls -al" in str(role.command)
    assert spec.environments["PAI_JOB_NAME"] == "bob~train_couplet_demo"
    assert spec.environments["PAI_CODE_DIR"] == "/bob/train_couplet_demo"
    assert role.instance_type == "local_gpu" or notes == [
        "this machine has no GPUs, so the simulation runs without those that the job asks for."
    ]


def test_parameters_deployments_and_counts_of_version_2_are_filled_in() -> None:
    deployed = [
        {"name": "prod", "taskRoles": {"worker": {"preCommands": ["echo first"], "postCommands": ["echo last"]}}}
    ]
    config = changed(V2, {"deployments": deployed, "defaults/deployment": "prod", "parameters/epochs": [7]})
    config["taskRoles"]["worker"]["commands"] = ["train <% $parameters.epochs[0] %> <% $parameters.epochs[9] %>"]
    spec, _ = files.local_job(json.dumps(config), user="bob")
    [role] = spec.roles
    assert "echo first\ntrain 7 <% $parameters.epochs[9] %>\necho last" in str(role.command)
    [completion] = contract.completions(spec)
    assert (completion.failures, completion.successes) == (1, 2)


def test_a_job_file_for_a_cluster_travels_whole() -> None:
    spec = files.cluster_job(SEED, cluster="lab", user="bob")
    assert spec.options == {"openpai.job": json.loads(SEED), "openpai.cluster": "lab"}
    assert [role.name for role in spec.roles] == ["demo_001"]


def test_a_wrong_job_file_is_refused_with_every_sentence() -> None:
    with pytest.raises(SpecError, match=r"(?s)`image` is missing.*`taskRoles` is missing"):
        files.cluster_job('{"jobName": "a"}', cluster=None, user="bob")


def test_the_images_of_a_job_file_are_those_of_its_roles_each_once() -> None:
    assert files.file_images(SEED) == ["vzich/poet:tensorflow"]
    role = {**V2["taskRoles"]["worker"], "dockerImage": "other"}
    other = {"name": "other", "type": "dockerimage", "uri": "other:1"}
    config = changed(V2, {"taskRoles/ps": role, "taskRoles/last": role, "prerequisites": [*V2["prerequisites"], other]})
    assert files.file_images(json.dumps(config)) == ["python:3.11", "other:1"]
    unused = changed(V2, {"prerequisites": [*V2["prerequisites"], other]})
    assert files.file_images(json.dumps(unused)) == ["python:3.11"]


@pytest.mark.parametrize(
    "image", ["python", "a/b:1", "localhost:5000/a__b/c.d", f"A.b/c:X@sha256:{'0' * 64}", "sha256:0f"]
)
def test_a_simulation_takes_names_of_images(image: str) -> None:
    spec, _ = files.local_job(SEED, user="bob", images=[("*", image)])
    assert spec.image_uri == image


@pytest.mark.parametrize("image", ["", "a b", "Poet", "a:b:c", "-a", "a/", "http://a/b", "a'; echo x", "训练", "a\n"])
def test_a_simulation_refuses_what_is_no_name_of_an_image(image: str) -> None:
    with pytest.raises(SpecError, match="is no name of an image; an example: python"):
        files.local_job(SEED, user="bob", images=[("*", image)])


# --- clusters ----------------------------------------------------------------------------------------------------


CANNOT_BE = [
    *(
        (host, "bob")
        for host in ("ftp://a", "", "a:b@c", "http://bob:hush/x@c", "http://[", "a:99999", "a:x", "a b", "a#b", "//a")
    ),
    *(("a", user) for user in ("b b", "", "用户", "b/c")),
]


def test_the_cluster_that_was_added_or_chosen_last_is_meant() -> None:
    for name in ("a", "b"):
        add_cluster(cluster_of(name, f"{name}.example.org", "bob"))
    assert (find_cluster().name, list(clusters())) == ("b", ["b", "a"])
    use_cluster("a")
    assert find_cluster().address == "http://a.example.org"
    with pytest.raises(SpecError, match=r"there is no cluster 'c'; there are a, b\."):
        find_cluster("c")


def test_a_cluster_is_found_by_its_host_the_chosen_one_first() -> None:
    assert cluster_at() is None
    for name, host in (("a", "pai.example.org"), ("b", "pai.example.org:9186"), ("c", "other.example.org")):
        add_cluster(cluster_of(name, host, "bob"))
    found = [cluster_at(host) for host in ("", "PAI.example.org", "other.example.org", "none.example.org")]
    assert [each and each.name for each in found] == ["c", "b", "c", None]
    use_cluster("a")
    assert [each and each.name for each in (cluster_at(), cluster_at("pai.example.org"))] == ["a", "a"]


def test_without_a_cluster_it_is_said_how_to_add_one() -> None:
    with pytest.raises(SpecError, match=r"Type: %pai_openpai cluster add NAME HOST USER"):
        find_cluster()


@pytest.mark.parametrize(("host", "user"), CANNOT_BE)
def test_what_cannot_be_a_cluster_is_refused(host: str, user: str) -> None:
    with pytest.raises(SpecError) as error:
        cluster_of("a", host, user)
    assert "hush" not in str(error.value)


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("pai.example.org", "http://pai.example.org"),
        (" HTTPS://pai.example.org:8443/ ", "https://pai.example.org:8443"),
        ("http://pai.example.org/rest-server/", "http://pai.example.org"),
        ("example.org/pai", "http://example.org/pai"),
        ("[::1]:9186", "http://[::1]:9186"),
    ],
)
def test_the_address_of_a_cluster_is_that_of_its_portal(typed: str, address: str) -> None:
    assert cluster_of("a", typed, "bob").address == address


def test_a_cluster_that_is_removed_takes_its_secret_along() -> None:
    a, b = (cluster_of(name, f"{name}.example.org", "bob") for name in "ab")
    for each in (a, b):
        add_cluster(each)
        hold_secret(each, Secret(kind="password", value="hush-hush"), is_kept=each is a)
    assert [secret_place(each) for each in (a, b)] == ["file", "memory"]
    remove_cluster("b")
    assert (list(clusters()), secret_place(b), secret_place(a)) == (["a"], "", "file")
    remove_cluster("a")
    assert (clusters(), secret_of(a)) == ({}, None)
    assert b"hush-hush" not in (home() / "openpai" / "secrets.json").read_bytes()
    with pytest.raises(SpecError, match="no cluster of OpenPAI is known"):
        remove_cluster("a")


def test_a_cluster_that_shares_its_secret_leaves_it_to_the_other() -> None:
    for name in ("a", "b"):
        add_cluster(cluster_of(name, "example.org", "bob"))
    hold_secret(find_cluster("a"), Secret(kind="password", value="hush-hush"), is_kept=True)
    remove_cluster("a")
    assert secret_place(find_cluster("b")) == "file"


def test_a_secret_that_is_held_for_now_is_no_longer_in_the_file() -> None:
    cluster = cluster_of("a", "a.example.org", "bob")
    hold_secret(cluster, Secret(kind="password", value="old-hush"), is_kept=True)
    hold_secret(cluster, Secret(kind="password", value="new-hush"))
    assert secret_place(cluster) == "memory"
    assert b"hush" not in (home() / "openpai" / "secrets.json").read_bytes()


def test_a_secret_is_written_only_where_that_was_asked_for() -> None:
    cluster = cluster_of("a", "a.example.org", "bob")
    add_cluster(cluster)
    hold_secret(cluster, Secret(kind="password", value="hush-hush"))
    assert "hush-hush" not in f"{secret_of(cluster)}"
    assert not [path for path in home().rglob("*") if path.is_file() and b"hush-hush" in path.read_bytes()]
    hold_secret(cluster, Secret(kind="password", value="hush-hush"), is_kept=True)
    kept = home() / "openpai" / "secrets.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert b"hush-hush" in kept.read_bytes()
