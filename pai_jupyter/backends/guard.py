"""Guard the calls of a third party's backend: whatever its code raises reaches callers as one `BackendError`.

Callers handle the errors of `Backend`; a `KeyError` of somebody's package would end the cell, or a list of all jobs, with a
traceback. Our own errors pass through as they are, and so do cancellation and interrupts. The traceback is the error's cause;
it is logged at level INFO.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

from pai_jupyter.errors import BackendError, cause_of, translating

_AWAITED = ("submit", "status", "stop", "fetch", "aclose", "find", "recorded", "recall", "stop_removed", "processes")
_PLAIN = (
    *("check", "output_path", "open_output", "takes_source", "request", "held_back", "variables", "board_service"),
    *("image_facts", "component_options", "code_location", "is_lost", "node_job", "node_spec"),
)

_log = logging.getLogger(__name__)
_Called = Callable[..., Any]  # Any: a method of a plug-in


class GuardedBackend:
    """A third party's backend with the same methods, capabilities included (`isinstance` finds them), each guarded."""

    def __init__(self, backend: object, *, name: str, package: str) -> None:
        self._backend, self._name, self._package = backend, name, package
        for calls, guarded in ((_AWAITED, self._awaited), (_PLAIN, self._plain), (("follow",), self._stream)):
            for call in calls:
                method = getattr(backend, call, None)
                if callable(method):
                    setattr(self, call, guarded(method, call))

    def __getattr__(self, name: str) -> Any:  # Any: whatever else the plug-in has
        return getattr(self._backend, name)

    def _awaited(self, method: _Called, call: str) -> _Called:
        @wraps(method)
        async def guarded(*args: Any, **kwargs: Any) -> Any:
            with self._blamed(call):
                return await method(*args, **kwargs)

        return guarded

    def _plain(self, method: _Called, call: str) -> _Called:
        @wraps(method)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            with self._blamed(call):
                return method(*args, **kwargs)

        return guarded

    def _stream(self, method: _Called, call: str) -> _Called:
        @wraps(method)
        async def guarded(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, None]:
            with self._blamed(call):
                events = method(*args, **kwargs)
                try:
                    async for event in events:
                        yield event
                finally:
                    await _closed(events)

        return guarded

    def _blamed(self, call: str) -> AbstractContextManager[None]:
        return translating(self._error, call)

    def _error(self, exc: Exception, call: str) -> BackendError:
        _log.info("backend %s: %s", self._name, call, exc_info=exc)
        return BackendError(
            f"the backend {self._name!r} failed in {call}: {cause_of(exc)}. This is a fault of the package "
            f"{self._package!r}: update it, or tell its authors."
        )


async def _closed(events: object) -> None:
    """Close the generator of a plug-in, or the coroutine that a `follow` without `yield` has made."""
    close: Callable[[], Awaitable[None]] | None = getattr(events, "aclose", None)
    if close is not None:
        await close()
    elif isinstance(events, Awaitable) and hasattr(events, "close"):
        events.close()
