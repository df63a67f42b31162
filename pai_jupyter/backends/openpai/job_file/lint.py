"""Warnings about commands of a job file that run, but not as they are meant. Pure.

The first three are in the seed's own job: its training can fail, and the job succeeds.
"""

import re
from collections.abc import Iterator, Mapping

from pai_jupyter.backends.openpai.job_file.reading import read_job_file, version_of
from pai_jupyter.contract import is_secret
from pai_jupyter.errors import SpecError

_CODE_DIR = re.compile(r"\bcd\s+[\"']?\$\{?PAI_CODE_DIR\b")
_NO_FAILURE = re.compile(r"\bset\s+(-\w+\s+)*-\w*o\s+pipefail\b|\bset\s+-\w*o\w*\s+pipefail\b")
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|#[^\n]*")
_PIPE = re.compile(r"(?<![|>])\|(?![|])&?")
_GIVEN = re.compile(  # NAME=VALUE, --name VALUE
    r"(?<![\w$-])(?:-{0,2}([A-Za-z_][\w-]*)=|--([A-Za-z][\w-]*)\s+)[\"']?([^\s\"';&|]+)"
)
_NO_VALUE = re.compile(r"[$<`(./~-]|.{0,5}$")  # a variable, a template, a path, an option, and what is too short
_REFERENCE = re.compile(r"\$\{?\w+\}?|<%[^%]*%>")
_DROPPED = re.compile(r"^[ \t]*(?:subprocess\.call|os\.system)\(", re.MULTILINE)


def lint(config: object) -> list[str]:
    """Return warnings about the commands of a job file, which is a text or an object; [] for one that cannot be read."""
    version = version_of(config)
    try:
        job = read_job_file(config, version)
    except SpecError:
        return []
    return [
        f"{place}: {warning}"
        for place, command in commands(job, version)
        for warning in (*lint_command(command), *_secrets(command, version))
    ] + _of_job(job, version)


def lint_command(command: str) -> Iterator[str]:
    """Yield warnings about a command."""
    if _CODE_DIR.search(command):
        yield "`cd $PAI_CODE_DIR` fails: it is an address in HDFS. The code lies in the working directory: cd $PAI_JOB_NAME"
    if has_lost_failure(command):
        yield "a failure before the last `|` is not seen. Put in front: set -o pipefail;"


def _secrets(command: str, version: str) -> Iterator[str]:
    """Yield a warning about a text in a command that looks like a secret."""
    given = [(found[1] or found[2], found[3]) for found in _GIVEN.finditer(command) if not _NO_VALUE.match(found[3])]
    names = [name for name, value in given if is_secret(name.replace("-", "_"), value)]
    if names or any(is_secret("", part) for part in _REFERENCE.split(command)):
        said = f"{names[0] if names else 'a text'} looks like a secret, and commands are kept in records. "
        if version == "v1":
            yield f"{said}Put its value into `jobEnvs` under such a name, and write $NAME in its place."
        else:
            yield f"{said}Put its value into `secrets`, and write <% $secrets.NAME %> in its place."


def lint_script(name: str, text: str) -> Iterator[str]:
    """Yield warnings about a file that travels with the job."""
    if name.endswith(".sh") and has_lost_failure(text):
        yield f"{name}: a failure before the last `|` is not seen. Put at the top: set -o pipefail"
    if name.endswith(".py") and (found := _DROPPED.search(text)):
        line = text.count("\n", 0, found.start()) + 1
        yield (
            f"{name}, line {line}: the exit code is dropped, so the job succeeds where this fails. "
            "Use subprocess.check_call, or pass it to sys.exit."
        )


def has_lost_failure(text: str) -> bool:
    """Return whether a shell would not see a failure of a program that another one reads from."""
    return _NO_FAILURE.search(text) is None and _PIPE.search(_QUOTED.sub("''", text)) is not None


def commands(job: Mapping[str, object], version: str) -> Iterator[tuple[str, str]]:
    """Yield each role's name with its command, as one text."""
    roles = job.get("taskRoles")
    if version == "v1" and isinstance(roles, list | tuple):
        for role in roles:
            if isinstance(role, Mapping) and isinstance(role.get("command"), str):
                yield str(role.get("name")), role["command"]
    elif isinstance(roles, Mapping):
        for name, role in roles.items():
            lines = role.get("commands") if isinstance(role, Mapping) else None
            if isinstance(lines, list | tuple):
                yield str(name), "\n".join(line for line in lines if isinstance(line, str))


def _of_job(job: Mapping[str, object], version: str) -> list[str]:
    found = []
    if "killAllOnCompletedTaskNumber" in job:
        found.append("`killAllOnCompletedTaskNumber` has no effect any more. Use minSucceededTaskCount of a role.")
    extras = job.get("extras")
    if isinstance(extras, Mapping):
        found += _not_supported(extras)
    if version == "v2":
        found += [
            f"{name}: where a line of `commands` fails, new servers go on with the next. Begin with: set -e"
            for name, command in commands(job, version)
            if len(command.strip().split("\n")) > 1 and not re.match(r"\s*set\s+-\w*e", command)
        ]
    return found


def _not_supported(extras: Mapping[str, object]) -> Iterator[str]:
    """Yield a sentence for what a cluster does, and this client knows nothing of."""
    if "hivedScheduler" in extras:
        yield "HiveD and its SKU types are not supported: the cluster gets them as the file has them, unchecked. Its portal lists them."
    plugins = extras.get("com.microsoft.pai.runtimeplugin")
    names = [each.get("plugin") for each in plugins if isinstance(each, Mapping)] if isinstance(plugins, list) else []
    if "ssh" in names:
        yield "ssh: how to log in to a task is not shown here. The job's page at the cluster's portal shows it."
