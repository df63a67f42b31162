"""The words of the view: two languages, times, nothing that must not be saved, nothing that changes from run to run."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest

import pai_jupyter.view
from pai_jupyter.events import (
    JobState,
    Metric,
    Notice,
    Phase,
    Status,
    StatusChanged,
    Waiting,
)
from pai_jupyter.jobs import JobRow
from pai_jupyter.jobs.job_index.row import with_state
from pai_jupyter.jobs.where import titles as titles_of_backends
from pai_jupyter.magics.list_magics import jobs_table
from pai_jupyter.view import age, bundle, render_html, render_text, state_word
from pai_jupyter.view.clean import clean, steady, steady_name
from pai_jupyter.view.words import CATALOGUE, GLYPHS, choose_language, clock, duration
from tests.support.drawings import FAILED, START, Page, running, view


def said() -> set[str]:
    """Every text that the view passes to `say`, from its source, and every word that it makes from names."""
    calls = [
        node
        for path in Path(pai_jupyter.view.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say"
    ]
    literals = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    titles = {"metric", "last", "min", "max"}
    return (
        {str(text) for text in literals}
        | titles
        | {"step", "epoch", "queued", *Phase}
        | set(titles_of_backends().values())
        | {s.capitalize() for s in Status}
    )


def test_the_catalogue_has_every_word_and_no_other() -> None:
    assert set(CATALOGUE) == said()


def test_translations_keep_their_places() -> None:
    for text, translated in CATALOGUE.items():
        assert sorted(part.split("}")[0] for part in text.split("{")[1:]) == sorted(
            part.split("}")[0] for part in translated.split("{")[1:]
        )


@pytest.mark.parametrize("status", Status)
def test_every_status_has_a_sign_and_a_word(status: Status) -> None:
    assert state_word(status, "en") == f"{GLYPHS[status]} {status.capitalize()}"
    assert state_word(status, "zh") != state_word(status, "en")


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "PAI_JUPYTER_LANG": "zh"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "PAI_JUPYTER_LANG": "en"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_the_environment_decides_on_the_language(environ: dict[str, str], language: str) -> None:
    assert choose_language(environ) == language


def test_a_chinese_drawing_says_all_in_chinese() -> None:
    text = Page(render_html(view(FAILED, language="zh", values={"lr": 1}, tail=["x"], hint="h", notes=["n"]))).text
    for word in ("失败", "排队", "参数", "指标", "共 1 行，最后 1 行", "提示", "注意", "截至"):
        assert word in text


@pytest.mark.parametrize(
    ("seconds", "texts"),
    [
        (0.2, ("0 s", "0s", "00:00")),
        (59.6, ("59 s", "59s", "00:59")),
        (143, ("2 min", "2m23s", "02:23")),
        (3723, ("1 h", "1h02m", "1:02:03")),
        (200_000, ("2 d", "55h33m", "55:33:20")),
        (-5, ("0 s", "0s", "00:00")),
    ],
)
def test_times_read_as_people_say_them(seconds: float, texts: tuple[str, str, str]) -> None:
    assert (age(seconds), duration(seconds), clock(seconds)) == texts


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("see /home/ada/x and /home/ada", "see ~/x and ~"),
        ("/home/adam and /mnt/home/ada/x", "/home/adam and /mnt/home/ada/x"),
        ("https://b.oss/k?Expires=1&OSSAccessKeyId=a&Signature=b%3D", "https://b.oss/k?Expires=1"),
        ("https://b.oss/k?security-token=a", "https://b.oss/k"),
        ("https://b.oss/k?x-oss-signature=a&x-oss-credential=b&part=2", "https://b.oss/k?part=2"),
        ("key LTAI5tAbcdefghijklmnop", "key ***"),
        ("access_key_secret = 'abc/def+=' next", "access_key_secret = '***' next"),
        ('{"AccessKeySecret": "abc", "a": 1}', '{"AccessKeySecret": "***", "a": 1}'),
        ("MY_API_KEY=abc", "MY_API_KEY=***"),
        ("max_tokens=512 why? really?", "max_tokens=512 why? really?"),
        ("tab\there\x07\x9b", "tab here  "),
        ("x" * 500, "x" * 99 + "…"),
    ],
)
def test_secrets_and_homes_are_cleaned_away(text: str, cleaned: str) -> None:
    assert clean(text, home="/home/ada", limit=100) == cleaned


def test_no_part_of_the_bundle_tells_a_secret_or_a_home() -> None:
    leak = "/home/ada/x https://b.oss/k?Signature=SECRET&OSSAccessKeyId=SECRET secret_key=SECRET LTAI5tSECRETSECRET"
    state = running(
        Metric(name=leak, value=1, time=START),
        Notice(text=leak, time=START),
        StatusChanged(status=Status.FAILED, time=START, reason=leak),
    )
    data = view(state, name=leak, place=leak, tail=[leak], notes=[leak], cause=leak, hint=leak,
                values={"password": "SECRET", "hf_token": "SECRET", leak: leak}, series={leak: [(0, 1), (1, 2)]})  # fmt: skip
    drawn = json.dumps(bundle(data, render="auto"))
    assert "SECRET" not in drawn
    assert "/home/ada" not in drawn


def test_a_title_of_a_terminal_takes_no_letter_behind_it_away() -> None:
    text = "a\x1b]0;a title\x07b \x1b[31mc"
    assert clean(text, home="/home/ada", limit=100, has_colors=True) == "ab \x1b[31mc"


def test_every_long_word_is_cleaned_in_no_time() -> None:
    assert clean("secretx" * 10_000, home="/home/ada", limit=300).endswith("…")


def test_stable_text_is_the_same_on_every_run_and_machine() -> None:
    texts = set()
    for start, unique, home in ((START, "3fa2c1", "/home/ada"), (START + 9_999, "0123ab", "/Users/王")):
        state = running(
            Metric(name="accuracy", value=0.9667, time=start),
            Notice(text=f"took {unique}", time=start),
            StatusChanged(status=Status.SUCCEEDED, time=start + start % 100 + 70, exit_code=0),
            start=start,
        )
        data = view(state, name=f"quickstart-train-{unique}", job_id=unique, home=home, now=start + 500,
                    place=f"process ({home}/bin/python)", tail=[f"{start}"], notes=[home], lines=int(start),
                    values={"lr": 0.1, "seed": 1_000_000, "path": f"{home}/data.csv"})  # fmt: skip
        texts.add(render_text(data, stable=True))
    assert texts == {
        "✓ Succeeded  quickstart-train  Local process\nvalues: lr=0.1, seed=1000000, path=…\naccuracy 0.9667"
    }


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("cell line 3: ZeroDivisionError: division by zero", "cell line 3: ZeroDivisionError: division by zero"),
        ("no file ~/data/x.csv or /tmp/a b", "no file … or … b"),
        ("killed after 12.5 s at 12:30:01 on 2026-11-21", "killed after … at … on …"),
        ("object at 0x7f3a, job 3fa2c19b", "object at …, job …"),
        ("exit code 137", "exit code 137"),
    ],
)
def test_steady_text_drops_what_changes(text: str, left: str) -> None:
    assert steady(text) == left


@pytest.mark.parametrize(
    ("name", "left"),
    [("nb-train-3fa2c1", "nb-train"), ("mnist_20261121-040000", "mnist"), ("resnet-50", "resnet-50"), ("训练", "训练")],
)
def test_a_steady_name_drops_what_made_it_unique(name: str, left: str) -> None:
    assert steady_name(name) == left


@pytest.mark.parametrize(
    ("place", "english", "chinese"),
    [
        ("process (no image is given)", "Local process · local ×1 (no image is given)", "本地进程 · local ×1（没有给出镜像）"),
        ("docker (as job j1-iris)", "Docker · rerun of j1-iris · local ×1", "Docker · 基于 j1-iris 重新运行 · local ×1"),
        ("emulator (ecs.c6 is a type of PAI)", "PAI emulator · local ×1 (ecs.c6 is a type of PAI)",
         "PAI 模拟器 · local ×1（ecs.c6 是 PAI 的实例类型）"),
        ("pai", "PAI · local ×1", "PAI · local ×1"),
        ("my-cluster (asked for)", "my-cluster (asked for) · local ×1", "my-cluster (asked for) · local ×1"),
    ],
)  # fmt: skip
def test_where_a_job_runs_has_a_title_and_its_reason(place: str, english: str, chinese: str) -> None:
    assert english in render_text(view(JobState(), place=place))
    assert chinese in render_text(view(JobState(), place=place, language="zh"))


def test_the_reason_for_the_place_is_a_tooltip_of_the_html() -> None:
    html = render_html(view(JobState(), place='process (a "reason")'))
    assert '<span title="a &quot;reason&quot;">Local process · local ×1</span>' in html


# --- a job in line -----------------------------------------------------------------------------------------------

IN_LINE = "waiting for a free slot: number 3 in line (docker.max_parallel = 2)"


def queued(reason: str) -> JobState:
    return JobState().apply(StatusChanged(status=Status.QUEUED, time=START, reason=reason))


def test_a_job_in_line_says_its_place_in_both_languages() -> None:
    assert IN_LINE in render_text(view(queued(IN_LINE)))
    chinese = render_text(replace(view(queued(IN_LINE)), language="zh"))
    assert "正在等待空闲的并行名额：排在第 3 位（docker.max_parallel = 2）" in chinese
    assert IN_LINE in render_html(view(queued(IN_LINE)))


@pytest.mark.parametrize(
    ("reason", "word"), [(IN_LINE, "◔ Queued (3)"), ("waiting for a GPU", "◔ Queued"), ("", "◔ Queued")]
)
def test_a_list_shows_the_place_in_line(reason: str, word: str) -> None:
    row = with_state(JobRow(id="j1", name="a", backend="docker", place="docker (asked for)"), queued(reason))
    assert jobs_table([row], now=START).rows[0][0] == word


def test_the_reason_is_read_back() -> None:
    waiting = Waiting(place=3, setting="docker.max_parallel", limit=2)
    assert waiting.reason == IN_LINE
    assert Waiting.read(IN_LINE) == waiting
    assert Waiting.read(f"{IN_LINE} ") is None
