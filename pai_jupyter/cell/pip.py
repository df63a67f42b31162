"""Translate `pip install ...`, as written in notebooks, to lines of a requirements.txt.

First shell syntax is resolved: quotes, comments, redirections, pipes (they only filter pip's output) and `&&`. Then options
without meaning for a job are dropped, options that a requirements file may have are kept, and options that name local files,
like all others, are errors with a remedy. `-r FILE` stays a line `-r FILE`, whose content `training` puts in its place. Other
commands of the line are given back, to be run by the shell.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from pai_jupyter.errors import SpecError

_WORDS = re.compile(
    r"""(?P<skip>\s+|\#.*|[012]?>{1,2}&[012]|(?:&|[012])?>{1,2}(?!=)\s*\S*)
      | (?P<next>&&|;)
      | (?P<stop>\|\|?|&)
      | (?P<word>(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'|&;\\])+|.)""",
    re.VERBOSE,
)
_PIP = r"""(?:sudo\s+(?:-\w+\s+)*)?
        (?:(?:\{sys\.executable\}|\$\{?sys\.executable\}?|["']\{sys\.executable\}["']|python[\d.]*)\s+-m\s+(?:uv\s+)?pip
          |(?:uv\s+)?pip[\d.]*)
        \s+(?:-{1,2}[\w-]+\s+)*"""
_INSTALLER = re.compile(_PIP + r"install(?=\s|$)", re.VERBOSE)
_REMOVER = re.compile(_PIP + r"uninstall(?=\s|$)", re.VERBOSE)
_PREPARES = re.compile(r"(?:cd|pushd|source|\.|export|git|unzip|tar|wget|curl)\s")  # what pip installs may come from it
_REQUIREMENT = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?\s*(?:\[[^\]]*\]\s*)?(?:$|[<>=!~;@(].+)", re.ASCII)
_ADDRESS = re.compile(r"(?:(?:git|hg|svn|bzr)\+[a-z]+|https?)://\S+", re.ASCII)
_VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")  # pip itself expands these where the job runs

_DROPPED = re.compile(
    r"""-[qvUIy]+ | --quiet | --verbose | --upgrade | --ignore-installed | --force-reinstall | --user | --system
      | --no-cache-dir | --no-input | --isolated | --disable-pip-version-check | --no-warn-script-location
      | --no-warn-conflicts | --break-system-packages | --no-color | --yes | --no-progress
      | --use-pep517 | --compile-bytecode | --reinstall""",
    re.VERBOSE,
)
_DROPPED_WITH_VALUE = re.compile(
    r"""--progress-bar | --root-user-action | --upgrade-strategy | --timeout | --default-timeout | --retries
      | --exists-action | --cache-dir | --log | --python | -p
      | --use-deprecated""",
    re.VERBOSE,
)
_KEPT = re.compile(r"--pre | --prefer-binary | --no-index | --require-hashes", re.VERBOSE)
_KEPT_WITH_VALUE = re.compile(
    r"""-i | --index-url | --extra-index-url | -f | --find-links | --trusted-host | --no-binary | --only-binary
      | --use-feature""",
    re.VERBOSE,
)
_LISTS = frozenset({"-r", "--requirement", "--requirements"})
_FILES = {
    "-c": "Write the versions themselves, e.g. %pip install numpy==2.0",
    "--constraint": "Write the versions themselves, e.g. %pip install numpy==2.0",
    "-e": "Send the module along instead: --include {0}",
    "--editable": "Send the module along instead: --include {0}",
}


@dataclass(frozen=True, kw_only=True)
class PipLine:
    """Lines of requirements.txt, and the commands of the same shell line that are not pip's."""

    requirements: tuple[str, ...]
    rest: str = ""


@dataclass(frozen=True, kw_only=True)
class _Part:
    """One command of a shell line: all of it, what stands before a pipe, and what joins it to the command before."""

    text: str
    head: str
    joint: str


def is_install(command: str) -> bool:
    """Return whether a shell command, without its `!`, installs packages that can be installed before the job."""
    parts = list(_parts(command))
    first = next((number for number, part in enumerate(parts) if _INSTALLER.match(part.head)), None)
    return first is not None and not any(_PREPARES.match(part.head) for part in parts[:first])


def is_removal(command: str) -> bool:
    """Return whether a shell command removes packages with pip: a job's environment is its own, or not its to change."""
    return _REMOVER.match(command) is not None


def read_install(command: str) -> PipLine:
    """Return the lines of requirements.txt that correspond to `pip install x && pip install y`, and what else is there.

    Raises:
        SpecError: a part of it cannot be kept for a job.
    """
    found: list[str] = []
    rest = ""
    for part in _parts(command):
        installer = _INSTALLER.match(part.head)
        if installer is None:
            rest += f"{part.joint if rest else ''}{part.text}"
        else:
            found += _requirements(list(_words(part.head[installer.end() :])))
    return PipLine(requirements=tuple(dict.fromkeys(found)), rest=rest)


def _parts(text: str) -> Iterator[_Part]:
    """Yield the commands of a shell line joined by `&&` or `;`."""
    begin, end, joint = 0, None, ""
    for match in _WORDS.finditer(text):
        if match.lastgroup == "next":
            whole = text[begin : match.start()].strip()
            yield _Part(text=whole, head=text[begin:end].strip() if end is not None else whole, joint=joint)
            begin, end, joint = match.end(), None, " && " if match.group() == "&&" else "; "
        elif match.lastgroup == "stop" and end is None:
            end = match.start()
    if text[begin:].strip():
        yield _Part(text=text[begin:].strip(), head=text[begin:end].strip(), joint=joint)


def _words(text: str) -> Iterator[str]:
    for match in _WORDS.finditer(text):
        if match.lastgroup == "word":
            yield re.sub(r'"((?:\\.|[^"\\])*)"|\'([^\']*)\'|\\(.)', lambda m: m[1] or m[2] or m[3] or "", match.group())


def _requirements(words: list[str]) -> Iterator[str]:
    rest = iter(words)
    for word in (each for given in rest for each in _unclustered(given)):
        if not word.startswith("-"):
            yield _requirement(word)
            continue
        option, is_joined, value = _option(word)
        if _DROPPED.fullmatch(option):
            continue
        if _KEPT.fullmatch(option):
            yield option
            continue
        if not is_joined:
            value = next(rest, "")
        if option in _LISTS:
            yield f"-r {_plain(value)}"
        elif option in _FILES:
            raise SpecError(f"`{option} {value}` names a file of this machine. " + _FILES[option].format(value))
        elif _KEPT_WITH_VALUE.fullmatch(option):
            yield f"{option} {without_secret(_plain(value))}"
        elif not _DROPPED_WITH_VALUE.fullmatch(option):
            raise SpecError(f"the option `{option}` of pip cannot be kept for a job. Delete it.")


def _unclustered(word: str) -> Iterator[str]:
    """Split options written as one, e.g. `-qr` into `-q` and `-r`."""
    found = re.fullmatch(r"-([qvUIy]+)([rcefi].*)", word)
    yield from (f"-{found[1]}", f"-{found[2]}") if found else (word,)


def _option(word: str) -> tuple[str, bool, str]:
    """Split `--name=value` or `-rvalue` into (option, has value, value)."""
    if re.fullmatch(r"-[rcefi][^-].*", word):
        return word[:2], True, word[2:].removeprefix("=")
    option, equals, value = word.partition("=")
    return option, bool(equals), value


def _requirement(word: str) -> str:
    _plain(word)
    if word.startswith((".", "/", "~")) or (word.endswith((".whl", ".tar.gz", ".zip")) and "://" not in word):
        raise SpecError(
            f"`{word}` is a file of this machine. Send it along with --include, or name a published package."
        )
    if _ADDRESS.fullmatch(word) or _REQUIREMENT.fullmatch(word):
        return without_secret(word)
    raise SpecError(f"`{word}` is no requirement. Write it without spaces, e.g. %pip install 'numpy>=2.0'")


def _plain(word: str) -> str:
    """Reject a word in which IPython or the shell would expand a variable."""
    if re.search(r"[{}$`]", _VARIABLE.sub("", word)):
        raise SpecError(
            f"`{word}` stands for a variable of the notebook, which the job does not see. Write the value itself."
        )
    return word


def without_secret(text: str) -> str:
    """Reject URLs with a password: the line becomes a file that is stored and sent."""
    for address in re.findall(r"[a-z+]+://\S+", _VARIABLE.sub("", text)):
        try:
            parts = urlsplit(address)
        except ValueError:
            raise SpecError(f"`{address}` is no address.") from None
        is_token = parts.username and parts.password is None and "http" in parts.scheme
        if parts.password or is_token:
            raise SpecError(
                f"the address of {parts.hostname} holds a password, which would be stored with the job. Take it out "
                "and let pip find it in its own configuration (pip.conf, netrc or PIP_INDEX_URL) where the job runs."
            )
    return text
