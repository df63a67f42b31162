"""Sentences of magics, checks and hints in 中文: every one has a twin, and what is filled in comes through."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pai_jupyter
from pai_jupyter.diagnostics import Check
from pai_jupyter.errors import SpecError
from pai_jupyter.magics.config_magics import _table
from pai_jupyter.magics.registry import MAGICS
from pai_jupyter.magics.table import Table
from pai_jupyter.view import render_text, said
from pai_jupyter.view.chinese import SENTENCES, in_chinese
from pai_jupyter.view.chinese.manual import MANUAL
from pai_jupyter.view.clean import clean
from pai_jupyter.view.words import in_own_language
from tests.support.drawings import FAILED, view
from tests.support.shells import Shell

ROOT = Path(pai_jupyter.__file__).parent
SPOKEN_ELSEWHERE = {  # parts of the package whose sentences have no twin here, and why
    "view/chinese": "the twins themselves",
    "view/words.py": "its words are in the catalogue beside them (test_view_words)",
    "view/html.py": "styles; what it says is in the catalogue",
    "view/usage.py": "its words are in the catalogue",
    "report/curves.py": "styles of a picture",
    "report/notebook.py": "what is typed in its cells; its words are those of the page",
    "report/page.py": "styles; its words are in the table (tests/report)",
    "view/run": "its words are in the catalogue beside them (tests/view/run)",
    "wire/protocol/offers.py": "has a table of its own (tests/form/test_machines.py)",
    "wire/protocol/value_rows.py": "its sentence is one of value_sentences (tests/form/test_sentences.py)",
    "wire/protocol/value_sentences.py": "is such a table (tests/form/test_sentences.py)",
    "form": "its words and sentences have their own tables (tests/form/test_sentences.py)",
    "cell/wording.py": "what it makes of hints is translated by `chinese.authors` (test_wording)",
    "delivery/bodies.py": "its words are in a table beside them, in both languages",
    "delivery/process.py": "a program; its end is for its own log",
    "emulator": "what it answers is PAI's and OSS's own English; its terminal is a program's",
    "contract/launcher.py": "a script that PAI runs",
    "backends/docker/peers.py": "a script of containers",
    "contract/compat.py": "a script that PAI runs",
    "contract/workdir.py": "a script that PAI runs",
    "contract/training_job.py": "descriptions in a record of PAI",
    "cloud/client/aiworkspace.py": "addresses of the service",
    "cloud/client/dlc.py": "addresses of the service",
    "cloud/client/dsw.py": "addresses of the service",
    "cloud/client/paiflow.py": "addresses of the service",
    "cloud/client/paistudio.py": "addresses of the service",
    "backends/docker/image_facts.py": "a script in the container",
    "component/git_clone.py": "words of git; its sentences are in the table",
    "workflow/container_script.py": "a script in the container",
    "wire/schema": "declarations, and what generates from them",
    "wire/protocol/requests.py": "for programs that speak the wire wrongly",
    "backends/docker/script.py": "a script in the container",
    "backends/openpai/epilogue.py": "a script in the task; its sentences are lines of the log",
    "backends/openpai/prologue.py": "a script in the task; its sentence is in the table",
    "backends/docker/starter": "runs in another process, and tells only ours",
    "backends/process/supervisor": "runs in another process, and writes only records",
    "backends/process/plain_marshal.py": "why a cache of Python's is not read; nobody is told",
    "hyperparameters/writing.py": "code that is written into scripts",
    "hyperparameters/known_modules.py": "names of modules",
    "cell/packages.py": "names of packages",
    "events/log_parsers": "words of logs",
    "events/signs.py": "words of logs",
    "cell/in_job": "runs in the job, and writes only its log",
    "shards/pai_shards.py": "runs in the job, and writes only its log",
}
SOURCES = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if not any(f"{path.relative_to(ROOT)}".startswith(each) for each in SPOKEN_ELSEWHERE)
]
FEWEST = 6  # letters of its own; a template of less would fit anything
NO_SENTENCES = (  # signatures, patterns, HTML, names of threads, what is to be typed, lines of logs
    r"(import|from) [\w.{}]+( import| as|$).*|os\.path\.join.*|"
    r"(between|at least|at most|above|below|text of a length) \{.*|--(backend|option|role|instance-type) [\w.{}=:]+|"
    r"JobConfig\.create\((\\1|worker)_.*|"
    r" · rerun of \{\}|.*(Callable\[|Mapping\[|\| None| \.\*|\.\+|\\S|\\\(|\\\[|\(\?|<[a-z]+[ >]|CUDA out of memory|"
    r"cannot import name|EOF when|"
    r"No CUDA GPUs|pai-jupyter transfer|is not defined|No module named|SOURCE TARGET|"
    r"(LOCAL|/PATH)\.\.\. \S+|oss://\.\.\. -y|%%pai_(train|component) \{|ipykernel \{|"
    r"JobBody \| Graph|RunStep \| RunTry|Reference \| LoadedArgument.*|, Python \{|%s|NAS=DIR|"
    r"sha256|exec |# |DataLoader worker).*|%pip .*|TensorBoard \{\}|\{\} of \{\}.*|%pai_config wizard|NAME=VALUE \| PROFILE|"
    r"import sys; .*|import site; .*|could not select .*|"
    r"bind source path .*|invalid reference format.*|unauthorized\|.*|manifest.*|range of cpus .*|\{\}exit code \{\}|"
    r"(dict|tuple)\[.*|default-src .*|\S*status \{\}|<\w+ \{\}.*|.*; charset=\S+|.*; filename=.*|\{\} Credential=.*|403 Forbidden|"
    r"Python \{\}|request \{\}|pip install \{\}|%pai_rerun \{\}|--mount-map nas.*|--entry-point NAME\{\}|"
    r"entry_point \{\}|if __name__ == .*|"
    r"module \{\} has no attribute \{\}|\{\} object has no attribute \{\}|test .* && test .*|TensorBoard \| TensorBoardApp"
)
UNSAID = {  # what nobody who has a job ever reads: notes of the log, of assertions, of programs to each other
    "an upload that could not start has been answered",
    "as `_listing_backends` has found",
    "of another version, or damaged",
    "-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "asked for as a pipe",
    "dubious ownership",
    "what a job is started from is not recorded",
    "`with_provider` has written it",
    "as `SORTED` has it",
    "counts of a track are no numbers",
    "table of a track is none",
    "direct addresses have a port",
    "Exception ignored in",
    "fetching server API version",
    "a list of texts",
    "keeping the list of jobs current ended",
    "length or checksum",
    "ermission denied",  # words of py-spy
    "not permitted",
    "elevated permissions",
    "timed out",
    "no space left on device|disk quota exceeded",
    "nobody knows the job yet",
    "it was chosen",
    "only an answer wakes",
    "pai-jupyter question",
    "pai_jupyter: {}",
    "parse xml",
    "the last try returns or leaves a doubt",
    '{"jobName": ...',  # how a job file begins
    '{"currency": "CNY", "per_hour": {"ecs.c6.large": 0.8}',  # a price list, as `template` reads it
    '{"currency": "CNY", "per_hour": {"{}": 6.2}}',
    "protocolVersion: 2",
    "Bearer {}",
    'exec "$(command -v bash || command -v sh)" -c {}',
    "a field of no known wire type",
    "a field that leaves its message",
    "a number without end",
    "a request is a JSON object with `id`, `kind` and `job`.",
    "a request failed",
    "a request on the socket of pai_jupyter failed",
    "a {} request needs `view`, a name that the client chooses.",
    "this view does not show run {}. Ask for `watch_run` first.",
    "`parameters` must be an object of values by name.",
    "watching run {} ended",
    "every view",
    "{} emulator",  # a title, which is in the catalogue of the view
    "PAIFlow 模拟器",  # the same in Chinese
    "preparing 0 {}\n",
    "the display of a job is no longer updated",
    "the archive has more than {} bytes",
    "the archive has more than {} members",
    "What lies in /ml/output beside the other channels",
    "What the job left in its working directory",
}


@pytest.fixture
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAI_JUPYTER_LANG", "zh")


def template(node: ast.AST) -> str | None:
    """The text of a literal; what is filled in is `{}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace("{{", "{").replace("}}", "}")
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return None


def left_out(tree: ast.Module) -> set[int]:
    """Docstrings, patterns, keys of tables, and parts of other literals."""
    found: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile":
            found |= {id(each) for each in ast.walk(node)}
        if isinstance(node, ast.JoinedStr):
            found |= {id(each) for each in ast.walk(node) if each is not node and not isinstance(each, ast.IfExp)}
    return found


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text())
    skipped = left_out(tree)
    for node in ast.walk(tree):
        text = None if id(node) in skipped else template(node)
        if isinstance(node, ast.Constant | ast.JoinedStr) and text and is_sentence(text):
            yield node.lineno, text


def is_sentence(text: str) -> bool:
    own = re.sub(r"\{\w*\}", "", text)
    return (
        " " in text.strip()
        and len(re.findall(r"[A-Za-z]", own)) >= FEWEST
        and text not in UNSAID
        and not re.fullmatch(NO_SENTENCES, text, re.DOTALL)
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_sentence_has_a_chinese_twin(path: Path) -> None:
    known = {re.sub(r"\{\w*\}", "{}", english) for english in (*SENTENCES, *MANUAL)}
    missing = [
        f"{path.name}:{line}: {text!r}" for line, text in sentences(path) if re.sub(r"\{\w*\}", "{}", text) not in known
    ]
    assert missing == []


@pytest.mark.parametrize("english", SENTENCES)
def test_a_twin_keeps_what_is_filled_in(english: str) -> None:
    places = re.findall(r"\{\w+\}", english)
    assert sorted(places) == sorted(re.findall(r"\{\w+\}", SENTENCES[english]))
    assert not places or len(re.findall(r"[A-Za-z]", re.sub(r"\{\w+\}", "", english))) >= 3


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("Nothing was stopped.", "没有停止任何作业。"),
        (
            "PAIStudio refused CreateTrainingJob: no such workspace (WorkspaceNotFound, request 1A-2B). Check the id, the region "
            "and the workspace: it may have been deleted, or be somewhere else.",
            "PAIStudio 拒绝了 CreateTrainingJob：no such workspace (WorkspaceNotFound, request 1A-2B)。请检查 ID、地域和工作空间："
            "它可能已被删除，或在别处。",
        ),
        (
            "there is no such bucket. Check its name and region. (looking at 'oss://nope/a', NoSuchBucket, request 1A)",
            "没有这个 Bucket。请检查其名称和地域。（正在查看 'oss://nope/a', NoSuchBucket, request 1A）",
        ),
        (
            "'/a/b.py' and '/a/B.py' cannot both be in the package. Rename one of them.",
            "'/a/b.py' 和 '/a/B.py' 不能同时在代码包中。请重命名其中之一。",
        ),
        ("job code cannot be followed: it did not answer in time", "无法跟踪作业 code：没有及时响应"),
        (
            'exit code 137: out of memory (limit 1g). Raise it with `options={"docker.memory": "..."}`, or use less',
            '退出码 137：内存不足（限制 1g）。请用 `options={"docker.memory": "..."}` 提高限制，或减少使用',
        ),
        ("log of iris written to out.txt", "iris 的日志已写入 out.txt"),
        ("log of memory written to out.txt", "memory 的日志已写入 out.txt"),
        ("queued: will be stopped", "queued：将被停止"),
        ("note: 2 files already there, unchanged: a, b", "注意：2 个文件已存在，保持不变：a, b"),
        (
            "iris would run on: Local process (asked for)\nNothing was started.",
            "iris 将运行于：本地进程（用户指定）\n没有启动任何作业。",
        ),
        ("ValueError: bad (cell line 3)", "ValueError: bad（单元格第 3 行）"),
        (
            "`lrr` is not declared by the script, and nothing in it reads it. Did you mean `lr`? To use `lrr`, write "
            "`lrr: float = 0.3` on a line of its own at the top level of the script.",
            "脚本没有声明 `lrr`，也不会读取它。是否想写 `lr`？如需使用 `lrr`，请在脚本顶层单独写一行 `lrr: float = 0.3`。",
        ),
        (
            "`lr` is a plain variable on line 3. To give it values, write `lr: float = 0.1` there.",
            "`lr` 是第 3 行的普通变量。要使其成为超参数，请在该行写 `lr: float = 0.1`。",
        ),
        (
            "`lr` is a plain variable in cell [7], line 1. To give it values, write `lr: float = 0.1` there.",
            "`lr` 是单元格 [7] 第 1 行的普通变量。要使其成为超参数，请在该行写 `lr: float = 0.1`。",
        ),
        (
            "`lr` is set on cell line 2 inside `def main`, where it is not seen. Write `lr: float = 0.1` at the top level "
            "instead, or add `# hp:` behind it.",
            "`lr` 在单元格第 2 行的 `def main` 内赋值，不会被识别。请在顶层写 `lr: float = 0.1`，或在该行末尾加上 `# hp:`。",
        ),
        (
            "`lr` is 0; it must be a number above 0 and at most 1 or None.",
            "`lr` 是 0，应为：数字，大于 0，且不大于 1，或 None。",
        ),
        ("`lr` is 'abc'; it must be a number between 1e-05 and 1.", "`lr` 是 'abc'，应为：数字，在 1e-05 和 1 之间。"),
        ("there is no job 'x'. Type %pai_jobs to see them.", "没有作业 'x'。用 %pai_jobs 查看全部。"),
        (
            "input train: there is no './no'. Give a file or directory that exists: -i train=PATH",
            "输入 train：没有 './no'。请指定存在的文件或目录：-i train=PATH",
        ),
        (
            "the registry has no such image (pulling image 'no:1'). Check its name and tag.",
            "镜像仓库中没有此镜像（正在拉取镜像 'no:1'）。请检查名称和标签。",
        ),
        (
            "cell line 3: `npp` is not defined in this cell; the job does not see the notebook's variables. Is `np` meant?",
            "单元格第 3 行：`npp` 在此单元格中没有定义；作业看不到笔记本的变量。是否想写 `np`？",
        ),
        (
            "`--epcohs` is no option of %%pai_train. Did you mean `--epochs`? Type %%pai_train? for the options.",
            "`--epcohs` 不是 %%pai_train 的选项。是否想写 `--epochs`？输入 %%pai_train? 查看选项。",
        ),
        ("model of iris: 2 files in model: a, b", "iris 的 model：model 中有 2 个文件：a, b"),
        ("uploading ./data: 3.4 of 10.0 MiB, 34 %, 5.1 MiB/s", "正在上传 ./data：3.4 of 10.0 MiB, 34 %, 5.1 MiB/s"),
        ("workspace, by number or name [none]: ", "工作空间（编号或名称）[无]："),
        (
            "`--sate` is no option of %pai_jobs. Did you mean `--state`? Type %pai_jobs? for the options.",
            "`--sate` 不是 %pai_jobs 的选项。是否想写 `--state`？输入 %pai_jobs? 查看选项。",
        ),
        (
            "`region` is 'Shang hai', which is not valid; e.g. region=cn-shanghai",
            "`region` 的值 'Shang hai' 无效；例如：region=cn-shanghai",
        ),
        (
            "backend 'process' has no option 'process.memory'; it has none.",
            "后端 'process' 没有选项 'process.memory'；可用的有：无。",
        ),
        (
            "job 'iris' is still queued. Type job.wait() first: it returns at the end of the job.",
            "作业 'iris' 的状态仍是排队中。请先输入 job.wait()：它在作业结束时返回。",
        ),
        (
            "job 'a' cannot be rerun yet: it is not known whether it was started. "
            "Try again when that is known; to see the status, type: %pai_attach a",
            "作业 'a' 还不能重新运行：不知道它是否已启动。请在确定后再试；要查看状态，请输入：%pai_attach a",
        ),
        (
            "the wait for job a has ended, because the job could not be reached for 10 min: no route. The job was not stopped. "
            "To wait for it again: %pai_attach a. To stop it: %pai_stop a",
            "不再等待作业 a：10 分钟内一直无法访问：no route. 作业没有被停止。要继续等待：%pai_attach a。要停止作业：%pai_stop a",
        ),
        (
            "'d' in output 'model' is a link to '/etc', which is not followed. Open what it points to.",
            "输出 'model' 中的 'd' 是指向 '/etc' 的链接，不会跟随。请打开其目标。",
        ),
        (
            "x cannot be unpacked into y: 'a' is a link to '..', which leads out of the archive.",
            "无法将 x 解包到 y：指向 '..' 的链接 'a' 超出了压缩包。",
        ),
        ("'训练 集' is a pipe; it was left out.", "'训练 集' 是管道，已略过。"),
        ("This computer's clock is 7 min ahead of the service's.", "本机时间比服务端快 7 分钟。"),
        ("worker-1: the job ended with exit code 9", "worker-1：作业结束，退出码 9"),
        ("job a failed: master-0: the job ended with exit code 9", "作业 a 失败：master-0：作业结束，退出码 9"),
        ("worker-1: ValueError: no data", "worker-1: ValueError: no data"),
        (
            "note: the role AIMaster is left out: PAI runs its own, and jobs of this machine need none.",
            "注意：角色 AIMaster 不会启动：PAI 运行自己的 AIMaster，本机作业不需要它。",
        ),
        ("note: 2 files replaced: a, b", "注意：2 个文件原已存在，已被替换：a, b"),
        (
            "pai_shards: '/a' has the shards of {'size': 2, 'shard_size': 1}: give these sizes, or another directory with to=...",
            "pai_shards：'/a' 中是 {'size': 2, 'shard_size': 1} 的分片：请使用这些大小，或用 to=... 指定其他目录",
        ),
        (
            "j1mq8x4f0k7d2: the cluster refused the login of bob: Password is incorrect. Give the password again, or with --token a "
            "token: %pai_openpai cluster add NAME HOST USER",
            "j1mq8x4f0k7d2：集群拒绝了 bob 的登录：密码不正确。请重新输入密码，或使用 --token 输入令牌："
            "%pai_openpai cluster add NAME HOST USER",
        ),
        (
            "the cluster refused to list jobs: Guest is not allowed to do this operation. Give the password again, or with --token a "
            "token: %pai_openpai cluster add NAME HOST USER",
            "集群拒绝了列出作业：不允许未登录的用户执行此操作。请重新输入密码，或使用 --token 输入令牌："
            "%pai_openpai cluster add NAME HOST USER",
        ),
        (
            "j1mq8x4f0k7d2: nobody has given the password of bob at http://a.example.org to this process. Type: %pai_openpai cluster "
            "add lab http://a.example.org bob",
            "j1mq8x4f0k7d2：当前进程没有 bob 在 http://a.example.org 的密码。请输入：%pai_openpai cluster add lab "
            "http://a.example.org bob",
        ),
        (
            "the tag 'a b' has a blank in it. A tag has 1 to 50 characters, without blanks, commas, colons, quotes, < and >, and "
            "does not begin with -.",
            "标签 'a b' 含有空格。标签为 1 到 50 个字符，不含空格、逗号、冒号、引号、< 和 >，且不以 - 开头。",
        ),
        ("cost (CNY)", "费用（CNY）"),
        (
            "No progress for 18 s: no new line in the log, and no use of the CPU.",
            "18 s 没有进展：日志没有新行，也没有使用 CPU。",
        ),
        (
            "No progress for 30 min: no new line in the log, and no use of the CPU.",
            "30 分钟没有进展：日志没有新行，也没有使用 CPU。",
        ),
        ("all the log files", "all the log files"),
        ("something that nobody knows", "something that nobody knows"),
        ("", ""),
        ("x" * 100_000, "x" * 100_000),
        ("`a` is b; it must be c " * 4_000, "`a` is b; it must be c " * 4_000),
        ("x" * 5_000 + "\nNothing was started.", "x" * 5_000 + "\n没有启动任何作业。"),
    ],
)
def test_a_sentence_is_said_in_chinese_and_what_is_none_stays(english: str, chinese: str) -> None:
    assert in_chinese(english) == chinese


def test_in_english_everything_stays() -> None:
    assert said("Nothing was stopped.") == "Nothing was stopped."


@pytest.mark.usefixtures("chinese")
def test_tables_and_checks_speak_chinese() -> None:
    table = _table([Check(what="GPUs", found="none", is_there=False)])
    assert repr(table).split() == ["项目", "结果", "解决办法", "–", "GPU", "无"]
    assert "还没有作业" in repr(Table(headers=("name",), rows=(), empty="no jobs yet. Start one with %%pai_train."))


@pytest.mark.usefixtures("chinese")
def test_errors_of_magics_are_shown_in_chinese() -> None:
    with Shell() as shell:
        error = shell.run("%pai_doctor now").error
    assert isinstance(error, SpecError)
    assert error._render_traceback_() == ["SpecError: %pai_doctor 没有选项。"]
    assert str(error) == "%pai_doctor takes no options."


@pytest.mark.usefixtures("chinese")
def test_questions_are_asked_in_chinese() -> None:
    asked: list[str] = []
    in_own_language(asked.append)("Stop 2 jobs? [y/N] ")
    in_own_language(asked.append)("access key secret: ")
    assert asked == ["停止 2 个作业？[y/N] ", "AccessKey Secret："]


def test_a_drawing_in_chinese_says_hint_and_notes_in_chinese() -> None:
    hint = "Use smaller batches, or use another machine."
    notes = ["the image 'x' is not used by the process backend."]
    text = render_text(view(FAILED, language="zh", hint="The disk is full; free space, or write less.", notes=notes))
    assert "提示: 磁盘已满；请释放空间或减少写入。" in text
    assert "注意: 本地进程不使用镜像 'x'。" in text
    assert hint in render_text(view(FAILED, language="zh", hint=hint))


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("name", MAGICS)
def test_the_help_of_a_magic_is_chinese_but_for_what_is_typed(name: str) -> None:
    with Shell() as shell:
        magic = shell.magic(name)
        told = magic.__doc__
        english = magic.__wrapped__.__doc__
    assert told.splitlines()[2:3] == english.splitlines()[2:3]  # the line to type
    words = re.sub(r"`[^`]*`|^ *%.*$|^  +[-[a-z].*?(  |$)|[A-Z_]{2,}\S*", "", told, flags=re.MULTILINE)
    assert not re.search(r"[a-z]{3,} [a-z]{2,} [a-z]{2,}", words), words


def test_no_sentence_of_ours_looks_like_a_secret_that_views_hide() -> None:
    texts = [re.sub(r"\{\w+\}", "ALIBABA_CLOUD_X", sentence).replace("\n", " ") for sentence in SENTENCES]
    hidden = [text for text in texts if clean(text, home="", limit=len(text) + 1) != text]
    assert hidden
    # code for a cell that is refused and has no view; a path, or a setting, that is assigned to that very name
    known = ("getpass.getpass(", '{"ALIBABA_CLOUD_X": "/local/path"}', "add this line to pai_jupyter.toml")
    assert all(any(part in text for part in known) for text in hidden)
