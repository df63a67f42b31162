"""Job files of OpenPAI: checked as its servers check them, warned about, completed. Pure, and cheap to import.

validate    sentences about what is wrong         lint     warnings about commands
read_job_file   the text as an object             completed, suffixed   what is filled in before it is sent
hiding      secrets taken out, and put back       running  the file as a job that this machine can run
v1, v2      the rules of each version             rules    what they are made of
"""

from typing import Literal

from pai_jupyter.backends.openpai.job_file import v1, v2
from pai_jupyter.backends.openpai.job_file.lint import lint, lint_command, lint_script
from pai_jupyter.backends.openpai.job_file.reading import read_job_file, version_of
from pai_jupyter.backends.openpai.job_file.rules import shown
from pai_jupyter.backends.openpai.job_file.variables import ONE_LOG, completed, filled_in, suffixed, with_one_log
from pai_jupyter.errors import SpecError

__all__ = [
    "ONE_LOG",
    "Version",
    "completed",
    "filled_in",
    "lint",
    "lint_command",
    "lint_script",
    "read_job_file",
    "suffixed",
    "validate",
    "version_of",
    "with_one_log",
]

Version = Literal["v1", "v2"]
_PROBLEMS = {"v1": v1.problems, "v2": v2.problems}


def validate(config: object, version: str) -> list[str]:
    """Return sentences about what is wrong with a job file, a text or an object; [] when it is good.

    `version`: "v1" (JSON, clusters of the YARN generation) or "v2" (YAML). It never raises.

    Example:
        >>> validate({"jobName": "demo", "image": "python:3.11", "taskRoles": []}, "v1")
        ['`taskRoles` is empty. Give it at least one entry.']
    """
    if not isinstance(version, str) or version not in _PROBLEMS:
        given = repr(version[:60]) if isinstance(version, str) else shown(version)
        return [f"the version of a job file is 'v1' or 'v2', and not {given}."]
    try:
        return list(dict.fromkeys(_PROBLEMS[version](read_job_file(config, version))))
    except SpecError as exc:
        return [str(exc)]
