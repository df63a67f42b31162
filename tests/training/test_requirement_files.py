"""`%pip install -r FILE`: the lines of the file take its place."""

from pathlib import Path

import pytest

from pai_jupyter.errors import SpecError
from pai_jupyter.training.requirement_files import with_listed


def test_the_lines_of_a_file_take_its_place(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "requirements.txt").write_text(
        "\ufeff# ours\nnumpy>=2  # fast\n\n-r sub/more.txt\ntorch==2.1 \\\n  --hash=sha256:1\n--index-url https://h/s\n"
    )
    (tmp_path / "sub" / "more.txt").write_text("-r other.txt\npandas; python_version > '3'\n")
    (tmp_path / "sub" / "other.txt").write_text("numpy>=2\ngit+https://h/a.git#egg=a\n")
    assert with_listed(("x", "-r requirements.txt", "y"), tmp_path) == (
        "x",
        "numpy>=2",
        "git+https://h/a.git#egg=a",
        "pandas; python_version > '3'",
        "torch==2.1    --hash=sha256:1",
        "--index-url https://h/s",
        "y",
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "No such file"),
        ("-e .", "`-e .` in 'r.txt' names a file of this machine"),
        ("./x.whl", "names a file of this machine"),
        (".", "names a file of this machine"),
        ("-c limits.txt", "names a file of this machine"),
        ("-r r.txt", "names itself"),
        ("--index-url https://u:hunter2secret@h/s", "holds a password"),
        (b"\xff\xfe\x00", "UTF-8"),
    ],
)
def test_what_cannot_be_kept_is_an_error(tmp_path: Path, content: str | bytes | None, says: str) -> None:
    if content is not None:
        (tmp_path / "r.txt").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SpecError, match=says) as raised:
        with_listed(("-r r.txt",), tmp_path)
    assert "hunter2secret" not in str(raised.value)
