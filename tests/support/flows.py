"""Manifests of PAIFlow for tests, as its service stores them."""

import io
import json
import tarfile

from pai_jupyter.spec import Json

Document = dict[str, Json]


def component(
    command: str = "true",
    *,
    guid: str = "",
    image: str = "python:3",
    inputs: tuple[str, ...] = (),
    outputs: tuple[str, ...] = (),
    artifacts: tuple[str, ...] = (),
    envs: dict[str, Json] | None = None,
    **names: Json,
) -> Document:
    """A plain container with parameters of type String, and output artifacts at /pai/outputs/artifacts."""
    places: list[Json] = [
        {
            "name": name,
            "path": f"/pai/outputs/artifacts/{name}/data",
            "metadata": {"type": {"DataSet": {"locationType": "OSS"}}},
        }
        for name in artifacts
    ]
    metadata: Document = {"name": "a-component", **({"guid": guid} if guid else {}), **names}
    return {
        "apiVersion": "core/v1",
        "metadata": metadata,
        "spec": {
            "container": {"image": image, "command": ["sh", "-c", command], "envs": envs or {}},
            "inputs": {"parameters": [{"name": name, "type": "String"} for name in inputs], "artifacts": []},
            "outputs": {"parameters": [{"name": name, "type": "String"} for name in outputs], "artifacts": places},
        },
    }


def custom_job(
    source: str,
    entry_point: str,
    *,
    guid: str = "",
    image: str = "python:3",
    outputs: tuple[str, ...] = (),
    **values: Json,
) -> Document:
    """A CustomJob as a component, as the official SDK 0.3.4 writes it; `values` are the defaults of its parameters."""
    given = {"MODE": "1", "IMAGE_URI": image, "ENTRY_POINT": entry_point, "TYPE": "TFJob", "SOURCE_FILE": source}
    made = component(guid=guid)
    made["spec"] = {
        "container": {
            "image": "registry.cn-hangzhou.aliyuncs.com/paiflow-core/dlc-executor:v2.0.0",
            "command": ["python", "-um", "pai_running.cmd.custom_job_submit"],
            "envs": {f"CUSTOM_JOB_{name}": value for name, value in given.items()},
        },
        "inputs": {
            "parameters": [
                {"name": "job_config", "type": "Map"},
                {"name": "output_path", "type": "String", "value": ""},
                *({"name": name, "type": "Int", "value": value} for name, value in values.items()),
            ],
            "artifacts": [{"name": "train_data", "metadata": {"type": {"DataSet": {"locationType": "OSS"}}}}],
        },
        "outputs": {"parameters": [{"name": name, "type": "String"} for name in outputs], "artifacts": []},
    }
    return made


def job_config(instance_type: str = "ecs.c6.large") -> Json:
    return {"JobSpecs": [{"Type": "Worker", "PodCount": 1, "EcsSpec": instance_type}]}


def step(
    name: str, guid: str, *, parameters: Document | None = None, artifacts: Document | None = None, **spec: Json
) -> Document:
    """A step that executes the component of this guid."""
    arguments: Json = {"parameters": named(parameters), "artifacts": named(artifacts)}
    return {"metadata": {"name": name, "guid": guid}, "spec": {"arguments": arguments, **spec}}


def named(values: Document | None) -> list[Json]:
    """Values as arguments."""
    return [{"name": name, "value": value} for name, value in (values or {}).items()]


def pipeline(*steps: Document, **names: Json) -> Document:
    empty: Json = {"parameters": [], "artifacts": []}
    return {
        "apiVersion": "core/v1",
        "metadata": {"name": "a-pipeline", **names},
        "spec": {"inputs": empty, "outputs": empty, "pipelines": [*steps]},
    }


def documents(*given: Document) -> str:
    """The text of a manifest."""
    return "\n---\n".join(json.dumps(each) for each in given)  # JSON is YAML


def packed(name: str, text: str) -> bytes:
    """A tar.gz with one file."""
    buffer, content = io.BytesIO(), text.encode()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()
