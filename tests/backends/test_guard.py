"""What a third party's backend raises: one `BackendError` that names backend, call and cause."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest

from pai_jupyter.backends import Backend, Recoverable, TakesSource
from pai_jupyter.backends.guard import GuardedBackend
from pai_jupyter.errors import BackendError, NotFoundError
from pai_jupyter.events import Event, Notice, Position
from pai_jupyter.spec import JobRef
from tests.fakes.backend import FakeBackend

REF = JobRef(backend="barn", job_id="j1")


class BarnBackend(FakeBackend):
    """Raises `fault` in `status` and, after one event, in `follow`; it can find jobs."""

    fault: BaseException = KeyError("gate")
    is_closed = False

    async def status(self, ref: JobRef) -> Any:
        raise self.fault

    async def find(self, job_id: str) -> JobRef:
        return REF

    async def follow(self, ref: JobRef, after: Position) -> AsyncGenerator[Event, None]:
        try:
            yield Notice(text="a", time=1.0)
            raise self.fault
        finally:
            self.is_closed = True


def guarded(backend: object) -> Backend:
    return cast(Backend, GuardedBackend(backend, name="barn", package="barn-backend"))


async def first(backend: Backend, count: int) -> None:
    stream = backend.follow(REF, {})
    for _ in range(count):
        await anext(stream)
    await stream.aclose()


def test_a_foreign_error_names_backend_call_and_cause() -> None:
    with pytest.raises(BackendError) as caught:
        asyncio.run(guarded(BarnBackend()).status(REF))
    assert str(caught.value) == (
        "the backend 'barn' failed in status: KeyError: 'gate'. This is a fault of the package 'barn-backend': update it, "
        "or tell its authors."
    )
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("error", [NotFoundError("gone"), asyncio.CancelledError(), KeyboardInterrupt()])
def test_our_errors_and_interrupts_pass_through(error: BaseException) -> None:
    backend = BarnBackend()
    backend.fault = error
    with pytest.raises(type(error)) as caught:
        asyncio.run(guarded(backend).status(REF))
    assert type(caught.value) is type(error)


def test_a_stream_fails_the_same_way_and_is_closed() -> None:
    backend = BarnBackend()
    asyncio.run(first(guarded(backend), 1))
    assert backend.is_closed
    with pytest.raises(BackendError, match="'barn' failed in follow: KeyError: 'gate'"):
        asyncio.run(first(guarded(backend), 2))


def test_a_follow_that_is_no_generator_is_a_fault_too() -> None:
    class Mistaken(FakeBackend):
        async def follow(self, ref: JobRef, after: Position) -> None: ...  # type: ignore[override]

    with pytest.raises(BackendError, match="failed in follow: TypeError"):
        asyncio.run(first(guarded(Mistaken()), 1))


def test_what_else_it_has_and_can_stays() -> None:
    backend = guarded(BarnBackend())
    assert backend.info == BarnBackend.info
    assert isinstance(backend, Recoverable)
    assert not isinstance(backend, TakesSource)
