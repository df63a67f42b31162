"""The two dialects of PAIFlow, which name the same things differently. No I/O.

/runs            the official notebook SDK: RunId, Source, ExperimentId, times in milliseconds
/pipelineruns    the generated client: PipelineRunId, SourceType, SourceId, times as ISO 8601
"""

from collections.abc import Callable
from dataclasses import dataclass

from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.protocol.times import written
from pai_jupyter.spec import Json


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


@dataclass(frozen=True, kw_only=True)
class FlowDialect:
    """The names of fields in one dialect, and how it writes the times of runs."""

    id: str
    many: str
    source: str
    source_id: str
    time: Callable[[float], Json]


_OF_SDK = FlowDialect(id="RunId", many="Runs", source="Source", source_id="ExperimentId", time=_milliseconds)
_GENERATED = FlowDialect(
    id="PipelineRunId", many="PipelineRuns", source="SourceType", source_id="SourceId", time=written
)


def dialect_of(call: ApiCall) -> FlowDialect:
    return _GENERATED if call.operation.path.startswith("/api/v1/pipelineruns") else _OF_SDK


def run_id_of(call: ApiCall) -> str:
    """Return the run that the path names."""
    return call.path.get("run_id") or call.path["pipeline_run_id"]
