"""The price of a job for the wire."""

from typing import TYPE_CHECKING

from pai_jupyter.cost import JobPrice, rounded_up

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.values import PriceJson


def price_body(price: JobPrice) -> "PriceJson":
    """Convert a price for the wire, whose numbers are only shown."""
    body: PriceJson = {"currency": price.currency, "per_hour": float(price.per_hour)}
    if price.ceiling is not None:
        body["ceiling"] = float(rounded_up(price.ceiling))
    if price.is_spot:
        body["is_spot"] = True
    if price.is_rehearsal:
        body["is_rehearsal"] = True
    return body
