"""Job files as jobs: one for a cluster, one for this machine; and what of their folders goes with them."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends.local import count_gpus
from pai_jupyter.backends.openpai.info import INFO
from pai_jupyter.backends.openpai.job_file import completed, lint, lint_script, read_job_file, validate, version_of
from pai_jupyter.backends.openpai.job_file.hiding import REFERENCE, hidden, references
from pai_jupyter.backends.openpai.job_file.running import runnable
from pai_jupyter.backends.openpai.job_folder import SETTINGS, read_settings, unmatched_patterns
from pai_jupyter.config import secret_place_in
from pai_jupyter.contract.task_roles import task_variables
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json, Role
from pai_jupyter.store import MASKED

_PART = r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*"
_IMAGE = re.compile(
    rf"(?:[A-Za-z0-9.-]+(?::\d+)?/)?{_PART}(?:/{_PART})*(?::\w[\w.-]{{0,127}})?(?:@sha256:[0-9a-f]{{64}})?", re.ASCII
)


def warnings(text: str, files: Mapping[str, bytes]) -> list[str]:
    """Return warnings about the commands of a job file and about files that travel with it."""
    scripts = ((name, data.decode(errors="replace")) for name, data in files.items() if name.endswith((".py", ".sh")))
    return [*lint(text), *(line for name, script in scripts for line in lint_script(name, script))]


def problems(text: str) -> list[str]:
    """Return sentences about what is wrong with a job file, among it that a known secret would be kept in clear; [] if nothing is."""
    version = version_of(text)
    if found := validate(text, version):
        return found
    place = secret_place_in(hidden(read_job_file(text, version))[0])
    return [] if place is None else [_refusal(place, version)]


def _refusal(place: str, version: str) -> str:
    said = f"`{place}` holds one of the secrets loaded in this session, which would be kept in records and on the cluster. "
    if version == "v1":
        return f"{said}Take it out, have it in `jobEnvs` under the name MY_SECRET, and write $MY_SECRET in its place."
    return f"{said}Take it out, have it in `secrets` under the name my_secret, and write <% $secrets.my_secret %> in its place."


def checked(text: str) -> tuple[dict[str, Any], str]:  # Any: JSON
    """Return a job file and its version.

    Raises:
        SpecError: it is none, or something in it is wrong: all of it, a line each.
    """
    version = version_of(text)
    if found := problems(text):
        raise SpecError("\n".join(found), field="file")
    return dict(read_job_file(text, version)), version


def cluster_job(text: str, *, cluster: str | None, user: str, has_own_name: bool = False) -> JobSpec:
    """Return the job that submits the job file; its roles are for those who look at it.

    `has_own_name`: its name stays as the file says it.
    """
    given, version = checked(text)
    config, secrets = hidden(given)
    secrets |= {name: os.environ[name] for name in references(config) if name not in secrets and name in os.environ}
    shown = runnable(config, version, user=user)
    options: dict[str, Json] = {f"{INFO.name}.job": config, **({f"{INFO.name}.cluster": cluster} if cluster else {})}
    if has_own_name:
        options[f"{INFO.name}.own_name"] = True
    return replace(shown, environments=secrets, options=options)


def known_variables(
    spec: JobSpec,
    config: Mapping[str, Any],  # Any: JSON
    of_job: Mapping[str, str],
) -> dict[str, dict[str, str]]:
    """Return what the tasks of a job file are told, by replica; secrets masked."""
    given = config.get("jobEnvs")
    own = dict(given) if isinstance(given, Mapping) else {}
    shown = {name: MASKED if REFERENCE.search(str(value)) else str(value) for name, value in own.items()}
    return {each.name: {**_told(spec, each), **of_job, **shown} for each in contract.replicas(spec)}


def _told(spec: JobSpec, replica: contract.Replica) -> dict[str, str]:
    """Return a task's variables of OpenPAI that are the same wherever it runs: no addresses and ports."""

    def at(host: str, port: int) -> dict[str, str]:
        return task_variables(
            spec, replica, host=lambda _: host, ports=lambda each: [port] * contract.port_count(spec, each)
        )

    here, elsewhere = at("a", 1), at("b", 2)
    return {name: value for name, value in here.items() if value == elsewhere[name]}


def code_files(text: str, files: Mapping[str, bytes], *, is_asked: bool) -> dict[str, bytes]:
    """Return those of the files that go to the cluster: with a `codeDir` all of them.

    Raises:
        SpecError: somebody has asked for files to go (`is_asked`), and they cannot.
    """
    config, version = checked(text)
    if version == "v1" and config.get("codeDir"):
        return dict(files)
    if is_asked:
        raise SpecError(
            "`--upload` names files, but the job file has no `codeDir` to which they could go. Leave it out, or add to a job file of "
            'version 1: "codeDir": "$PAI_DEFAULT_FS_URI/$PAI_USER_NAME/$PAI_JOB_NAME"',
            field="upload",
        )
    return {}


def upload_notes(text: str, folder: Path, *, is_asked: bool) -> list[str]:
    """Return notes about settings of the folder that have no effect."""
    if is_asked:
        return []
    notes = [f"{SETTINGS}: no file matches {pattern!r}." for pattern in unmatched_patterns(folder)]
    config, version = checked(text)
    if read_settings(folder).is_given and not (version == "v1" and config.get("codeDir")):
        notes.append(f"{SETTINGS}: no file goes with this job, since the job file has no `codeDir`.")
    return notes


def file_images(text: str) -> list[str]:
    """Return the images of the roles, each once."""
    config, version = checked(text)
    return list(
        dict.fromkeys(role.image_uri for role in runnable(config, version, user="user").roles if role.image_uri)
    )


def local_job(text: str, *, user: str, images: Sequence[tuple[str, str]] = ()) -> tuple[JobSpec, list[str]]:
    """Return the job as this machine can run it, and notes; `images`: patterns of names, and local images for them."""
    for _, local in images:
        if not _IMAGE.fullmatch(local):
            raise SpecError(f"{local[:100]!r} is no name of an image; an example: python:3.11-slim", field="images")
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
