"""What a job has used, in one line: "0.12 CPU hours · peak memory 1.2 GB · 50 MB written"."""

from pai_jupyter.events import JobState
from pai_jupyter.view.words import Language, bytes_text, say

_FEW = 1024  # bytes that are not worth a word


def usage_text(state: JobState, language: Language) -> str:
    """Return what is known of all replicas together; "" if nothing is."""
    usages = list(state.usage.values())
    seconds = [usage.cpu_time for usage in usages if usage.cpu_time is not None]
    parts = [say("{count} CPU hours", language).format(count=f"{sum(seconds) / 3600:.2g}")] if any(seconds) else []
    if peak := max((max(usage.peak_memory or 0, usage.memory or 0) for usage in usages), default=0):
        parts.append(say("peak memory {size}", language).format(size=bytes_text(peak)))
    counted = {
        "read": say("{size} read", language),
        "written": say("{size} written", language),
        "received": say("{size} received", language),
        "sent": say("{size} sent", language),
    }
    for name, words in counted.items():
        if (count := sum(getattr(usage, name) or 0 for usage in usages)) >= _FEW:
            parts.append(words.format(size=bytes_text(count)))
    return " · ".join(parts)
