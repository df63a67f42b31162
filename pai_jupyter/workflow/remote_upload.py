"""Make a manifest ready for PAIFlow: what it names on this machine goes to the session's bucket, our own keys are left out.

    pai-jupyter/code/<digest>.tar.gz       the packed code of a custom job
    pai-jupyter/data/<digest>/...          a local file or directory that an artifact names

So the same content is stored once; objects under such names never change.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pai_jupyter import contract
from pai_jupyter.cloud.flow.artifact_values import artifact_value
from pai_jupyter.cloud.session import Session
from pai_jupyter.cloud.session.session import oss_hosts
from pai_jupyter.errors import SpecError
from pai_jupyter.runs.references import references_in
from pai_jupyter.spec import Json
from pai_jupyter.storage import parse_oss_url
from pai_jupyter.store import MASKED
from pai_jupyter.workflow.document_secrets import REGISTRY, is_masked
from pai_jupyter.workflow.planning_bodies import COMPONENT
from pai_jupyter.workflow.remote_notes import OWN_KEYS, notes_for_pai

SOURCE = "CUSTOM_JOB_SOURCE_FILE"
_FOLDER = "pai-jupyter"
_BLOCK = 1024 * 1024  # bytes
Document = dict[str, Json]


@dataclass
class Upload:
    """What is uploaded for one manifest. `has_secrets`: values of secrets are sent; else they are left out."""

    session: Session
    has_secrets: bool = False
    notes: list[str] = field(default_factory=list)
    _sent: dict[str, str] = field(default_factory=dict)

    def documents(self, documents: Sequence[Mapping[str, Json]]) -> list[Document]:
        """Return the documents as PAIFlow takes them. Blocking.

        Raises:
            SpecError: a secret variable has no value, or a file is not there.
            PaiJupyterError: something cannot be sent.
        """
        self.note(*notes_for_pai(documents))
        return [self._document(each) for each in documents]

    def artifacts(self, given: Mapping[str, Json]) -> dict[str, Json]:
        """Return artifacts of a run as PAIFlow takes them; those of this machine are uploaded."""
        return {name: self._artifact(name, place) for name, place in given.items()}

    def _document(self, document: Mapping[str, Json]) -> Document:
        spec = dict(_inside(document, "spec"))
        if "container" in spec:
            spec["container"] = self._container(_inside(spec, "container"))
        steps = spec.get("pipelines")
        if isinstance(steps, list):
            spec["pipelines"] = [self._step(each) if isinstance(each, dict) else each for each in steps]
        return {**document, "spec": spec}

    def _container(self, container: Mapping[str, Json]) -> Document:
        variables = _inside(container, "envs")
        if name := variables.get(COMPONENT):
            raise SpecError(
                f"the custom component {name} is no step on PAIFlow, which does not pass values as PAI does to custom components. "
                "Run the pipeline here: .local_run(NAME); or make the step of a CustomJob.",
                field="component",
            )
        given: dict[str, Json] = {name: self._variable(name, value) for name, value in variables.items()}
        login = _inside(container, REGISTRY)
        return {**container, "envs": given, **({REGISTRY: self._login(login)} if login else {})}

    def _login(self, login: Mapping[str, Json]) -> Document:
        """Return the login of a container's registry."""
        hidden = {name for name, value in login.items() if is_masked(REGISTRY, name, value)}
        if not self.has_secrets:
            for name in hidden:
                self.note(f"the `{name}` of the registry is not saved: PAIFlow pulls the image without it.")
            return {name: value for name, value in login.items() if name not in hidden}
        for name in sorted(hidden):
            if login[name] == MASKED:
                raise SpecError(
                    f"the `{name}` of the registry is not in the manifest, since secrets are masked there. Make the component anew: "
                    "ContainerComponent(image_registry_config=...)",
                    field=name,
                )
            self.note(f"the `{name}` of the registry is sent to PAIFlow, which shows it to all who may see the run.")
        return dict(login)

    def _variable(self, name: str, value: Json) -> Json:
        if name == SOURCE and isinstance(value, str) and value and "://" not in value:
            return self._code(Path(value))
        is_secret = isinstance(value, str) and (value == MASKED or contract.is_secret(name, value))
        if not is_secret or name.startswith("CUSTOM_JOB_"):
            return value
        if not self.has_secrets:
            self.note(
                f"the value of {name} looks like a secret, so it is not saved. Set it before a run: os.environ[{name!r}] = "
                "getpass.getpass()"
            )
            return ""  # the name stays, so that a run takes the value from the environment
        found = os.environ.get(name) if value in ("", MASKED) else value
        if found is None:
            raise SpecError(
                f"the secret variable {name} has no value here. Type: os.environ[{name!r}] = getpass.getpass()",
                field=name,
            )
        self.note(f"the value of {name} is sent to PAIFlow, which shows it to all who may see the run.")
        return found

    def _step(self, step: Mapping[str, Json]) -> Document:
        spec = dict(_inside(step, "spec"))
        for key in OWN_KEYS:
            spec.pop(key, None)
        arguments = _inside(spec, "arguments")
        artifacts = arguments.get("artifacts")
        if isinstance(artifacts, list):
            spec["arguments"] = {
                **arguments,
                "artifacts": [self._given(it) if isinstance(it, dict) else it for it in artifacts],
            }
        return {**step, "spec": spec}

    def _given(self, item: Mapping[str, Json]) -> Document:
        if item.get("value") is None:
            return dict(item)
        return {**item, "value": self._artifact(str(item.get("name")), item["value"])}

    def _artifact(self, name: str, place: Json) -> Json:
        if isinstance(place, list):
            return [self._given(each) if isinstance(each, dict) else self._artifact(name, each) for each in place]
        path = _local_path(place)
        where = self._data(path) if path is not None else place
        return artifact_value(name, where, endpoint=_endpoint(self.session))

    def _code(self, path: Path) -> str:
        return self._with_endpoint(self._send(path, f"{_FOLDER}/code/{_digest(path)}.tar.gz"))

    def _data(self, path: Path) -> str:
        if not path.exists():
            raise SpecError(f"there is no {str(path)!r} to send to PAI. Correct the path, or give an oss:// address.")
        digest = _digest(path)
        return self._send(path, f"{_FOLDER}/data/{digest}/{path.name if path.is_file() else ''}")

    def _send(self, path: Path, key: str) -> str:
        if key not in self._sent:
            self._sent[key] = self.session.upload(path, self.session.uri(key))
        return self._sent[key]

    def _with_endpoint(self, address: str) -> str:
        url = parse_oss_url(address)
        return f"oss://{url.bucket_name}.{url.endpoint or _endpoint(self.session)}/{url.object_key}"

    def note(self, *texts: str) -> None:
        self.notes += [text for text in texts if text not in self.notes]


def _local_path(place: Json) -> Path | None:
    """Return the path of this machine that an artifact names; None for any other place, and for a reference."""
    if isinstance(place, str) and place.lstrip().startswith("{") and "{{" not in place:
        try:
            place = json.loads(place)
        except (ValueError, RecursionError):
            return None
    if isinstance(place, dict):
        path = _inside(place, "location").get("path")
        return Path(path).expanduser().absolute() if isinstance(path, str) else None
    if not isinstance(place, str) or not place or "://" in place or next(references_in(place), None) is not None:
        return None
    return Path(place).expanduser().absolute()


def _digest(path: Path) -> str:
    """Return the digest of a file, or of a directory's files with their paths."""
    whole = hashlib.sha256()
    for file in sorted(it for it in path.rglob("*") if it.is_file()) if path.is_dir() else [path]:
        if path.is_dir():
            whole.update(f"{file.relative_to(path)}\0{file.stat().st_size}\0".encode(errors="surrogateescape"))
        with file.open("rb") as opened:
            while block := opened.read(_BLOCK):
                whole.update(block)
    return whole.hexdigest()[:32]


def _endpoint(session: Session) -> str:
    endpoint = session.oss_endpoint or oss_hosts(session.region_id)[0]
    return endpoint.partition("://")[2] or endpoint


def _inside(fields: Mapping[str, Any], name: str) -> Mapping[str, Json]:  # Any: JSON
    value = fields.get(name)
    return value if isinstance(value, dict) else {}
