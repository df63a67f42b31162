"""`%pai_openpai`: check, submit and simulate job files of a cluster; the clusters that are known."""

import getpass
from argparse import Namespace
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.errors import SpecError
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table

_ACTIONS = ("submit", "simulate", "validate", "cluster")


@magics_class
class JobFileMagics(Magics):
    """`%pai_openpai`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("action", choices=_ACTIONS, help="what to do")
    @argument("words", nargs="*", metavar="FILE", help="a job file; with `cluster`: add NAME HOST USER, list, use NAME")
    @argument("--cluster", metavar="NAME", help="the cluster, in place of the chosen one")
    @argument("--upload", action="append", default=[], metavar="GLOB", help="files that go with the job, e.g. **/*.py")
    @argument(
        "--image-map", action="append", default=[], metavar="PATTERN=LOCAL", help="simulate: a local image for others"
    )
    @argument("--keep", action="store_true", help="cluster add: keep the password in a file that only you can read")
    @line_magic
    def pai_openpai(self, line: str) -> None:
        """Check, submit or simulate a job file of OpenPAI (*.pai.json, *.pai.yaml); list and choose clusters."""
        options = parse(self.pai_openpai, expand(line, self.shell.user_ns))
        match options.action:
            case "cluster":
                _cluster(options)
            case "validate":
                _validate(options)
            case _:
                _start(options)


def _cluster(options: Namespace) -> None:
    from pai_jupyter.jobs.job_files import job_files

    files = job_files()
    match options.words:
        case ["add", name, host, user]:
            secret = getpass.getpass(f"password of {user} at {host}: ")
            files.add_cluster(name, host, user, password=secret, is_kept=options.keep)
        case ["use", name]:
            files.use_cluster(name)
        case [] | ["list"]:
            pass
        case _:
            raise SpecError(
                "Type: %pai_openpai cluster add NAME HOST USER, or: cluster list, or: cluster use NAME", field="words"
            )
    rows = [[name, address, user] for name, address, user in files.known_clusters()]
    empty = "no cluster is known. Type: %pai_openpai cluster add NAME HOST USER"
    display(Table(headers=["cluster", "address", "user"], rows=rows, empty=empty))


def _validate(options: Namespace) -> None:
    from pai_jupyter.jobs.job_files import job_files
    from pai_jupyter.view import said

    text, files = _text(options), job_files()
    problems = files.file_problems(text)
    lines = problems or [f"{Path(options.words[0]).name} is good."]
    warnings = files.file_warnings(text, files.travelling(_path(options).parent, options.upload))
    print("\n".join(said(line) for line in [*lines, *warnings]))  # noqa: T201


def _start(options: Namespace) -> None:
    from pai_jupyter.jobs import detaching
    from pai_jupyter.jobs.job_files import simulate_file, submit_file  # late: %load_ext must not load backends
    from pai_jupyter.view import front_end, show_job

    start = submit_file if options.action == "submit" else simulate_file
    images = [_pair(each) for each in options.image_map]
    job, notes = start(
        _text(options), _path(options).parent, cluster=options.cluster, upload=options.upload, images=images
    )
    wait = not front_end().is_attended
    with detaching(job):
        show_job(job, notes, wait=wait)
        if wait:
            job.wait()


def _text(options: Namespace) -> str:
    try:
        return _path(options).read_text(encoding="utf-8")
    except (OSError, ValueError) as exc:
        raise SpecError(
            f"{str(_path(options))!r} cannot be read: {getattr(exc, 'strerror', None) or exc}.", field="words"
        ) from exc


def _path(options: Namespace) -> Path:
    if len(options.words) != 1:
        raise SpecError(f"give one job file, e.g. %pai_openpai {options.action} job.pai.yaml", field="words")
    return Path(options.words[0]).expanduser().absolute()


def _pair(text: str) -> tuple[str, str]:
    pattern, _, local = text.partition("=")
    if not pattern or not local:
        raise SpecError(f"`--image-map {text}` is not of the form PATTERN=LOCAL", field="image_map")
    return pattern, local
