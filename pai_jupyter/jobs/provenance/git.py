"""The state of a repository, asked of `git` in a few short calls. Blocking.

Rule 1: nothing that the repository names is run: no hook, pager, external diff, textconv or fsmonitor, nor a filter of its own
    configuration; filters of the user's own (git-lfs) are. Submodules are compared by their commits and not looked into.
Rule 2: nothing is written, not even the index; nothing is fetched; nobody is asked.
Rule 3: a call that takes longer than `SECONDS` is ended, and its repository is left alone for `RESTS`.
"""

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.contract.masking import without_login
from pai_jupyter.path_guard import shown
from pai_jupyter.store.provenance import MAX_DIFF, GitState

SECONDS = 3.0  # of one call
RESTS = 600.0  # seconds
MAX_LISTED = 16 * 1024 * 1024  # bytes of what git lists
_SLACK = 64 * 1024  # bytes that are read behind a difference: a secret across its end is found, and masked, whole
_SHOWN = 300  # characters of what git says
_LONGEST = 1_000  # characters of a name or an address
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.quotePath=false",
    "core.safecrlf=false",
    "protocol.allow=never",
    "submodule.recurse=false",
)
_WORDS = ("git", "--no-pager", "--no-optional-locks", *(word for each in _SETTINGS for word in ("-c", each)))
_DIFF = (
    *("diff", "HEAD", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"),
    *("--src-prefix=a/", "--dst-prefix=b/", "--"),
)
_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES", "GIT_EXEC_PATH")
_OWN = ("local", "worktree")  # scopes of what the repository configures

_slow: dict[Path, float] = {}  # repository -> monotonic time until which it is left alone


class GitTrouble(Exception):
    """Why a repository is not recorded, as a sentence without its end."""


def find_repository(directory: Path) -> Path | None:
    """Return the directory that has the `.git` of `directory`, which has no links; None if there is none."""
    return next((each for each in (directory, *directory.parents) if os.path.lexists(each / ".git")), None)


@dataclass(kw_only=True)
class GitCalls:
    """Calls of git about the repository at `root`, seen from `directory`; `cancel` ends them from another thread."""

    root: Path
    directory: Path
    settings: tuple[str, ...] = ()  # more words in front of a command
    _running: set["subprocess.Popen[bytes]"] = field(default_factory=set)
    _is_cancelled: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def call(self, *words: str, limit: int = MAX_LISTED, at: Path | None = None, fine: Sequence[int] = (0,)) -> bytes:
        """Return what a command prints, of more than `limit` bytes the first ones. `fine`: its exit codes.

        Raises:
            GitTrouble: git is missing, refuses the repository, or takes too long.
        """
        with tempfile.TemporaryFile() as errors:
            process = self._start([*_WORDS, *self.settings, *words], at or self.directory, errors.fileno())
            ended = threading.Event()

            def end() -> None:
                ended.set()
                _kill(process)

            timer = threading.Timer(SECONDS, end)
            timer.start()
            try:
                assert process.stdout is not None, "asked for as a pipe"
                with process.stdout as pipe:
                    found = pipe.read(limit)
                    is_cut = len(found) == limit
                if is_cut:
                    _kill(process)
                code = process.wait()
            finally:
                timer.cancel()
                self._running.discard(process)
            if self._is_cancelled:
                raise GitTrouble("it was not waited for")
            if ended.is_set():
                _slow[self.root] = time.monotonic() + RESTS
                raise _too_slow()
            if code not in fine and not is_cut:
                errors.seek(0)
                raise GitTrouble(_said(errors.read(_SLACK), self.root))
            return found

    def cancel(self) -> None:
        """End what runs, and start nothing more."""
        with self._lock:
            self._is_cancelled = True
            for process in list(self._running):
                _kill(process)

    def _start(self, words: Sequence[str], at: Path, errors: int) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._is_cancelled:
                raise GitTrouble("it was not waited for")
            try:
                process = subprocess.Popen(
                    words,
                    cwd=at,
                    env=_environment(os.environ),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    start_new_session=True,  # an interrupt of the kernel is none of its business
                )
            except FileNotFoundError:
                raise GitTrouble("git is not installed here" if at.is_dir() else "its directory is gone") from None
            except OSError as exc:
                raise GitTrouble(f"git cannot be started: {exc.strerror}") from exc
            self._running.add(process)
            return process


def read_state(calls: GitCalls) -> GitState:
    """Ask for everything but the difference.

    Raises:
        GitTrouble: it cannot be found out.
    """
    if time.monotonic() < _slow.get(calls.root, 0.0):
        raise _too_slow()
    remote, filters = _configured(calls)
    calls.settings = tuple(_without(filters))
    is_tracked = calls.root == calls.directory or bool(calls.call("ls-files", "--cached", "-z", "--", ".", limit=1))
    listed = calls.call(
        *("status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--no-renames", "-z"),
        *("--untracked-files=normal", "--ignore-submodules=dirty"),
    )
    return _parsed(listed.decode("utf-8", "surrogateescape"), calls.root, remote, is_tracked=is_tracked)


def read_diff(calls: GitCalls) -> tuple[str, bool]:
    """Return the difference to the commit, and whether there is more. Notebooks come last: their outputs are long.

    It may have a little more than `MAX_DIFF`.

    Raises:
        GitTrouble: it cannot be found out.
    """
    limit = MAX_DIFF + _SLACK
    found = calls.call(*_DIFF, ".", ":(exclude)*.ipynb", limit=limit, at=calls.root)
    if len(found) < limit:
        found += calls.call(*_DIFF, "*.ipynb", limit=limit - len(found), at=calls.root)
    return found.decode("utf-8", "surrogateescape"), len(found) == limit


def _configured(calls: GitCalls) -> tuple[str, set[str]]:
    """Return the address of `origin`, or else of another remote, and the names of filters that the repository configures."""
    pattern = r"^(remote\..*\.url|filter\..*\.(clean|process|smudge))$"
    words = calls.call("config", "--show-scope", "-z", "--get-regexp", pattern, fine=(0, 1)).decode(
        "utf-8", "surrogateescape"
    )
    remotes: dict[str, str] = {}
    filters: set[str] = set()
    parts = words.split("\0")
    for scope, pair in zip(parts[::2], parts[1::2], strict=False):
        key, _, value = pair.partition("\n")
        kind, _, name = key.rpartition(".")[0].partition(".")
        if kind == "remote":
            remotes.setdefault(name, value)
        elif scope in _OWN:
            filters.add(name)
    return without_login(remotes.get("origin", next(iter(remotes.values()), ""))), filters


def _without(filters: set[str]) -> Iterator[str]:
    for name in sorted(filters):
        if "=" in name:
            raise GitTrouble("the repository configures a filter with `=` in its name")
        for setting in ("clean=", "process=", "smudge=", "required=false"):
            yield from ("-c", f"filter.{name}.{setting}")


def _parsed(listed: str, root: Path, remote: str, *, is_tracked: bool) -> GitState:
    """Read what `git status --porcelain=v2 --branch -z` lists."""
    lines = listed.split("\0")
    heads = dict(line[2:].partition(" ")[::2] for line in lines if line.startswith("# "))
    commit, branch = heads.get("branch.oid", ""), heads.get("branch.head", "")
    return GitState(
        root=_line(str(root)),
        commit=commit if re.fullmatch("[0-9a-f]{40,64}", commit) else "",
        branch="" if branch == "(detached)" else _line(branch),
        remote=_line(remote),
        changed=sum(line[:2] in ("1 ", "2 ", "u ") for line in lines),
        untracked=sum(line.startswith("? ") for line in lines),
        is_tracked=is_tracked,
    )


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "LC_ALL": "C",
    }


def _line(text: str) -> str:
    """Return a name or an address as it may stand in a record."""
    return re.sub(r"[\x00-\x1f\x7f]", "?", shown(text))[:_LONGEST]


def _too_slow() -> GitTrouble:
    return GitTrouble(f"git took longer than {SECONDS:g} s")


def _said(errors: bytes, root: Path) -> str:
    """Return why git refuses, in its words where they are not known."""
    text = errors.decode(errors="replace")
    if "dubious ownership" in text:
        return f"{_line(str(root))} belongs to another user, and git does not read it"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    reason = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0] if lines else "it failed")
    return "git: " + _line(reason.partition(": ")[2] or reason)[:_SHOWN].rstrip(".")


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End a call with all that it has started."""
    if process.returncode is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
