"""Check the names of variables that are sent or returned. Pure; imported with every magic's line."""

import keyword
from collections.abc import Sequence

from pai_jupyter.contract import is_secret
from pai_jupyter.errors import SpecError


def check_names(option: str, names: Sequence[str]) -> None:
    """Reject names that are no variables or look like secrets.

    Raises:
        SpecError: with the sentence for the user.
    """
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise SpecError(
                f"`{option} {name[:40]}` is no name of a variable. Give names with commas: {option} X_train,y_train",
                field=option,
            )
        if is_secret(name):
            raise SpecError(
                f"`{option} {name}` looks like a secret, and secrets are not written into files. "
                "Give it to a local job as a variable: --pass-env NAME",
                field=option,
            )
