"""Run a notebook from top to bottom without a front end, and print the final text of each job. `make demo` calls it.

usage: python run.py NOTEBOOK EXECUTED
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

VENDOR_TYPE = "application/vnd.pai-jupyter.job.v1+json"


def main(source: Path, executed: Path) -> int:
    notebook = nbformat.read(source, as_version=4)
    quiet = ["--log-level=ERROR"]  # ipykernel warns of its own loopback connection
    client = NotebookClient(
        notebook, timeout=600, extra_arguments=quiet, resources={"metadata": {"path": str(source.parent)}}
    )
    failure = ""
    try:
        client.execute()
    except CellExecutionError as exc:
        failure = str(exc)
    executed.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, executed)
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "text/html" in output.get("data", {}) or VENDOR_TYPE in output.get("data", {}):  # jobs, and tables of them
                print(output["data"]["text/plain"], end="\n\n")
            elif output.get("name") == "stdout":
                print(output["text"], end="")
    print(f"\nexecuted notebook: {executed}")
    if failure:
        print(failure, file=sys.stderr)
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
