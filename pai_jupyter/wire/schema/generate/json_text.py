"""Format JSON for tests/openapi.json: a value that fits into 120 columns is on one line."""

import json

WIDTH = 120


def json_text(value: object) -> str:
    """Return the text of the whole file."""
    return _text(value, indent=0, room=WIDTH) + "\n"


def _text(value: object, *, indent: int, room: int) -> str:
    """Format a value; its first line has `room` columns, the others are indented by `indent`."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) <= room or not isinstance(value, dict | list) or not value:
        return flat
    inner = " " * (indent + 2)
    names = (
        [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        if isinstance(value, dict)
        else [""] * len(value)
    )
    items = list(value.values()) if isinstance(value, dict) else value
    lines = [
        inner + name + _text(item, indent=indent + 2, room=WIDTH - len(inner) - len(name) - (number < len(items)))
        for number, (name, item) in enumerate(zip(names, items, strict=True), 1)
    ]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + "\n" + ",\n".join(lines) + f"\n{' ' * indent}{closing}"
