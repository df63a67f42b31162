"""The messages of a job for its run at MLflow. Pure.

    <job>-start           the run, its values and tags
    <job>-metrics-<byte>  metrics: body from, to (bytes of events.jsonl)
    <job>-said-<mark>     name, star, tags and note of the user, as they are when it is sent
    <job>-end             status and time: body status, ended, for the job may be deleted before this is sent
    <job>-output-<hash>   a file of an output: body channel, path

Rule 1: of a job that runs, metrics are sent in batches which become rarer as it grows older, so that their number stays small.
Rule 2: a job with `only` is one that has been told of already: only what the user says is due.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence

from pai_jupyter.delivery.recipient import Due, DueMessage, JobNews
from pai_jupyter.events import Metric, StoredEvent
from pai_jupyter.spec import Json

MOST = 1000  # metrics in a message: MLflow takes no more in one request
MOST_COUNTED = 200  # names whose metrics without a step are counted
SOONEST = 5.0  # seconds between two batches of metrics, and this share of a job's age:
SHARE = 1 / 200


def due_messages(news: JobNews, mark: Sequence[int], outputs: Callable[[], Sequence[Mapping[str, Json]]]) -> Due:
    """Return what is due. `mark` tells apart what the user has said so far, () nothing; `outputs` lists the files of an ended job."""
    job = news.folder.id

    def message(kind: str, body: Mapping[str, Json] | None = None, time: float = news.now) -> DueMessage:
        return DueMessage(id=f"{job}-{kind}", time=time, body={"kind": kind.partition("-")[0], **(body or {})})

    said = [message(f"said-{'-'.join(map(str, mark))}")] if mark else []
    if news.wanted.get("only"):
        return Due(messages=said, read=news.end)
    batches, read = _batches(news)
    metrics = [message(f"metrics-{batch['from']}", batch) for batch in batches]
    found = [message("start", time=news.created), *metrics, *said]
    if news.has_ended and f"{job}-end" not in news.last:
        ended = news.state.ended if news.state.ended is not None else news.created
        body: dict[str, Json] = {"status": str(news.state.status), "ended": ended}
        found.append(message("end", {**body, "fractions": _has_fractions([*news.last.values(), *metrics])}))
        found += [message(f"output-{_digest(it)}", it) for it in outputs()]
    return Due(messages=found, read=read, waits=read < news.end)


def _batches(news: JobNews) -> tuple[list[dict[str, Json]], int]:
    """Return the batches of metrics that are due, and up to which byte they are taken."""
    before, since = _told(news)
    count = len(news.events)
    is_time = news.has_ended or news.now - since >= max(SOONEST, (news.now - news.created) * SHARE)
    taken = count if is_time else count - count % MOST
    found: list[dict[str, Json]] = []
    start = news.start
    for first in range(0, taken, MOST):
        last = min(first + MOST, taken)
        batch: dict[str, Json] = {"from": start, "to": news.ends[last - 1]}
        after = dict(before)
        has_fractions = False
        for event in news.events[first:last]:
            if isinstance(event, Metric) and event.step is None:
                key = counted_key(event)
                if key in after or len(after) < MOST_COUNTED:
                    after[key] = after.get(key, 0) + 1
            has_fractions = has_fractions or is_fraction(event)
        if after:
            batch |= {"before": {**before}, "after": {**after}}
        if has_fractions:
            batch["fractions"] = True
        found.append(batch)
        start, before = news.ends[last - 1], after
    return found, news.end if taken == count else start


def _told(news: JobNews) -> tuple[dict[str, int], float]:
    """Return how many metrics without a step were told of each name, and when metrics were told of last."""
    prefix = f"{news.folder.id}-metrics-"
    last = next((it for it in reversed([*news.last.values()]) if it.id.startswith(prefix)), None)
    return ({}, 0.0) if last is None else (counts_in(last.body, "after"), last.time)


def counts_in(body: Mapping[str, Json], name: str) -> dict[str, int]:
    given = body.get(name)
    return {key: it for key, it in given.items() if isinstance(it, int)} if isinstance(given, dict) else {}


def counted_key(event: Metric) -> str:
    return f"{event.replica}/{event.name}"


def is_fraction(event: StoredEvent) -> bool:
    """Return whether a metric's step is no whole number."""
    return (
        isinstance(event, Metric)
        and event.step is not None
        and not (math.isfinite(event.step) and event.step == math.floor(event.step))
    )


def _has_fractions(messages: Sequence[DueMessage]) -> bool:
    return any(it.body.get("fractions") is True for it in messages)


def _digest(output: Mapping[str, Json]) -> str:
    text = f"{output.get('channel')}/{output.get('path')}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
