"""Operations of services as values, for the tables `paistudio`, `aiworkspace`, `dlc`, `paiflow`, `sts`.

Whether a call with an unknown result may be repeated is a property of the operation: yes for GET, PUT and DELETE; no for POST,
which creates another object, unless the table says otherwise.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Paging:
    """The paging of a list: the key of its `items`, and the page size that the client requests.

    number   PageNumber (from 1) and PageSize, with TotalCount in the answer (a number, or a number as text)
    offset   Offset (from 0) and PageSize
    token    PageToken and MaxResults, with NextPageToken in the answer until the end
    """

    items: str
    size: int = 100
    style: Literal["number", "offset", "token"] = "number"


@dataclass(frozen=True, kw_only=True)
class Service:
    """One service: its `name` for people, `origin` (its address before network and region) and protocol `version`."""

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
        """Describe one operation; `call` is its method and path below `root`, as in the service's reference."""
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
    """One operation of a service. `path` has its parameters in braces; `style` is the body's format."""

    service: Service
    action: str
    method: str
    path: str
    style: Literal["json", "form"]
    is_repeatable: bool
    paging: Paging | None
