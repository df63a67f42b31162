"""`%pai_openpai`: check, submit and simulate job files of a cluster; the clusters that are known."""

import getpass
import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.error import StdinNotImplementedError
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import SpecError
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table

if TYPE_CHECKING:
    from pai_jupyter.backends.capabilities import TakesJobFiles

_ACTIONS = ("submit", "simulate", "validate", "cluster")
_NOT_SUPPORTED = {  # what other clients of OpenPAI do
    "login": "logging in through Azure Active Directory (AAD) is not supported. Copy a token from the cluster's portal, and type: "
    "%pai_openpai cluster add NAME HOST USER --token",
    "skus": "HiveD and its SKU types are not supported: the cluster gets them as the file has them, unchecked. Its portal lists them.",
    "ssh": "ssh: how to log in to a task is not shown here. The job's page at the cluster's portal shows it.",
    "attempts": "attempts of a job are not listed here; the log has their lines one behind the other. The job's page at the portal "
    "has them.",
    "clone": "a job of the cluster cannot be cloned here. Submit its job file again; a job of this machine: %pai_rerun JOB",
    "storages": "storages of a cluster cannot be browsed here. Use its portal, or a directory where this machine has them mounted; "
    "for HDFS type: %pai_hdfs ls",
    "resources": "free resources of a cluster are not shown here. Its portal shows them.",
}


@magics_class
class JobFileMagics(Magics):
    """`%pai_openpai`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("action", choices=_ACTIONS, help="what to do")
    @argument(
        "words",
        nargs="*",
        metavar="FILE",
        help="a job file; with `cluster`: add NAME HOST USER, list, use NAME, check [NAME], delete NAME",
    )
    @argument("--cluster", metavar="NAME", help="the cluster, in place of the chosen one")
    @argument("--upload", action="append", default=[], metavar="GLOB", help="files that go with the job, e.g. **/*.py")
    @argument(
        "--image-map", action="append", default=[], metavar="PATTERN=LOCAL", help="simulate: a local image for others"
    )
    @argument("--keep", action="store_true", help="cluster add: keep the password in a file that only you can read")
    @argument(
        "--token", action="store_true", help="cluster add: log in by a token of the portal, or an application token"
    )
    @line_magic
    def pai_openpai(self, line: str) -> None:
        """Check, submit or simulate a job file of OpenPAI (*.pai.json, *.pai.yaml); list and choose clusters."""
        if (verb := line.strip().partition(" ")[0]) in _NOT_SUPPORTED:
            raise SpecError(_NOT_SUPPORTED[verb], field="action")
        options = parse(self.pai_openpai, expand(line, self.shell.user_ns), is_mixed=True)
        match options.action:
            case "cluster":
                _cluster(options)
            case "validate":
                _validate(options)
            case _:
                _start(options)


def _cluster(options: Namespace) -> None:
    from pai_jupyter.jobs.job_files import job_files
    from pai_jupyter.view import said

    files = job_files()
    match options.words:
        case ["add", name, host, user]:
            secret = _ask_secret(host, user, is_token=options.token)
            files.add_cluster(name, host, user, password=secret, is_kept=options.keep, is_token=options.token)
            _check(files, name)
        case ["use", name]:
            files.use_cluster(name)
        case ["delete", name]:
            files.remove_cluster(name)
            print(said("Its jobs go on, and are no longer followed."))  # noqa: T201
        case ["check", *names] if len(names) <= 1:
            _check(files, next(iter(names), None))
            return
        case [] | ["list"]:
            pass
        case _:
            raise SpecError(
                "Type: %pai_openpai cluster add NAME HOST USER, or: cluster list, or: cluster use NAME, or: cluster check NAME, "
                "or: cluster delete NAME",
                field="words",
            )
    known = files.known_clusters()
    rows = [[each.name, each.address, each.user, "✓" if each is known[0] else ""] for each in known]
    empty = "no cluster is known. Type: %pai_openpai cluster add NAME HOST USER"
    display(Table(headers=["cluster", "address", "user", "chosen"], rows=rows, empty=empty))


def _ask_secret(host: str, user: str, *, is_token: bool) -> str:
    """Ask for what logs in, unless the environment has it; where nobody can be asked, it must."""
    from pai_jupyter.view import said

    variable = "OPENPAI_TOKEN" if is_token else "OPENPAI_PASSWORD"
    if given := os.environ.get(variable):
        return given
    try:
        return getpass.getpass(said(f"token of {user} at {host}: " if is_token else f"password of {user} at {host}: "))
    except (StdinNotImplementedError, EOFError) as exc:
        raise SpecError(
            f"nobody can be asked for a password here. Set {variable} in the environment, or add the cluster in a notebook with "
            "--keep",
            field="password",
        ) from exc


def _check(files: "TakesJobFiles", name: str | None) -> None:
    from pai_jupyter.jobs import runtime
    from pai_jupyter.view import said

    report = runtime().run(files.check_cluster(name))
    lines = [*(f"✓ {said(fact)}" for fact in report.facts), *([f"✗ {said(report.problem)}"] if report.problem else [])]
    print("\n".join(lines))  # noqa: T201


def _validate(options: Namespace) -> None:
    from pai_jupyter.jobs.job_files import check_file, read_job_file
    from pai_jupyter.view import said

    path = _path(options)
    problems, warnings = check_file(read_job_file(path), path.parent, upload=options.upload)
    lines = problems or [f"{path.name} is good."]
    print("\n".join(said(line) for line in [*lines, *warnings]))  # noqa: T201


def _start(options: Namespace) -> None:
    from pai_jupyter.jobs import detaching  # late: %load_ext must not load backends
    from pai_jupyter.jobs.job_files import read_job_file, simulate_file, submit_file
    from pai_jupyter.view import front_end, show_job

    start = submit_file if options.action == "submit" else simulate_file
    images, path = [_pair(each) for each in options.image_map], _path(options)
    text = read_job_file(path)
    job, notes = start(text, path.parent, cluster=options.cluster, upload=options.upload, images=images)
    wait = not front_end().is_attended
    with detaching(job):
        show_job(job, notes, wait=wait)
        if wait:
            job.wait()


def _path(options: Namespace) -> Path:
    if len(options.words) != 1:
        raise SpecError(f"give one job file, e.g. %pai_openpai {options.action} job.pai.yaml", field="words")
    return Path(options.words[0]).expanduser().absolute()


def _pair(text: str) -> tuple[str, str]:
    pattern, _, local = text.partition("=")
    if not pattern or not local:
        raise SpecError(f"`--image-map {text}` is not of the form PATTERN=LOCAL", field="image_map")
    return pattern, local
