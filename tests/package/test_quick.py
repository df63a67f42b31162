"""Lines of ignore files that would take a search minutes: what they match stays the same, and nobody waits."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from pai_jupyter.package.ignore import _read_rule
from pai_jupyter.package.quick import quick
from tests.support.patience import SOON

PIECES = st.sampled_from(["a", "b", "*", "**", "/", "?", "/**/", "**/", "[ab]", ".", "\\*", "(", "^"])
NAMES = st.lists(st.text("ab.*(^", min_size=1, max_size=3), min_size=1, max_size=5).map("/".join)


@given(st.lists(PIECES, min_size=1, max_size=8).map("".join), NAMES, st.sampled_from(["", "/"]))
def test_a_line_matches_what_it_would_match_slowly(line: str, name: str, end: str) -> None:
    for pattern in GitIgnoreSpec.from_lines([line]).patterns:
        if pattern.include is not None and pattern.regex is not None:
            slow, fast = (
                re.match(regex, name + end) for regex in (pattern.regex.pattern, quick(pattern.regex.pattern))
            )
            assert (slow and (slow.end(), slow.lastindex)) == (fast and (fast.end(), fast.lastindex))


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("*a" * 60 + "*b", "a" * 250),
        ("*[!b]" * 60 + "*b", "a" * 250),
        ("*?" * 60 + "*b", "a" * 250),
        ("x/" + "**/a/" * 30 + "b", "x/" + "a/" * 100),
        ("**/a*a/" * 30 + "b", "aa/" * 100),
    ],
)
def test_no_line_takes_long(line: str, name: str) -> None:
    rule, began = _read_rule(line), time.monotonic()
    assert rule is not None
    assert not rule.matches(name, name)
    assert time.monotonic() - began < SOON


def test_a_class_stands_for_no_slash() -> None:
    rule = _read_rule("a[!b]c/d")
    assert rule is not None
    assert rule.matches("axc/d", "d")
    assert not rule.matches("a/c/d", "d")
