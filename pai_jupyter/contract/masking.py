"""Mask secrets in a text that is kept or shown: a difference of code, an address, a list of packages, what a job prints.

Masked are known secrets, what has the form of one (`secret_names`), logins in addresses, and literals that are assigned to a name of
a secret. In doubt a text is masked; that a word of code is missed there is the smaller harm.

Rule: each regular expression takes linear time on any text: one of an untrusted repository may be a megabyte without a line end.
"""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import TypeAlias
from urllib.parse import urlsplit, urlunsplit

from pai_jupyter.contract.secret_names import PRIVATE_WORDS, TOKENS, is_secret

MASK = "***"
SHORTEST = 8  # characters; shorter values ("true", "cn-1") occur in harmless text
_PART = r"[^\s/@:\"'<>?#]"  # a character of a login
_LOGIN = re.compile(rf"(?<=://){_PART}{{0,300}}:[^\s/@\"'<>?#]{{1,500}}(?=@)")
# TOKEN stands in sentences of ours that say where a login goes.
_TOKEN_LOGIN = re.compile(rf"((?:http|https)://)(?!(?:\*\*\*|TOKEN)@){_PART}{{1,500}}(?=@)")
_CONNECTION = re.compile(
    r"\b((?:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd)=)[^\s;\"'()]{8,500}", re.IGNORECASE
)
_KEY_BLOCK = (
    re.compile(  # up to its end, or that of the hunk; code that only mentions the first line has a quote behind it
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[ \t]{0,9}(?:[\r\n]|\\[rn]).*?(?=-----END |\n@@ |\ndiff |\Z)",
        re.DOTALL,
    )
)
_KEY_SIGN = "KEY-----"
_Rule: TypeAlias = tuple[frozenset[str], re.Pattern[str], str]
_NAMES = ("secret", "passw", "passphrase", "key", "token", "webhook", "alibaba_cloud_")  # parts of the names of secrets
_NAME = r"(?<![\w.-])([A-Za-z_][\w.-]{0,80})"
_ASSIGNED = re.compile(rf"{_NAME}(?:[\"']?\]?\s{{0,5}}[:=]\s{{0,5}})([\"'])((?:(?!\2)[^\n\\]){{8,300}})\2")
_BARE = re.compile(  # NAME=value of a shell or an .env file; name: value of YAML
    r"^[ +-]?[ \t]{0,40}(?:- |export )?(?:([A-Z_][A-Z0-9_]{0,80})=|([A-Za-z_][\w.-]{0,80}):[ \t]{1,5})"
    r"(?!\$)([^\s\"'#()\[\]{},]{8,300})[ \t]{0,40}$"
)
# Of what a job prints: also what looks like a key, is said to be a secret anywhere in the line, or signs an address.
_ACCESS_KEY = re.compile(r"\b(?:LTAI[A-Za-z0-9]{10,}|STS\.[A-Za-z0-9]{10,})")
_SAID = re.compile(
    rf"(?<![\w.-])([\w.-]{{0,100}}{PRIVATE_WORDS}[\w.-]{{0,100}}['\"]?\s{{0,9}}[=:]\s{{0,9}}['\"]?)[^\s'\",;&]+",
    re.IGNORECASE,
)
_SAID_SIGNS = ("secret", "pass", "api", "private", "access", "security", "auth")  # one is in each of these names
_NAMED = re.compile(r"(?:key|token)[\"']?\]?\s{0,5}[:=]")
_QUERY = re.compile(r"\?([^\s\"'<>#]+)")
_SIGNATURE = re.compile(
    r"(?:x-(?:oss|amz)-)?(?:signature|security-token|credential)|OSSAccessKeyId|AccessKeyId|SecurityToken",
    re.IGNORECASE,
)


def masked_output(text: str, secrets: Collection[str] = ()) -> str:
    """Return a line that a job printed, or a short text with such words, with every secret masked; signatures are left out."""
    return output_masker(secrets)(text)


def output_masker(secrets: Collection[str] = ()) -> Callable[[str], str]:
    """Return `masked_output` with these secrets, for many lines: one without a sign of a secret takes about 2 us."""
    known, signs = _lines_of(secrets), _output_signs()

    def mask(text: str) -> str:
        for secret in known:
            text = text.replace(secret, MASK)
        small = text.lower()
        for sign in signs:  # a loop: `any` takes twice as long
            if sign in small:
                return _masked_output(text, small)
        is_said = ("key" in small or "token" in small) and (
            _NAMED.search(small) or any(sign in small for sign in _SAID_SIGNS)
        )
        return _masked_output(text, small) if is_said else text

    return mask


def _masked_output(text: str, small: str) -> str:
    if "?" in text:
        text = _QUERY.sub(_without_signatures, text)
    text, _ = masked(text)
    if "ltai" in small or "sts." in small:
        text = _ACCESS_KEY.sub(MASK, text)
    return _SAID.sub(rf"\1{MASK}", text) if any(sign in small for sign in _SAID_SIGNS) else text


def _without_signatures(query: re.Match[str]) -> str:
    kept = [part for part in query[1].split("&") if not _SIGNATURE.fullmatch(part.partition("=")[0])]
    return "?" + "&".join(kept) if kept else ""


def masked(text: str, secrets: Collection[str] = ()) -> tuple[str, int]:
    """Return `text` with every secret masked, and how many were. `secrets`: the known ones, of which each line is one."""
    count = 0
    for secret in _lines_of(secrets):
        count += text.count(secret)
        text = text.replace(secret, MASK)
    if _KEY_SIGN in text:
        text, more = _KEY_BLOCK.subn(MASK, text)
        count += more
    whole = text.lower()
    signs = [sign for sign in _signs() if sign in whole]
    if not signs:
        return text, count
    rules = [rule for rule in _rules() if not rule[0].isdisjoint(signs)]
    lines = text.split("\n")
    for at, line in enumerate(lines):
        small = line.lower()
        if any(sign in small for sign in signs):  # of a megabyte of code few lines have one
            lines[at], more = _masked_line(line, small, rules)
            count += more
    return "\n".join(lines), count


def without_known(text: str, secrets: Collection[str]) -> str:
    """Return `text`, code that may be run again, with these secrets masked and nothing else."""
    for secret in _lines_of(secrets):
        text = text.replace(secret, MASK)
    return text


def _masked_line(line: str, small: str, rules: Sequence[_Rule]) -> tuple[str, int]:
    """Mask what a line has; `small`: the same in small letters; `rules`: those that may fit."""
    count = 0
    for signs, pattern, replacement in rules:
        if any(sign in small for sign in signs):
            line, more = pattern.subn(replacement, line)
            count += more
    if any(word in small for word in _NAMES):
        for pattern in (_ASSIGNED, _BARE) if '"' in line or "'" in line else (_BARE,):
            line, more = _without_assigned(pattern, line)
            count += more
    return line, count


def without_login(address: str) -> str:
    """Return the address of a repository without login and query; `git@host:path` and `ssh://git@host` keep the user's name."""
    if "://" not in address:
        return address
    try:
        parts = urlsplit(address)
    except ValueError:  # no address
        return MASK
    user, at, host = parts.netloc.rpartition("@")
    kept = "" if parts.scheme.lower() in ("http", "https") else user.partition(":")[0]
    return urlunsplit((parts.scheme, f"{kept}{at if kept else ''}{host}", parts.path, "", ""))


def _lines_of(secrets: Collection[str]) -> list[str]:
    """Return the lines of secrets, the longest first: in a difference a sign stands before each line."""
    lines = {line.strip() for secret in secrets for line in secret.splitlines()}
    return sorted((line for line in lines if len(line) >= SHORTEST), key=len, reverse=True)


@cache  # compiled on first use
def _rules() -> list[_Rule]:
    """Return regexes, each with words of which one is in what it fits, and with what stands in the place of that."""
    return [
        *((frozenset(signs), re.compile(token), MASK) for signs, token in TOKENS),
        (frozenset({"://"}), _LOGIN, MASK),
        (frozenset({"://"}), _TOKEN_LOGIN, rf"\1{MASK}"),
        (frozenset({"accountkey=", "sharedaccess", "password=", "pwd="}), _CONNECTION, rf"\1{MASK}"),
    ]


@cache
def _signs() -> tuple[str, ...]:
    return tuple(dict.fromkeys([*_NAMES, *(sign for signs, _, _ in _rules() for sign in signs)]))


@cache
def _output_signs() -> tuple[str, ...]:
    """Return words in small letters of which one is in what `masked_output` changes, but for names with "key" or "token"."""
    of_signatures = ("signature", "credential", "ltai", "sts.")
    words = [
        word for word in (*_signs(), *of_signatures) if word not in ("key", "token")
    ]  # a word of many logs: tokens/s
    return tuple(word for word in words if not any(other != word and other in word for other in words))


def _without_assigned(pattern: re.Pattern[str], text: str) -> tuple[str, int]:
    """Mask the last group of each match whose name, another group, is that of a secret."""
    count = 0

    def replace(found: re.Match[str]) -> str:
        nonlocal count
        name, value = next(filter(None, found.groups()), ""), found.groups()[-1]
        if not is_secret(name) or value.startswith(MASK):
            return found[0]
        count += 1
        start, end = found.span(found.re.groups)
        return found[0][: start - found.start()] + MASK + found[0][end - found.start() :]

    return pattern.sub(replace, text), count
