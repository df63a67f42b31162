"""Manifests as PAI's SDK writes them, for tests: components, steps and pipelines as documents."""

import tarfile
from pathlib import Path
from typing import Any

Doc = dict[str, Any]  # Any: parsed YAML

OSS = {"type": {"DataSet": {"locationType": "OSS"}}}
TABLE = {"type": {"DataSet": {"locationType": "MaxComputeTable"}}}


def parameter(name: str, kind: str = "String", **more: Any) -> Doc:  # Any: fields of a manifest
    return {"name": name, "type": kind, **more}


def artifact(name: str, metadata: Doc | None = None, **more: Any) -> Doc:  # Any: fields of a manifest
    return {"name": name, "metadata": metadata or OSS, "required": False, **more}


def channels(*items: Doc) -> Doc:
    return {
        "parameters": [it for it in items if "type" in it],
        "artifacts": [it for it in items if "metadata" in it],
    }


def custom_job(
    *,
    guid: str = "job",
    inputs: tuple[Doc, ...] = (),
    outputs: tuple[Doc, ...] = (),
    source: str | Path = "",
    image: str = "",
    **envs: str,
) -> Doc:
    """A custom job as `as_component` writes it; `envs` without their prefix, in lower case."""
    given = {"entry_point": "train.py", "type": "TFJob", **envs}
    return {
        "apiVersion": "core/v1",
        "metadata": {"guid": guid, "name": f"tmp-{guid}", "provider": "1234567890123456"},
        "spec": {
            "container": {
                "image": "registry.cn-hangzhou.aliyuncs.com/paiflow-core/dlc-executor:v2.0.0",
                "command": ["python", "-um", "pai_running.cmd.custom_job_submit"],
                "imageRegistryConfig": {},
                "envs": {
                    "CUSTOM_JOB_MODE": "1",
                    "CUSTOM_JOB_IMAGE_URI": image,
                    "CUSTOM_JOB_SOURCE_FILE": str(source),
                    "CUSTOM_JOB_BASE_PATH": "/ml",
                    "CUSTOM_JOB_WORK_DIR": "/ml/code",
                    **{f"CUSTOM_JOB_{name.upper()}": value for name, value in given.items()},
                },
            },
            "inputs": channels(parameter("job_config", "Map"), parameter("output_path", value=""), *inputs),
            "outputs": channels(*outputs),
        },
    }


def container(
    *command: str,
    guid: str = "box",
    args: tuple[str, ...] = (),
    envs: dict[str, str] | None = None,
    inputs: tuple[Doc, ...] = (),
    outputs: tuple[Doc, ...] = (),
    image: str = "",
    **more: Any,  # Any: sections of a manifest
) -> Doc:
    return {
        "apiVersion": "core/v1",
        "metadata": {"guid": guid, "name": f"tmp-{guid}", "provider": "1"},
        "spec": {
            "container": {
                "image": image,
                "command": list(command),
                "args": list(args),
                "envs": envs or {},
                "imageRegistryConfig": {},
            },
            "inputs": channels(*inputs),
            "outputs": channels(*outputs),
            **more,
        },
    }


def step(
    name: str, *depends: str, guid: str = "job", places: Doc | None = None, given: Doc | None = None, **spec: Any
) -> Doc:  # Any: fields of a manifest
    """A step. `places`: artifacts, `given`: parameters by name; texts with a reference are written as `from`."""

    def arguments(values: Doc) -> list[Doc]:
        return [{"name": key, "value": value} for key, value in values.items()]

    more = {"dependencies": list(depends)} if depends else {}
    return {
        "metadata": {"guid": guid, "name": name},
        "spec": {
            "arguments": {"parameters": arguments(given or {}), "artifacts": arguments(places or {})},
            **more,
            **spec,
        },
    }


def pipeline(*steps: Doc, guid: str = "pipe", inputs: tuple[Doc, ...] = (), outputs: tuple[Doc, ...] = ()) -> Doc:
    return {
        "apiVersion": "core/v1",
        "metadata": {"guid": guid, "name": f"tmp-{guid}", "identifier": guid, "provider": "1", "version": "v1"},
        "spec": {"inputs": channels(*inputs), "outputs": channels(*outputs), "pipelines": list(steps)},
    }


def out(step: str, name: str, kind: str = "parameters") -> str:
    return f"{{{{pipelines.{step}.outputs.{kind}.{name}}}}}"


def seed_pipeline(job: Doc, *, given: Doc | None = None, accuracy: str = "test-accuracy") -> list[Doc]:
    """The pipeline of the seed: train, and then one of two, as the accuracy says."""
    tested = out("train-step-1", accuracy)
    return [
        job,
        pipeline(
            step("train-step-1", given=given),
            step("train-step-2", "train-step-1", given=given, when=f"{tested} <= 0.9"),
            step("train-step-3", "train-step-1", given=given, when=f"{tested} > 0.9"),
        ),
    ]


def packed(to: Path, **files: str) -> Path:
    """Pack texts as the code of a custom job; `train_py` is train.py."""
    folder = to.parent / f"{to.name}.d"
    folder.mkdir()
    with tarfile.open(to, "w:gz") as archive:
        for key, text in files.items():
            name = ".".join(key.rsplit("_", 1))
            (folder / name).write_text(text)
            archive.add(folder / name, name)
    return to
