"""Which metric stands for a job: the best known, never a schedule, and what the user has named before all."""

import pytest

from pai_jupyter.events.headline import headline_metric, in_order


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["loss", "accuracy", "lr"], "accuracy"),
        (["loss", "lr"], "loss"),
        (["lr", "auc"], "auc"),
        (["loss", "val_loss"], "val_loss"),
        (["train/acc", "val/acc", "val/loss"], "val/acc"),
        (["test_accuracy", "valAccuracy"], "valAccuracy"),
        (["train_loss", "loss"], "loss"),
        (["validation_0-logloss", "validation_0-auc"], "validation_0-logloss"),
        (["epoch", "learning_rate", "my_thing", "other_thing", "lr"], "other_thing"),
        (["lr"], None),
        (["learning-rate", "LR", "epoch_time", "grad_norm"], None),
        ([], None),
        (["损失", "验证准确率", "学习率"], "验证准确率"),
        (["学习率"], None),
        (["x" * 10_000, "lr"], "x" * 10_000),
        (["flossing", "clr"], "clr"),
    ],
)
def test_the_best_known_metric_stands_for_a_job(names: list[str], expected: str | None) -> None:
    assert headline_metric(names) == expected


def test_the_one_that_the_user_has_named_goes_before_all() -> None:
    assert headline_metric(["loss", "accuracy", "lr"], "lr") == "lr"
    assert headline_metric(["loss", "lr"], "accuracy") == "loss"


def test_the_headline_comes_first_and_the_others_keep_their_order() -> None:
    assert in_order(["lr", "loss", "accuracy", "x"]) == ["accuracy", "lr", "loss", "x"]
    assert in_order(["lr"]) == ["lr"]
