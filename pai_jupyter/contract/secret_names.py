"""Decide which names and values are secrets.

All code that shows or stores the value of a variable or hyperparameter asks here first.

Rule 1: in doubt it is a secret. A masked value still reaches the job; a shown one has leaked.
Rule 2: an id is not a secret (`access_key_id`), nor are names that only look like one (`keyboard`, `max_tokens`).
Rule 3: hyperparameters are never hidden: the job's record, a rerun and the script's files need them. So a hyperparameter with a
    secret's name is stored like any other, and its user gets a warning that names the alternative.
Rule 4: some values are recognized by their form: a URL with a password, an issuer's token prefix. Proxies and package indexes
    are exempt: without them a job cannot install anything.
"""

import re
from collections.abc import Mapping
from functools import cache

from pai_jupyter.spec import JobSpec, env_name

PRIVATE_WORDS = (
    r"(?:secret|passw(?:or)?d|passphrase|(?:api|private)[_.-]?key|access[_.-]?key(?![_.-]?id)"
    r"|(?:security|auth|access)[_.-]?token|webhook(?:[_.-]?ur[il])?$)"
)
TOKENS = (  # secrets that their form tells, each behind words in small letters of which one is in it
    (("akia", "asia"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    (("ltai",), r"\bLTAI[0-9A-Za-z]{12,}\b"),
    (("sts.",), r"\bSTS\.[0-9A-Za-z]{20,}"),
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"\bgh[pousr]_\w{20,}"),
    (("github_pat_",), r"\bgithub_pat_\w{20,}"),
    (("glpat-",), r"\bglpat-[\w-]{16,}"),
    (("hf_",), r"\bhf_[0-9A-Za-z]{20,}"),
    (("pypi-age",), r"\bpypi-AgE[\w-]{16,}"),
    (("sk-",), r"\bsk-[\w-]{16,}"),
    (("xox",), r"\bxox[abeprs]-[\w-]{10,}"),
    (("eyj",), r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+"),
    (("key-----",), r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    (("bearer", "basic"), r"\b(?:Bearer|Basic)\s+[\w.~+/=-]{16,}"),
    (("sig=", "signature=", "access_token="), r"[?&](?:sig|Signature|X-Amz-Signature|access_token)=[^&\s]+"),
)
_SECRET = re.compile(rf"{PRIVATE_WORDS}|(?:^|[_.-])(?:key|token)$|^ALIBABA_CLOUD_", re.IGNORECASE)

_SHORTEST = 8  # shorter values are no real secrets
# In small letters: without one of them a value has no secret's form. A search for each takes a twentieth of that for all forms.
_WORDS = (*(word for words, _ in TOKENS for word in words), "accountkey", "sharedaccess", "password", "pwd")


def is_secret(name: str, value: object = "") -> bool:
    """Return whether the name or the value is a secret's, which is neither shown nor stored."""
    return _SECRET.search(name) is not None or (isinstance(value, str) and _looks_secret(name, value))


def secret_values(values: Mapping[str, object]) -> list[str]:
    """Return the values that are secrets, for masking them in other texts."""
    return [str(value) for name, value in values.items() if value and is_secret(name, value)]


def _looks_secret(name: str, value: str) -> bool:
    if len(value) < _SHORTEST:
        return False
    index, url_with_password, shape = _shapes()
    lowered = value.lower()
    if any(word in lowered for word in _WORDS) and shape.search(value) is not None:
        return True
    is_url = "://" in value and "@" in value and url_with_password.search(value) is not None
    return is_url and index.fullmatch(name) is None


@cache  # 1 ms: compiled on first use, not on import
def _shapes() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return regexes for: names of proxies and package indexes; URLs with a password; other secrets by their form."""
    index = re.compile(r".*_proxy|(?:PIP|UV|POETRY|CONDA|npm_config)_.*", re.IGNORECASE)
    url_with_password = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]*:[^\s/@]+@", re.IGNORECASE)
    shape = re.compile(
        "|".join(token for _, token in TOKENS)
        + r"|(?:^|[;\s])(?i:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd)\s*=\s*[^\s;]+"
    )
    return index, url_with_password, shape


def exposed_secrets(spec: JobSpec) -> list[str]:
    """Return a warning for each text hyperparameter whose name looks like a secret's."""
    return [
        f"`{name}` looks like a secret, and the value of a hyperparameter is kept in the job's record. "
        f"Give it as a variable, which is masked there: --env {env_name(name)}=... (os.environ[{env_name(name)!r}] in the script)."
        for name, value in spec.hyperparameters.items()
        if isinstance(value, str) and value and is_secret(name)
    ]
