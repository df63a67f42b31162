"""Components and pipelines for tests of what users write, and manifests made comparable."""

from pathlib import Path
from typing import Any

from pai_jupyter import CustomJob
from pai_jupyter.workflow import (
    ArtifactMetadataUtils,
    ContainerComponent,
    CustomJobComponent,
    Pipeline,
    PipelineArtifact,
    PipelineParameter,
)
from tests.support.paths import DATA

IMAGE = "registry.cn-hangzhou.aliyuncs.com/pai-dlc/xgboost-training:1.6.0-cpu-py36-ubuntu18.04"
BUCKET = "oss://examplebucket.oss-cn-hangzhou.aliyuncs.com/custom-job-example"
DATA_URI = f"{BUCKET}/train-data/train.csv"


def seed_job(folder: Path, **more: Any) -> CustomJob:  # Any: arguments of CustomJob
    """The job of PAI's document; its script is in `folder`."""
    source = folder / "src"
    source.mkdir(exist_ok=True)
    (source / "xgb_train.py").write_text((DATA / "seed_xgb_train.py").read_text())
    return CustomJob(
        entry_point="xgb_train.py",
        source_code=source,
        image_uri=IMAGE,
        parameters={"n_estimators": 500, "objective": "multi:softmax", "max_depth": 5},
        **more,
    )


def seed_component(folder: Path) -> CustomJobComponent:
    component: CustomJobComponent = seed_job(folder).as_component(
        inputs=[PipelineArtifact("train_data", metadata=ArtifactMetadataUtils.oss_dataset())],
        outputs=[PipelineParameter("test-accuracy")],
    )
    return component


def rows_from_step_to_step(folder: Path, **inputs: Any) -> Pipeline:  # Any: inputs of both steps, by step
    """A step whose script writes into an output artifact of its own, and one that reads it."""
    (folder / "steps").mkdir()
    (folder / "steps" / "write.py").write_text(
        "import os, pathlib\npathlib.Path(os.environ['PAI_OUTPUT_CLEAN_ROWS'], 'rows.csv').write_text('1,2')\n"
    )
    (folder / "steps" / "read.py").write_text(
        "import os, pathlib\n"
        "rows = pathlib.Path(os.environ['PAI_INPUT_ROWS'], 'rows.csv').read_text()\n"
        "pathlib.Path(os.environ['PAI_OUTPUT_OUTPUT_PARAMETERS'], 'rows').write_text(rows)\n"
    )
    rows = PipelineArtifact("clean-rows", metadata=ArtifactMetadataUtils.oss_dataset())
    taken = PipelineArtifact("rows", metadata=ArtifactMetadataUtils.oss_dataset())
    jobs = [
        CustomJob(entry_point=name, source_code=folder / "steps", image_uri=inputs.get("image"))
        for name in ("write.py", "read.py")
    ]
    first = jobs[0].as_component(outputs=[rows]).as_step("write", inputs=inputs.get("write"))
    read = jobs[1].as_component(inputs=[taken], outputs=[PipelineParameter("rows")])
    second = read.as_step("read", inputs={"rows": first.outputs["clean-rows"], **inputs.get("read", {})})
    return Pipeline([second], outputs={"rows": second.outputs["rows"]})


def container(
    *, inputs: Any = (), outputs: Any = (), command: Any = ("true",)
) -> ContainerComponent:  # Any: as users give them
    return ContainerComponent(image_uri="python:3", command=command, inputs=inputs, outputs=outputs)


def comparable(documents: list[Any], known: list[Any] | None = None) -> list[Any]:  # Any: JSON
    """Documents without what differs each time: names, guids (numbered as they come), providers, where the source is."""
    guids: dict[str, str] = {}
    return [_comparable(it, guids) for it in documents]


def _comparable(value: Any, guids: dict[str, str]) -> Any:  # Any: JSON
    if isinstance(value, list):
        return [_comparable(it, guids) for it in value]
    if not isinstance(value, dict):
        return value
    found = {key: _comparable(it, guids) for key, it in value.items()}
    if "guid" in found:
        found["guid"] = guids.setdefault(str(found["guid"]), f"guid {len(guids)}")
        found.pop("provider", None)
    if str(found.get("name", "")).startswith("tmp-"):
        found["name"] = "tmp"
    if "CUSTOM_JOB_SOURCE_FILE" in found:
        found["CUSTOM_JOB_SOURCE_FILE"] = "source"
    found.pop("ImageUri", None)  # PAI's SDK writes the image of an earlier job into a JobConfig that is used again
    return found
