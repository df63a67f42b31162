"""Parse the texts of options: pairs, durations, counts, files. `option` is named in the error."""

import re
from keyword import iskeyword
from pathlib import Path

from pai_jupyter.config import plain_variables, refuse_secrets
from pai_jupyter.errors import SpecError
from pai_jupyter.values.names import check_names

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_SHOWN = 200  # characters of a name in a sentence
_DIGITS = 9  # digits of a number


def pairs(option: str, given: list[str] | None, *, example: str, is_job: bool = True) -> dict[str, str]:
    """Parse `["a=1", "b=2"]` to a dict; `option` and `example` are for the error about a text without `=`.

    `is_job`: the line has `--env` for secrets.

    Raises:
        SpecError: a text is no pair, or a value is a known secret that would not be masked; no other error shows it then.
    """
    out: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            given_text = "..." if option == "--env" else text  # a text without `=` may be a secret
            raise SpecError(
                f"`{option} {given_text}` is not of the form NAME=VALUE, e.g. {option} {example}", field=option
            )
        if name.strip() in out:
            raise SpecError(f"`{option}` gives {name.strip()!r} twice. Keep one of them.", field=option)
        out[name.strip()] = value
    refuse_secrets(plain_variables(out) if option == "--env" else out.items(), is_line=is_job)
    return out


def names(option: str, given: list[str] | None) -> tuple[str, ...]:
    """Parse `["a,b", "c"]` to the names of variables, each once."""
    found = [name.strip() for text in given or [] for name in text.split(",")]
    check_names(option, found)
    return tuple(dict.fromkeys(found))


def variable(name: str) -> str:
    """Return the `name` that `--as` gives a notebook's variable.

    Raises:
        SpecError: no variable can have this name; it says why.
    """
    if name.isidentifier() and not iskeyword(name):
        return name
    if iskeyword(name):
        reason = "it is a keyword of Python"
    elif name[:1].isdigit():
        reason = "it begins with a digit"
    else:
        reason = "it may have only letters, digits and _"
    raise SpecError(f"`--as {name}` is no name of a variable: {reason}. Type e.g. --as job", field="--as")


def seconds(option: str, text: str) -> int:
    """Parse `90`, `90s`, `30m`, `2h`, `1h30m` or `1d` to seconds."""
    parts = re.findall(rf"(\d{{1,{_DIGITS}}})\s*([smhd]?)", text.strip().lower())
    if not re.fullmatch(rf"(\d{{1,{_DIGITS}}}\s*[smhd]\s*)+|\d{{1,{_DIGITS}}}", text.strip().lower()):
        raise SpecError(f"`{option} {text}` is no length of time. Write 90s, 30m, 2h or 1h30m.", field=option)
    total = sum(int(number) * _UNITS[unit or "s"] for number, unit in parts)
    if total < 1:
        raise SpecError(f"`{option} {text}` leaves no time at all. Write 90s, 30m, 2h or 1h30m.", field=option)
    return total


def amount(option: str, text: str | None) -> str | None:
    """Check that a text is an amount of money, and return it; None if none is given."""
    if text is None:
        return None
    from pai_jupyter.money import read_amount  # late, with `decimal`: few lines have one

    try:
        read_amount(text)
    except SpecError as exc:
        raise SpecError(
            f"`{option} {text[:_SHOWN]}` is no amount of money. Write {option} 30, ¥30 or 30CNY.", field=option
        ) from exc
    return text


def count(option: str, text: str | None, *, example: int) -> int | None:
    """Parse an integer from 1; None if no text is given."""
    if text is None:
        return None
    if not text.isdecimal() or len(text) > _DIGITS or int(text) < 1:
        field = option.removeprefix("--").replace("-", "_")
        raise SpecError(f"`{option} {text}` must be a whole number from 1, e.g. {option} {example}", field=field)
    return int(text)


def present(option: str, name: str, base: Path) -> Path:
    """Return the path of an existing file or directory; a relative one starts at `base`."""
    path = expanded(option, name, base)
    if not is_there(option, name, path):
        if Path(name).expanduser().is_absolute():
            raise SpecError(f"`{option} {name}`: there is no such file or directory.", field=option)
        raise SpecError(
            f"`{option} {name}`: there is no such file or directory below {base.absolute().name}/.", field=option
        )
    return path


def is_there(option: str, name: str, path: Path) -> bool:
    """Return whether `path` exists; `name` is how the user wrote it, for the error message."""
    try:
        return path.exists()
    except OSError as exc:  # the name is too long, or a directory is not accessible
        raise SpecError(f"`{option} {name[:_SHOWN]}`: {exc.strerror}.", field=option) from exc


def expanded(option: str, name: str, base: Path) -> Path:
    """Return `name` as a path, with ~ expanded; a relative one starts at `base`."""
    try:
        return base / Path(name).expanduser()
    except RuntimeError as exc:  # "~nobody/x"
        raise SpecError(f"`{option} {name}`: there is no such user on this machine.", field=option) from exc
