"""What is said about a job to whoever wrote no cell: the same sentences, in the words of a file or of Python.

Hints and reasons are written once, for a cell and its magic. Here are their parts that name either.

Rule 1: what somebody's own program printed is never changed, only what we say of it.
Rule 2: a part that is in no row stays as it is: a test asks for every hint that no word of a magic is left in it.
"""

import re
from typing import Literal

Author = Literal["cell", "line", "python"]
"""Who is spoken to: somebody who wrote a cell, the line of a magic for code on disk, or Python."""

_Row = tuple[re.Pattern[str], str]


def _rows(*rows: tuple[str, str]) -> tuple[_Row, ...]:
    return tuple((re.compile(pattern), text) for pattern, text in rows)


_NO_CELL = _rows(
    (r"Add `%pip install (\S+)` to the cell", r"Add `\1` to requirements.txt in the source directory"),
    (r"%pip install (\S+)", r"`\1` in requirements.txt"),
    (r" in the cell\b", " in the script"),
    (r"Run its cell again", "Run it again"),
)
_PYTHON = _rows(
    (r"to requirements\.txt in the source directory", "to `requirements`, or to requirements.txt in `source_dir`"),
    (r"send it along with --include ([\w.]+?)\.(?=\s|$)", r"put \1 into `source_dir`."),
    (r"send (it|the script) along with --include", r"put \1 into `source_dir`"),
    (r"Give it with -o NAME=PATH; the name becomes upper case", "Take one that every job has, e.g. PAI_OUTPUT_MODEL"),
    (r"-i NAME=PATH", '`inputs={"NAME": "PATH"}`'),
    (r"-p NAME=VALUE", '`hyperparameters={"NAME": VALUE}`'),
    (r"--option ([a-z]+\.\w+)=(\.\.\.|\w+)", r'`options={"\1": "\2"}`'),
    (r"--option ([a-z]+\.\w+) and ([a-z]+\.\w+)", r'"\1" and "\2" in `options`'),
    (r"--env (\w+)=(\w+)", r'`environments={"\1": "\2"}`'),
    (r"--command ('[^']*')", r"`command=\1`"),
    (r"--command", "`command`"),
    (r"--image ([\w.:/-]*\w)", r'`image_uri="\1"`'),
    (r"--instance-type (\w+)", r'`instance_type="\1"`'),
    (r"--backend (\w+)", r'`backend="\1"`'),
    (r"%pai_stop \S+ ends them", "`job.stop()` ends them"),
    (r"run with --requirements none", "leave `requirements` out"),
)


def reworded(text: str, author: Author) -> str:
    """A sentence of ours for this author."""
    rows = {"cell": (), "line": _NO_CELL, "python": (*_NO_CELL, *_PYTHON)}[author]
    for pattern, words in rows:
        text = pattern.sub(words, text)
    return text
