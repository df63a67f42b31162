"""Explain why a job failed and what to do about it, in one sentence each.

Rule 1: what ended the process comes first: a signal outweighs an exception logged before it.
Rule 2: then Python's traceback, or the last message of argparse or the shell, depending on the exit code.
Rule 3: a hint is given only if it is nearly always right; no hint is better than a wrong one.
"""

import re
import signal as signals
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pai_jupyter.cell.failure import ExceptionFound
from pai_jupyter.cell.packages import package_of
from pai_jupyter.events import strip_ansi

_MEMORY = "Use smaller batches, or give it more memory (in a container: --option docker.memory=8g)."
_INPUT = "Give it as an input, -i NAME=PATH, or send it along with --include."
_ML = "Take the path from the PAI_* variables: /ml is not there with every backend."
_SPAWNED = re.compile(r"An attempt has been made to start a new process .*")  # multiprocessing's words
_SPAWN = (
    'Start the processes below `if __name__ == "__main__":`, or take them from multiprocessing.get_context("fork"): '
    "a process that is spawned runs all of the code again."
)
_OUTPUT = 'Write to os.environ["PAI_OUTPUT_MODEL"] or another output; inputs are read-only.'


class Explanation(NamedTuple):
    """`hint` is "" if no remedy is known; `line` is the script's line in the traceback.

    `replica` is the one that failed, "" if unknown. In a line of another cell `line` is None; `cause` names that cell.
    """

    cause: str
    hint: str = ""
    line: int | None = None
    replica: str = ""


_SIGNALS = {
    "SIGKILL": Explanation(
        "the job was killed (SIGKILL): often it ran out of memory, else somebody killed it", _MEMORY
    ),
    "SIGTERM": Explanation("the job was terminated from outside (SIGTERM)"),
    "SIGINT": Explanation("the job was interrupted (SIGINT)"),
    "SIGSEGV": Explanation(
        "native code crashed (SIGSEGV)",
        "Set --env PYTHONFAULTHANDLER=1 to see where; often two packages are incompatible.",
    ),
    "SIGBUS": Explanation(
        "bus error (SIGBUS): shared memory or the disk is full",
        "Use num_workers=0 in the data loader, or free disk space.",
    ),
    "SIGABRT": Explanation("native code aborted (SIGABRT); see the last lines of the log"),
    "SIGILL": Explanation(
        "this CPU lacks an instruction that a package uses (SIGILL)", "Use another version of the package or image."
    ),
}

MAX_EXPLAINED = 4_096  # characters of a line that are searched: some patterns take quadratic time

# The last message of a tool before it exits: argparse, the shell, the C library.
_LAST_WORDS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Explanation]], ...] = (
    (
        re.compile(r"(?P<script>\S+): error: (?P<what>unrecognized arguments: .+)"),
        lambda m: Explanation(
            f"{m['script']}: {m['what']}",
            "Add the option to the script's parser, use parse_known_args(), or leave the value out.",
        ),
    ),
    (
        re.compile(r"(?P<script>\S+): error: (?P<what>(?:argument|the following arguments|ambiguous|one of) .+)"),
        lambda m: Explanation(
            f"{m['script']}: {m['what']}",
            "Give the value that the script's parser takes: -p NAME=VALUE or -i NAME=PATH.",
        ),
    ),
    (
        re.compile(r".*?(?:ba|da)?sh: (?:line )?(?:\d+: )?(?P<name>[^:\s]+): (?:command )?not found"),
        lambda m: Explanation(
            f"the command `{m['name']}` was not found", "Use an image that has it, or correct --command."
        ),
    ),
    (
        re.compile(r".*?(?:ba|da)?sh: (?:line )?(?:\d+: )?(?P<name>[^:\s]+): [Pp]ermission denied"),
        lambda m: Explanation(f"`{m['name']}` may not be executed", f"Call its program: --command 'sh {m['name']}'"),
    ),
    (
        re.compile(r".*can't open file '(?P<name>[^']+)': \[Errno 2\].*"),
        lambda m: Explanation(
            f"the script {m['name']} is not among the files of the job",
            "Correct --command, or send the script along with --include.",
        ),
    ),
)
_USAGE_CODES = frozenset({2, 126, 127})  # exit codes that no exception gives
_EXIT_CODES = {
    126: Explanation(
        "the command may not be executed (exit code 126)", "Call its program, e.g. --command 'sh train.sh'"
    ),
    127: Explanation("a command was not found (exit code 127)", "Use an image that has it, or correct --command."),
}

# (type, or "" for any; pattern in the message; hint). The first match counts; {0} is the pattern's first group.
_HINTS: tuple[tuple[str, str, str], ...] = (
    ("ImportError", r"libGL", "Use opencv-python-headless: %pip install opencv-python-headless"),
    ("ImportError", r"cannot import name", "The installed version differs; name one: %pip install PACKAGE==VERSION"),
    (
        "NameError",
        r"name '(\w+)' is not defined",
        "The job does not see the notebook's variables; define `{0}` in the cell.",
    ),
    (
        "KeyError",
        r"PAI_INPUT_(\w+)",
        "The job has no such input. Give it with -i NAME=PATH; the name becomes upper case.",
    ),
    (
        "KeyError",
        r"PAI_OUTPUT_(\w+)",
        "The job has no such output. Give it with -o NAME=PATH; the name becomes upper case.",
    ),
    ("KeyError", r"PAI_HPS_(\w+)", "The job has no such hyperparameter. Give it with -p NAME=VALUE."),
    ("FileNotFoundError", r"'/ml/", _ML),
    ("FileNotFoundError", r"", _INPUT),
    ("NotADirectoryError", r"'/ml/input/", "An input of one file is that file; its variable names it."),
    ("IsADirectoryError", r"/parts/\d+\.[0-9a-f]{12}'", "A shard's result is one file: write it to `shard.path`."),
    ("IsADirectoryError", r"", "An input in a directory is the directory; join the file's name to it."),
    ("PermissionError", r"", _OUTPUT),
    ("OSError", r"\[Errno 30\]", _OUTPUT),
    ("OSError", r"\[Errno 28\]", "The disk is full; free space, or write less."),
    ("EOFError", r"EOF when reading a line", "Nobody can answer input() in a job; make it a hyperparameter."),
    ("MemoryError", r"", _MEMORY),
    ("BrokenProcessPool", r"", "A worker died, often for lack of memory. " + _MEMORY),
    ("", r"CUDA out of memory|CUDA error: out of memory", "Use smaller batches, or a GPU with more memory."),
    (
        "",
        r"No CUDA GPUs are available|Found no NVIDIA driver",
        "Use --instance-type local_gpu, or move nothing to cuda.",
    ),
    ("", r"DataLoader worker .* Bus error", "Shared memory is too small; use num_workers=0."),
    ("", r"DataLoader worker .* killed by signal: Killed", _MEMORY),
)


# what people call their own modules, and nobody means a published package by
_OWN_NAMES = frozenset(
    {
        *("src", "lib", "utils", "util", "helpers", "helper", "common", "config", "configs", "model", "models", "net"),
        *("network", "data", "dataset", "dataloader", "loss", "losses", "metrics", "trainer", "train", "engine"),
        *("modules", "core"),
    }
)


def explain(
    exception: ExceptionFound | None,
    *,
    exit_code: int | None = None,
    signal: int | None = None,
    lines: Sequence[str] = (),
    is_own: Callable[[str], bool] = lambda _: False,
    names_ml: bool = True,
) -> Explanation:
    """Explain the end of a failed job.

    Args:
        exception: what `find_exception` found.
        exit_code: of the process; 128 + N, or -N, is read as signal N.
        signal: the number of the signal that ended it.
        lines: the last lines of the log, for the messages of other tools.
        is_own: whether a module lies beside the notebook or script.
        names_ml: whether the code may name a path below /ml itself.
    """
    by_signal = _signal(signal or _signal_of(exit_code))
    if by_signal:
        return by_signal
    last_words = _last_words(lines)
    if last_words and (exception is None or exit_code in _USAGE_CODES):
        return last_words
    if exception is not None:
        line = exception.line if exception.cell is None else None
        has_spawned = any(_SPAWNED.search(text[:MAX_EXPLAINED]) for text in lines)
        return Explanation(str(exception), _SPAWN if has_spawned else _hint(exception, is_own, names_ml=names_ml), line)
    if exit_code is None:
        return Explanation("the job failed for an unknown reason")
    return _EXIT_CODES.get(exit_code, Explanation(f"the job ended with exit code {exit_code}"))


def _signal_of(exit_code: int | None) -> int:
    if exit_code is None:
        return 0
    return -exit_code if exit_code < 0 else exit_code - 128 if 128 < exit_code <= 192 else 0


def _signal(number: int) -> Explanation | None:
    try:
        name = signals.Signals(number).name
    except ValueError:
        return None
    return _SIGNALS.get(name, Explanation(f"the job was ended by a signal ({name})"))


def _last_words(lines: Sequence[str]) -> Explanation | None:
    for line in reversed(lines):
        for pattern, say in _LAST_WORDS:
            found = pattern.fullmatch(strip_ansi(line[:MAX_EXPLAINED]).strip())
            if found:
                return say(found)
    return None


def _hint(exception: ExceptionFound, is_own: Callable[[str], bool], *, names_ml: bool) -> str:
    kind = exception.type.rpartition(".")[2]
    missing = re.match(r"No module named '([^']+)'", exception.message)
    if kind == "ModuleNotFoundError" and missing:
        module = missing[1].partition(".")[0]
        if module in _OWN_NAMES or is_own(module):
            return f"`{module}` is a module of your own that was not sent; send it along with --include."
        return f"Add `%pip install {package_of(module)}` to the cell. If it is your own file, send it along with --include {module}.py."
    for type_, pattern, hint in _HINTS:
        if hint == _ML and not names_ml:  # made of __file__ or of a variable
            continue
        found = re.search(pattern, exception.message[:MAX_EXPLAINED]) if type_ in ("", kind) else None
        if found:
            return hint.format(*found.groups())
    return ""
