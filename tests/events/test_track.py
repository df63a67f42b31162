"""Progress out of logs: it never runs backwards, and is whole only with the job."""

import pytest

from pai_jupyter.events import JobState, Progress, Status, StatusChanged
from pai_jupyter.events.metrics import MetricParser
from tests.events.test_metrics import bar, parse


def shares(text: str, *, total_epochs: float | None = None) -> list[float | None]:
    """What a view shows after each progress that the log tells."""
    state, seen = JobState().apply(StatusChanged(status=Status.RUNNING, time=0.0)), []
    for event in parse(text, total_epochs=total_epochs):
        state = state.apply(event)
        if isinstance(event, Progress):
            seen.append(state.fraction)
    return seen


def is_rising(seen: list[float | None]) -> bool:
    known = [share for share in seen if share is not None]
    return known == sorted(known) and max(known, default=0) < 1


def tqdm(done: int, total: int, *, name: str = "", rate: str = "9.5it/s") -> str:
    return f"{name}{100 * done // total}%|██  | {done}/{total} [00:01<00:01, {rate}]\n"


def bars(total: int, **options: str) -> str:
    return "".join(tqdm(done, total, **options) for done in range(0, total + 1, max(1, total // 4)))


LOGS = {
    "a validation behind every epoch": "".join(
        f"Epoch {epoch}/3\n" + bars(100, name="Training: ") + bars(10, name="Validation: ") + f"val_loss: 0.{epoch}\n"
        for epoch in (1, 2, 3)
    ),
    "lightning": bars(2, name="Sanity Checking DataLoader 0: ")
    + "".join(bars(48, name=f"Epoch {epoch}: ") + bars(5, name="Validation DataLoader 0: ") for epoch in (0, 1, 2)),
    "an evaluation within the only bar": tqdm(50, 100) + bars(20) + tqdm(60, 100) + bars(20) + tqdm(100, 100),
    "data is prepared first": bars(3668, name="Map: ", rate="12345.67 examples/s")
    + bars(8, name="Downloading shards: ")
    + "".join(f"epoch {epoch}/4 loss=0.5\n" for epoch in (1, 2, 3, 4)),
    "a download": bars(100, rate="24.1MB/s") + bars(40),
    "a bar for each epoch, and nothing says so": bars(100) * 5,
    "files, then epochs": bars(12) + "".join(f"Epoch {epoch}/9\nloss: 0.5\n" for epoch in range(1, 10)),
    "five folds": "".join(
        f"fold {fold}\n" + "".join(f"epoch {epoch}/3 loss=0.5\n" for epoch in (1, 2, 3)) for fold in range(5)
    ),
    "keras": "".join(
        f"Epoch {epoch}/3\n" + "".join(f"{step}/40 [==>..] - ETA: 1s - loss: 0.5\r" for step in range(1, 41)) + "\n"
        for epoch in (1, 2, 3)
    )
    + "10/10 [====] - 0s - loss: 0.4\n",
    "keras, one line an epoch": "".join(f"Epoch {n}/4\n40/40 - 3s - 3ms/step - loss: 0.5\n" for n in range(1, 5)),
    "mmengine": "".join(
        f"Epoch(train) [{epoch}][{step}/90]  lr: 0.1  loss: 0.5\n" for epoch in (1, 2) for step in (30, 60, 90)
    )
    + "Epoch(val) [2][10/10]  acc: 0.5\n",
    "imagenet": "".join(f"Epoch: [{n}][{at}/100]\tLoss 0.5 (0.5)\n" for n in (0, 1) for at in (0, 50, 99))
    + "Test: [10/20]\tLoss 0.5 (0.5)\n",
    "megatron": "".join(f" iteration {at}/ 100 | lm loss: 0.5 |\n" for at in range(0, 101, 10)),
}


@pytest.mark.parametrize("log", LOGS.values(), ids=LOGS.keys())
@pytest.mark.parametrize("total_epochs", [None, 3.0])
def test_progress_never_runs_backwards_and_is_not_whole_while_the_job_runs(
    log: str, total_epochs: float | None
) -> None:
    assert is_rising(shares(log, total_epochs=total_epochs))


@pytest.mark.parametrize(
    ("name", "last"),
    [
        *(("lightning", 0.99), ("an evaluation within the only bar", 0.99), ("data is prepared first", 0.99)),
        *(("a download", 0.99), ("keras", 0.99), ("keras, one line an epoch", 0.99), ("megatron", 0.99)),
        ("a bar for each epoch, and nothing says so", None),
        ("files, then epochs", None),
        ("five folds", None),
    ],
)
def test_progress_comes_to_the_end_or_is_not_known_any_more(name: str, last: float | None) -> None:
    assert shares(LOGS[name], total_epochs=3.0 if name == "lightning" else None)[-1] == last


def test_a_bar_of_a_validation_tells_no_progress() -> None:
    assert shares(bars(10, name="Evaluating: ")) == []
    assert shares(bars(10, name="Testing DataLoader 0: ")) == []


def test_the_metrics_of_a_validation_bar_are_counted_and_not_placed() -> None:
    text = "Validating: 50%|██  | 5/10 [00:01<00:01, 9.5it/s, val_loss=0.5]\n"
    [metric] = parse(text)
    assert not isinstance(metric, Progress)
    assert str(metric).count("step=1")


def test_a_bar_that_is_drawn_again_tells_each_percent_once_still() -> None:
    assert len(shares(bar(20_000))) == 101


def test_progress_goes_on_where_it_was_after_a_restart() -> None:
    parser = MetricParser()
    parser.feed("w", tqdm(60, 100).encode(), 0.0)
    again = MetricParser(state=parser.state)
    assert [e for e in again.feed("w", tqdm(59, 100).encode(), 0.0) if isinstance(e, Progress)] == []
    assert [e.done for e in again.feed("w", tqdm(61, 100).encode(), 0.0) if isinstance(e, Progress)] == [61]


@pytest.mark.parametrize(
    ("status", "share"), [("running", 0.99), ("succeeded", 1.0), ("failed", 1.0), ("stopped", 1.0)]
)
def test_progress_is_whole_when_the_job_has_ended(status: str, share: float) -> None:
    state = JobState().apply(StatusChanged(status=Status.RUNNING, time=0.0)).apply(Progress(done=4, total=4, time=1.0))
    assert state.apply(StatusChanged(status=Status(status), time=2.0)).fraction == share
