"""Which names are those of secrets. Whoever shows or keeps the value of a variable or a hyperparameter asks here first.

Rule 1: rather one too many. A value that is masked on a screen still reaches the job; one that is shown is out.
Rule 2: an id is no secret (`access_key_id`), and what only sounds like one is none (`keyboard`, `max_tokens`).
"""

import re

PRIVATE_WORDS = (
    r"(?:secret|passw(?:or)?d|passphrase|(?:api|private)[_.-]?key|access[_.-]?key(?![_.-]?id)"
    r"|(?:security|auth|access)[_.-]?token)"
)
_SECRET = re.compile(rf"{PRIVATE_WORDS}|(?:^|[_.-])(?:key|token)$|^ALIBABA_CLOUD_", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Whether a value of this name must be neither shown nor kept."""
    return _SECRET.search(name) is not None
