"""`make bench`: every comparison, one line each; exits with 1 when a goal is missed.

usage: python -m tests.bench [NAME...]   e.g. python -m tests.bench import package
"""

import importlib
import sys

NAMES = (
    "import",
    "package",
    "complete",
    "values",
    "process",
    "shards",
    "docker",
    "logs",
    "scalars",
    "view",
    "pai",
    "emulator",
    "storage",
    "hdfs",
    "list",
    "panel",
    "runs_table",
    "runs",
    "run_view",
    "run_frames",
)


def main(names: list[str]) -> int:
    missed = 0
    for name in names or NAMES:
        for row in importlib.import_module(f"tests.bench.bench_{name}").rows():
            print(row, flush=True)  # noqa: T201  this is what a benchmark is for
            missed += not row.met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
