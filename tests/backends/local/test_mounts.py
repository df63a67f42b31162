"""File systems of the cloud in jobs of this machine: what the user says is mounted, and nothing that nobody said."""

from pathlib import Path

import pytest

from pai_jupyter.backends.local import input_files, resolve_inputs
from pai_jupyter.backends.local.checks import check_local
from pai_jupyter.backends.local.mounts import mounted
from pai_jupyter.backends.process import INFO
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs import close_runtime
from pai_jupyter.spec import JobSpec
from pai_jupyter.store import JobStore
from tests.support.shells import Shell

MAP = {
    "nas://0a1b.cn-shanghai/share/": "/mnt/share",
    "nas://0a1b.cn-shanghai/share/deep": "/mnt/other/",
    "cpfs://c.r": "/c",
}


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("nas://0a1b.cn-shanghai/share", "/mnt/share"),
        ("nas://0a1b.cn-shanghai/share/", "/mnt/share"),
        ("nas://0a1b.cn-shanghai/share/训练 a/b", "/mnt/share/训练 a/b"),
        ("nas://0a1b.cn-shanghai/share/deep/x/", "/mnt/other/x"),
        ("nas://0a1b.cn-shanghai/share/deeper", "/mnt/share/deeper"),
        ("cpfs://c.r/a", "/c/a"),
    ],
)
def test_the_nearest_mount_counts_for_what_is_below_it(place: str, path: str) -> None:
    assert mounted("train", place, MAP) == path


@pytest.mark.parametrize(
    "place", ["nas://0a1b.cn-shanghai/shared", "nas://other/x", "cpfs://c.rest/a", "bmcpfs://c.r/a"]
)
def test_what_nobody_has_mounted_is_said_with_what_to_type(place: str) -> None:
    with pytest.raises(SpecError, match=f"Mount it here, and say where: --mount-map {place}=/local/path"):
        mounted("train", place, MAP)


@pytest.mark.parametrize("place", ["nas://0a1b.cn-shanghai/share/../x", "nas://0a1b.cn-shanghai/share/a/.."])
def test_an_address_does_not_lead_out_of_its_mount(place: str) -> None:
    with pytest.raises(SpecError, match=r"an address has no `\.\.`"):
        mounted("train", place, MAP)


def spec(place: str, mounts: object) -> JobSpec:
    return JobSpec(name="a", command="true", inputs={"train": place}, options={"local.mount_map": mounts})  # type: ignore[dict-item]  # any JSON


def test_a_mounted_file_is_an_input_as_any_other(tmp_path: Path) -> None:
    (tmp_path / "a b.csv").write_text("1")
    wanted = spec("nas://1.cn/data/a b.csv", {"nas://1.cn/data": str(tmp_path)})
    inputs = resolve_inputs(wanted)
    assert (inputs["train"].source, input_files(inputs)) == (tmp_path / "a b.csv", {"train": "a b.csv"})
    assert check_local(wanted, INFO) == []


@pytest.mark.parametrize(
    ("mounts", "sentence"),
    [
        ("/mnt", "option local.mount_map is '/mnt'; it maps addresses to directories: --mount-map nas://ID"),
        ({"oss://b/": "/mnt"}, "`--mount-map oss://b/=...`: only nas://, cpfs://, bmcpfs:// can be mapped"),
        ({"nas": "/mnt"}, "`--mount-map nas=...`: only nas://"),
        ({"nas://1.cn/": " "}, "`--mount-map nas://1.cn/=` has no directory behind it"),
        ({"nas://1.cn/": "/no/such"}, "input 'train': there is no /no/such/x."),
    ],
)
def test_a_map_that_cannot_be_meant_is_refused(mounts: object, sentence: str) -> None:
    [said] = check_local(spec("nas://1.cn/x", mounts), INFO)
    assert said.startswith(sentence)


def test_a_data_set_of_pai_is_not_here() -> None:
    [said] = check_local(JobSpec(name="a", command="true", inputs={"train": "d-abc"}), INFO)
    assert "there is no" in said


def test_the_line_of_a_cell_says_where_it_is_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnt").mkdir()
    (tmp_path / "mnt/x").write_text("from the mount")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAI_JUPYTER_ML", "plain")
    code = "import os\nprint(open(os.environ['PAI_INPUT_TRAIN']).read())\n"
    with Shell() as shell:
        head = "%%pai_train nas --as job --backend process -i train=nas://1.cn/data/x"
        result = shell.run(f"{head} --mount-map nas://1.cn/data=./mnt --odps-limit 7\n{code}")
        assert "from the mount" in result.text
        options = dict(shell.user_ns["job"].folder.record.spec.options)
        assert options == {"local.mount_map": {"nas://1.cn/data": str(tmp_path / "mnt")}, "local.odps_limit": 7}
        assert "Mount it here" in shell.run(f"{head}\n{code}").text
        assert "`--odps-limit no` must be a whole number" in shell.run(f"{head} --odps-limit no\n{code}").text
        assert "`--mount-map x` is not of the form" in shell.run(f"{head} --mount-map x\n{code}").text
        assert len(list(JobStore().folders())) == 1
    close_runtime()
