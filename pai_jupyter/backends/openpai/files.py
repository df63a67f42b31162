"""Job files as jobs: one for a cluster, one for this machine; and the files that travel beside a job file.

`.vscode/settings.json` beside the job file, as the client for VS Code has it, says which: `pai.job.upload.enabled`, `include`
(default `**/*.py`, `**/*.sh`) and `exclude`.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pai_jupyter.backends.local import count_gpus
from pai_jupyter.backends.openpai.info import INFO
from pai_jupyter.backends.openpai.job_file import completed, lint, lint_script, read_job_file, validate, version_of
from pai_jupyter.backends.openpai.job_file.hiding import hidden, references
from pai_jupyter.backends.openpai.job_file.running import runnable
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json, Role

_INCLUDE = ("**/*.py", "**/*.sh")
_SETTINGS = Path(".vscode") / "settings.json"
MOST_CODE = 200_000_000  # bytes that a cluster copies into a task


def warnings(text: str, files: Mapping[str, bytes]) -> list[str]:
    """Return warnings about the commands of a job file and about files that travel with it."""
    scripts = ((name, data.decode(errors="replace")) for name, data in files.items() if name.endswith((".py", ".sh")))
    return [*lint(text), *(line for name, script in scripts for line in lint_script(name, script))]


def checked(text: str) -> tuple[dict[str, Any], str]:  # Any: JSON
    """Return a job file and its version.

    Raises:
        SpecError: it is none, or something in it is wrong: all of it, a line each.
    """
    version = version_of(text)
    if problems := validate(text, version):
        raise SpecError("\n".join(problems), field="file")
    return dict(read_job_file(text, version)), version


def cluster_job(text: str, *, cluster: str | None, user: str) -> JobSpec:
    """Return the job that submits the job file; its roles are for those who look at it."""
    given, version = checked(text)
    config, secrets = hidden(given)
    secrets |= {name: os.environ[name] for name in references(config) if name not in secrets and name in os.environ}
    shown = runnable(config, version, user=user)
    options: dict[str, Json] = {f"{INFO.name}.job": config, **({f"{INFO.name}.cluster": cluster} if cluster else {})}
    return replace(shown, environments=secrets, options=options)


def check_code(text: str, files: Mapping[str, bytes]) -> None:
    """Refuse files for `codeDir`: nothing copies them there, and the job would run without them.

    Raises:
        SpecError: it says what to do.
    """
    config, version = checked(text)
    if version == "v1" and config.get("codeDir") and files:
        raise SpecError(
            f"submitting does not copy files to `codeDir`, and {min(files)!r} would be missing in the task. Copy them to a directory "
            'of HDFS: %pai_hdfs put . /PATH, name that directory as `codeDir`, and write "pai.job.upload.enabled": false to '
            ".vscode/settings.json beside the job file.",
            field="upload",
        )


def local_job(text: str, *, user: str, images: Sequence[tuple[str, str]] = ()) -> tuple[JobSpec, list[str]]:
    """Return the job as this machine can run it, and notes; `images`: patterns of names, and local images for them."""
    config, version = checked(text)
    name = str(config["jobName" if version == "v1" else "name"])
    spec = runnable(completed(config, version, name=name, user=user), version, user=user)
    has_gpus, notes = count_gpus() > 0, []
    if not has_gpus and any(role.gpus for role in spec.roles):
        notes.append("this machine has no GPUs, so the simulation runs without those that the job asks for.")
    roles = tuple(_here(role, images, has_gpus=has_gpus) for role in spec.roles)
    return replace(spec, roles=roles, image_uri=roles[0].image_uri), notes


def _here(role: Role, images: Sequence[tuple[str, str]], *, has_gpus: bool) -> Role:
    image = next((local for pattern, local in images if fnmatchcase(role.image_uri or "", pattern)), role.image_uri)
    return replace(role, image_uri=image, instance_type="local_gpu" if role.gpus and has_gpus else "local")


def travelling(folder: Path, patterns: Sequence[str] = ()) -> dict[str, bytes]:
    """Return the files beside a job file that go with it, by their paths.

    Raises:
        SpecError: the settings cannot be read, or the files are more than a cluster takes.
    """
    include, exclude = (tuple(patterns), ()) if patterns else _wanted(folder / _SETTINGS)
    found: dict[str, bytes] = {}
    for pattern in include:
        for path in sorted(folder.glob(pattern)):
            name = path.relative_to(folder).as_posix()
            is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
            if path.is_file() and not is_hidden and not any(fnmatchcase(name, each) for each in exclude):
                found[name] = path.read_bytes()
    if (size := sum(map(len, found.values()))) > MOST_CODE:
        raise SpecError(
            f"the files are {size} bytes; a cluster takes {MOST_CODE}. Name fewer: --upload GLOB", field="upload"
        )
    return found


def _wanted(settings: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not settings.is_file():
        return _INCLUDE, ()
    try:
        given = json.loads(settings.read_text(encoding="utf-8"))
        if given.get("pai.job.upload.enabled") is False:
            return (), ()
        return tuple(given.get("pai.job.upload.include") or _INCLUDE), tuple(given.get("pai.job.upload.exclude") or ())
    except (OSError, ValueError, AttributeError, TypeError) as exc:
        raise SpecError(f"'{settings}' cannot be read. Correct it, or type --upload GLOB", field="upload") from exc
