"""A training script that prints, as one line of JSON, everything a script may rely on (tests/support/contract_table.py).

It runs with a literal /ml and with the tree elsewhere alike: the root is where PAI_WORKING_DIR lies, and is printed as /ml.
"""

# A plain script, of these three modules alone, that any image can run.
# ruff: noqa: PTH109, PTH112, PTH114, PTH115, PTH118, PTH120, PTH123, PTH208, T201

import json
import os
import sys

PREFIXES = ("PAI_", "PROBE_")
NAMES = (
    "RANK",
    "WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "WORKER_ADDRS",
    "WORKER_PORT",
    "TF_CONFIG",
    "ELASTICBATCH_CONFIG",
    "NVIDIA_VISIBLE_DEVICES",
    "PYTHONUNBUFFERED",
)
ROOT = os.path.dirname(os.environ["PAI_WORKING_DIR"].rstrip("/"))


def variables() -> dict[str, str]:
    return {
        name: value.replace(ROOT, "/ml")
        for name, value in sorted(os.environ.items())
        if name in NAMES or (name.startswith(PREFIXES) and not name.startswith("PAI_JUPYTER_"))
    }


def files(path: str = ROOT) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in sorted(os.listdir(path)):
        if name != "__pycache__":
            entry = os.path.join(path, name)
            found[os.path.relpath(entry, ROOT)] = describe(entry)
            if os.path.isdir(entry) and not link_target(entry):
                found.update(files(entry))
    return found


def describe(entry: str) -> object:
    if link_target(entry):
        return {"link": link_target(entry)}
    if os.path.isdir(entry):
        return "directory"
    with open(entry, encoding="utf-8") as file:
        return json.load(file) if "/input/config/" in entry else file.read()


def link_target(entry: str) -> str | None:
    """Where a link inside the tree leads; a link that leaves it stands for what it leads to, as a mount would."""
    if os.path.islink(entry):
        target = os.path.relpath(os.path.join(os.path.dirname(entry), os.readlink(entry)), ROOT)
        return None if target.startswith("..") else target
    return None


if __name__ == "__main__":
    cwd = os.path.relpath(os.getcwd(), os.path.realpath(ROOT))
    print(
        json.dumps(
            {
                "argv": [word.replace(ROOT, "/ml") for word in sys.argv[1:]],
                "cwd": "/ml/" + cwd,
                "variables": variables(),
                "files": files(),
            }
        )
    )
