"""A field for an image or an instance type: what there is, is offered as one types, with what it has.

A list that costs a request to a service is asked for at the first change, once, while the form goes on; the request runs on a
thread of the event loop, and what it brings is shown on the loop.

Rule: a Combobox offers names only (it is the browser's datalist), so what a name means is shown beside the field: of the text
itself if it is offered, else of the first that begin like it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import ipywidgets

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.form.controls import PlainControl, labelled
from pai_jupyter.form.rows import Row, Translate
from pai_jupyter.wire.protocol.offers import images, instances

Ask = Callable[[], Mapping[str, str]]
_SHOWN = 3  # names with their details, while one types


@dataclass(frozen=True, kw_only=True)
class Offers:
    """What a service has, by name, with the details of each; both ask the service."""

    images: Ask
    instances: Ask


def service_offers() -> Offers:
    """Return what the account's service has."""
    return Offers(
        images=lambda: {row["short_name"]: row["details"] for row in images()["images"]},
        instances=lambda: {row["name"]: row["details"] for row in instances()["instances"]},
    )


class OfferedField(Row):
    """A row with a Combobox."""

    def __init__(
        self,
        name: str,
        label: str,
        value: str,
        translate: Translate,
        *,
        known: Sequence[str] = (),
        ask: Ask | None = None,
        placeholder: str = "",
    ) -> None:
        self.box = ipywidgets.Combobox(value=value, options=tuple(known), placeholder=placeholder, **labelled(label))
        super().__init__(name, PlainControl(self.box), "")
        self.offer = Offer(self.box, self.explain, translate, known=known, ask=ask)


class Offer:
    """Offers the names of a service in `box`, and has `explain` show what a name means."""

    def __init__(
        self,
        box: ipywidgets.Combobox,
        explain: Callable[[str], None],
        translate: Translate,
        *,
        known: Sequence[str] = (),
        ask: Ask | None = None,
    ) -> None:
        self._box, self._explain, self._translate, self._ask = box, explain, translate, ask
        self._known = tuple(known)
        self._details: dict[str, str] = {}
        box.observe(lambda _: self._changed(), names="value")

    def _changed(self) -> None:
        ask, self._ask = self._ask, None
        if ask is not None:
            _in_background(lambda: _answer(ask), self._take)
        self._describe()

    def _take(self, answer: Mapping[str, str] | str) -> None:
        """Show what the service has, or why it cannot be known."""
        if isinstance(answer, str):
            self._explain(self._translate(answer))
            return
        self._details = dict(answer)
        self._box.options = tuple(dict.fromkeys((*self._known, *answer)))
        self._describe()

    def _describe(self) -> None:
        typed, details = self._box.value.strip(), self._details
        if not details:
            return
        if typed in details:
            self._explain(self._translate(details[typed]))
            return
        close = [name for name in details if typed and typed.lower() in name.lower()][:_SHOWN]
        self._explain("; ".join(f"{name}: {self._translate(details[name])}" for name in close))


def _answer(ask: Ask) -> Mapping[str, str] | str:
    """Ask; return the sentence of an error of ours."""
    try:
        return ask()
    except PaiJupyterError as exc:
        return str(exc)


def _in_background(
    work: Callable[[], Mapping[str, str] | str], take: Callable[[Mapping[str, str] | str], None]
) -> None:
    """Do `work` on a thread of this thread's event loop, and hand the result to `take` on the loop; at once without a loop."""
    loop = None
    with suppress(RuntimeError):
        loop = asyncio.get_running_loop()
    if loop is None:
        take(work())
        return

    async def run() -> None:
        take(await asyncio.to_thread(work))

    _tasks.add(task := loop.create_task(run()))  # the loop itself keeps only a weak reference
    task.add_done_callback(_tasks.discard)


_tasks: set["asyncio.Task[None]"] = set()
