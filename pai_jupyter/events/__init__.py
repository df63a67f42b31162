"""The events of a job: typed events, the state folded from them, text of log lines.

Metrics from lines: `events.metrics`, which takes 20 ms to import and is needed only to follow a job.

What users must hear of while a job runs: `events.alerts`.

A backend converts its service's answers into these events; a view shows the `JobState` folded from them.
"""

from pai_jupyter.events.headline import headline_metric, in_order
from pai_jupyter.events.lines import decode_line, for_terminal, keep_colors, strip_ansi
from pai_jupyter.events.state import JobState, MetricSummary
from pai_jupyter.events.types import (
    Event,
    Link,
    LogChunk,
    Metric,
    Notice,
    Phase,
    PhaseChanged,
    Position,
    Progress,
    ReplicaChanged,
    Status,
    StatusChanged,
    StoredEvent,
    Usage,
    event_from_json,
    event_to_json,
    number_to_json,
)
from pai_jupyter.events.waiting import Waiting

__all__ = [
    "headline_metric",
    "in_order",
    "Event",
    "JobState",
    "Link",
    "LogChunk",
    "Metric",
    "MetricSummary",
    "Notice",
    "Phase",
    "PhaseChanged",
    "Position",
    "Progress",
    "ReplicaChanged",
    "Status",
    "StatusChanged",
    "StoredEvent",
    "Usage",
    "Waiting",
    "decode_line",
    "event_from_json",
    "event_to_json",
    "number_to_json",
    "strip_ansi",
    "for_terminal",
    "keep_colors",
]
