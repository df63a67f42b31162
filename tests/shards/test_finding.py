"""Which code imports `pai_shards`, and what its package lacks for that."""

from pathlib import Path

import pytest

from pai_jupyter.shards import find_shards
from tests.shards.test_pai_shards import MODULE


@pytest.mark.parametrize(
    "source",
    [
        "import pai_shards",
        "x = 1\nimport os, pai_shards as ps\n",
        "if True:\n    from pai_shards import shards\n",
        "import os; import pai_shards",
    ],
)
def test_a_script_that_imports_it_gets_the_module(source: str) -> None:
    found = find_shards("train.py", directory=None, files={"train.py": source.encode()})
    assert found.is_there
    assert found.files == {"pai_shards.py": MODULE.read_bytes()}


@pytest.mark.parametrize(
    "source", ["import my_pai_shards", "# import pai_shards", "import os  # pai_shards", "x = 'pai_shards'"]
)
def test_other_scripts_do_not(source: str) -> None:
    found = find_shards("train.py", directory=None, files={"train.py": source.encode()})
    assert (found.is_there, found.files) == (False, {})


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("import pai_shards\nfor s in pai_shards.shards(size=1, shard_size=1):\n    s.commit()\n", None),
        ("from pai_shards import shards\nfor s in shards(size=1, shard_size=1):\n    s.commit()\nprint(1)\n", 4),
        ("import pai_shards\nfor s in tqdm(pai_shards.shards(size=1, shard_size=1)):\n    s.commit()\n\nmerge()\n", 5),
        (  # the end of the first loop's shards ends the job
            "from pai_shards import shards\n"
            "for s in shards(1, 1, to='a'):\n    s.commit()\nfor s in shards(1, 1, to='b'):\n    s.commit()\n",
            4,
        ),
        ("import pai_shards\nfor x in y:\n    pass\nprint(1)\n", None),
        ("import pai_shards\nfor s in (", None),
    ],
)
def test_what_stands_behind_the_loop_is_found(source: str, line: int | None) -> None:
    assert find_shards("train.py", directory=None, files={"train.py": source.encode()}).behind == line


@pytest.mark.parametrize("name", ["src/train.py", "src/data.py", "src/lib/data.py"])
def test_it_lies_beside_the_script(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("import pai_shards\n")
    assert [*find_shards("src/train.py", directory=tmp_path, files={}).files] == ["src/pai_shards.py"]


def test_a_module_that_the_cell_imports_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "data.py").write_text("import pai_shards\n")
    found = find_shards("train.py", directory=None, files={"train.py": b"import lib.data"}, modules=[(tmp_path, "lib")])
    assert [*found.files] == ["pai_shards.py"]


@pytest.mark.parametrize("own", ["pai_shards.py", "pai_shards/__init__.py"])
def test_a_module_of_the_users_stays(tmp_path: Path, own: str) -> None:
    (tmp_path / own).parent.mkdir(exist_ok=True)
    (tmp_path / own).write_text("")
    found = find_shards("train.py", directory=tmp_path, files={"train.py": b"import pai_shards"})
    assert (found.is_there, found.files) == (True, {})
