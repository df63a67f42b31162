"""Hold a saved component against its code and image of now, before it is sent on under its version."""

from pai_jupyter.component.changes import SavedComponent
from pai_jupyter.component.code import state_of
from pai_jupyter.component.image import facts_of
from pai_jupyter.errors import SpecError


def changes_now(saved: SavedComponent) -> list[str]:
    """Return a sentence for each difference. Blocking: may fetch a repository or list a bucket."""
    code = state_of(saved.component) if saved.code_digest is not None else None
    image = facts_of(saved.component.image_uri) if saved.image_digest is not None else None
    return saved.changes(code, image)


def check_unchanged(saved: SavedComponent, *, is_accepted: bool, way_on: str = "") -> list[str]:
    """Return the differences as notes if they are accepted; `way_on` says how they would be.

    Raises:
        SpecError: there are differences.
    """
    changes = changes_now(saved)
    if changes and not is_accepted:
        raise SpecError("\n".join([*changes, *([way_on] if way_on else [])]), field="source")
    return changes
