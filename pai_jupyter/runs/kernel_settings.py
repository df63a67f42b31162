"""What a driver must know of the kernel that has started it: its `%pai_config` settings (in run.json), and the access key given to it.

Rule: the key is in the driver's environment alone, and taken out of it before anything is started from there. A driver that is started
again elsewhere has the keys of that place.
"""

import json
import os
from collections.abc import Mapping, MutableMapping
from contextlib import suppress

from pai_jupyter.backends import backend_names
from pai_jupyter.config import Key, settings
from pai_jupyter.config.names import SETTINGS
from pai_jupyter.errors import SpecError

VARIABLE = "PAI_JUPYTER_RUN_ACCESS_KEY"


def kernel_settings() -> dict[str, str]:
    """Return the settings that were made in this kernel."""
    return {name: value for name, value in settings().said(SETTINGS).items() if value is not None}


def with_key() -> dict[str, str]:
    """Return the variable that tells a driver the access key which this kernel was given; {} if it was given none."""
    key = None
    with suppress(SpecError):  # a settings file is damaged: the steps that need it say so
        key = settings().key(settings().get("services"))
    if key is None:
        return {}
    given = [key.access_key_id, key.access_key_secret, key.security_token, key.origin]
    return {VARIABLE: json.dumps(given)}


def use_kernel_settings(values: Mapping[str, str], environ: MutableMapping[str, str] = os.environ) -> None:
    """Make the settings, and the key in `environ`, those of this process."""
    given = environ.pop(VARIABLE, None)
    key = None
    with suppress(ValueError, TypeError):
        key_id, secret, token, origin = json.loads(given or "[]")
        key = Key(access_key_id=key_id, access_key_secret=secret, security_token=token, origin=origin)
    with suppress(SpecError):  # as above
        settings().update(values, backends=backend_names())
        if key is not None:
            settings().update({}, key=key)
