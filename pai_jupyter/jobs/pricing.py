"""The price of a job before it starts, by the price lists of this user, and the time limit that a cost limit makes.

A cost limit becomes `max_run_time`, which the job's backend holds itself: the job is ended though nobody follows it.
"""

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal

from pai_jupyter.backends import BackendInfo, find_info, request_options
from pai_jupyter.config import Settings, settings
from pai_jupyter.config.prices import price_lists, prices_path
from pai_jupyter.cost import (
    JobPrice,
    MachineCounts,
    Rate,
    Unknown,
    affordable,
    find_rate,
    quote,
    read_max_cost,
    time_text,
)
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs.target import Target
from pai_jupyter.money import exact, rate
from pai_jupyter.spec import JobSpec


def priced(spec: JobSpec, place: Target) -> tuple[JobSpec, JobPrice | None, list[str]]:
    """Return `spec` with the time limit of its cost limit, the job's price (None: unknown), and notes.

    Raises:
        SpecError: it has a cost limit, and its price is unknown, or its backend ends no job at a time limit.
    """
    info = find_info(place.backend)
    if info is None:
        return spec, None, []
    try:
        lists = price_lists(settings())
    except SpecError as exc:
        if spec.max_cost is not None:
            raise
        return spec, None, [f"what the job costs is not known: {exc}"]
    found = find_rate(MachineCounts.of(spec, backend=info.name, is_local=info.is_local), lists)
    if spec.max_cost is None:
        price = _price(spec, place, info, found) if isinstance(found, Rate) else None
        return spec, price, []
    return _limited(spec, place, info, _needed(spec.max_cost, found))


def _limited(
    spec: JobSpec, place: Target, info: BackendInfo, found: Rate
) -> tuple[JobSpec, JobPrice | None, list[str]]:
    text = spec.max_cost or ""
    max_cost = read_max_cost(text, found)
    if not info.time_limit:
        raise SpecError(
            f"`--max-cost {text}` works by a time limit, and {info.title} ends no job at one. Leave it out.",
            field="max_cost",
        )
    seconds = affordable(max_cost, found.per_hour, unit=info.time_limit)
    an_hour = rate(found.per_hour, found.currency)
    if seconds == 0:
        raise SpecError(
            f"`--max-cost {text}` does not pay for {info.time_limit} s of this job, which costs {an_hour} an hour. Give more.",
            field="max_cost",
        )
    asked = spec.max_run_time
    limit = min((each for each in (asked, seconds) if each is not None), default=None)
    limited = replace(spec, max_run_time=limit)
    price = replace(_price(limited, place, info, found), asked_time=asked, max_cost=max_cost)
    if seconds is None or limit != seconds or limit == asked:
        return limited, price, []
    note = f"the cost limit {exact(max_cost, found.currency)} ends the job after {time_text(seconds)}, at {an_hour} an hour."
    return limited, price, [note]


def _price(spec: JobSpec, place: Target, info: BackendInfo, found: Rate) -> JobPrice:
    options = request_options(spec) if info.fills_request else {}
    limit = spec.max_run_time
    return JobPrice(
        currency=found.currency,
        per_hour=found.per_hour,
        time_limit=-(-limit // info.time_limit) * info.time_limit if limit and info.time_limit else None,
        is_spot=bool(options.get("use_spot_instance") or options.get("spot_spec")),
        is_rehearsal=place.is_emulated,
    )


def _needed(text: str, found: Rate | Unknown) -> Rate:
    if isinstance(found, Rate):
        return found
    path = str(prices_path(settings()))
    if not found.kind:
        raise SpecError(f"`--max-cost {text}` needs a price, and {found.reason}. Correct {path!r}.", field="max_cost")
    example = f'{{"currency": "CNY", "per_hour": {{"{found.kind}": 6.2}}}}'
    raise SpecError(
        f"`--max-cost {text}` needs a price, and {found.reason}. Write what it costs an hour into {path!r}, e.g. {example}",
        field="max_cost",
    )


def cost_line(spec: JobSpec, place: Target, price: JobPrice | None) -> str:
    """Say what a job will cost, or that it is not known; "" for a job of this machine without a price.

    `price`: as `priced` has returned it.
    """
    if price is not None:
        return quote(price)
    info = find_info(place.backend)
    if info is None or info.is_local:
        return ""
    try:
        found = find_rate(MachineCounts.of(spec, backend=info.name, is_local=False), price_lists(settings()))
    except SpecError as exc:
        return f"not known: {exc}"
    return f"not known: {found.reason} in prices.json" if isinstance(found, Unknown) else ""


def has_prices(of: Settings) -> bool:
    """Return whether there is any price; True if a list cannot be read, since that is to be said."""
    try:
        return bool(price_lists(of))
    except SpecError:
        return True


def price_of_type(kind: str) -> tuple[Decimal, str] | None:
    """Return the price an hour of one machine of this type, and its currency; None if it has none, or no list can be read."""
    with suppress(SpecError):  # whoever submits a job is told
        for each in price_lists(settings()):
            if (price := each.find(kind)) is not None:
                return price, each.currency
    return None
