"""A component as a job of this machine: its channels, values and machines are held to what it says."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pai_jupyter.backends import find_info
from pai_jupyter.backends.docker import DockerBackend
from pai_jupyter.component import (
    Component,
    ComponentInput,
    ComponentOutput,
    ComponentRun,
    SavedComponent,
    TrainingConstraint,
    constraint_problems,
    load,
    register,
    run,
    save,
)
from pai_jupyter.component.constraint import cards_of, cards_of_share
from pai_jupyter.component.image import as_saved, facts_of
from pai_jupyter.errors import BackendError, SpecError
from pai_jupyter.events import Status
from pai_jupyter.hyperparameters import Hyperparameter
from pai_jupyter.jobs import list_jobs, rerun
from pai_jupyter.spec import Json
from tests.support.engine import Engine

SCRIPT = """\
import os, pathlib, sys
print("args", *sys.argv[1:])
print("lr", os.environ["PAI_HPS_LR"])
print("rows", len(pathlib.Path(os.environ["PAI_INPUT_TRAIN"]).read_text().split()))
pathlib.Path(os.environ["PAI_OUTPUT_REPORT"], "report.txt").write_text("done")
pathlib.Path(os.environ["PAI_OUTPUT_MODEL"], "model.txt").write_text("model")
"""
COMPONENT = Component(
    name="counted",
    command="python main.py $PAI_USER_ARGS",
    files={"main.py": SCRIPT.encode()},
    inputs=(ComponentInput(name="train", sources=("OSS",)),),
    outputs=(ComponentOutput(name="model"), ComponentOutput(name="report")),
    parameters=(
        Hyperparameter(name="lr", type="Float", default=0.1, minimum=0, maximum=1),
        Hyperparameter(name="kind", type="String", required=True, choices=("a", "b")),
    ),
    constraint=TrainingConstraint(machine="CPU", several_machines=False),
)
GIVEN = ComponentRun(inputs={"train": "rows.txt"}, values={"kind": "b"})
GPU, ONE_GPU = TrainingConstraint(machine="GPU", several_cards=True), TrainingConstraint(machine="GPU")


@pytest.fixture(autouse=True)
def _rows(workplace: Path) -> None:
    (workplace / "rows.txt").write_text("1 2 3")


def test_a_component_runs_in_a_process(capsys: pytest.CaptureFixture[str]) -> None:
    job = run(COMPONENT, replace(GIVEN, values={"kind": "b", "lr": "0.5"}))
    assert job.status is Status.SUCCEEDED
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line.startswith(("args", "lr", "rows"))] == [
        "args --lr 0.5 --kind b",
        "lr 0.5",
        "rows 3",
    ]
    assert (job.fetch("report") / "report.txt").read_text() == "done"
    assert (job.fetch("model") / "model.txt").read_text() == "model"


def test_outputs_go_where_the_run_says(workplace: Path) -> None:
    run(COMPONENT, replace(GIVEN, output_path="out", outputs={"report": "reports"}))
    assert (workplace / "out" / "model" / "model.txt").read_text() == "model"
    assert (workplace / "reports" / "report.txt").read_text() == "done"


def test_a_rerun_has_outputs_of_its_own(workplace: Path) -> None:
    first = run(COMPONENT, GIVEN)
    second = rerun(first)
    second.wait()
    places = [Path(job.spec.outputs["report"]) for job in (first, second)]
    assert [place.parts[-3:] for place in places] == [(job.id, "output", "report") for job in (first, second)]
    assert [(place / "report.txt").read_text() for place in places] == ["done", "done"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            replace(GIVEN, inputs={}),
            "input 'train' has no place, and the component needs one. Give it: -i train=./data",
        ),
        (
            replace(GIVEN, inputs={"train": "rows.txt", "test": "x"}),
            "component 'counted' has no input 'test'; it has: train.",
        ),
        (
            replace(GIVEN, inputs={"train": "nas://a.cn-shanghai/x"}),
            "input 'train' is in NAS, and the component reads it from OSS.",
        ),
        (replace(GIVEN, outputs={"x": "y"}), "component 'counted' has no output 'x'; it has: model, report."),
        (
            replace(GIVEN, values={"kind": "b", "eta": 1}),
            "component 'counted' has no parameter 'eta'; it has: lr, kind.",
        ),
        (replace(GIVEN, values={"kind": "b", "lr": 2}), "`lr` is 2; it must be a number between 0 and 1."),
        (replace(GIVEN, values={"kind": "c"}), "`kind` is 'c'; it must be one of"),
        (replace(GIVEN, values={}), "`kind` has no value, and the script requires one."),
        (replace(GIVEN, instance_count=2), "the component runs on one machine, and 2 are asked for."),
    ],
)
def test_a_run_that_does_not_fit_starts_nothing(given: ComponentRun, sentence: str) -> None:
    with pytest.raises(SpecError) as error:
        run(COMPONENT, given)
    assert sentence in str(error.value)
    assert list_jobs() == []


@pytest.mark.parametrize(
    ("constraint", "kind", "count", "cards", "sentence"),
    [
        (None, "local", 9, 0, None),
        (
            GPU,
            "local",
            1,
            0,
            "the component needs a GPU, and 'local' has none. Give a type with one, e.g. --instance-type local_gpu",
        ),
        (GPU, "ecs.c6.large", 1, 0, "the component needs a GPU, and 'ecs.c6.large' has none."),
        (GPU, "ecs.gn6v-c8g1.8xlarge", 4, 4, None),
        (ONE_GPU, "ecs.gn6v-c8g1.8xlarge", 1, 4, "the component uses one GPU, and 'ecs.gn6v-c8g1.8xlarge' has 4."),
        (ONE_GPU, "ecs.gn6v-c8g1.2xlarge", 2, 1, None),
        (ONE_GPU, "ecs.new-type", 2, None, None),
        (TrainingConstraint(machine="CPU"), "ecs.gn6v-c8g1.2xlarge", 1, 1, "the component runs on CPU machines, and"),
        (TrainingConstraint(machine="CPU"), "local", 3, 0, None),
        (
            TrainingConstraint(machine="CPU", several_machines=False),
            "local",
            3,
            0,
            "runs on one machine, and 3 are asked for",
        ),
    ],
)
def test_the_constraint_is_held_against_type_and_count(
    constraint: TrainingConstraint | None, kind: str, count: int, cards: int | None, sentence: str | None
) -> None:
    found = constraint_problems(constraint, instance_type=kind, instance_count=count, cards=cards)
    assert [sentence in each for each in found if sentence] == ([True] if sentence else [])
    assert len(found) == (1 if sentence else 0)


@pytest.mark.parametrize(
    ("kind", "cards"), [("local", 0), ("ecs.c6.large", 0), ("ecs.gn6v-c8g1.2xlarge", None), ("x", None)]
)
def test_without_the_cloud_a_name_tells_only_that_there_are_no_cards(kind: str, cards: int | None) -> None:
    assert cards_of(kind) == cards


@pytest.mark.parametrize(
    ("share", "cards"),
    [({"CPU": "4"}, 0), ({"GPU": "2"}, 2), ({"GPU": 1}, 1), ({"GPU": "some"}, None), ("GPU", None)],
)
def test_the_share_of_a_quota_tells_its_cards(share: Json, cards: int | None) -> None:
    assert cards_of_share(share) == cards


def test_an_image_that_is_gone_is_fetched_by_its_digest() -> None:
    digest = "sha256:" + "a" * 64
    saved = SavedComponent(component=replace(COMPONENT, image_uri="host:5/me/train:1"), image_digest=digest)
    component, [note] = as_saved(saved, find_info("docker"))
    assert component.image_uri == f"host:5/me/train@{digest}"
    assert note == (
        "the image 'host:5/me/train:1' is not here any more: the one with which counted 1.0.0 was saved is fetched, "
        f"host:5/me/train@{digest}"
    )
    component, [note] = as_saved(saved, find_info("pai"))
    assert component.image_uri == "host:5/me/train:1"
    assert note.startswith("it is not known whether the tag of image 'host:5/me/train:1' was moved since counted 1.0.0")
    for image, backend in (("train:1", "process"), (f"train@{digest}", "docker"), (None, "docker")):
        plain = replace(saved, component=replace(COMPONENT, image_uri=image))
        assert as_saved(plain, find_info(backend)) == (plain.component, [])


def test_an_image_whose_tag_was_moved_while_it_was_gone_is_not_run(
    engine: Engine, image_of: Callable[[str], str], docker_backend: DockerBackend, workplace: Path
) -> None:
    path = save(replace(COMPONENT, image_uri="pai-jupyter-gone:1"), workplace / "counted.yaml")
    digest = "sha256:" + "0" * 64
    path.write_text(f"{path.read_text()}image_digest: {digest}\n")
    with pytest.raises(BackendError, match=f"pulling image 'pai-jupyter-gone@{digest}'"):
        run(load(path), replace(GIVEN, backend="docker"))


def test_a_component_runs_in_a_container_and_a_moved_tag_is_said(
    engine: Engine, image_of: Callable[[str], str], docker_backend: DockerBackend, workplace: Path
) -> None:
    image = image_of("full")
    made = replace(COMPONENT, image_uri=image)
    path = save(made, workplace / "counted.yaml")
    assert load(path).image_digest is not None
    job = run(load(path), replace(GIVEN, backend="docker"))
    assert job.status is Status.SUCCEEDED
    other = path.read_text().replace(str(load(path).image_digest), "sha256:" + "0" * 64)
    path.write_text(other)
    with pytest.raises(SpecError, match="its tag was moved"):
        run(load(path), replace(GIVEN, backend="docker"))


@pytest.mark.parametrize(
    ("variant", "missing"), [("full", ()), ("no-sh", ("sh",)), ("no-python", ("python", "pip")), ("no-pip", ("pip",))]
)
def test_an_image_is_looked_into_for_what_a_component_needs(
    engine: Engine,
    image_of: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    variant: str,
    missing: tuple[str, ...],
) -> None:
    monkeypatch.setenv("DOCKER_HOST", engine.address)
    facts = facts_of(image_of(variant), is_looked_into=True)
    assert facts is not None
    assert facts.missing == missing


def test_without_an_engine_nothing_is_known_of_an_image(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    assert facts_of("python:3.11", is_looked_into=True) is None


def test_registering_needs_a_session() -> None:
    with pytest.raises(SpecError, match="%pai_config"):
        register(COMPONENT)
