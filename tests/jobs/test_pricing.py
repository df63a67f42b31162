"""What a job costs: the arithmetic, the limit that a cost limit makes, what is recorded, and what is said."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pai_jupyter import Estimator
from pai_jupyter.config import settings
from pai_jupyter.config.prices import prices_path
from pai_jupyter.cost import (
    JobPrice,
    MachineCounts,
    PriceList,
    Rate,
    Unknown,
    affordable,
    cost_of,
    find_rate,
    quote,
    reason_by_cost,
    time_text,
)
from pai_jupyter.diagnostics import machine
from pai_jupyter.errors import JobFailed, SpecError
from pai_jupyter.events import JobState, Status, StatusChanged
from pai_jupyter.jobs import Job, Target, draft, draft_rerun
from pai_jupyter.jobs.job_index.row import row_of
from pai_jupyter.jobs.pricing import priced
from pai_jupyter.magics.list_magics import jobs_table
from pai_jupyter.money import exact, money, rate, read_amount
from pai_jupyter.spec import JobRef, JobSpec, Role
from pai_jupyter.store import JobRecord, JobStore
from pai_jupyter.training.foreseen_cost import cost_of_line
from pai_jupyter.typed_json import FieldError, Fields
from pai_jupyter.view import render_text
from pai_jupyter.view.show import view_data

CNY = PriceList(currency="CNY", per_hour={"ecs.c6.large": Decimal("0.8"), "ecs.gn6i-*": Decimal("11.5")}, path="p")
USD = PriceList(currency="USD", per_hour={"ecs.g7.large": Decimal(1)}, path="q")
HERE = Target(backend="process", reason="asked for")

Prices = Callable[..., Path]


@pytest.fixture
def prices(tmp_path: Path, workplace: Path) -> Prices:
    """Write the project's price list: `prices(local=3600)`."""

    def write(currency: str = "CNY", **per_hour: object) -> Path:
        (workplace / "pai_jupyter.toml").touch()
        path = workplace / "prices.json"
        named = {kind.replace("__", "."): price for kind, price in per_hour.items()}
        path.write_text(json.dumps({"currency": currency, "per_hour": named}))
        return path

    settings.cache_clear()
    return write


def spec(**given: Any) -> JobSpec:  # Any: of a spec
    return JobSpec(**{"name": "a job", "command": "true", **given})


def price(**given: Any) -> JobPrice:  # Any: of a price
    return JobPrice(**{"currency": "CNY", "per_hour": Decimal("6.2"), **given})


def test_the_doctor_names_price_lists_and_what_is_wrong_with_one(prices: Prices) -> None:
    path = prices(ecs__c6__large=0.8, local=1)
    assert [(check.found, check.is_good) for check in machine.prices()] == [(f"{path}: 2 × CNY", True)]
    path.write_text("{")
    (check,) = machine.prices()
    assert not check.is_good
    assert "prices.json" in check.found
    path.write_text("\n")
    (check,) = machine.prices()
    assert (check.found, check.is_good) == (f"{path} is empty: no prices", True)
    assert "per_hour" in check.remedy


# --- arithmetic ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (
            {"instance_type": "ecs.c6.large", "instance_count": 3},
            Rate(currency="CNY", per_hour=Decimal("2.4"), path="p"),
        ),
        (
            {
                "job_type": "TFJob",
                "instance_type": "ecs.c6.large",
                "roles": (
                    Role(name="chief"),
                    Role(name="worker", instance_count=2, instance_type="ecs.gn6i-c4g1.xlarge"),
                ),
            },
            Rate(currency="CNY", per_hour=Decimal("23.8"), path="p"),
        ),
        (
            {
                "job_type": "ElasticBatchJob",
                "instance_type": "ecs.c6.large",
                "roles": (Role(name="aimaster"), Role(name="worker", instance_count=2)),
            },
            Rate(currency="CNY", per_hour=Decimal("1.6"), path="p"),
        ),
        ({"instance_type": "ecs.no.such"}, Unknown(reason="ecs.no.such has no price", kind="ecs.no.such")),
        ({}, Unknown(reason="pai has no price", kind="pai")),
    ],
)
def test_the_prices_of_all_machines_are_added_up(wanted: dict[str, Any], found: Rate | Unknown) -> None:
    assert find_rate(MachineCounts.of(spec(**wanted), backend="pai", is_local=False), [CNY, USD]) == found


def test_several_currencies_are_never_added_up() -> None:
    roles = (Role(name="chief", instance_type="ecs.c6.large"), Role(name="worker", instance_type="ecs.g7.large"))
    machines = MachineCounts.of(spec(job_type="TFJob", roles=roles), backend="pai", is_local=False)
    found = find_rate(machines, [CNY, USD])
    assert isinstance(found, Unknown)
    assert "CNY and USD" in found.reason


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("30", ("30", "")),
        ("¥30", ("30", "CNY")),
        ("30CNY", ("30", "CNY")),
        ("0.5 usd", ("0.5", "USD")),
        ("30元", ("30", "CNY")),
    ],
)
def test_an_amount_may_name_its_currency(text: str, amount: tuple[str, str]) -> None:
    assert read_amount(text) == (Decimal(amount[0]), amount[1])


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "a lot", "1e9", "¥30USD", "30 yuan", "NaN", "١", "99999999999", "1.2345678"]
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="no amount of money"):
        spec(max_cost=text)


def test_amounts_are_shown_in_cents_and_never_as_nothing() -> None:
    assert money(Decimal("12.395"), "CNY") == "¥12.40"
    assert money(Decimal("0.0001"), "CNY") == "<¥0.01"
    assert money(Decimal(0), "CHF") == "0.00 CHF"
    assert money(Decimal("0.0001"), "USD", is_most=True) == "$0.01"
    assert (rate(Decimal("6.2"), "CNY"), rate(Decimal("0.0035"), "CNY"), rate(Decimal(100), "CNY")) == (
        "¥6.20",
        "¥0.0035",
        "¥100.00",
    )
    assert exact(Decimal("30.00"), "CNY") == "¥30"


@pytest.mark.parametrize(
    ("max_cost", "per_hour", "unit", "seconds"),
    [
        ("12.4", "6.2", 1, 7200),
        ("1", "3", 60, 1200),
        ("0.01", "6.2", 60, 0),
        ("1", "0", 1, None),
        ("999999999", "1", 1, None),
    ],
)
def test_a_cost_limit_is_a_time(max_cost: str, per_hour: str, unit: int, seconds: int | None) -> None:
    assert affordable(Decimal(max_cost), Decimal(per_hour), unit=unit) == seconds


def test_only_the_time_in_which_the_job_runs_counts() -> None:
    waiting = cost_of(price(), started=None, ended=None, now=5_000)
    assert (waiting.amount, waiting.is_final) == (Decimal(0), False)
    running = cost_of(price(time_limit=7200), started=1_000, ended=None, now=2_800)
    assert (running.amount, str(running)) == (Decimal("3.1"), "¥3.10 so far, ≤ ¥12.40")
    assert str(cost_of(price(), started=1_000, ended=4_600, now=9_999)) == "¥6.20"
    assert str(cost_of(price(is_spot=True), started=1_000, ended=4_600, now=9_999)) == "≤ ¥6.20"


def test_a_quote_says_the_most_and_what_is_not_known() -> None:
    assert quote(price(time_limit=7200)) == "at most ¥12.40 (2 h limit × ¥6.20)"
    assert quote(price()) == "¥6.20 an hour, no time limit"
    assert quote(price(is_spot=True)).endswith("less for preemptible machines, whose discount is not known")
    assert "nothing is charged" in quote(price(is_rehearsal=True))
    assert [time_text(seconds) for seconds in (45, 60, 5400, 7201)] == ["45 s", "1 min", "1 h 30 min", "2 h 1 s"]


LIMITED = price(time_limit=17421, max_cost=Decimal(30))


@pytest.mark.parametrize(
    ("of", "reason", "ran", "exit_code", "told"),
    [
        (LIMITED, "Time limit reached (17421 s)", 17421.0, None, "Cost limit ¥30 reached (4 h 50 min 21 s)"),
        (LIMITED, "replica w-1: Time limit reached (17421 s)", 1.0, None, "replica w-1: Cost limit ¥30 reached"),
        (LIMITED, "exit code 124: it ran longer than max_run_time (17421 s)", 1.0, 124, "Cost limit ¥30 reached (4 h"),
        (LIMITED, "OutOfTime", 17423.0, None, "Cost limit ¥30 reached (4 h 50 min 21 s): OutOfTime"),
        (LIMITED, "exit code 1", 17423.0, 1, "exit code 1"),
        (LIMITED, "node lost", 60.0, None, "node lost"),
        (
            replace(LIMITED, asked_time=60, time_limit=60),
            "Time limit reached (60 s)",
            60.0,
            None,
            "Time limit reached (60 s)",
        ),
        (price(time_limit=60), "Time limit reached (60 s)", 60.0, None, "Time limit reached (60 s)"),
    ],
)
def test_an_end_by_the_cost_limit_is_called_so(
    of: JobPrice, reason: str, ran: float, exit_code: int | None, told: str
) -> None:
    assert reason_by_cost(of, reason, ran=ran, has_exit_code=exit_code is not None).startswith(told)


# --- records ---------------------------------------------------------------------------------------------------------


def test_a_price_is_recorded_and_read_again() -> None:
    whole = price(time_limit=60, asked_time=90, max_cost=Decimal("0.1"), is_spot=True, is_rehearsal=True)
    assert JobPrice.from_json(Fields.of(json.loads(json.dumps(whole.to_json())))) == whole


@pytest.mark.parametrize(
    "wrong", [{"currency": "x"}, {"per_hour": "-1"}, {"per_hour": 1.5}, {"per_hour": "NaN"}, {"time_limit": -1}]
)
def test_a_damaged_price_is_an_error_with_its_field(wrong: dict[str, object]) -> None:
    with pytest.raises(FieldError):
        JobPrice.from_json(Fields.of({**price().to_json(), **wrong}, "price"))


def recorded(of: JobPrice | None, state: JobState, job_id: str = "j-cost") -> Job:
    record = JobRecord(id=job_id, spec=spec(), backend="fake", created=1.0, price=of)
    folder = JobStore().create(record)
    folder.start(JobRef(backend="fake", job_id=job_id), state)
    return Job(JobStore().open(job_id))


def ran(seconds: float) -> JobState:
    running = JobState().apply(StatusChanged(status=Status.RUNNING, time=1_000.0))
    return running.apply(StatusChanged(status=Status.SUCCEEDED, time=1_000.0 + seconds, exit_code=0))


def test_a_job_tells_its_cost_and_one_of_an_older_version_none() -> None:
    job = recorded(price(), ran(1_800))
    assert str(job.cost) == "¥3.10"
    assert job.to_json()["cost"]["amount"] == "3.100000"
    assert "¥3.10" in render_text(view_data(job)).splitlines()[0]
    old = recorded(None, ran(60), "j-old")
    assert (old.cost, old.to_json()["cost"]) == (None, None)
    assert "¥" not in render_text(view_data(old))


def test_the_table_has_costs_only_where_a_job_has_a_price() -> None:
    known, old = recorded(price(), ran(1_800)), recorded(None, ran(60), "j-old")
    rows = [replace(row_of(job.id, job.folder.record), status=job.status) for job in (known, old)]
    rows[0] = replace(rows[0], started=1_000.0, ended=2_800.0)
    table = jobs_table(rows, now=3_000.0)
    column = table.headers.index("cost")
    assert [row[column] for row in table.rows] == ["¥3.10", ""]
    assert "cost" not in jobs_table(rows[1:], now=3_000.0).headers


# --- before a job starts ---------------------------------------------------------------------------------------------


def drafted(**given: Any) -> Any:  # Any: of a spec; a draft
    return draft(spec(**given), HERE, files={"train.py": b"print('here')"})


def test_a_job_of_this_machine_without_a_price_says_nothing(prices: Prices) -> None:
    prices(local_gpu=1.5)
    with drafted() as ready:
        assert ready.cost == ""
    assert cost_of_line("iris") == ""


def test_the_price_of_the_time_of_submission_stays(prices: Prices) -> None:
    prices(local=3600)
    with drafted(max_run_time=60) as ready:
        assert ready.cost == "at most ¥60.00 (1 min limit × ¥3600.00)"
        job = ready.submit().wait()
    prices(local=7200)
    price_then = Job(JobStore().open(job.id)).folder.record.price
    assert price_then is not None
    assert price_then.per_hour == 3600
    assert job.cost is not None
    assert job.cost.is_final


def test_a_cost_limit_is_the_shorter_time_and_a_rerun_makes_it_of_new_prices(prices: Prices) -> None:
    prices(local=360)
    with drafted(max_run_time=1_000, max_cost="¥30") as ready:
        assert ready.spec.max_run_time == 300
        assert ready.notes[-1] == "the cost limit ¥30 ends the job after 5 min, at ¥360.00 an hour."
        job = ready.submit().wait()
    prices(local=36)
    with draft_rerun(job) as again:
        assert again.spec.max_run_time == 1_000  # as it was asked for
        assert again.spec.max_cost == "¥30"
    with drafted(max_run_time=100, max_cost="30") as ready:
        assert ready.spec.max_run_time == 100


def test_a_broken_list_is_a_note_but_stops_a_job_with_a_cost_limit(prices: Prices) -> None:
    prices().write_text("{")
    with drafted() as ready:
        assert any("prices.json" in note for note in ready.notes)
    with pytest.raises(SpecError, match=r"prices\.json' line 1"):
        drafted(max_cost="30")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"max_cost": "30USD"}, "is in USD, and the prices in .* are in CNY"),
        ({"max_cost": "0.0001"}, "does not pay for 1 s of this job"),
    ],
)
def test_a_cost_limit_that_cannot_hold_is_refused(prices: Prices, given: dict[str, Any], told: str) -> None:
    prices(local=3600)
    with pytest.raises(SpecError, match=told):
        drafted(**given)


def test_a_cost_limit_without_a_price_says_what_to_write_where(prices: Prices) -> None:
    prices(local_gpu=1)
    with pytest.raises(SpecError) as caught:
        drafted(max_cost="30")
    assert "needs a price, and local has no price. Write what it costs an hour into" in str(caught.value)
    assert str(prices_path(settings())) in str(caught.value)


def test_a_backend_that_ends_no_job_at_a_time_takes_no_cost_limit(prices: Prices) -> None:
    prices(openpai=1)
    with pytest.raises(SpecError, match="OpenPAI ends no job at one"):
        priced(spec(max_cost="30"), Target(backend="openpai", reason="asked for"))


def test_a_cost_limit_ends_a_job_that_nobody_follows_and_is_its_reason(prices: Prices, workplace: Path) -> None:
    prices(local=3600)
    (workplace / "train.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(JobFailed, match=r"Cost limit ¥1 reached \(1 s\)"):
        Estimator(entry_point="train.py", max_cost=1).fit()


def test_python_is_told_of_its_own_argument(prices: Prices, workplace: Path) -> None:
    (workplace / "train.py").touch()
    with pytest.raises(SpecError, match='`max_cost="3"` needs a price'):
        Estimator(entry_point="train.py", max_cost=3).fit()


def test_the_form_hears_what_its_line_costs(prices: Prices) -> None:
    prices(local=6.2, ecs__c6__large=0.8)
    assert cost_of_line("iris --max-time 2h -i a=./no --send x") == "at most ¥12.40 (2 h limit × ¥6.20)"
    two = "iris --instance-type ecs.c6.large --instance-count 2 --max-time 90s --backend pai"
    assert cost_of_line(two) == "at most ¥0.06 (2 min limit × ¥1.60)"
    assert cost_of_line("iris --max-time {limit}") == ""
    assert cost_of_line("iris --instance-type ecs.g7.large") == "not known: ecs.g7.large has no price in prices.json"
    with pytest.raises(SpecError, match="no amount of money"):
        cost_of_line("iris --max-cost much")
