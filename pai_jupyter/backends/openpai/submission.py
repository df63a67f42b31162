"""A job as a job file of OpenPAI: the one that it was given, completed, or one made of a cell.

Rule: the name on the cluster follows from the job's id, so the same job is found, and not submitted twice.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from pai_jupyter import contract
from pai_jupyter.backends.info import LOCAL_TYPES
from pai_jupyter.backends.openpai.epilogue import ROOT, OutputsPlace
from pai_jupyter.backends.openpai.info import INFO
from pai_jupyter.backends.openpai.job_file import completed, filled_in, suffixed, validate, version_of, with_one_log
from pai_jupyter.backends.openpai.job_file.hiding import hidden, references, restored
from pai_jupyter.backends.openpai.job_file.reading import check_length
from pai_jupyter.backends.openpai.prologue import MOUNT, PackedCode, has_storage, prologue
from pai_jupyter.contract.task_roles import roles_of
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import JobSpec, Json, Role
from pai_jupyter.store import MASKED

_CPUS, _MEMORY = 2, 4096  # of a task that says nothing; megabytes
_LONGEST = 200  # characters of a name
_SHORTEST = 4  # characters of a secret: shorter ones are in every sentence
_MARK = "pai_jupyter.job"  # the job's id, among the extras of a job file


def job_name(spec: JobSpec, job_id: str) -> str:
    """Return the job's name on the cluster, without the user."""
    config = job_file_of(spec)
    given = spec.name if config is None else str(config["jobName" if version_of(config) == "v1" else "name"])
    allowed = r"[^A-Za-z0-9_.-]+" if config is not None and version_of(config) == "v1" else r"[^A-Za-z0-9_-]+"
    bare = re.sub(allowed, "-", given).strip("-")[:_LONGEST] or "job"
    if config is not None and has_own_name(spec):
        return given
    return suffixed(bare, hashlib.sha256(job_id.encode(errors="surrogatepass")).hexdigest())


def job_file_of(spec: JobSpec) -> Mapping[str, Any] | None:  # Any: JSON
    """Return the job file that the job was given; None for a job of a cell."""
    given = spec.backend_options.get(INFO.name, {}).get("job")
    return given if isinstance(given, dict) else None


def has_own_name(spec: JobSpec) -> bool:
    """Return whether the job's name stays as the job file says it, so that another job may have it."""
    return spec.backend_options.get(INFO.name, {}).get("own_name") is True


def mark_of(spec: JobSpec, job_id: str) -> str:
    """Return the text by which the job is known at the cluster where its name is not enough; "" where it is."""
    return job_id if has_own_name(spec) else ""


def secrets_of(spec: JobSpec) -> list[str]:
    """Return the values that no sentence about the job shows."""
    found = (value for name, value in spec.environments.items() if contract.is_secret(name, value))
    return [text for value in found if len(value) >= _SHORTEST for text in (value, json.dumps(value)[1:-1])]


def code_dir_of(spec: JobSpec, *, job_id: str, user: str) -> str:
    """Return the `codeDir` of the job's file, filled in; "" if there is none."""
    config = job_file_of(spec)
    if config is None or version_of(config) != "v1":
        return ""
    return filled_in(str(config.get("codeDir") or ""), job=job_name(spec, job_id), user=user)


def output_dir_of(spec: JobSpec, *, job_id: str, user: str) -> str:
    """Return where the job's outputs are in the cluster's HDFS: where its file says, else where they are by default."""
    name, config = job_name(spec, job_id), job_file_of(spec)
    given = str((config or {}).get("outputDir") or "") if config is not None and version_of(config) == "v1" else ""
    return filled_in(given, job=name, user=user) or f"{ROOT}/{user}/{name}"


def check(spec: JobSpec) -> list[str]:
    """Return sentences for the user; [] if the job can be submitted."""
    config = job_file_of(spec)
    if config is not None:
        return [*INFO.option_problems(spec), *validate(config, version_of(config)), *_secret_problems(spec, config)]
    return [*INFO.option_problems(spec), *_cell_problems(spec), *_cell_notes(spec)]


def _secret_problems(spec: JobSpec, config: Mapping[str, Any]) -> Iterator[str]:  # Any: JSON
    for name in hidden(config)[1]:
        reference = f"${{{name}}}"
        yield (
            f"the option {INFO.name}.job holds a secret, and options are kept in records. Write {reference} in its place, and give "
            f"the value to `environments` under the name {name}."
        )
    for name in references(config):
        if spec.environments.get(name, MASKED) == MASKED:
            yield (
                f"the job file names the variable {name} in place of a secret, whose value is in no record. Set {name} in os.environ, "
                "then submit the file again."
            )


def _cell_problems(spec: JobSpec) -> Iterator[str]:
    try:
        count = len(contract.replicas(spec))
    except SpecError as exc:
        yield str(exc)
        return
    for kind in dict.fromkeys([spec.instance_type, *(role.instance_type for role in spec.roles if role.instance_type)]):
        if kind not in LOCAL_TYPES:
            yield (
                f"OpenPAI has no instance types, and `instance_type` is {kind!r}. Leave it out, and say what a task needs: "
                f"--option {INFO.name}.gpus=1"
            )
    if spec.effective_job_type != "TaskRoles" and count > 1:
        yield f"OpenPAI runs several tasks as TaskRoles, not as {spec.effective_job_type}. Type --job-type TaskRoles"
    if not spec.image_uri and not all(role.image_uri for role in roles_of(spec)):
        yield "OpenPAI needs an image. Type e.g. --image python:3.11"
    if contract.SENT in spec.inputs:
        yield (
            "`--send` does not work on OpenPAI: a job's code is all that goes there. Leave it out; save the values to a file, copy it "
            "to the cluster by %pai_hdfs put, and read it in the script."
        )
    for channel, place in spec.inputs.items():
        if channel != contract.SENT:
            yield (
                f"input {channel!r} is {place!r}, and `-i` does not work on OpenPAI. Leave it out; copy the data to the cluster by "
                "%pai_hdfs put, and read them in the script."
            )
    if isinstance(spec.source_dir, str) and "://" in spec.source_dir:
        yield f"`source_dir` is {spec.source_dir!r}; OpenPAI takes a directory of this machine."


def _cell_notes(spec: JobSpec) -> Iterator[str]:
    roles = roles_of(spec)
    if len(roles) > 1 and not any(role.sufficient_successes or role.tolerated_failures for role in roles):
        yield (
            "note: OpenPAI ends the job when all tasks of one role have succeeded, or when any task fails, and stops the tasks of the "
            "other roles. Let a role that is done early wait for the others."
        )
    if spec.max_run_time is not None:
        yield "note: OpenPAI ends no job at a time limit: `--max-time` does not hold there. Stop the job yourself."
    if spec.returns and not has_storage(spec):
        yield (
            "note: variables of `--return` come back from clusters with HDFS only; from others, name a storage: "
            "--option openpai.storage=NAME"
        )


def job_text(
    spec: JobSpec,
    code: bytes | PackedCode,
    *,
    job_id: str,
    user: str,
    outputs: OutputsPlace | None = None,
    is_shown: bool = False,
    is_yarn: bool = False,
) -> tuple[str, str]:
    """Return the text that is submitted, and its version; JSON is YAML, too. What `is_shown` has no secrets.

    `outputs`: where those of a cell are copied. `is_yarn`: for a cluster of that generation.

    Raises:
        SpecError: the job cannot be written so.
    """
    name, config = job_name(spec, job_id), job_file_of(spec)
    if config is not None:
        version = version_of(config)
        if problem := next(iter(_secret_problems(spec, config)), None):
            raise SpecError(problem, field="environments")
        whole = config if is_shown else restored(config, spec.environments)
        job = completed(cast(Mapping[str, Json], whole), version, name=name, user=user)
        if is_yarn:
            job = with_one_log(job, version)
        if mark := mark_of(spec, job_id):
            job["extras"] = {**cast(dict[str, Json], job.get("extras") or {}), _MARK: mark}
    else:
        spec = _masked(spec) if is_shown else spec
        version, job = "v2", _of_cell(spec, code, job_id=job_id, name=name, outputs=outputs)
    if problems := validate(job, version):
        raise SpecError(problems[0])
    text = json.dumps(job, ensure_ascii=False)
    check_length(text)
    return text, version


def _of_cell(
    spec: JobSpec, code: bytes | PackedCode, *, job_id: str, name: str, outputs: OutputsPlace | None
) -> dict[str, Json]:
    options = spec.backend_options.get(INFO.name, {})
    images = {image: f"image_{number}" for number, image in enumerate(dict.fromkeys(_images(spec).values()))}
    extras: dict[str, Json] = {"submitFrom": "pai_jupyter"}

    def command(role: str) -> str:
        return prologue(spec, contract.Replica(role=role, index=0), code, job_id=job_id, outputs=outputs)

    if options.get("storage"):
        extras["storages"] = [{"name": str(options["storage"]), "mountPath": MOUNT}]
    return {
        "protocolVersion": 2,
        "name": name,
        "type": "job",
        "prerequisites": [{"name": key, "type": "dockerimage", "uri": image} for image, key in images.items()],
        "taskRoles": {
            role_name: _role(spec, role_name, count, images[image], command(role_name))
            for (role_name, count), image in zip(_counts(spec).items(), _images(spec).values(), strict=True)
        },
        "defaults": {"virtualCluster": str(options.get("virtual_cluster") or "default")},
        "extras": extras,
    }


def _masked(spec: JobSpec) -> JobSpec:
    shown = {name: MASKED if contract.is_secret(name, value) else value for name, value in spec.environments.items()}
    return replace(spec, environments=shown)


def _counts(spec: JobSpec) -> dict[str, int]:
    """Return the number of tasks of each role, by the names that replicas have."""
    counts: dict[str, int] = {}
    for replica in contract.replicas(spec):
        counts[replica.role] = counts.get(replica.role, 0) + 1
    return counts


def _images(spec: JobSpec) -> dict[str, str]:
    own = {role.name.lower(): role.image_uri for role in spec.roles}
    return {role: own.get(role) or str(spec.image_uri) for role in _counts(spec)}


def _role(spec: JobSpec, name: str, count: int, image: str, command: str) -> Json:
    options = spec.backend_options.get(INFO.name, {})
    role = next((each for each in spec.roles if each.name.lower() == name), Role(name=name))
    gpus = options.get("gpus", role.gpus)
    resources: dict[str, Json] = {
        "cpu": options.get("cpus") or role.cpus or _CPUS,
        "memoryMB": options.get("memory") or role.memory or _MEMORY,
        "gpu": gpus if gpus is not None else int((role.instance_type or spec.instance_type) == "local_gpu"),
    }
    if role.ports:
        resources["ports"] = dict(role.ports)
    return {
        "instances": count,
        "dockerImage": image,
        "resourcePerInstance": resources,
        "completion": {
            "minFailedInstances": role.tolerated_failures + 1,
            "minSucceededInstances": role.sufficient_successes or count,
        },
        "commands": [command],
    }
