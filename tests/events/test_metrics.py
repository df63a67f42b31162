"""Metrics and progress out of logs: what is found, what must not be, and that only the bytes decide."""

import json
import math
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pai_jupyter.events import Metric, Notice, Progress
from pai_jupyter.events.metrics import MetricParser
from pai_jupyter.events.shapes import KNOWN, LONGEST, MAX_SHAPES, Shapes, shapes_for
from pai_jupyter.events.track import MAX_PARSED
from pai_jupyter.spec import MetricDefinition
from tests.events.test_lines import cut


def parse(
    text: str, *definitions: tuple[str, str], total_epochs: float | None = None
) -> list[Metric | Progress | Notice]:
    parser = MetricParser(
        [MetricDefinition(name=name, regex=regex) for name, regex in definitions], total_epochs=total_epochs
    )
    return parser.feed("worker-0", text.encode(), 7.0) + parser.flush("worker-0", 8.0)


def metrics(events: Sequence[Metric | Progress | Notice]) -> list[tuple[str, float, float | None]]:
    return [(e.name, e.value, e.step) for e in events if isinstance(e, Metric)]


def progress(events: Sequence[Metric | Progress | Notice]) -> list[tuple[float, float | None, str]]:
    return [(round(e.done, 3), e.total, e.unit) for e in events if isinstance(e, Progress)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("epoch 3 loss=0.5 acc: 0.9", [("loss", 0.5, 3), ("acc", 0.9, 3)]),
        ("2024-01-01 12:30:01,123 INFO root:epoch=3, loss=0.5", [("loss", 0.5, 3)]),
        ("step=100 loss=1e-3", [("loss", 0.001, 100)]),
        ("global_step 100: loss = -.5", [("loss", -0.5, 100)]),
        ("iter 7: train/loss 0.1, train/acc: 95.5%", [("train/loss", 0.1, 7), ("train/acc", 95.5, 7)]),
        ("Iteration 7 | Loss: 0.1 | lr: 1E-05", [("Loss", 0.1, 7), ("lr", 1e-5, 7)]),
        ("Epoch 2: train loss: 0.5 val loss: 0.6", [("train loss", 0.5, 2), ("val loss", 0.6, 2)]),
        ("epoch 3 hits: 5 val loss: 0.1", [("hits", 5, 3), ("val loss", 0.1, 3)]),
        ("epoch 1 训练 loss=0.5", [("训练 loss", 0.5, 1)]),
        ("Epoch [3/50], Step [100/600], Loss: 0.23", [("Loss", 0.23, 1300)]),
        ("Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.297471", [("Loss", 2.297471, 640)]),
        ("epoch 1 \x1b[32mloss\x1b[0m: \x1b[1m0.5\x1b[0m", [("loss", 0.5, 1)]),
        ('{"loss": 0.1, "step": 5}', [("loss", 0.1, 5)]),
        ('INFO {"epoch": 2, "acc": 1, "name": "x", "done": true}', [("acc", 1, 2)]),
        ("{'loss': 0.5, 'learning_rate': 1e-05, 'epoch': 1.0}", [("loss", 0.5, 1), ("learning_rate", 1e-5, 1)]),
        ("{'loss': '0.5', 'epoch': '1.5'}", [("loss", 0.5, 1.5)]),
        ('{"step": "5", "loss": "0.5"}', [("loss", 0.5, 5)]),
        ("[12]\ttrain-mlogloss:0.21\ttest-mlogloss:0.33", [("train-mlogloss", 0.21, 12), ("test-mlogloss", 0.33, 12)]),
        ("[3]\ttrain-auc:0.9+0.01\ttest-ndcg@5:0.8+0.02", [("train-auc", 0.9, 3), ("test-ndcg@5", 0.8, 3)]),
        (
            "[12]\tvalid_0's l2: 0.21\tvalid_0's auc: 0.9",
            [("valid_0's l2", 0.21, 12), ("valid_0's auc", 0.9, 12)],
        ),
        (
            "Epoch 3/10\n100/100 [======] - 1s 2ms/step - loss: 0.1 - accuracy: 0.9",
            [("loss", 0.1, 300), ("accuracy", 0.9, 300)],
        ),
        (
            "Epoch 3/10\n\x1b[1m100/100\x1b[0m \x1b[32m━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m1s\x1b[0m 2ms/step - loss: 0.1",
            [("loss", 0.1, 300)],
        ),
        ("50%|█████     | 50/100 [00:01<00:01, 49.5it/s, loss=0.12]", [("loss", 0.12, 50)]),
        ("Epoch 3:  50%|██   | 50/100 [00:01<00:01, 49.5it/s, v_num=0, loss=0.5]", [("loss", 0.5, 250)]),
        (" 1%|▏ | 1/100 [00:01<01:30, 1.0it/s]{'loss': 0.5, 'epoch': 1.5}", [("loss", 0.5, 1.5)]),
    ],
)
def test_metrics_are_found_as_they_are_printed(text: str, found: list[tuple[str, float, float]]) -> None:
    assert metrics(parse(text + "\n")) == found
    assert metrics(parse(text)) == found  # the log may end without a newline


@pytest.mark.parametrize(
    "text",
    [
        "12:30:01 step 3: connecting to localhost:8080",
        "epoch 3 done at 12:30:01, date: 2024-01-01, version: 1.2.3, ip: 10.0.0.1",
        "epoch 3: saved: 5 files",
        "Epoch 3: saving to /tmp/epoch=3/loss=0.5/x and C:\\runs\\loss=0.5\\x",
        "checkpoint-epoch=3-val_loss=0.50.ckpt",
        "step 4 url=http://a/b?step=5&loss=0.5 hash=0x1f id=7f3a",
        "step 4 time=1.2s size: 5GB took: 12:30",
        "step 4 n=1,234 x=1e y=1.2.3 z=5/10 betas=(0.9, 0.999)",
        "Step 3 : RUN pip install numpy==1.26 'torch>=2.1'",
        "step 12 seed=42 version=3 rank=0",
        "batch_size=32 epochs=10 lr_step=30",
        "the loss: 0.5 was the best of the steps 1 to 3",
        '{"lr": 0.1, "batch_size": 32, "epochs": 10}',
        '{"step": 5, "config": {"lr": 0.1}}',
        "{'step': 1, 'config': {'lr': 0.1}}",
        "[12:30:01] loading: 5",
        "[12] items left: 5",
        '{"a":' * 1500 + "}" * 1500,
        "step " + "9" * 400 + " size=0.5",
        "x" * MAX_PARSED + " epoch 3 loss=0.5",
    ],
)
def test_nothing_is_invented_out_of_ordinary_text(text: str) -> None:
    assert metrics(parse(text)) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("step 1 loss=nan", math.nan),
        ("step 1 loss: -Inf", -math.inf),
        ('{"step": 1, "loss": NaN}', math.nan),
        ('{"step": 1, "loss": -Infinity}', -math.inf),
        ('{"step": 1, "loss": ' + "9" * 5000 + "}", math.inf),
        ("{'loss': nan, 'epoch': 0.5}", math.nan),
        ("[1]\ttrain-loss:inf", math.inf),
    ],
)
def test_nan_and_the_infinities_are_values(text: str, value: float) -> None:
    [found] = parse(text)
    assert isinstance(found, Metric)
    assert str(found.value) == str(value)


def test_a_long_name_is_no_metric() -> None:
    assert metrics(parse(f"step 1 {'x' * 100}=0.5 loss=1.5")) == [("loss", 1.5, 1)]


@pytest.mark.parametrize(
    ("text", "definition", "found"),
    [
        ("val_acc=0.93", ("acc", r"val_acc=([0-9.]+)"), [("acc", 0.93, None)]),
        ("epoch 3 acc 93", ("acc", r"acc (\d+)"), [("acc", 93.0, 3.0)]),
        ("epoch 3 loss=0.5 0.25", ("loss", r"0\.5 (\S+)"), [("loss", 0.25, 3.0)]),
        ("acc=high", ("acc", r"acc=(\w+)"), []),
        ("acc=", ("acc", r"acc=(\d+)?"), []),
        ("acc=1_000", ("acc", r"acc=(\w+)"), []),
        ("\x1b[31mF1\x1b[0m 0.5", ("f1", r"^F1 ([\d.]+)$"), [("f1", 0.5, None)]),
        ("准确率 0.5", ("准确率", r"准确率 ([\d.]+)"), [("准确率", 0.5, None)]),
        ("loss nan", ("loss", r"loss (\S+)"), [("loss", math.nan, None)]),
        ("x" * 100_000 + "acc=0.5", ("acc", r"acc=([\d.]+)"), [("acc", 0.5, None)]),
        ("acc=0.5" + "x" * 100_000, ("acc", r"acc=([\d.]+)"), []),
    ],
)
def test_a_users_definition_is_searched_in_every_line_and_comes_first(
    text: str, definition: tuple[str, str], found: list[tuple[str, float, float | None]]
) -> None:
    assert str(metrics(parse(f"before\n{text}\nafter\n", definition))) == str(found)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("step 30/100\n", [(30, 100, "step")]),
        ("Epoch 1/4\nEpoch 2/4\n", [(0, 4, "epoch"), (1, 4, "epoch")]),
        ("epoch 1/4 loss=0.5\nepoch 2/4 loss=0.4\n", [(1, 4, "epoch"), (2, 4, "epoch")]),
        ("epoch 0/4 loss=0.5\nepoch 1/4 loss=0.4\n", [(1, 4, "epoch"), (2, 4, "epoch")]),
        ("epoch 1 loss=0.5\n", []),
        ("Epoch [3/50], Step [300/600], Loss: 0.23\n", [(2.5, 50, "epoch")]),
        ("Epoch 2/2\n50/100 [==>..] - ETA: 1s - loss: 1.0\n", [(1, 2, "epoch"), (1.5, 2, "epoch")]),
        ("30%|███  | 30/100 [00:01<00:01, 49.5it/s]\n", [(30, 100, "step")]),
        ("Epochs:  30%|███  | 3/10 [00:01<00:01, 1.5s/it]\n", [(3, 10, "epoch")]),
        ("Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.3\n", []),
        ("model.bin: 30%|███  | 30/100 [00:01<00:01, 49.5MB/s]\n", []),
        ("12it [00:01, 49.5it/s, loss=0.5]\n", []),
        ("epoch 12/10 loss=0.5\n", [(10, 10, "epoch")]),
        ("step 3/0\n", []),
        ("shard 12/500\nshard 500/500\n", [(12, 500, "step"), (500, 500, "step")]),
        ("Loading shard 12/500\nshard 3/4 loaded\n", []),
    ],
)
def test_progress_is_told_where_an_end_is_known(text: str, told: list[tuple[float, float, str]]) -> None:
    assert progress(parse(text)) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("epoch 1 loss=0.5\nepoch 2 loss=0.4\n", [(1, 4, "epoch"), (2, 4, "epoch")]),
        ("epoch 0 loss=0.5\nepoch 1 loss=0.4\n", [(1, 4, "epoch"), (2, 4, "epoch")]),
        ("starting epoch 3\n", [(2, 4, "epoch")]),
        ("epoch 1/8 loss=0.5\n", [(1, 8, "epoch")]),
        ("Epoch 3:  50%|██   | 50/100 [00:01<00:01, 49.5it/s]\n", [(2.5, 4, "epoch")]),
        ("{'loss': 0.5, 'epoch': 1.5}\n50%|██ | 50/100 [00:01<00:01, 49.5it/s]\n", [(1.5, 4, "epoch")]),
        ("loss=0.5\n", []),
    ],
)
def test_the_epochs_the_job_was_told_to_train_are_the_end_where_the_log_names_none(
    text: str, told: list[tuple[float, float, str]]
) -> None:
    assert progress(parse(text, total_epochs=4)) == told


def bar(count: int, *, end: str = "\n") -> str:
    states = (f"\r{i * 100 // count}%|██  | {i}/{count} [00:01<00:01, 9.5it/s, loss={i}.5]" for i in range(count + 1))
    return "".join(states) + end


def test_a_bar_redrawn_without_end_tells_each_percent_once() -> None:
    found = parse(bar(20_000))
    assert [e.done for e in found if isinstance(e, Progress)] == [200 * percent for percent in range(101)]
    assert len(metrics(found)) == 101
    assert metrics(found)[-1] == ("loss", 20_000.5, 20_000)


def test_bars_of_several_epochs_count_on() -> None:
    text = "".join(f"Epoch {n}/2\n{bar(10)}" for n in (1, 2))
    assert [step for _, _, step in metrics(parse(text))] == [*range(11), *range(10, 21)]


def test_a_hand_made_bar_tells_each_percent_once() -> None:
    text = "".join(f"step {i}/1000 loss={i}\r" for i in range(1, 1001)) + "\n"
    assert len(metrics(parse(text))) == 101


def test_redrawn_lines_without_an_end_are_thinned_more_and_more() -> None:
    text = "".join(f"\rstep {i} loss={i}" for i in range(100_000)) + "\n"
    assert len(metrics(parse(text))) < 400


def test_the_first_replica_that_tells_progress_speaks_for_all() -> None:
    parser = MetricParser()
    told = [parser.feed(f"worker-{i}", b"step 5/10 loss=1\n", 0.0) for i in (1, 0)]
    told.append(parser.feed("worker-1", b"step 6/10 loss=1\n", 0.0))
    assert [progress(events) for events in told] == [[(5, 10, "step")], [], [(6, 10, "step")]]
    assert [len(metrics(events)) for events in told] == [1, 1, 1]


def test_shards_are_counted_whichever_worker_tells_it() -> None:
    """The first one to tell may hang, and all count the same shards."""
    parser = MetricParser()
    told = [parser.feed(f"worker-{i}", f"shard {done}/100\n".encode(), 0.0) for i, done in ((0, 1), (1, 40), (2, 70))]
    assert [progress(events) for events in told] == [[(1, 100, "step")], [(40, 100, "step")], [(70, 100, "step")]]


def test_lines_of_replicas_do_not_mix() -> None:
    parser = MetricParser()
    assert parser.feed("worker-0", b"step 1 lo", 0.0) == []
    assert parser.feed("worker-1", b"step 2 lo", 0.0) == []
    [event] = parser.feed("worker-0", b"ss=0.5\n", 3.0)
    assert event == Metric(name="loss", value=0.5, step=1, time=3.0, replica="worker-0")


pieces = st.sampled_from(
    [
        *("\r", "\n", "\r\n", "\b\b", "\x1b[1m", "训练", "x" * 3000),
        *("epoch 1/3 loss=0.5", "Epoch 2/3", "step 3/9 acc: nan", "acc=7 ", "[1]\ta:0.5"),
        *("{'loss': 0.5, 'epoch': 1.0}", '{"step": 1, "é": 2}', " 4/10 [==>...] - ETA: 1s - loss: 0.5"),
        " 5%|▌  | 1/20 [00:01<00:01, 9.5it/s, loss=0.5]",
        *("loss=0.5", "acc 0.9", "Test accuracy: 93%", "val_loss: nan", "epoch 2", "Epoch 3", "precision: 16", "0.5"),
        *(
            "  epoch    train_loss     dur",
            "      1        0.6868  0.0461",
            "-----  ------",
            "| time/   |     |",
            "| fps | 5 |",
        ),
        *(
            "F1 (macro): 0.8",
            "proof 0.5",
            "accuracy of proof: 0.5",
            "is 0.5",
            "Accuracy is 0.5",
            "epoch 1 step 3 loss=0.1",
        ),
    ]
)
logs = st.lists(pieces, max_size=25).map(lambda parts: "".join(parts).encode())


def read_all(
    chunks: list[bytes], *, restart: bool, definitions: Sequence[MetricDefinition], epochs: float | None = 5
) -> list[str]:
    parser, found = MetricParser(definitions, total_epochs=epochs), []
    for chunk in chunks:
        found += parser.feed("w", chunk, 0.0)
        if restart:
            parser = MetricParser(definitions, total_epochs=epochs, state=json.loads(json.dumps(parser.state)))
    return [str(event) for event in found + parser.flush("w", 0.0)]  # as text: nan is not equal to itself


@settings(max_examples=300, deadline=None)
@given(
    logs,
    st.lists(st.integers(0, 100_000), max_size=8),
    st.booleans(),
    st.sampled_from(["", r"acc=(\d)", r"acc|(\d)"]),
    st.sampled_from([None, 5.0]),
)
def test_every_way_of_cutting_and_restarting_gives_the_same_events(
    data: bytes, places: list[int], restart: bool, regex: str, epochs: float | None
) -> None:
    definitions = [MetricDefinition(name="acc", regex=regex)] if regex else []
    whole = read_all([data], restart=False, definitions=definitions, epochs=epochs)
    assert read_all(cut(data, places), restart=restart, definitions=definitions, epochs=epochs) == whole


@settings(deadline=None)
@given(logs, st.booleans())
def test_byte_by_byte_gives_the_same_events(data: bytes, restart: bool) -> None:
    definitions = [MetricDefinition(name="acc", regex=r"acc=(\d)")]
    chunks = [bytes([byte]) for byte in data[:2000]]
    whole = read_all([data[:2000]], restart=False, definitions=definitions)
    assert read_all(chunks, restart=restart, definitions=definitions) == whole


def test_a_return_before_a_newline_is_no_state_of_a_bar() -> None:
    parser = MetricParser([MetricDefinition(name="acc", regex=r"acc=(\d)")])
    assert parser.feed("w", b"acc=7\r", 0.0) == []
    assert metrics(parser.feed("w", b"\n", 0.0)) == [("acc", 7, None)]


def test_the_state_stays_small() -> None:
    parser = MetricParser()
    for _ in range(100):
        parser.feed("w", b"epoch" + b"\xff" * 50_000, 0.0)
    assert len(json.dumps(parser.state)) < 8 * MAX_PARSED


def test_a_log_without_metrics_costs_next_to_nothing() -> None:
    """Compared with what must be done anyway, counting its lines; the margin is wide, for machines are busy."""
    chunk = b"".join(b"line %07d of a log that says nothing\n" % i for i in range(1500))
    start = time.process_time()
    for _ in range(100):
        chunk.count(b"\n")
    counting = time.process_time() - start
    parser, start = MetricParser(), time.process_time()
    for _ in range(100):
        parser.feed("w", chunk, 0.0)
    assert time.process_time() - start < 20 * counting + 0.05


@settings(max_examples=200, deadline=None)
@given(logs, st.sampled_from([None, 5.0]), st.sampled_from(["", r"acc=(\d)", r"f1|(\d)"]))
def test_whether_the_shape_of_a_line_is_known_makes_no_difference(
    data: bytes, epochs: float | None, regex: str
) -> None:
    definitions = [MetricDefinition(name="acc", regex=regex)] if regex else []
    shapes_for.cache_clear()
    first = read_all([data], restart=False, definitions=definitions, epochs=epochs)
    assert read_all([data], restart=False, definitions=definitions, epochs=epochs) == first


def test_lines_of_ever_new_shapes_are_not_remembered_without_end() -> None:
    shapes = Shapes((), is_bare=True)
    for at in range(20):
        body = b"".join(b"%s loss: 0.5\n" % (b"x" * (at * 100 + n)) for n in range(300))
        assert sum(shapes.signs_of(body)) == 300 * KNOWN
    assert len(shapes._signs) <= MAX_SHAPES
    assert max(map(len, shapes._signs)) <= LONGEST
