"""Fetch one commit of a Git repository with `git`, without its history.

Rule 1: a login reaches git in its environment alone: no argument, no file, no message has it.
Rule 2: nothing of the repository is executed, no submodule is fetched, and git asks nobody anything.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from pai_jupyter.component.component import Component
from pai_jupyter.errors import PackageError

_LIMIT = 600  # seconds of one call
_SHOWN = 300  # characters of what git says
_MOST = 5  # names in a note
_LINK = "160000 "  # the mode of a submodule
_CLOSED = re.compile(r"authentication|could not read|denied|terminal prompts", re.IGNORECASE)
_SETTINGS = ("core.hooksPath=/dev/null", "advice.detachedHead=false", "credential.interactive=false")
_PLACE = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_CONFIG_COUNT", "GIT_TRACE")


@dataclass(frozen=True, kw_only=True)
class Clone:
    """What was fetched: the commit, its files that a `.gitignore` of it names, and notes on what is not there."""

    commit: str
    ignored: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()


def fetch(component: Component, to: Path) -> Clone:
    """Fetch the code of a component from its repository into the new directory `to`.

    Raises:
        PackageError: git is missing, or cannot fetch it; with its reason, without the login.
    """
    if shutil.which("git") is None:
        raise PackageError("git is not installed here, which fetches the code of the component. Install it.")
    address = str(component.source)
    git = _Git(to, _environment(address, component.login), _secrets(component.login))
    to.mkdir(parents=True)
    git.call("init", "-q")
    if component.commit is not None:
        _fetch_commit(git, address, component.commit)
    else:
        git.call("fetch", "-q", "--depth", "1", "--", address, component.branch or "HEAD")
        git.call("checkout", "-q", "FETCH_HEAD")
    commit = git.call("rev-parse", "HEAD").strip()
    clone = Clone(commit=commit, ignored=_ignored(git, to), notes=tuple(_notes(git)))
    shutil.rmtree(to / ".git")
    return clone


def _ignored(git: "_Git", to: Path) -> dict[str, bytes]:
    """Return the files of the commit that packing would leave out, since a `.gitignore` names them."""
    if (to / ".paiignore").exists():  # it decides in place of them
        return {}
    listed = git.call("ls-files", "-z", "--cached", "--ignored", "--exclude-per-directory=.gitignore").split("\0")
    found = [to / name for name in listed if name]
    return {
        path.relative_to(to).as_posix(): path.read_bytes() for path in found if path.is_file() and not path.is_symlink()
    }


def _notes(git: "_Git") -> Iterator[str]:
    """Yield what the commit names and was not fetched: submodules, and the content of files in Git LFS."""
    staged = git.call("ls-files", "--stage").splitlines()
    if modules := [line.partition("\t")[2] for line in staged if line.startswith(_LINK)]:
        yield (
            f"the repository has submodules, which are not fetched: {_listed(modules)}. Copy what the code needs into it."
        )
    if large := [name for name in git.call("ls-files", "-z", ":(attr:filter=lfs)").split("\0") if name]:
        yield (
            f"the repository has files in Git LFS, of which only the pointers are fetched: {_listed(large)}. Give them as an input."
        )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:_MOST])}{' ...' if len(names) > _MOST else ''}"


def _fetch_commit(git: "_Git", address: str, commit: str) -> None:
    """Fetch a commit; a server that gives only what branches point to is asked for all of them."""
    try:
        git.call("fetch", "-q", "--depth", "1", "--", address, commit)
        git.call("checkout", "-q", "FETCH_HEAD")
    except PackageError:
        git.call("fetch", "-q", "--tags", "--", address, "+refs/heads/*:refs/remotes/all/*")
        git.call("checkout", "-q", commit)


class _Git:
    def __init__(self, directory: Path, environment: Mapping[str, str], secrets: Sequence[str]) -> None:
        self._directory, self._environment, self._secrets = directory, environment, secrets

    def call(self, *arguments: str) -> str:
        words = ["git", *(word for each in _SETTINGS for word in ("-c", each)), *arguments]
        try:
            done = subprocess.run(
                words,
                cwd=self._directory,
                env=dict(self._environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_LIMIT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as exc:
            reason = f"{_LIMIT} s" if isinstance(exc, subprocess.TimeoutExpired) else str(exc.strerror)
            raise PackageError(self._said(reason)) from None
        if done.returncode != 0:
            raise PackageError(self._sentence(done.stderr.decode(errors="replace")))
        return done.stdout.decode(errors="replace")

    def _sentence(self, said: str) -> str:
        for secret in self._secrets:
            said = said.replace(secret, "***")
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        reason = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1] if lines else "")
        reason = reason.removeprefix("fatal:").removeprefix("error:").strip()[:_SHOWN]
        if _CLOSED.search(said):
            which = "with the login of the address" if self._secrets else "without a login"
            return (
                f"the code cannot be fetched with git {which}: {reason.rstrip('.')}. Give one in the address, --source-dir "
                "https://TOKEN@HOST/..., also with the file of a saved component; or let git keep it (git credential)."
            )
        return self._said(reason.rstrip("."))

    @staticmethod
    def _said(reason: str) -> str:
        return f"the code cannot be fetched with git: {reason}. Check the address, the branch and the commit."


def _environment(address: str, login: str | None) -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_PLACE)}
    environment |= {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_ALLOW_PROTOCOL": "https:http:ssh:file",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }
    environment.setdefault("GIT_SSH_COMMAND", "ssh -oBatchMode=yes")
    if login is None:
        return environment
    scheme, _, rest = address.partition("://")
    return environment | {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{scheme}://{_quoted(login)}@{rest}.insteadOf",
        "GIT_CONFIG_VALUE_0": address,
    }


def _quoted(login: str) -> str:
    """Return the login as it stands in an address, whether or not it was quoted."""
    return ":".join(quote(unquote(part), safe="") for part in login.split(":", 1))


def _secrets(login: str | None) -> list[str]:
    """Return every spelling of the login that git may repeat, the longest first."""
    if login is None:
        return []
    parts = [login, *login.split(":", 1)]
    spelled = {text for part in parts for text in (part, unquote(part), _quoted(part)) if text}
    return sorted(spelled, key=len, reverse=True)
