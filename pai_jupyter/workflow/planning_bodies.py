"""Components of manifests as bodies of steps: a custom job, which runs here without PAI's executor, or a plain container.

Rule 1: values of secret variables are in no body. `PlanParts` has them for the driver's environment.
Rule 2: the digest is of what runs: two components with the same code, image and command are equal, whatever their names.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from pai_jupyter import contract
from pai_jupyter.errors import SpecError
from pai_jupyter.jobs.provenance import BESIDE
from pai_jupyter.runs.plan import DeclaredParameter, JobBody
from pai_jupyter.runs.references import references_in
from pai_jupyter.spec import Json
from pai_jupyter.store import MASKED
from pai_jupyter.typed_json import Fields, text_of
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning_declared import declared_artifact, declared_parameter

CUSTOM_JOB = "pai_jupyter.workflow.custom_job_step:STEP"
CONTAINER = "pai_jupyter.workflow.container_step:STEP"
IMPLICIT = ("job_config", "output_path")  # inputs of every custom job
SOURCE = "CUSTOM_JOB_SOURCE_FILE"
REQUIREMENTS = "CUSTOM_JOB_REQUIREMENTS"  # one a line; ours
COMPONENT = "CUSTOM_JOB_COMPONENT"  # name and version of a custom component; ours
PARAMETER_PATHS = "parameter_paths"  # in a body's data: where output parameters are written that say so
_PREFIX = "CUSTOM_JOB_"
_OUTPUT = re.compile(r"/(?:ml/output|pai/outputs)/[^\0]+")
_SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh")


@dataclass
class PlanParts:
    """What bodies need beside the plan: packages by name, values of secrets by variable, notes."""

    place: RunPlace
    packages: dict[str, Path] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def keep_secret(self, name: str, value: str) -> None:
        known = self.secrets.setdefault(name, value)
        if known != value:
            raise SpecError(
                f"two components give the secret {name} different values, and a run has one. Rename one of them.",
                field=name,
            )


def read_body(document: Mapping[str, object], title: str, into: PlanParts) -> JobBody:
    """Turn a component into a body.

    Raises:
        SpecError, FieldError: it is damaged, or has what cannot run here.
    """
    spec = Fields.of(document.get("spec"), "spec")
    if not spec.has("container"):
        raise SpecError(f"component `{title}` has neither a container nor steps, so it cannot run here.")
    _refuse_beside(spec, title)
    container = spec.inside("container")
    inputs, outputs = spec.inside("inputs"), spec.inside("outputs")
    body = JobBody(
        builder=CONTAINER,
        data={},
        title=title,
        digest="",
        parameters=tuple(declared_parameter(Fields.of(it, path)) for it, path in inputs.items("parameters")),
        artifacts=tuple(declared_artifact(Fields.of(it, path)) for it, path in inputs.items("artifacts")),
        output_parameters=tuple(
            declared_parameter(Fields.of(it, path), is_output=True) for it, path in outputs.items("parameters")
        ),
        output_artifacts=tuple(declared_artifact(Fields.of(it, path)) for it, path in outputs.items("artifacts")),
    )
    envs = {name: _as_text(value, path) for name, value, path in container.inside("envs").all()}
    is_custom = envs.get("CUSTOM_JOB_MODE") == "1"
    make: Callable[[JobBody, Fields, dict[str, str], PlanParts], JobBody] = _custom_job if is_custom else _container
    body = make(body, container, envs, into)
    given = {} if is_custom else _paths(inputs)
    files = _paths(outputs, "parameters")
    _check_paths(title, _paths(outputs), files, is_custom=is_custom)
    data = {**body.data, "paths": _paths(outputs), "input_paths": given, **({PARAMETER_PATHS: files} if files else {})}
    return replace(body, data=_placed(data, into.place), digest=_digest(body.builder, data))


def _check_paths(title: str, artifacts: Mapping[str, Json], files: Mapping[str, Json], *, is_custom: bool) -> None:
    wrong = next((path for path in map(str, artifacts.values()) if not _is_output(path)), None)
    if wrong is not None:
        raise SpecError(
            f"component `{title}` writes an artifact to {wrong}. Let it write below /pai/outputs/ or /ml/output/.",
            field="path",
        )
    for name, path in files.items():
        if not _is_output(str(path)) or (is_custom and not str(path).startswith("/ml/")):
            places = "/ml/output/" if is_custom else "/pai/outputs/ or /ml/output/"
            raise SpecError(
                f"component `{title}` writes the output parameter `{name}` to {path}. Let it write below {places}.",
                field="path",
            )


def _is_output(path: str) -> bool:
    return _OUTPUT.fullmatch(path) is not None and ".." not in path.split("/")


def _refuse_beside(spec: Fields, title: str) -> None:
    for name in ("initContainers", "sideCarContainers", "volumes"):
        if spec.items(name):
            raise SpecError(f"component `{title}` has `{name}`, which jobs of this machine have not. Run it on PAI.")


def _custom_job(body: JobBody, container: Fields, envs: dict[str, str], into: PlanParts) -> JobBody:
    """Read what PAI's executor would be told; it is not run."""
    given = {name.removeprefix(_PREFIX).lower(): value for name, value in envs.items() if name.startswith(_PREFIX)}
    entry_point = given.get("entry_point", "")
    command = given.get("command", "")
    if not command and entry_point in ("", "None"):
        raise SpecError(f"component `{body.title}` has neither an entry point nor a command.")
    data: dict[str, Json] = {
        "image": given.get("image_uri", ""),
        "job_type": given.get("type", ""),
        "requirements": [line for line in given.get("requirements", "").split("\n") if line],
        **({"command": command} if command else {"entry_point": entry_point}),
        **({"rules": given["rules"]} if "rules" in given else {}),
        **_source(given.get("source_file", ""), into),
        **_variables({name: value for name, value in envs.items() if not name.startswith(_PREFIX)}, into),
    }
    if command and any(references_in(command)):
        _note_shell_text(body.title, into)
    parameters = [replace(it, required=False) if it.name in IMPLICIT else it for it in body.parameters]
    known = {it.name for it in parameters}
    parameters += [it for it in _implicit() if it.name not in known]
    return replace(body, builder=CUSTOM_JOB, data=data, parameters=tuple(parameters))


def _implicit() -> tuple[DeclaredParameter, ...]:
    return DeclaredParameter(name="job_config", type="Map"), DeclaredParameter(name="output_path", default="")


def _source(address: str, into: PlanParts) -> dict[str, Json]:
    """Return where the code is: an address, or the name of a package of the run."""
    if not address or "://" in address:
        return {"source": address} if address else {}
    path = Path(address)
    try:
        with path.open("rb") as file:
            name = f"{hashlib.file_digest(file, 'sha256').hexdigest()[:32]}.tar.gz"
    except OSError as exc:
        raise SpecError(
            f"the packed code {address} cannot be read ({exc.strerror}). Make the component anew: job.as_component(...)",
            field=SOURCE,
        ) from exc
    into.packages[name] = path
    if (recorded := path.with_name(path.name + BESIDE)).is_file():
        into.packages[name + BESIDE] = recorded
    return {"package": name}


def _container(body: JobBody, container: Fields, envs: dict[str, str], into: PlanParts) -> JobBody:
    command = [text_of(it, path) for it, path in container.items("command")]
    words = command + [text_of(it, path) for it, path in container.items("args")]
    if not command:
        raise SpecError(
            f"component `{body.title}` has no command; that of its image is not known here. Give it one: "
            "command=['python', 'train.py']",
            field="command",
        )
    if _has_shell_text(words):
        _note_shell_text(body.title, into)
    referred = [it.name for text in (*words, *envs.values()) for it in references_in(text) if it.kind == "artifacts"]
    data: dict[str, Json] = {
        "image": container.line("image", ""),
        "words": list(words),
        "referred": list(dict.fromkeys(referred)),
        **_variables(envs, into),
    }
    return replace(body, data=data)


def used_artifacts(body: JobBody) -> set[str]:
    """Return the names of the artifacts whose content a job needs; a plain container that refers to none only has it told."""
    referred, paths = body.data.get("referred"), body.data.get("input_paths")
    if not isinstance(referred, list) or not isinstance(paths, dict):
        return {it.name for it in body.artifacts}
    return {*map(str, referred), *paths}


def _has_shell_text(words: list[str]) -> bool:
    """Return whether a shell reads a word with references as its program."""
    if Path(words[0]).name not in _SHELLS:
        return False
    texts = [after for word, after in pairwise(words) if re.fullmatch(r"-[a-z]*c", word)]
    return any(next(references_in(text), None) is not None for text in texts)


def _note_shell_text(title: str, into: PlanParts) -> None:
    into.note(
        f"component `{title}` puts values into shell text, as on PAI: what is shell code in a value is run. "
        "Pass them as arguments, or as variables in double quotes."
    )


def _variables(envs: Mapping[str, str], into: PlanParts) -> dict[str, Json]:
    """Split variables into those that may be stored, and the names of secrets."""
    public, secret = dict[str, Json](), list[Json]()
    for name, value in envs.items():
        if not contract.is_secret(name, value) and value != MASKED:
            public[name] = value
        else:
            secret.append(name)
            if (found := os.environ.get(name) if value in ("", MASKED) else value) is not None:
                into.keep_secret(name, found)
    return {"environments": public, "secrets": secret}


def _paths(channels: Fields, kind: str = "artifacts") -> dict[str, Json]:
    given = [Fields.of(it, path) for it, path in channels.items(kind)]
    return {it.line("name"): it.line("path") for it in given if it.has("path")}


def _placed(data: dict[str, Json], place: RunPlace) -> dict[str, Json]:
    target = place.choose(str(data["image"]) or None)
    return {**data, "backend": target.backend, "place": str(target)}


def _as_text(value: object, path: str) -> str:
    return str(value) if isinstance(value, int | float) else text_of(value, path)


def _digest(builder: str, data: Mapping[str, Json]) -> str:
    text = json.dumps([builder, data], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]
