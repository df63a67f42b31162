"""Give a process the job's tree as a literal /ml if this machine allows it, else at its real location.

    bwrap   bubblewrap: own mount and PID namespaces in 3 ms; inputs are read-only
    proot   rewrites every system call with a path: slower, but works in containers that forbid bubblewrap
    plain   no /ml: PAI_* variables name the real directories, and inputs and outputs are links

Rule 1: a method is used only if a test run of it, just like a job's, has succeeded.
Rule 2: PAI_JUPYTER_ML=bwrap|proot|plain|auto overrides the choice; a method that does not work here is then an error.
Rule 3: nothing stays on the machine: no mount, no directory /ml.
Rule 4: with a PID namespace, the kernel ends everything that a command started when the command ends, even if the supervisor is
    killed. Without one, the supervisor adopts orphaned processes.
"""

import errno
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path

from pai_jupyter.backends.local import LocalInput, LocalTree
from pai_jupyter.backends.process.supervisor.member import TRIES, mounts_changed
from pai_jupyter.contract import PATHS, Paths
from pai_jupyter.errors import SpecError

VARIABLE = "PAI_JUPYTER_ML"
_PROBE_SECONDS = 10
_CODE = PATHS.working_dir.rstrip("/")  # as `pwd` prints it
# Process 1 of the namespace. When it ends, the kernel kills all other processes, so it waits: a second after TERM for processes
# that the command left, or, in a job that is being stopped (signalled by USR1), until all have ended. The supervisor kills it
# after the grace period. It has no trap for TERM: a child that has not yet exec'ed its program would inherit it and survive.
_TICKS = 20  # number of waits of 0.05 s
_INIT = (
    f'n={_TICKS}; trap "n=$1" USR1; shift; exec 2>/dev/null; '  # a shell would report signals in the job's log
    '(exec "$@" 2>&3 3>&-); code=$?; '
    f'[ "$n" -gt {_TICKS} ] || kill -s TERM -- -1; '
    'while [ "$n" -gt 0 ] && kill -s 0 -- -1; do n=$((n-1)); sleep 0.05; done; exit "$code"'
)
_SPEAK = 'exec "$@" 2>&3 3>&-'  # descriptor 2 is the wrapper's
_STOPPING = 20 * 3600 * 24  # number of waits: longer than any grace period


class Isolation(StrEnum):
    BWRAP = "bwrap"
    PROOT = "proot"
    PLAIN = "plain"

    @property
    def paths(self) -> Paths | None:
        """The paths under which a job finds its tree; None = the real location."""
        return None if self is Isolation.PLAIN else PATHS


def choose(wanted: str = "auto") -> Isolation:
    """Choose the `wanted` isolation, or the best one that works on this machine.

    Raises:
        SpecError: there is no such method, or it does not work here.
    """
    known = [*Isolation, "auto"]
    if wanted not in known:
        raise SpecError(f"{VARIABLE} is {wanted!r}; it is one of {', '.join(known)}.", field=VARIABLE)
    if wanted == "auto":
        return next(way for way in Isolation if not _refusal(way))
    refusal = _refusal(Isolation(wanted))
    if refusal:
        raise SpecError(f"{VARIABLE} is {wanted!r}, but {refusal}. Set it to auto or plain.", field=VARIABLE)
    return Isolation(wanted)


def suited(way: Isolation, tree: LocalTree) -> Isolation:
    """Return `way`, or `plain` if a path of the tree has a colon, which `proot -b A:B` does not support."""
    places = [tree.root, tree.output, *tree.outputs.values(), *(item.source for item in tree.inputs.values())]
    unspeakable = way is Isolation.PROOT and any(":" in str(place) for place in places)
    return Isolation.PLAIN if unspeakable else way


@cache
def has_own_processes(isolation: Isolation) -> bool:
    """Return whether jobs get their own PID namespace; probed once per process."""
    return isolation is Isolation.BWRAP and _program("bwrap") is not None and _probe(_closed) is None


def enclose(isolation: Isolation, tree: LocalTree, argv: Sequence[str]) -> list[str]:
    """Return the command line that runs `argv` with the job's tree in place, in the code's directory.

    A wrapper reports its own errors on descriptor 2; what it runs gets descriptor 3 as its standard error.
    """
    match isolation:
        case Isolation.BWRAP:
            return _closed(tree, argv) if has_own_processes(isolation) else _open(tree, argv)
        case Isolation.PROOT:
            return [*_proot(tree), *_speaking(argv)]
        case Isolation.PLAIN:
            return list(argv)


def link(tree: LocalTree) -> None:
    """Replace the empty placeholders of the tree by links to the real inputs and outputs."""
    for channel, item in tree.inputs.items():
        place = tree.root / "input" / "data" / channel
        if item.file is None:
            _replace(place, item.source)
        else:
            (place / item.file).unlink()
            (place / item.file).symlink_to(item.source)
    for channel, path in tree.elsewhere.items():
        _replace(tree.output / channel, path)
    _replace(tree.root / "output", tree.output)


def _replace(place: Path, source: Path) -> None:
    """Replace an empty placeholder by a link.

    Raises:
        SpecError: it is not empty: an earlier job left its outputs there.
    """
    if place.samefile(source):  # the same directory under another name
        return
    try:
        place.rmdir()
    except OSError as exc:
        if exc.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise
        raise SpecError(
            f"the output {place.name!r} is to go to {source}, but {place} holds files already. Jobs have no directory "
            "/ml of their own on this machine, so the two would be mixed. Give another `output_path`.",
            field="outputs",
        ) from exc
    place.symlink_to(source)


def _closed(tree: LocalTree, argv: Sequence[str]) -> list[str]:
    own = ["--unshare-pid", "--as-pid-1", "--die-with-parent", "--"]
    return [*_bwrap(tree), *own, "sh", "-c", _INIT, "sh", str(_STOPPING), *argv]


def _open(tree: LocalTree, argv: Sequence[str]) -> list[str]:
    return [*_bwrap(tree), "--", *_speaking(argv)]


def _speaking(argv: Sequence[str]) -> list[str]:
    return ["sh", "-c", _SPEAK, "sh", *argv]


def _bwrap(tree: LocalTree) -> list[str]:
    words = [_program("bwrap") or "bwrap"]
    for entry in sorted(Path("/").iterdir()):
        if entry.is_symlink():
            words += ["--symlink", str(entry.readlink()), str(entry)]
        elif entry.name not in ("ml", "proc", "dev"):
            words += ["--bind-try", str(entry), str(entry)]
    words += ["--proc", "/proc", "--dev-bind", "/dev", "/dev", "--bind", str(tree.root), "/ml"]
    for source, place in _input_places(tree):
        words += ["--ro-bind", source, place]
    for source, place in _output_places(tree):
        words += ["--bind", source, place]
    return [*words, "--chdir", _CODE]


def _proot(tree: LocalTree) -> list[str]:
    words = [_program("proot") or "proot", "-v", "-1"]  # else proot reports signals in the job's log
    for source, place in [(str(tree.root), "/ml"), *_input_places(tree), *_output_places(tree)]:
        words += ["-b", f"{source}:{place}"]
    return [*words, "-w", _CODE]


def _input_places(tree: LocalTree) -> Iterator[tuple[str, str]]:
    for channel, item in tree.inputs.items():
        yield str(item.source), PATHS.input(channel) + (item.file or "")


def _output_places(tree: LocalTree) -> Iterator[tuple[str, str]]:
    yield str(tree.output), PATHS.output_dir
    for channel, path in tree.elsewhere.items():
        yield str(path), PATHS.output(channel)


@cache
def _program(name: str) -> str | None:
    return shutil.which(name)


@cache
def _refusal(way: Isolation) -> str | None:
    """Return why this method does not work here; None if it does. Tried once per process."""
    if way is Isolation.PLAIN:
        return None
    if _program(way) is None:
        return f"{way} is not installed"
    if has_own_processes(way):
        return None
    return _probe(_open if way is Isolation.BWRAP else lambda tree, argv: enclose(way, tree, argv))


def _probe(words: Callable[[LocalTree, Sequence[str]], list[str]]) -> str | None:
    """Return why a small test job with the command line of `words` fails here; None if it runs."""
    with tempfile.TemporaryDirectory(prefix="pai-jupyter-") as folder:
        for name in ("ml/usercode", "ml/input/data/probe", "ml/output"):
            (Path(folder) / name).mkdir(parents=True)
        tree = LocalTree(
            folder=Path(folder),
            root=Path(folder) / "ml",
            inputs={"probe": LocalInput(source=Path(folder))},
            output=Path(folder),
            outputs={},
        )
        test = (
            "sh",
            "-c",
            'test "$(pwd)" = /ml/usercode && test -d /ml/input/data/probe/ml && test -r /proc/self/stat',
        )
        return _failure(words(tree, test))


def _failure(argv: Sequence[str]) -> str | None:
    for _ in range(TRIES):
        try:
            done = _run(["sh", "-c", 'exec "$@" 3>&2', "sh", *argv])
        except (OSError, subprocess.TimeoutExpired) as exc:
            return f"{argv[0]} does not run here ({exc})"
        if not mounts_changed(done.stderr):
            break
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
        return f"it does not work here ({words[-1]})"
    return None


def _run(argv: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_SECONDS, check=False)
