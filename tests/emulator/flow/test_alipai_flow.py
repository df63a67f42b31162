"""The official SDK `alipai` 0.4.13: its pipeline classes save components, run them and pipelines, and wait."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter.cloud.flow import from_yaml
from pai_jupyter.workflow import Pipeline
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning import plan_manifest
from tests.support.alipai import PYTHON, SETUP, environment
from tests.support.emulators import KEY, SECRET, Emulator, emulator
from tests.support.needs import lacking
from tests.support.patience import DEADLINE

PROGRAM = """
from pai.pipeline import Pipeline, PipelineRun
from pai.pipeline.component import ContainerComponent, RegisteredComponent
from pai.pipeline.types import PipelineParameter
from pai.pipeline.types.parameter import LoopItemPlaceholder
say = ContainerComponent(
    inputs=[PipelineParameter("foo", default="valueFoo")], outputs=[PipelineParameter("acc")], image_uri="python:3",
    command=["bash", "-c", "echo foo={{inputs.parameters.foo}} && echo 0.97 > /pai/outputs/parameters/acc"],
)
fail = ContainerComponent(image_uri="python:3", command=["bash", "-c", "echo oh; exit 3"])
saved = say.save("say", "v1")
alone = RegisteredComponent.get_by_identifier("say", version="v1").run("alone", arguments={"foo": "alone"})

first = saved.as_step(name="first")
good = say.as_condition_step(name="good", condition=first.outputs[0] > 0.8, inputs={"foo": "GreaterThan"})
bad = say.as_condition_step(name="bad", condition=first.outputs[0] <= 0.8, inputs={"foo": "AtMost"})
last = say.as_step(name="last", inputs={"foo": first.outputs["acc"]})
each = say.as_loop_step(name="each", items=["hello", "world"], inputs={"foo": LoopItemPlaceholder()})
numbers = say.as_loop_step(name="numbers", items=range(0, 2), inputs={"foo": LoopItemPlaceholder()})
nested = Pipeline(steps=[say.as_step(name="inside", inputs={"foo": "nested"})]).as_step(name="nested")
p = Pipeline(steps=[bad, good, first, last, each, numbers, nested])
registered = p.save("whole", "v1")
run = p.run("conditional")
try:
    Pipeline(steps=[fail.as_step(name="fails")]).run("failing")
    failed = ""
except Exception as exc:
    failed = type(exc).__name__ + " " + str(exc)
print("\\n" + json.dumps({
    "saved": [saved.identifier, saved.version, saved.provider == session.provider],
    "alone": alone.get_status(), "conditional": run.get_status(), "failed": failed,
    "nodes": {name: node["status"] for name, node in run.travel_node_status_info(run.node_id).items()},
    "listed": [each["Identifier"] for each in RegisteredComponent.list()],
    "runs": len(PipelineRun.list()), "manifest": p.to_manifest("whole", "v2"), "component": say.to_manifest("say", "v1"),
    "inputs": [each.name for each in registered.inputs],
}))
"""


def run(running: Emulator, folder: Path) -> tuple[dict[str, Any], str]:
    """What the program prints at its end, as JSON, and all that it prints before. (Any: JSON values)"""
    if not PYTHON.exists():
        lacking("alipai", f"there is no {PYTHON}")
    words = [str(PYTHON), "-W", "ignore", "-c", SETUP + PROGRAM, running.address, KEY, SECRET, "", ""]
    done = subprocess.run(
        words, env=environment(folder), capture_output=True, text=True, timeout=2 * DEADLINE, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:] + running.log
    *printed, last = done.stdout.strip().splitlines()
    return json.loads(last), "\n".join(printed)


@pytest.mark.timeout(300)
def test_its_components_and_pipelines_are_saved_and_run(tmp_path: Path) -> None:
    with emulator(tmp_path / "data") as running:
        seen, printed = run(running, tmp_path)
        assert running.log == ""
    assert seen["saved"] == ["say", "v1", True]
    assert (seen["alone"], seen["conditional"]) == ("Succeeded", "Succeeded")
    assert {name.rpartition(".")[2]: status for name, status in seen["nodes"].items()} == {
        "conditional": "Succeeded",
        "first": "Succeeded",
        "good": "Succeeded",
        "bad": "Skipped",
        "last": "Succeeded",
        "each": "Succeeded",
        "each-0": "Succeeded",
        "each-1": "Succeeded",
        "numbers": "Succeeded",
        "numbers-0": "Succeeded",
        "numbers-1": "Succeeded",
        "nested": "Succeeded",
        "inside": "Succeeded",
    }
    assert "foo=alone" in printed
    assert "foo=GreaterThan" in printed
    assert "foo=AtMost" not in printed
    assert "foo=0.97" in printed
    assert "foo=hello" in printed
    assert "PAIException" in seen["failed"]
    assert "fails" in seen["failed"]
    assert {*seen["listed"]} == {"say", "whole"}
    assert seen["runs"] == 3
    component, manifest = (from_yaml(seen[name]) for name in ("component", "manifest"))
    planned = plan_manifest(manifest, name="here", place=RunPlace("process"), lookup=lambda *_: component)
    steps = {step.name: step for step in planned.plan.graph.steps}
    assert {*steps} == {"first", "good", "bad", "last", "each", "numbers", "nested"}
    assert steps["good"].condition == "{{pipelines.first.outputs.parameters.acc}} > 0.8"
    assert steps["each"].loop is not None
    assert {*Pipeline.from_manifest(seen["manifest"]).step_names} == {*steps}
