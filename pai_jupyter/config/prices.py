"""The price lists of this user, `prices.json`: the project's, beside `pai_jupyter.toml`, before the one beside `config.toml`.

    {"currency": "CNY", "per_hour": {"ecs.c6.large": 0.8, "ecs.gn6i-*": 11.5, "local_gpu": 1.5, "openpai": 2}}

Rule: a missing file is an empty list; one that is not understood is an error that names the file and the field.
"""

import json
from decimal import Decimal
from pathlib import Path

from pai_jupyter.config.files import FileReader
from pai_jupyter.config.settings import Settings
from pai_jupyter.cost import PriceList
from pai_jupyter.errors import SpecError
from pai_jupyter.typed_json import FieldError

PRICES = "prices.json"
LARGEST = 1_000_000  # characters
EXAMPLE = '{"currency": "CNY", "per_hour": {"ecs.c6.large": 0.8}}'
_reader = FileReader()


def price_lists(settings: Settings) -> list[PriceList]:
    """Read the price lists, the nearest first.

    Raises:
        SpecError: one cannot be read or understood.
    """
    found = (_reader.read(path, parse_prices) for path in _paths(settings))
    return [each for each in found if each is not None]


def empty_price_lists(settings: Settings) -> list[Path]:
    """Return the price lists that are there and have no text, which count as none."""
    return [path for path in _paths(settings) if path.is_file() and _reader.read(path, parse_prices) is None]


def prices_path(settings: Settings) -> Path:
    """Return the path of the user's own price list, which may not exist."""
    return settings.user_path().with_name(PRICES)


def _paths(settings: Settings) -> list[Path]:
    project = settings.project_file()
    return [*([project.with_name(PRICES)] if project is not None else []), prices_path(settings)]


def parse_prices(path: Path, text: str) -> PriceList | None:
    """Parse a price list; None for an empty text.

    Raises:
        SpecError: it is no price list.
    """
    if not text.strip():
        return None
    if len(text) > LARGEST:
        raise SpecError(f"{str(path)!r} is too large for a price list.")
    try:
        value = json.loads(
            text,
            parse_float=Decimal,
            parse_int=Decimal,
            parse_constant=_no_number,
            object_pairs_hook=_without_doubles,
        )
        return PriceList.read(value, str(path))
    except json.JSONDecodeError as exc:
        raise SpecError(f"{str(path)!r} line {exc.lineno}: {exc.msg}. Write {EXAMPLE}") from exc
    except (RecursionError, ArithmeticError) as exc:
        raise SpecError(f"{str(path)!r} is no price list. Write {EXAMPLE}") from exc
    except FieldError as exc:
        raise SpecError(f"{str(path)!r}: {exc} Write {EXAMPLE}", field=exc.field) from exc


def _no_number(text: str) -> object:
    return text  # Infinity, NaN: refused as the value of its field


def _without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Make an object of its fields.

    Raises:
        FieldError: a field is there twice, so that it is not clear what holds.
    """
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise FieldError(twice[:100], "is there twice")
    return dict(pairs)
