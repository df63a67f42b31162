"""`POST cost {line}`: what the job of a magic's line would cost, while its form is filled in."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pai_jupyter.cell import magic_line
from pai_jupyter.server.rest import ApiRoute
from pai_jupyter.training.foreseen_cost import cost_of_line
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.limits import MAX_SENTENCE
from pai_jupyter.wire.schema.rest import LineAsked

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.panel import CostAnswer


def cost(body: Mapping[str, object]) -> "CostAnswer":
    """Return a sentence about the cost; "" if there is nothing to say."""
    line = RequestFields(body, LineAsked).text("line")
    return {"note": cost_of_line(magic_line(line) or "")[:MAX_SENTENCE]}


COST = {"post": ApiRoute(kind="cost", answer=cost, has_body=True)}
