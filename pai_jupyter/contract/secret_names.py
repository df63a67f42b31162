"""Which names are those of secrets. Whoever shows or keeps the value of a variable or a hyperparameter asks here first.

Rule 1: rather one too many. A value that is masked on a screen still reaches the job; one that is shown is out.
Rule 2: an id is no secret (`access_key_id`), and what only sounds like one is none (`keyboard`, `max_tokens`).
Rule 3: a hyperparameter is a value by design: the record has it, a rerun takes it from there, the script finds it in files.
    So one with such a name is kept as any other, and its user is told of the way that secrets have.
"""

import re

from pai_jupyter.spec import JobSpec, env_name

PRIVATE_WORDS = (
    r"(?:secret|passw(?:or)?d|passphrase|(?:api|private)[_.-]?key|access[_.-]?key(?![_.-]?id)"
    r"|(?:security|auth|access)[_.-]?token)"
)
_SECRET = re.compile(rf"{PRIVATE_WORDS}|(?:^|[_.-])(?:key|token)$|^ALIBABA_CLOUD_", re.IGNORECASE)


def is_secret(name: str) -> bool:
    """Whether a value of this name must be neither shown nor kept."""
    return _SECRET.search(name) is not None


def exposed_secrets(spec: JobSpec) -> list[str]:
    """A sentence for each hyperparameter that holds a text and has the name of a secret."""
    return [
        f"`{name}` looks like a secret, and the value of a hyperparameter is kept in the job's record. "
        f"Give it as a variable, which is masked there: --env {env_name(name)}=... (os.environ[{env_name(name)!r}] in the script)."
        for name, value in spec.hyperparameters.items()
        if isinstance(value, str) and value and is_secret(name)
    ]
