"""What a job costs, by a price list of the user's own: on the emulator, in a run of a pipeline, in the form."""

import json
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from pai_jupyter import JobSpec, submit
from pai_jupyter.config import settings
from pai_jupyter.config.prices import prices_path
from pai_jupyter.cost import JobPrice
from pai_jupyter.form import FormValues, HyperparameterForm
from pai_jupyter.hyperparameters import read_schema
from pai_jupyter.magics import emulator
from pai_jupyter.runs.costs import costs_of_run
from pai_jupyter.runs.state import RunState, RunStatus, StepState, TryState
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.training import TrainOptions, parse_line
from pai_jupyter.training.foreseen_cost import foreseen_cost
from pai_jupyter.view.run.data import RunData
from pai_jupyter.view.run.text import render_run_text
from tests.support.sessions import surroundings
from tests.support.shells import Shell

CELL = "%%pai_train priced --backend pai --image img:1 --instance-type ecs.c6.large {}\nprint('here')\n"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    with surroundings(tmp_path, monkeypatch), Shell() as shell:
        monkeypatch.chdir(tmp_path)
        path = prices_path(settings())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"currency": "CNY", "per_hour": {"ecs.c6.*": 36, "local": 3600}}))
        yield shell


def test_a_cost_limit_reaches_the_service_and_an_emulator_charges_nothing(shell: Shell) -> None:
    settings().use_emulator(emulator.start("process"))
    try:
        dry = shell.run(CELL.format("--dry-run --max-cost 0.99 --option pai.use_spot_instance=true")).text
        assert '"MaxRunningTimeInSeconds": 60' in dry  # whole minutes: a service may count in these
        assert "cost: at most ¥0.60 (1 min limit × ¥36.00); less for preemptible machines" in dry
        assert "nothing is charged for a rehearsal" in dry
        unknown = shell.run(CELL.replace("c6", "g6").format("--dry-run")).text
        assert "cost: not known: ecs.g6.large has no price in prices.json" in unknown
        ran = shell.run(CELL.format("--run --wait --as job --max-time 1h"))
        assert ran.error is None, ran.text
        job = shell.user_ns["job"]
        assert job.cost.is_final
        assert job.cost.is_rehearsal
        assert 0 <= job.cost.amount < 36  # the service tells times in whole seconds
        assert "cost" in shell.run("%pai_jobs").text.splitlines()[0]
        assert "¥36.00" in shell.run("%pai_instances").text
    finally:
        emulator.stop()


def test_the_sum_of_a_run_is_told_by_currency(shell: Shell) -> None:
    for number, currency in enumerate(["CNY", "CNY", "USD", None]):
        price = JobPrice(currency=currency, per_hour=Decimal(36)) if currency else None
        spec = JobSpec(name="step", command="true")
        JobStore().create(JobRecord(id=f"j{number}", spec=spec, backend="fake", created=1.0, price=price))
    tries = [TryState(job_id=f"j{number}", status="succeeded", started=100.0, ended=200.0) for number in range(4)]
    tries[1] = TryState(job_id="j1", status="running", started=100.0)
    steps = [StepState(path=each.job_id, name=each.job_id, kind="job", title="t", tries=(each,)) for each in tries]
    state = RunState(id="r1", name="run", status=RunStatus.RUNNING, steps=tuple(steps), created=50.0)
    costs = costs_of_run(state, now=400.0)
    assert [(f"{each.amount:.0f}", each.currency, str(each.per_hour)) for each in costs] == [
        ("4", "CNY", "36"),
        ("1", "USD", "0"),
    ]
    head = render_run_text(RunData(state=state, costs=costs, language="en")).splitlines()[0]
    assert head.endswith("¥4.00 so far + $1.00 so far")


def test_the_form_says_what_its_fields_cost(shell: Shell) -> None:
    options = TrainOptions.read(parse_line("--max-time 1h"))

    def cost(values: FormValues) -> str:
        return foreseen_cost(replace(options, instance_type=values.instance_type))

    form = HyperparameterForm(read_schema(""), cost=cost)
    assert form.cost.value == "Cost: at most ¥3600.00 (1 h limit × ¥3600.00)"
    form.place.instance_type.value = "ecs.c6.large"
    assert form.cost.value.startswith("Cost: at most ¥36.00")
    form.close()


def test_a_finished_job_of_this_machine_has_its_price(shell: Shell) -> None:
    job = submit(JobSpec(name="demo", command="true"), backend="process").wait()
    assert job.cost is not None
    assert job.cost.ceiling is None
    assert not job.cost.is_rehearsal
