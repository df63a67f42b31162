"""What magics print, refuse and list, in 中文. English stays where it is said; here each sentence has its twin.

A sentence is a template: `{a}` stands for whatever is filled in on one line, which is passed on, itself in 中文 where it
is known; `{n}` stands for a number, `{name}` (and `{name2}`...) for a name, which is nobody's word; one in quotes is a name as a whole.

Rule 1: a sentence that is not known stays as it is. Names and values are never taken for words of a sentence: what is filled
    in between backticks or quotes, or joined to what is typed (`--{a}`, `{a}=...`), is passed on as it is.
Rule 2: a test reads the sources and finds every sentence without a twin.
Rule 3: a blank stands between Chinese and Latin, and never between two Chinese words, wherever those come from.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from pai_jupyter.view.chinese.alerts import ALERTS
from pai_jupyter.view.chinese.annotations import ANNOTATIONS
from pai_jupyter.view.chinese.authors import for_authors
from pai_jupyter.view.chinese.backends import BACKENDS
from pai_jupyter.view.chinese.checks import CHECKS
from pai_jupyter.view.chinese.cloud import CLOUD
from pai_jupyter.view.chinese.code import CODE
from pai_jupyter.view.chinese.components import COMPONENTS
from pai_jupyter.view.chinese.containers import CONTAINERS
from pai_jupyter.view.chinese.costs import COSTS
from pai_jupyter.view.chinese.driving import DRIVING
from pai_jupyter.view.chinese.flows import FLOWS
from pai_jupyter.view.chinese.following import FOLLOWING
from pai_jupyter.view.chinese.hdfs import HDFS
from pai_jupyter.view.chinese.hints import HINTS
from pai_jupyter.view.chinese.local_pipelines import LOCAL_PIPELINES
from pai_jupyter.view.chinese.machine import MACHINE
from pai_jupyter.view.chinese.magics import MAGICS
from pai_jupyter.view.chinese.openpai import OPENPAI
from pai_jupyter.view.chinese.packages import PACKAGES
from pai_jupyter.view.chinese.pages import PAGES
from pai_jupyter.view.chinese.plans import PLANS
from pai_jupyter.view.chinese.reports import REPORTS
from pai_jupyter.view.chinese.run_views import RUN_VIEWS
from pai_jupyter.view.chinese.running import RUNNING
from pai_jupyter.view.chinese.stacks import STACKS
from pai_jupyter.view.chinese.storage import STORAGE
from pai_jupyter.view.chinese.stores import STORES
from pai_jupyter.view.chinese.tracking import TRACKING
from pai_jupyter.view.chinese.training import TRAINING
from pai_jupyter.view.chinese.values import VALUES
from pai_jupyter.view.chinese.workflows import WORKFLOWS

SENTENCES: Mapping[str, str] = {
    **for_authors({**COSTS, **BACKENDS, **RUNNING, **CONTAINERS, **HINTS, **MACHINE}),
    **ANNOTATIONS,
    **PACKAGES,
    **STORES,
    **PAGES,
    **FOLLOWING,
    **CLOUD,
    **MACHINE,
    **CODE,
    **BACKENDS,
    **RUNNING,
    **CONTAINERS,
    **MAGICS,
    **TRAINING,
    **VALUES,
    **COMPONENTS,
    **PLANS,
    **RUN_VIEWS,
    **FLOWS,
    **LOCAL_PIPELINES,
    **WORKFLOWS,
    **DRIVING,
    **STORAGE,
    **STACKS,
    **REPORTS,
    **HDFS,
    **CHECKS,
    **HINTS,
    **OPENPAI,
    **ALERTS,
    **TRACKING,
    **COSTS,
}
_PLACE = re.compile(r"\{(\w+)\}")
_BEFORE = re.compile(
    r"(note|(?:chief|master|ps|worker|evaluator)-\d+|j\d[0-9a-z]+): (.+)"
)  # before a sentence: what it is, or which replica or job it is about
_TYPED_BEFORE = re.compile(r"['\"=./$-]$")  # what stands before or behind a name that is typed
_QUOTED = r"'(?:[^'\\]|\\.)*'" + r'|"(?:[^"\\]|\\.)*"'  # as `repr` writes it
_TYPED_BEHIND = re.compile(r"['\"=/_-]|[.:]\w")
_OURS = "[\u4e00-\u9fff\u3001\u3002\uff00-\uffef]"  # Chinese letters and full-width punctuation
_BLANK = re.compile(f"(?<={_OURS}) (?={_OURS})| (?=[\u3001\u3002\uff00-\uffef])|(?<=[\u3001\u3002\uff00-\uffef]) ")
_DEEPEST = 3  # a sentence in a sentence
_LONGEST = 1000  # characters; longer lines are no sentences, and would be matched for seconds


def in_chinese(text: str) -> str:
    """Translate the text into Chinese, line by line if it is not known as a whole."""
    return _said(text, 0)


@lru_cache(maxsize=1000)
def _short(text: str, depth: int) -> str:
    """Translate a text that may be one sentence; results are cached, as live views repeat them."""
    if text in SENTENCES and not _PLACE.search(text):
        return SENTENCES[text]
    if (found := _BEFORE.fullmatch(text)) and (known := _said(found[2], depth + 1)) != found[2]:
        return _joined(f"{'注意' if found[1] == 'note' else found[1]}：", known)
    for pattern, chinese, typed in _patterns():
        if found := pattern.fullmatch(text):
            given = found.groupdict().items()
            return _filled(
                chinese, {name: value if name in typed else _said(value, depth + 1) for name, value in given}
            )
    return _line_for_line(text, depth)


def _filled(chinese: str, held: Mapping[str, str]) -> str:
    """Fill in the places of a twin, with the blanks that belong between its words and theirs (rule 3)."""
    text = ""
    for number, part in enumerate(_PLACE.split(chinese)):
        text = _joined(text, held[part] if number % 2 else part)
    return text


def _joined(left: str, right: str) -> str:
    if re.search(r"[.!?]$", left) and re.match("[\u4e00-\u9fff]", right):  # an English sentence, and ours behind it
        return f"{left} {right}"
    cut = max(len(left) - 2, 0)  # only where the two meet: blanks of names and values stay
    return left[:cut] + _BLANK.sub("", left[cut:] + right[:2]) + right[2:]


def _said(text: str, depth: int) -> str:
    return _line_for_line(text, depth) if len(text) > _LONGEST or depth > _DEEPEST else _short(text, depth)


def _line_for_line(text: str, depth: int) -> str:
    return text if depth or "\n" not in text else "\n".join(_said(line, 1) for line in text.split("\n"))


@cache
def _patterns() -> list[tuple[re.Pattern[str], str, frozenset[str]]]:
    """Compile the templates, those with the most literal text first."""
    templates = [(english, chinese) for english, chinese in SENTENCES.items() if _PLACE.search(english)]
    templates.sort(key=lambda pair: -len(_PLACE.sub("", pair[0])))
    return [(_pattern(english), chinese, _typed(english)) for english, chinese in templates]


def _typed(template: str) -> frozenset[str]:
    """Return the places of a template that hold what is typed: names, which are no words of ours."""
    return frozenset(
        place[1]
        for place in _PLACE.finditer(template)
        if place[1].startswith("name")
        or template.count("`", 0, place.start()) % 2
        or _TYPED_BEFORE.search(template[: place.start()])
        or _TYPED_BEHIND.match(template, place.end())
    )


def _pattern(template: str) -> re.Pattern[str]:
    parts = _PLACE.split(template)
    return re.compile("".join(_place(part) if number % 2 else re.escape(part) for number, part in enumerate(parts)))


def _place(name: str) -> str:
    """Return the pattern of what is filled in; a name in quotes may have blanks, and would end at the first one."""
    if name == "n":
        return rf"(?P<{name}>[\d,]+)"
    return f"(?P<{name}>{_QUOTED}|.*?)" if name.startswith("name") else f"(?P<{name}>.*?)"
