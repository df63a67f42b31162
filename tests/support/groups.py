"""Which tests run together: `make test` has three processes at once, each with the marker of its group (`-m cloud`), and behind
`others` those of `frameworks` and `hdfs`.

The directory of a test decides: the one below that it lies in, else it is of `others`. Nobody marks a file. With `-m` and
the name of a group, files of the other groups are not even imported, which takes seconds.
"""

from pathlib import Path

import pytest

from tests.support.paths import ROOT

OTHERS = "others"  # the notebooks are checked there too
HDFS = "hdfs"  # a real HDFS, which takes its time to start
FRAMEWORKS = "frameworks"  # jobs of real frameworks: heavy, hence once, and nowhere else
WITH_ENGINE = (OTHERS, FRAMEWORKS)  # may use a container engine: they do not run at the same time
DIRECTORIES = {
    "cloud": (
        "backends/local",
        "backends/pai",
        "cloud",
        "emulator",
        "estimator",
        "runs",
        "server",
        "storage",
        "store",
        "wire",
    ),
    "browser": ("browser",),
    FRAMEWORKS: ("frameworks",),
    HDFS: ("hdfs",),
}
NAMES = (*DIRECTORIES, OTHERS)
_GROUP_OF = {ROOT / "tests" / name: group for group, names in DIRECTORIES.items() for name in names}


def group_of(path: Path) -> str:
    """Return the name of the group of a test file or of a directory."""
    return next((_GROUP_OF[place] for place in (path, *path.parents) if place in _GROUP_OF), OTHERS)


def chosen(config: pytest.Config) -> str | None:
    """Return the group that `-m` names, None when it says something else or nothing."""
    expression: str = config.getoption("markexpr")
    return expression if expression in NAMES else None


def is_left_out(path: Path, config: pytest.Config) -> bool:
    """Whether nothing that lies here is of the group that `-m` names."""
    wanted, group = chosen(config), group_of(path)
    if wanted is None or group == wanted:
        return False
    return group != OTHERS or path.is_file()  # a directory of `others` may hold one of another group


def mark(items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker(group_of(item.path))
