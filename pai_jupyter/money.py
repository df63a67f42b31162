"""Amounts of money: read and written. Pure; `Decimal`, never floats.

Rule 1: two currencies are never added up, nor is one turned into another.
Rule 2: an amount is shown in cents. Below one it is "<¥0.01", since ¥0.00 would be nothing.
"""

import re
from decimal import ROUND_HALF_UP, ROUND_UP, Decimal

from pai_jupyter.errors import SpecError

MOST = Decimal(1_000_000_000)
_SYMBOLS = {"CNY": "¥", "USD": "$", "EUR": "€", "GBP": "£"}  # its twin: labextension/src/text/money.ts
_TYPED = {"¥": "CNY", "￥": "CNY", "元": "CNY", "$": "USD", "€": "EUR", "£": "GBP"}
_CENT = Decimal("0.01")
_CURRENCY = re.compile(r"[A-Z]{3}")
_AMOUNT = re.compile(r"(?P<before>[^\d\s.]*)\s*(?P<number>\d{1,10}(\.\d{1,6})?)\s*(?P<after>[^\d\s.]*)", re.ASCII)


def is_currency(text: str) -> bool:
    """Return whether this is a currency's code, as "CNY"."""
    return _CURRENCY.fullmatch(text) is not None


def read_amount(text: str) -> tuple[Decimal, str]:
    """Read "30", "¥30" or "30CNY": the amount, and the currency ("": none is given).

    Raises:
        SpecError: it is no amount above 0.

    Example:
        >>> read_amount("¥30")
        (Decimal('30'), 'CNY')
    """
    found = _AMOUNT.fullmatch(text.strip())
    word = (found["before"] or found["after"]) if found else ""
    currency = _TYPED.get(word, word.upper())
    is_wrong = found is None or bool(found["before"] and found["after"]) or not (is_currency(currency) or not word)
    if found is None or is_wrong or not 0 < Decimal(found["number"]) <= MOST:
        raise SpecError(
            f"`max_cost` is {text[:40]!r}, which is no amount of money. Write 30, ¥30 or 30CNY.", field="max_cost"
        )
    return Decimal(found["number"]), currency


def with_symbol(number: str, currency: str) -> str:
    """Return "¥30" for "30" of CNY; of a currency without a sign of its own, "30 CHF"."""
    return f"{_SYMBOLS[currency]}{number}" if currency in _SYMBOLS else f"{number} {currency}"


def money(amount: Decimal, currency: str, *, is_most: bool = False) -> str:
    """Format an amount in cents; `is_most`: round it up, so that it stays the most that it can be.

    Example:
        >>> money(Decimal("0.421"), "CNY"), money(Decimal("0.421"), "CNY", is_most=True), money(Decimal("0.001"), "USD")
        ('¥0.42', '¥0.43', '<$0.01')
    """
    if 0 < amount < _CENT and not is_most:
        return f"<{with_symbol('0.01', currency)}"
    return with_symbol(f"{amount.quantize(_CENT, ROUND_UP if is_most else ROUND_HALF_UP):f}", currency)


def exact(amount: Decimal, currency: str) -> str:
    """Format an amount as somebody has written it: a limit, "¥30"."""
    return with_symbol(f"{amount.normalize():f}", currency)


def rate(amount: Decimal, currency: str) -> str:
    """Format a price exactly, with cents at least: "¥6.20", "¥0.0035"."""
    text = f"{amount.normalize():f}"
    whole, _, part = text.partition(".")
    return with_symbol(f"{whole}.{part:0<2}", currency)
