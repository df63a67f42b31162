"""REST about whatever is no single job: each method of an address is one `Deed`, a plain function that may block.

What comes with a request is its arguments: parts of the address, checked parameters, and the JSON of the body as `body`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from jupyter_server.auth.decorator import authorized
from tornado import web

from pai_jupyter.errors import SpecError
from pai_jupyter.server.answers import parameters
from pai_jupyter.server.http import Handler, on_thread
from pai_jupyter.wire import Message


@dataclass(frozen=True, kw_only=True)
class Deed:
    """`kind` is the row of `answers.PARAMETERS`; `needs` are those parameters that must be given."""

    kind: str
    answer: Callable[..., Message | Mapping[str, object]]
    needs: tuple[str, ...] = ()
    has_body: bool = False


class Rest(Handler):
    """Does the deed of the method that is asked for."""

    def initialize(self, deeds: Mapping[str, Deed]) -> None:
        """`deeds` are by their methods, in lower case; no other method is answered."""
        self._deeds = deeds
        self.SUPPORTED_METHODS = (*(method.upper() for method in deeds), "OPTIONS")

    @web.authenticated
    @authorized
    async def get(self, **parts: str) -> None:
        await self._do(parts)

    @web.authenticated
    @authorized
    async def post(self, **parts: str) -> None:
        await self._do(parts)

    @web.authenticated
    @authorized
    async def delete(self, **parts: str) -> None:
        await self._do(parts)

    async def _do(self, parts: Mapping[str, str]) -> None:
        deed = self._deeds[str(self.request.method).lower()]
        with self.refusing():
            answer = await on_thread(partial(deed.answer, **parts, **self._given(deed)))
            self.send(answer if isinstance(answer, Message) else Message(body=answer))

    def _given(self, deed: Deed) -> Mapping[str, object]:
        given: dict[str, object] = {**parameters(deed.kind, self.request.query)}
        for name in deed.needs:
            if name not in given:
                raise SpecError(f"the parameter {name!r} is missing.", field=name)
        return {**given, "body": self.json_body()} if deed.has_body else given
