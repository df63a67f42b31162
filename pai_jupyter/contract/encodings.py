"""Values as the parsers behind a script write them: as a Python literal, as YAML, as an override of Hydra or OmegaConf.

argparse hands the text of a word to the type that its option has. These parsers read the word itself, so that a text which
looks like a number, a truth value or a list has to be quoted, each in the way of its parser:

    literal   fire, nanoGPT's configurator.py      '1e3' in quotes of Python
    yaml      draccus                              "1e3" in quotes of JSON, which YAML reads
    dotlist   OmegaConf.from_cli                   the same, and ${...} escaped
    hydra     Hydra                                "1e3" in quotes in which only quotes are escaped

Rule: a text that every one of them reads as it stands is written as it stands: adam, resnet18, data/train.
"""

import json
import math
import re
from collections.abc import Callable

from pai_jupyter.spec import Scalar

_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_/]*")
_MEANS_SOMETHING = re.compile(r"(?i)true|false|yes|no|on|off|null|none|nan|inf|infinity|y|n")
_UNQUOTED_KEY = re.compile(r"[A-Za-z_]\w*")
_INTERPOLATION = re.compile(r"(\\*)\$\{")


def as_python(value: Scalar) -> str:
    """Write a value as a literal of Python; the sign = in a text is escaped, at which nanoGPT splits."""
    match value:
        case float() if math.isinf(value):
            return "1e999" if value > 0 else "-1e999"  # there is no literal for it
        case str() if _is_plain(value):
            return value
        case str():
            return repr(value).replace("=", r"\x3d")
        case list():
            return f"[{','.join(_within_python(item) for item in value)}]"
        case dict():
            items = (f"{_within_python(key)}: {_within_python(item)}" for key, item in value.items())
            return f"{{{', '.join(items)}}}"
        case _:
            return repr(value)


def _within_python(value: Scalar) -> str:
    return repr(value).replace("=", r"\x3d") if isinstance(value, str) else as_python(value)


def as_yaml(value: Scalar) -> str:
    """Write a value as YAML of one line."""
    return _encode(value, quote=_json, infinity=".inf", nan=".nan")


def as_dotlist(value: Scalar) -> str:
    """Write a value as the right side of an override of OmegaConf."""
    return _encode(value, quote=lambda text: _json(_escaped(text)), infinity=".inf", nan=".nan")


def as_hydra(value: Scalar) -> str:
    """Write a value as the right side of an override of Hydra."""
    return _encode(value, quote=_hydra, infinity="inf", nan="nan")


def _encode(value: Scalar, *, quote: Callable[[str], str], infinity: str, nan: str) -> str:
    def inner(item: Scalar) -> str:
        return _encode(item, quote=quote, infinity=infinity, nan=nan)

    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return nan if math.isnan(value) else _float(value, infinity)
        case str():
            return value if _is_plain(value) else quote(value)
        case list():
            return f"[{','.join(map(inner, value))}]"
        case dict():
            keys = {key: key if _UNQUOTED_KEY.fullmatch(key) and _is_plain(key) else quote(key) for key in value}
            return f"{{{', '.join(f'{keys[key]}: {inner(item)}' for key, item in value.items())}}}"
        case _:
            return repr(value)


def _float(value: float, infinity: str) -> str:
    if math.isinf(value):
        return infinity if value > 0 else f"-{infinity}"
    text = repr(value)
    head, mark, exponent = text.partition("e")  # YAML 1.1 has no float without a point, and no exponent without a sign
    point = "" if "." in head else ".0"
    sign = "" if exponent.startswith("-") else "+"
    return f"{head}{point}e{sign}{exponent.lstrip('+')}" if mark else text


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and _MEANS_SOMETHING.fullmatch(text) is None


def _json(text: str) -> str:
    """Quote a text as JSON and YAML read it; YAML refuses characters that do not print, so those are escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in quoted)


def _escaped(text: str) -> str:
    r"""Escape `${`, which both would take for the value of another key; the backslashes in front of it are doubled."""
    return _INTERPOLATION.sub(lambda found: found[1] * 2 + r"\${", text)


def _hydra(text: str) -> str:
    r"""Quote a text: a quote gets a backslash, and so do the backslashes in front of a quote, the closing one included."""
    escaped = re.sub(r'(\\*)"', lambda found: found[1] * 2 + r"\"", _escaped(text))
    return '"' + re.sub(r"(\\+)$", lambda found: found[1] * 2, escaped) + '"'
