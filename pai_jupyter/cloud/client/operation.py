"""What can be asked of a service, as values: the tables `paistudio`, `aiworkspace`, `dlc`, `sts` are made of these.

Whether a call may be repeated when nobody knows if it was carried out is a property of the call. Reading may be, and so
may setting or removing something (PUT, DELETE); a POST makes one more of it, unless its table says otherwise.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Paging:
    """How a list comes in pages: under which key its `items` are, and how many the client asks for at once.

    number   PageNumber (from 1) and PageSize, with TotalCount in the answer (a number, or a number as text)
    offset   Offset (from 0) and PageSize
    token    PageToken and MaxResults, with NextPageToken in the answer until the end
    """

    items: str
    size: int = 100
    style: Literal["number", "offset", "token"] = "number"


@dataclass(frozen=True, kw_only=True)
class Service:
    """One service: `name` for people, `origin` the beginning of its addresses, before network and region, `version` of its protocol."""

    name: str
    origin: str
    version: str
    root: str = "/api/v1"

    def operation(
        self,
        action: str,
        call: str,
        *,
        style: Literal["json", "form"] = "json",
        is_repeatable: bool | None = None,
        paging: Paging | None = None,
    ) -> "Operation":
        """Describe one call; `call` is its method and its path below `root`, as the service's reference writes them."""
        method, path = call.split(" ")
        if is_repeatable is None:
            is_repeatable = method != "POST"
        return Operation(
            service=self,
            action=action,
            method=method,
            path=self.root + path,
            style=style,
            is_repeatable=is_repeatable,
            paging=paging,
        )


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One call of a service. `path` has its parameters in braces; `style` is how a body is written."""

    service: Service
    action: str
    method: str
    path: str
    style: Literal["json", "form"]
    is_repeatable: bool
    paging: Paging | None
