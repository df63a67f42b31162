"""Which names are those of secrets, and which values look like one.

Whoever shows or keeps the value of a variable or a hyperparameter asks here first.

Rule 1: rather one too many. A value that is masked on a screen still reaches the job; one that is shown is out.
Rule 2: an id is no secret (`access_key_id`), and what only sounds like one is none (`keyboard`, `max_tokens`).
Rule 3: a hyperparameter is a value by design: the record has it, a rerun takes it from there, the script finds it in files.
    So one with such a name is kept as any other, and its user is told of the way that secrets have.
Rule 4: a value is known by its shape alone, where that leaves no doubt: a URL with a password, the mark that an issuer puts
    before its tokens. Proxies and package indexes are excepted: without them a job cannot install anything.
"""

import re
from functools import cache

from pai_jupyter.spec import JobSpec, env_name

PRIVATE_WORDS = (
    r"(?:secret|passw(?:or)?d|passphrase|(?:api|private)[_.-]?key|access[_.-]?key(?![_.-]?id)"
    r"|(?:security|auth|access)[_.-]?token)"
)
_SECRET = re.compile(rf"{PRIVATE_WORDS}|(?:^|[_.-])(?:key|token)$|^ALIBABA_CLOUD_", re.IGNORECASE)

_SHORTEST = 8  # no secret that is worth one has fewer characters


def is_secret(name: str, value: object = "") -> bool:
    """Return whether the name or the value is that of a secret, which is neither shown nor stored."""
    return _SECRET.search(name) is not None or (isinstance(value, str) and _looks_secret(name, value))


def _looks_secret(name: str, value: str) -> bool:
    if len(value) < _SHORTEST:
        return False
    index, url_with_password, shape = _shapes()
    return shape.search(value) is not None or (
        url_with_password.search(value) is not None and index.fullmatch(name) is None
    )


@cache  # a millisecond: not while a notebook loads us
def _shapes() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Names of proxies and package indexes; a URL with a password; what else is a secret by its shape."""
    index = re.compile(r".*_proxy|(?:PIP|UV|POETRY|CONDA|npm_config)_.*", re.IGNORECASE)
    url_with_password = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s/:@]*:[^\s/@]+@", re.IGNORECASE)
    shape = re.compile(
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bLTAI[0-9A-Za-z]{12,}\b|\bSTS\.[0-9A-Za-z]{20,}"
        r"|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bhf_[0-9A-Za-z]{20,}|\bpypi-AgE[\w-]{16,}"
        r"|\bsk-[\w-]{16,}|\bxox[abeprs]-[\w-]{10,}|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+"
        r"|-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(?:Bearer|Basic)\s+[\w.~+/=-]{16,}"
        r"|(?:^|[;\s])(?i:AccountKey|SharedAccessKey|SharedAccessSignature|Password|Pwd)\s*=\s*[^\s;]+"
        r"|[?&](?:sig|Signature|X-Amz-Signature|access_token)=[^&\s]+"
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
