"""What a job has used, in one line."""

import pytest

from pai_jupyter.events import JobState, Usage
from pai_jupyter.view.usage import usage_text
from pai_jupyter.view.words import bytes_text


def state(*usages: Usage) -> JobState:
    return JobState(usage={usage.replica: usage for usage in usages})


def test_replicas_are_added_up_but_for_their_peaks() -> None:
    used = state(
        Usage(replica="a", time=1.0, cpu_time=1_800.0, peak_memory=3 << 30, written=50 << 20, read=3),
        Usage(replica="b", time=1.0, cpu_time=3_600.0, memory=1 << 30, sent=2048),
    )
    assert usage_text(used, "en") == "1.5 CPU hours · peak memory 3 GB · 50 MB written · 2 KB sent"
    assert usage_text(used, "zh") == "1.5 CPU 小时 · 内存峰值 3 GB · 写入 50 MB · 发送 2 KB"


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert usage_text(state(), "en") == ""
    assert usage_text(state(Usage(replica="a", time=1.0, cpu=0.5)), "en") == ""


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KB"), (1_600, "1.6 KB"), (1 << 20, "1 MB"), (123 << 30, "123 GB")],
)
def test_sizes_are_those_of_the_live_view(size: int, text: str) -> None:
    assert bytes_text(size) == text
