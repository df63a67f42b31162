"""Reword sentences about a job for users who wrote no cell: those of a script file or of Python.

Hints and reasons are written once, for a cell and its magic. The tables here replace the parts that name either.

Rule 1: only our own sentences are changed, never the output of the user's program.
Rule 2: a part that is in no row stays. Tests check that no magic's term is left in any hint or in an error of `Estimator`.
    Options are replaced in any language, so Chinese sentences are reworded after translation.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

Author = Literal["cell", "line", "python", "step"]
"""The reader of a sentence: the author of a cell, of a magic's line for code on disk, of Python, or of a workflow's component."""

_Row = tuple[re.Pattern[str], str]


def _rows(*rows: tuple[str, str]) -> tuple[_Row, ...]:
    return tuple((re.compile(pattern), text) for pattern, text in rows)


PYTHON_NAMES: Mapping[str, str] = {
    "backend": "backend",
    "command": "command",
    "compat": "compat",
    "entry-point": "entry_point",
    "env": "environments",
    "image": "image_uri",
    "include": "source_dir",
    "input": "inputs",
    "instance-count": "instance_count",
    "instance-type": "instance_type",
    "job-type": "job_type",
    "leave-out": "source_dir",
    "max-cost": "max_cost",
    "max-time": "max_run_time",
    "metric": "metric_definitions",
    "mount-map": "options",
    "odps-limit": "options",
    "only-cell": "source_dir",
    "option": "options",
    "output": "output_path",
    "param": "hyperparameters",
    "params": "hyperparameters",
    "pass-env": "options",
    "requirements": "requirements",
    "role": "roles",
    "return": "output_path",
    "send": "inputs",
    "source-dir": "source_dir",
}
"""The argument of `Estimator` for each %%pai_train option that defines the job."""

_NO_CELL = _rows(
    (r"Add `%pip install (\S+)` to the cell", r"Add `\1` to requirements.txt in the source directory"),
    (r"%pip install (\S+)", r"`\1` in requirements.txt"),
    (r" in the cell\b", " in the script"),
    (r"Run its cell again", "Run it again"),
)
_WORD = r"[^\s`,;:，。；、]*[^\s`,;:.，。；、]"  # the value of an option, without the sentence's full stop
_PYTHON = _rows(
    # whole phrases first
    (r"to requirements\.txt in the source directory", "to `requirements`, or to requirements.txt in `source_dir`"),
    (r"send it along with --include ([\w.]+?)\.(?=\s|$)", r"put \1 into `source_dir`."),
    (r"send (it|the script) along with --include", r"put \1 into `source_dir`"),
    (r"--include ([\w.]+?)\.(?=\s|$)", r"put \1 into `source_dir`."),
    (r"send it along with --include", "put it into `source_dir`"),
    (r"--include the script", "put the script into `source_dir`"),
    (r"add what it points to by --include PATH", "put what it points to into `source_dir`"),
    (r"Give it with -o NAME=PATH; the name becomes upper case", "Take one that every job has, e.g. PAI_OUTPUT_MODEL"),
    (r"Remove -i or -p", "Remove it from `inputs` or from the values"),
    (r"-o CHANNEL=DIR, or `output_path`", "`output_path`"),
    (r"run what is there \(%pai_train, with one %\)", "give no changed values"),
    (r"\(in a form or -p\)|from a form or -p", "from `hyperparameters`"),
    (r"%pai_stop \S+ ends them", "`job.stop()` ends them"),
    (r"run with --requirements none", "leave `requirements` out"),
    # one option each, with its value
    (r"-i (\w[\w.-]*)=([^\s`,;)，。；、]+[^\s`,;.)，。；、])", r'`inputs={"\1": "\2"}`'),
    (r"-p ([\w-][\w.-]*)=\.\.\.", r'`hyperparameters={"\1": ...}`'),
    (r"-p ([\w-][\w.-]*)=([\w.]*\w)", r'`hyperparameters={"\1": \2}`'),
    (r"-o [\w.-]+=([^\s`,;)]+[^\s`,;.)])", r'`output_path="\1"`'),
    (r"`?--mount-map (\S+?://[^\s=`]+)=\.\.\.`?", r'`options={"local.mount_map": {"\1": "..."}}`'),
    (r"`--mount-map ([^\s=`]+)=`", r'`options={"local.mount_map": {"\1": ...}}`'),
    (rf"`?--mount-map ([^\s=`]+)=({_WORD})`?", r'`options={"local.mount_map": {"\1": "\2"}}`'),
    (r"`?--odps-limit (\S*\w)`?", r'`options={"local.odps_limit": \1}`'),
    (r"--odps-limit", '"local.odps_limit" in `options`'),
    (r"`?--pass-env (\w+)`?", r'`options={"local.pass_env": ["\1"]}`'),
    (r"--option ([a-z]+\.\w+)=true", r'`options={"\1": True}`'),
    (r"--option ([a-z]+\.\w+)=(\.\.\.|\w+)", r'`options={"\1": "\2"}`'),
    (r"--option ([a-z]+\.\w+)=(\{[^}]*\})", r'`options={"\1": \2}`'),
    (r"--option ([a-z]+\.\w+) and ([a-z]+\.\w+)", r'"\1" and "\2" in `options`'),
    (r"--option ([a-z]+\.\w+)", r'"\1" in `options`'),
    (r"--env (\w+)=(\w+|\.\.\.)", r'`environments={"\1": "\2"}`'),
    (r"--metric '(\w+):([^']*)'", r'`metric_definitions=[{"Name": "\1", "Regex": "\2"}]`'),
    (r"--command ('[^']*')", r"`command=\1`"),
    (r"`?--image ([\w.:/-]*\w)`?", r'`image_uri="\1"`'),
    (r"`?--instance-type ([\w.-]*\w)`?", r'`instance_type="\1"`'),
    (r"`?--instance-count (\w+)`?", r"`instance_count=\1`"),
    (r"--compat (\w+)", r'`compat="\1"`'),
    (r"--job-type (\w+)", r'`job_type="\1"`'),
    (r"`--role ([^`]*)`", r'"\1" in `roles`'),
    (r"--role (\w+)=(\w+):([\w.-]*\w)", r'`Role(name="\1", instance_count=\2, instance_type="\3")`'),
    (r"--role (\w+)=(\w+)", r'`Role(name="\1", instance_count=\2)`'),
    (r"--max-time (\w+)", r"`max_run_time` (seconds)"),
    (rf"`?--max-cost ({_WORD})`?", r'`max_cost="\1"`'),
    (r"--backend (\w+)", r'`backend="\1"`'),
    (rf"--source-dir ({_WORD})", r'`source_dir="\1"`'),
    (r"--include \S*\w", "`source_dir`"),
    *((rf"`?--{option}(?![\w-])`?", f"`{name}`") for option, name in PYTHON_NAMES.items()),
    (r"(?<![\w`-])-p\b", "`hyperparameters`"),
    (r"(?<![\w`-])-i\b", "`inputs`"),
    (r"(?<![\w`-])-o\b", "`output_path`"),
)

_STEP = _rows(
    (
        r"Give it with -i NAME=PATH; the name",
        'Declare it: as_component(inputs=[PipelineArtifact("NAME")]), and give it to the step; the name',
    ),
    (
        r"Give it with -o NAME=PATH; the name",
        'Declare it: as_component(outputs=[PipelineArtifact("NAME")]); the name',
    ),
    (r"Give it with -p NAME=VALUE", 'Declare it: CustomJob(parameters={"NAME": VALUE})'),
)


def reworded(text: str, author: Author, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Reword a sentence of ours for this author; `names` maps arguments to their names there."""
    rows = {"cell": (), "line": _NO_CELL, "python": (*_NO_CELL, *_PYTHON), "step": (*_STEP, *_NO_CELL, *_PYTHON)}[
        author
    ]
    for pattern, words in rows:
        text = pattern.sub(words, text)
    for name, other in names.items():
        text = re.sub(rf"(?<=`){name}(?=[=`])", other, text)
    return text
