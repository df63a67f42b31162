"""Convert the service's answers about a job to events. Pure; the same answer gives the same events."""

import time
from collections.abc import Iterator, Mapping

from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.backends.pai.services.status_map import Fields
from pai_jupyter.contract import BESIDE
from pai_jupyter.events import Event, Link, Notice, Phase, PhaseChanged, Progress, Status, StatusChanged

MAX_EVENTS = 10  # events per answer; older ones no longer matter
_PREPARING = ("Initializing", "EnvPreparing")


def facts_of(fields: Fields, status: Status | None) -> Iterator[Event]:
    """Yield all events except the job's end."""
    if url := status_map.console_of(fields):
        yield Link(name="console", url=url)
    prepared = next(filter(None, (status_map.entered(fields, word) for word in _PREPARING)), None)
    if prepared is not None:
        yield PhaseChanged(phase=Phase.PREPARING, time=prepared)
    if status is Status.QUEUED:
        since = status_map.began(fields, Status.QUEUED) or status_map.read_time(fields.get("GmtCreateTime"))
        yield StatusChanged(status=status, time=since or time.time(), reason=status_map.reason_of(fields))
    started = status_map.began(fields, Status.RUNNING)
    if started is not None:
        yield StatusChanged(status=Status.RUNNING, time=started)
        yield PhaseChanged(phase=Phase.RUNNING, time=status_map.entered(fields, "Running") or started)
    yield from _progress(fields)


def notices_of(events: list[str], fields: Fields) -> list[Notice]:
    """Convert the latest service events to notices; an event without a time gets the job's creation time."""
    created = status_map.read_time(fields.get("GmtCreateTime")) or 0.0
    return [_notice(status_map.line(event), default=created) for event in events[-MAX_EVENTS:]]


def saves_beside(fields: Fields) -> bool:
    """Return whether the launcher also saves files beside the channels; False for fields from a job list."""
    return any(each.get("Name") == BESIDE for each in status_map.objects(fields, "OutputChannels"))


def lost_outputs(left: Mapping[str, str], unsaved: Mapping[str, str], *, may_be_more: bool) -> Iterator[str]:
    """Yield sentences about files that an ended job wrote beside its channels and that are lost.

    `left` has their names by replica, from the end marks, `unsaved` those of the working directory; `may_be_more`: some replicas
    left no mark.
    """
    for replica, names in unsaved.items():
        yield (
            f"{replica} wrote files into its working directory that could not be saved and are lost: {names}. Up to 1 GiB is saved, "
            "only files with names in UTF-8, no pipes and no links to elsewhere. Write files into a channel, e.g. "
            'os.environ["PAI_OUTPUT_MODEL"].'
        )
    for replica, names in left.items():
        yield (
            f"{replica} wrote files into /ml/output beside its channels that could not be saved and are lost: {names}. Only files "
            "with names in UTF-8 are saved, no pipes and no links to elsewhere. Write files into a channel, e.g. "
            'os.environ["PAI_OUTPUT_MODEL"].'
        )
    if may_be_more:
        yield (
            "the job was ended before all of its replicas could save what they may have written into /ml/output beside "
            "its channels. What they wrote into channels is there."
        )


def _notice(text: str, *, default: float) -> Notice:
    first, _, rest = text.partition(" ")
    at = status_map.read_time(first) if first[:1].isdigit() else None
    level = "warning" if "warning" in text.lower() or "failed" in text.lower() else "info"
    return Notice(text=rest if at is not None and rest else text, time=at or default, level=level)


def _progress(fields: Fields) -> Iterator[Progress]:
    """Yield the overall progress; values up to 1 are fractions, larger ones are percentages."""
    latest = fields.get("LatestProgress")
    overall = latest.get("OverallProgress") if isinstance(latest, dict) else None
    if isinstance(overall, dict) and isinstance(value := overall.get("Value"), int | float) and value >= 0:
        at = status_map.read_time(overall.get("Timestamp"))
        yield Progress(done=float(value), total=1.0 if value <= 1 else 100.0, time=at or time.time())
