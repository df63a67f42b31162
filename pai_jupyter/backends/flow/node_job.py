"""A node of a PAIFlow run as a job: the data of its ref, its id here, and its spec as far as the service tells.

    {"run": ..., "node": ..., "region": ..., "workspace": ..., "address": ... of an emulator, or absent}

Rule: the same node has the same job id in every home and every process; no key is in any of it.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Self

from pai_jupyter.cloud.flow import FlowNode
from pai_jupyter.cloud.flow.artifact_values import artifact_place
from pai_jupyter.cloud.session import Site
from pai_jupyter.errors import NotFoundError, ProtocolError, SpecError
from pai_jupyter.spec import RESERVED_CHANNELS, JobRef, JobSpec, Json
from pai_jupyter.store import new_job_id
from pai_jupyter.typed_json import FieldError, Fields

NAME = "flow"  # of this backend
LONGEST_NAME = 100
_JOB_CONFIG, _OUTPUT_PATH = (
    "job_config",
    "output_path",
)  # parameters of a CustomJob's component that are none of its script
_COMMAND = "(the component's own; PAIFlow does not report it)"


@dataclass(frozen=True, kw_only=True)
class NodeJob:
    """A node of a run at a site."""

    job_id: str
    run: str
    node: str
    site: Site

    @property
    def ref(self) -> JobRef:
        return JobRef(
            backend=NAME, job_id=self.job_id, data={"run": self.run, "node": self.node, **self.site.to_json()}
        )

    @classmethod
    def from_ref(cls, ref: JobRef) -> Self:
        """Read the data of a ref.

        Raises:
            NotFoundError: it says of no node: no job of this backend was ever submitted from here.
            ProtocolError: it is not a ref of this backend.
        """
        if not ref.data:
            raise NotFoundError(f"backend {NAME!r} knows no job {ref.job_id}.")
        try:
            given = Fields.of(ref.data, "ref.data")
            return cls(job_id=ref.job_id, run=given.line("run"), node=given.line("node"), site=Site.from_json(ref.data))
        except FieldError as exc:
            raise ProtocolError(f"the record of job {ref.job_id} does not say where it is: state.json: {exc}") from exc


def job_id_of(site: Site, run: str, node: str, *, created: float) -> str:
    """Return the id of a node's job, which sorts by the time when its run was `created`."""
    known = "\n".join((site.region, site.workspace, site.address or "", run, node))
    digest = hashlib.sha256(known.encode(errors="surrogatepass")).hexdigest()
    return new_job_id(created, int(digest[:5], 16)) + digest[5:13]


def spec_of(node: FlowNode) -> JobSpec:
    """Reconstruct a spec from a node, leaving out invalid values. It is for display; it is never submitted."""
    plain = re.sub(r"[/\\]", "_", " ".join("".join(c if c.isprintable() else " " for c in node.name).split()))
    spec = JobSpec(name=plain[:LONGEST_NAME].strip() or "a step", command=_COMMAND)
    for name, value in _others(node).items():
        with suppress(SpecError, TypeError, ValueError):
            spec = replace(spec, **{name: value})
    return spec


def output_path_of(node: FlowNode) -> str:
    """Return where a CustomJob's node writes in OSS; "" if it does not say."""
    path = node.inputs.get(_OUTPUT_PATH)
    return path if isinstance(path, str) and path.startswith("oss://") else ""


def _others(node: FlowNode) -> dict[str, Any]:  # Any: fields of a spec, each with its own type
    resources = _resources(node.inputs)
    values = {
        name: value
        for name, value in node.inputs.items()
        if name not in (_JOB_CONFIG, _OUTPUT_PATH) and isinstance(value, str | int | float | bool)
    }
    outputs = {name: place for name, value in node.artifacts.items() if (place := artifact_place(value))}
    return {
        "instance_type": resources.get("EcsSpec"),
        "image_uri": resources.get("ImageUri") or resources.get("Image"),
        "output_path": output_path_of(node) or None,
        "hyperparameters": values,
        "outputs": {
            name: place for name, place in outputs.items() if isinstance(place, str) and name not in RESERVED_CHANNELS
        },
    }


def _resources(inputs: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the first role of a CustomJob's `job_config`, which may be an object or text."""
    config = inputs.get(_JOB_CONFIG)
    if isinstance(config, str):
        with suppress(ValueError, RecursionError):
            config = json.loads(config)
    roles = config.get("JobSpecs") if isinstance(config, dict) else None
    first = roles[0] if isinstance(roles, list) and roles else None
    return first if isinstance(first, dict) else {}
