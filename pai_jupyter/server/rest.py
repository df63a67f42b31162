"""REST about anything but a single job: each method of an address is one `ApiRoute`, a plain function that may block.

Its arguments are the parts of the address, the query parameters, the JSON body as `body`, and the server's root directory as
`root` and the page's language as `language` where it asks for them.
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
class ApiRoute:
    """The function for one address and method.

    `kind` is a key of `answers.PARAMETERS`; `needs` names the required parameters; `has_root` asks for the server's root
    directory as `root`, `has_language` for that of the user's page as `language`.
    """

    kind: str
    answer: Callable[..., Message | Mapping[str, object]]
    needs: tuple[str, ...] = ()
    has_body: bool = False
    has_root: bool = False
    has_language: bool = False


class Rest(Handler):
    """Calls the function of the requested method."""

    def initialize(self, deeds: Mapping[str, ApiRoute]) -> None:
        """Take the functions by method in lower case; other methods are refused."""
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

    @web.authenticated
    @authorized
    async def patch(self, **parts: str) -> None:
        await self._do(parts)

    async def _do(self, parts: Mapping[str, str]) -> None:
        deed = self._deeds[str(self.request.method).lower()]
        with self.refusing():
            answer = await on_thread(partial(deed.answer, **parts, **self._given(deed)))
            self.send(answer if isinstance(answer, Message) else Message(body=answer))

    def _given(self, deed: ApiRoute) -> Mapping[str, object]:
        given: dict[str, object] = {**parameters(deed.kind, self.request.query)}
        for name in deed.needs:
            if name not in given:
                raise SpecError(f"the parameter {name!r} is missing.", field=name)
        if deed.has_body:
            given["body"] = self.json_body()
        if deed.has_root:
            given["root"] = str(self.settings["server_root_dir"])
        if deed.has_language:
            given["language"] = self.language()
        return given
