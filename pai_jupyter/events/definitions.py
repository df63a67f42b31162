r"""Find metrics in log lines by the user's own regexes, in bounded time for any regex and any line.

`re` cannot be interrupted during a match, and `(?:\s*\w+)+=` can take exponential time while the rest of the process waits. So
these patterns use the package `regex`, which has a time limit. It is imported only if a job has definitions, and is the only
dependency outside the standard library.

Rule 1: one search may take `LINE_SECONDS`. A line that exceeds it has no value.
Rule 2: time beyond what is `allowed` for a line of that length is charged to the job. When the charges reach `JOB_SECONDS`, the
    pattern charged last is switched off for the job, and a notice says so. Normal patterns need a tenth of what is allowed, so
    a log may have any number of lines. A search that an interrupt delays does no harm: only a pattern that itself takes
    `LINE_SECONDS` is switched off.
Rule 3: time spent and patterns switched off are part of `state`, so a restart does not spend it again.
Rule 4: a pattern is compiled only if its expanded size is bounded: in `regex`, nested counts multiply time and memory.
"""

import re
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pai_jupyter.events.log_parsers import parse_number

if TYPE_CHECKING:
    import regex

LINE_SECONDS = 0.05
JOB_SECONDS = 3.0
MAX_PATTERN = 4_096  # letters
MAX_SIZE = 100_000  # letters of all patterns, counts expanded: 0.1 s and 50 MB to compile

# The tokens of a pattern: an escape, a set, a count, literal letters, any other sign. A letter before `*`, `+`, `?` or a count
# is repeated, so it is not part of the literal.
_PART = re.compile(r"""\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[^{}]*\}|([\w =:,;/"'<>@%&!~`-]+(?![*+?{]))|.""", re.DOTALL)
_UNCERTAIN = re.compile(r"\||\(\?(?!:)|\\(?![dDsSwWbBrnt])[^\W_]")  # another branch; flags; escapes of several letters
_COUNT = re.compile(r"(.?)\{([^{}]*)\}", re.DOTALL)
_ESCAPE = b"\x1b"


class Definition(Protocol):
    """A metric that the user defines; `spec.MetricDefinition` is one."""

    @property
    def name(self) -> str: ...
    @property
    def regex(self) -> str: ...


class DefinedMetrics:
    """Finds the user's metrics in lines. `state` restores it after a restart."""

    def __init__(
        self,
        definitions: Sequence[Definition] = (),
        *,
        state: object = None,  # parsed JSON, from a file that anybody may have changed
        clock: Callable[[], float] = time.perf_counter,
        processor_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self._definitions = definitions
        self._clock, self._processor_clock = clock, processor_clock
        self._spent, self._off = _read_state(state, len(definitions))
        self._spent_by: defaultdict[int, float] = defaultdict(float)  # since the start of this program
        self._sentences: list[str] = []
        self._patterns = self._compile()
        self.needles = self._needles()

    @property
    def is_active(self) -> bool:
        """Whether any pattern is still on."""
        return bool(self._patterns)

    @property
    def state(self) -> dict[str, Any]:  # Any: JSON values
        return {"spent": round(self._spent, 3), "off": sorted(self._off)}

    def find(self, text: str) -> list[tuple[str, float]]:
        """Find the names and values that the patterns match in one line."""
        found = []
        for number in tuple(self._patterns):
            match = self._search(number, text)
            value = parse_number(match[1] or "") if match else None
            if value is not None:
                found.append((self._definitions[number].name, value))
        return found

    def take_sentences(self) -> list[str]:
        """Return the notices for the user since the last call."""
        sentences, self._sentences = self._sentences, []
        return sentences

    def _search(self, number: int, text: str) -> "regex.Match[str] | None":
        pattern, begin = self._patterns[number], self._clock()
        try:
            match = pattern.search(text, timeout=LINE_SECONDS)
        except (TimeoutError, MemoryError):
            self._charge(number, max(LINE_SECONDS, self._clock() - begin))
            return None
        if self._clock() - begin > allowed(len(text)):  # the thread only waited, on a busy machine
            self._charge(number, self._processor_seconds(pattern, text) - allowed(len(text)))
        return match

    def _processor_seconds(self, pattern: "regex.Pattern[str]", text: str) -> float:
        """Measure the processor time of this thread that a search takes, in seconds."""
        begin = self._processor_clock()
        try:
            pattern.search(text, timeout=LINE_SECONDS)
        except (TimeoutError, MemoryError):
            return LINE_SECONDS
        return self._processor_clock() - begin

    def _charge(self, number: int, seconds: float) -> None:
        self._spent += max(0.0, seconds)
        self._spent_by[number] += max(0.0, seconds)
        if self._spent >= JOB_SECONDS and self._spent_by[number] >= LINE_SECONDS:
            del self._patterns[number]
            self.needles = self._needles()
            self._switch_off(number, "its pattern takes too long on the lines of this job")

    def _switch_off(self, number: int, why: str) -> None:
        self._off.add(number)
        self._sentences.append(
            f"Metric {self._definitions[number].name[:64]!r} is not read from the log any more: {why}. Use fewer repetitions "
            "inside repetitions, e.g. --metric 'acc:val_acc=([0-9.]+)'."
        )

    def _compile(self) -> "dict[int, regex.Pattern[str]]":
        """Compile the patterns, by their index among the definitions; switch off those that are too large."""
        patterns: dict[int, regex.Pattern[str]] = {}
        room = MAX_SIZE
        for number, definition in enumerate(self._definitions):
            if number in self._off:
                continue
            size = size_of(definition.regex)
            pattern = _compiled(definition.regex) if size <= room else None
            if pattern is None:
                self._switch_off(number, "its pattern is too large")
            else:
                patterns[number] = pattern
                room -= size
        return patterns

    def _needles(self) -> Sequence[bytes] | None:
        """Return byte strings, one of which is in every line that matches; None = search every line."""
        literals = {_literal(self._definitions[number].regex) for number in self._patterns}
        if "" in literals:
            return None
        # Colours are removed before a line is searched, but here they may stand between the letters.
        return [*(literal.encode() for literal in literals), _ESCAPE]


def allowed(length: int) -> float:
    """Return the seconds that a search may take on a line of `length` letters free of charge."""
    return 20e-6 + 0.1e-6 * length


def size_of(pattern: str) -> int:
    """Return an upper bound on the letters of `pattern` with its counts expanded.

    A count after a group, or after a possible comment or blank, multiplies everything so far; any other count adds to it.
    """
    if len(pattern) > MAX_PATTERN:
        return MAX_SIZE + 1
    size, factor = len(pattern), 1
    for before, inside in _COUNT.findall(pattern):
        most = max((int(digits[:9]) for digits in re.findall("[0-9]+", "".join(inside.split()))), default=1)
        if before == ")" or not before.strip():
            factor *= max(most, 1)
        else:
            size += most
    return size * factor


def _compiled(pattern: str) -> "regex.Pattern[str] | None":
    import regex  # 30 ms: only if a job has definitions

    try:
        return regex.compile(pattern)
    except (regex.error, ArithmeticError, RecursionError, ValueError, MemoryError):
        return None


def _literal(pattern: str) -> str:
    """Return the longest literal that every match contains; "" if none is certain."""
    if _UNCERTAIN.search(pattern):
        return ""
    depth, found = 0, [""]
    for part in _PART.finditer(pattern):
        depth += (part[0] == "(") - (part[0] == ")")
        if depth == 0 and part[1]:
            found.append(part[1])
    return max(found, key=len)


def _read_state(state: object, count: int) -> tuple[float, set[int]]:
    values = state if isinstance(state, Mapping) else {}
    spent, off = values.get("spent"), values.get("off")
    numbers = {each for each in off if type(each) is int and 0 <= each < count} if isinstance(off, list) else set()
    return (min(max(spent, 0.0), JOB_SECONDS) if isinstance(spent, float) else 0.0), numbers
