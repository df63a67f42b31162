"""Lines as frameworks and scripts print them, each family by lines of its own, and lines that say nothing about a metric."""

import pytest

from pai_jupyter.events.metrics import MetricParser
from tests.events.test_metrics import metrics, parse

Found = dict[str, float]

BARE: dict[str, Found] = {
    "Test accuracy: 0.93": {"Test accuracy": 0.93},
    "loss=0.3": {"loss": 0.3},
    "AUC: 0.91": {"AUC": 0.91},
    "val_acc = 88.2%": {"val_acc": 88.2},
    "  F1 Score (Macro):   0.712": {"F1 Score (Macro)": 0.712},
    "RMSE --> 3.25": {"RMSE": 3.25},
    "Final test accuracy is 0.93": {"Final test accuracy": 0.93},
    "Accuracy: 45/50 (90%)": {"Accuracy": 0.9},
    "CV AUC: 0.91 ± 0.02": {"CV AUC": 0.91},
    "val loss: nan": {"val loss": float("nan")},
    "recall@5 = 71.5%": {"recall@5": 71.5},
    "mIoU: tensor(0.61, device='cuda:0')": {"mIoU": 0.61},
    "准确率：0.93": {"准确率": 0.93},
    "训练损失: 0.41, 验证准确率: 0.9": {"训练损失": 0.41, "验证准确率": 0.9},
    "{'accuracy': 0.86, 'f1': 0.9}": {"accuracy": 0.86, "f1": 0.9},
    "│  test_acc  │  0.9321  │": {"test_acc": 0.9321},
}
SPOKEN: dict[str, Found] = {
    "loss 3.2": {"loss": 3.2},
    "Test accuracy 0.93": {"Test accuracy": 0.93},
    "train loss 0.5 val loss 0.6": {"train loss": 0.5, "val loss": 0.6},
    " * Acc@1 71.2 Acc@5 90.5": {"Acc@1": 71.2, "Acc@5": 90.5},
    "LOSS train 0.53 valid 0.45": {"LOSS train": 0.53, "LOSS valid": 0.45},
    "val_loss 0.25 | val_ppl 12.5": {"val_loss": 0.25, "val_ppl": 12.5},
    "dice mean 0.71": {"dice mean": 0.71},
    "MAE 1e-3": {},  # a number without a point, a percent or a sign: anything may stand so in a sentence
    "accuracy 91%": {},
    "accuracy 91.5%": {"accuracy": 91.5},
}
LANGUAGE_MODELS: dict[str, Found] = {  # nanoGPT, minGPT, litgpt, MLX, Megatron, fairseq
    "step 250: train loss 2.4012, val loss 2.4533": {"train loss": 2.4012, "val loss": 2.4533},
    "iter 251: loss 2.3871, time 88.12ms, mfu 12.50%": {"loss": 2.3871},
    "iter_dt 12.50ms; iter 300: train loss 0.61": {"train loss": 0.61},
    "Epoch 2 | iter 64 step 8 | loss train: 1.5, val: n/a | iter time: 30.1 ms": {"loss train": 1.5},
    "Epoch 2 | iter 64 step 8 | loss train: 1.5, val: 1.75 | iter time: 30.1 ms": {"loss train": 1.5, "loss val": 1.75},
    "Iter 20: Train loss 2.125, Learning Rate 1.000e-05, It/sec 1.5, Peak mem 5.1 GB": {"Train loss": 2.125},
    " iteration      40/     500 | consumed samples:   640 | elapsed time per iteration (ms): 93.1 | learning rate: 1.5E-05"
    " | global batch size:  16 | lm loss: 9.5E+00 | grad norm: 2.5 | number of skipped iterations:   0 |": {
        "learning rate": 1.5e-5,
        "lm loss": 9.5,
        "grad norm": 2.5,
    },
    "| epoch 002 | valid on 'valid' subset | valid_loss 4.25 | valid_ppl 19.1 | num_updates 900": {
        "valid_loss": 4.25,
        "valid_ppl": 19.1,
    },
    "| epoch 002:    100 / 450 loss=4.5, ppl=22.5, oom=0, wall=90": {"loss": 4.5, "ppl": 22.5, "oom": 0},
    '{"epoch": 2, "train_loss": "4.125", "num_updates": "900"}': {"train_loss": 4.125},
    "[Rank 0] step=40, skipped=2, lr=[5e-05], mom=[[0.9, 0.999]]": {"lr": 5e-5},
}
TUTORIALS: dict[str, Found] = {  # PyTorch's
    "loss: 2.251003  [ 6464/60000]": {"loss": 2.251003},
    " Accuracy: 61.5%, Avg loss: 1.08 ": {"Accuracy": 61.5, "Avg loss": 1.08},
    "Accuracy of the network on the 5000 test images: 61 %": {"test Accuracy": 61},
    "Accuracy for class: truck is 70.5 %": {"Accuracy truck": 70.5},
    "[2,  4000] loss: 1.875": {"loss": 1.875},
    "val Loss: 0.25 Acc: 0.91": {"val Loss": 0.25, "val Acc": 0.91},
    "train Loss: 0.5 Acc: 0.75": {"train Loss": 0.5, "train Acc": 0.75},
    "Test set: Average loss: 0.0512, Accuracy: 49/50 (98%)": {"Test Average loss": 0.0512, "Test Accuracy": 0.98},
    "| epoch   2 |   400/ 2928 batches | lr 5.00 | ms/batch 21.5 | loss  5.25 | ppl   190.5": {
        "loss": 5.25,
        "ppl": 190.5,
    },
    "[1/5][50/900]\tLoss_D: 0.75\tLoss_G: 3.5\tD(x): 0.6\tD(G(z)): 0.2 / 0.1": {"Loss_D": 0.75, "Loss_G": 3.5},
    "  batch 2000 loss: 0.75": {"loss": 0.75},
}
TRAINERS: dict[
    str, Found
] = {  # accelerate, HF Trainer, Keras, ignite, Lightning, timm, torchvision, mmengine, detectron2
    "epoch 1: {'accuracy': 0.8, 'f1': 0.75}": {"accuracy": 0.8, "f1": 0.75},
    "{'eval_loss': 0.5, 'eval_runtime': 3.4, 'epoch': 2.0}": {"eval_loss": 0.5},
    "  eval_accuracy           =     0.8627": {"eval_accuracy": 0.8627},
    "938/938 - 2s - 2ms/step - accuracy: 0.91 - loss: 0.25 - val_loss: 0.2": {
        "accuracy": 0.91,
        "loss": 0.25,
        "val_loss": 0.2,
    },
    " - 4s - loss: 0.25 - acc: 0.91": {"loss": 0.25, "acc": 0.91},
    "Validation Results - Epoch: 3  Avg accuracy: 0.9 Avg loss: 0.3": {
        "Validation Avg accuracy": 0.9,
        "Validation Avg loss": 0.3,
    },
    "Epoch[3] Loss: 0.25": {"Loss": 0.25},
    "Train: 4 [ 100/625 ( 16%)]  Loss: 3.25 (3.5)  Time: 0.31s,  410.1/s  LR: 5.0e-04  Data: 0.01 (0.02)": {
        "Train Loss": 3.25,
        "LR": 5e-4,
    },
    "Test: [  20/48]  Time: 0.2 (0.3)  Loss:  0.75 (0.8)  Acc@1: 81.25 (80.5)": {
        "Test Loss": 0.75,
        "Test Acc@1": 81.25,
    },
    "Epoch: [3][ 200/5005]\tTime  0.31 ( 0.37)\tLoss 6.9 (6.95)\tAcc@1   0.50 (  0.25)": {"Loss": 6.9, "Acc@1": 0.5},
    "Epoch: [1]  [ 30/100]  eta: 0:00:21  lr: 0.001  loss: 1.25 (1.5)  loss_ce: 0.5 (0.6)  time: 0.3  max mem: 3524": {
        "lr": 0.001,
        "loss": 1.25,
        "loss_ce": 0.5,
    },
    "11/02 10:00:01 - mmengine - INFO - Epoch(train) [2][50/90]  lr: 1.0e-02  eta: 0:00:09  time: 0.1  loss: 0.625": {
        "lr": 0.01,
        "loss": 0.625,
    },
    "11/02 10:00:09 - mmengine - INFO - Epoch(val) [2][10/10]  accuracy/top1: 71.5  data_time: 0.1": {
        "val accuracy/top1": 71.5
    },
    "[11/02 10:00:01 d2.utils.events]:  eta: 0:22:36  iter: 9  total_loss: 1.5  loss_cls: 0.5  max_mem: 1962M": {
        "total_loss": 1.5,
        "loss_cls": 0.5,
    },
    "2023-01-01 10:11:12,345 epoch 1 - iter 5/50 - loss 2.5 - time (sec): 1.20 - lr: 0.1": {"loss": 2.5, "lr": 0.1},
}
BOOSTING: dict[str, Found] = {  # CatBoost, Optuna, scikit-learn, XGBoost
    "0:\tlearn: 0.625\ttotal: 1.5ms\tremaining: 1.5s": {"learn": 0.625},
    "40:\tlearn: 0.25\ttest: 0.5\tbest: 0.45 (38)\ttotal: 1m 7s\tremaining: 3m": {"learn": 0.25, "test": 0.5},
    "40:\ttest: 0.5\tbest: 0.45 (38)\ttotal: 27ms\tremaining: 3m": {"test": 0.5},
    "bestTest = 0.45": {"bestTest": 0.45},
    "[I 2024-04-08 10:42:09,064] Trial 7 finished with value: 0.75 and parameters: {'lr': 0.1}. Best is trial 3 with value: 0.8.": {
        "value": 0.75
    },
    "[I 2024-04-08 10:42:09,064] Trial 8 finished with values: [0.75, 12.5] and parameters: {'lr': 0.1}.": {
        "value 0": 0.75,
        "value 1": 12.5,
    },
    "Iteration 4, loss = 0.625": {"loss": 0.625},
    "[7]\tvalidation_0-auc:0.75": {"validation_0-auc": 0.75},
    "[7]\tvalid_0's rmse: 0.75": {"valid_0's rmse": 0.75},
}
SCRIPTS: dict[str, Found] = {
    "Epoch 3 | Train: loss 0.5 acc 0.75 | Val: loss 0.25 acc 0.9": {
        "Train loss": 0.5,
        "Train acc": 0.75,
        "Val loss": 0.25,
        "Val acc": 0.9,
    },
    "Epoch[3]: train_loss 0.5 acc1 67.5 | val_loss 0.25 acc1 65.5": {
        "train_loss": 0.5,
        "train acc1": 67.5,
        "val_loss": 0.25,
        "val acc1": 65.5,
    },
    "Epoch 3, Batch 20, Mean Policy Loss: [0.25]": {"Mean Policy Loss": 0.25},
    "Episode 20\tAverage reward: 12.5\tEpsilon: 0.98": {"Average reward": 12.5, "Epsilon": 0.98},
    "epoch 3 average training loss: 0.5 in 12.5 s": {"average training loss": 0.5},
    "Epoch3 | Batch5 | Train_Loss 0.5": {"Train_Loss": 0.5},
    "INFO:tensorflow:loss = 4.25, step = 100 (12.5 sec)": {"loss": 4.25},
    "Epoch: 1, Steps: 263 | Train Loss: 0.5 Vali Loss: 0.25": {"Train Loss": 0.5, "Vali Loss": 0.25},
    "Epoch 12. Loss: 0.5, Train acc 0.75, Test acc 0.7": {"Loss": 0.5, "Train acc": 0.75, "Test acc": 0.7},
    "step 5 max_epochs: 10, batch: 32, skipped: 1, time: 0.5, memory: 812": {},
}
FAMILIES = [BARE, SPOKEN, LANGUAGE_MODELS, TUTORIALS, TRAINERS, BOOSTING, SCRIPTS]
CASES = [(line, wanted) for family in FAMILIES for line, wanted in family.items()]
EXTRA = {"Learning Rate", "mfu", "D(x)", "lr"}  # found too, in lines where they are not what is looked for


@pytest.mark.parametrize(("line", "wanted"), CASES, ids=[line[:60] for line, _ in CASES])
def test_a_line_gives_its_metrics_under_whole_names(line: str, wanted: Found) -> None:
    found = metrics(parse(f"{line}\n"))
    assert len({name for name, _, _ in found}) == len(found)
    got = {name: value for name, value, _ in found}
    assert str({name: value for name, value in got.items() if name in wanted or name not in EXTRA}) == str(
        {name: float(value) for name, value in wanted.items()}
    )


NOTHING = """\
Python 3.11.4 (main, Jun  7 2023, 10:13:09) [GCC 12.2.0] on linux
torch==2.3.1 numpy==1.26.4 scikit-learn 1.5.0
Using device: cuda:0, 8 workers
epochs: 10
batch size: 32
seed 42
lr=0.1 dropout=0.5 hidden_dim: 256
loss_weight: 0.5, loss_scale: 65536, score_threshold: 0.05
min_accuracy: 0.9 target_accuracy=0.99 early_stopping_patience: 5
precision: 16
error: 404
return code: 0
Error 2
loss: mse
Namespace(batch_size=64, epochs=14, gamma=0.7, lr=1.0, val_loss_patience=3)
{'lr': 0.1, 'batch_size': 32, 'epochs': 10}
hyperparameters: lr0=0.01, momentum=0.937, box=0.05, cls=0.5, obj=1.0, iou=0.2
Epoch 00003: val_loss improved from 0.5 to 0.25, saving model to best.h5
Validation loss decreased (0.5 --> 0.25).  Saving model ...
Saved checkpoint to out/ckpt-val_loss=0.31.pt in 0.5 s
best_model_epoch_12_acc_0.9312.pth
Loaded 'resnet50_acc=76.1.pth' (epoch 90)
RuntimeError: Target size (torch.Size([64])) must be the same as input size (torch.Size([64, 1]))
  File "train.py", line 42, in <module>
torch.Size([64, 3, 224, 224])
Training took 12.5 seconds, 0:01:23 in all
Memory allocated: 2.31 GB, peak 10.5 GB
throughput: 1234.5 samples/s
2024-05-02 10:11:12.345 INFO access to 10.0.0.1:8080 in 1.5 ms
the accuracy of 3 models is compared below
train: 50000, val: 5000, test: 5000
coverage: 93%, progress: 45%, done: 100%
mean: 0.1307, std: 0.3081
   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 779.1/779.1 MB 2.1 MB/s eta 0:00:00
model.safetensors:  12%|█▏        | 52.4M/440M [00:01<00:12, 31.2MB/s]
Map: 100%|██████████| 3668/3668 [00:00<00:00, 12345.67 examples/s]
              precision    recall  f1-score   support
           0       0.93      0.91      0.92       100
[[50  2]
 [ 3 45]]
0.9312""".splitlines()


@pytest.mark.parametrize("line", NOTHING)
def test_a_line_without_a_metric_gives_none(line: str) -> None:
    assert metrics(parse(f"{line}\n")) == []


def test_many_lines_without_a_metric_give_none_together() -> None:
    assert metrics(parse("\n".join(NOTHING))) == []


SKORCH = """\
  epoch    train_loss    valid_acc    cp     dur
-------  ------------  -----------  ----  ------
      1        \x1b[36m0.6868\x1b[0m       0.6000     +  0.0461
      2        0.6706       0.6400        0.0190
done
      3        0.5       0.5        0.0190
"""
FASTAI = """\
epoch     train_loss  valid_loss  error_rate  time
0         0.904591    0.626297    0.428571    00:28
1         0.705972    nan         0.142857    00:26
"""
RICH = """\
┏━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━┓
┃ Epoch ┃ Train Loss ┃ Val Loss ┃
┡━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━┩
│ 1     │ 0.6931     │ 0.7012   │
│ 2     │ 0.5931     │ 0.6512   │
└───────┴────────────┴──────────┘
"""
MARKDOWN = "| Step | Loss | Note |\n|------|------|------|\n| 10 | 0.5 | good |\n| 20 | 0.25 | |\n"
STABLE = """\
---------------------------------
| rollout/           |          |
|    ep_rew_mean     | 22.7     |
| time/              |          |
|    fps             | 608      |
|    time_elapsed    | 3        |
|    total_timesteps | 2048     |
| train/             |          |
|    loss            | -0.25    |
|    n_updates       | 10       |
---------------------------------
"""
SCIKIT = "      Iter       Train Loss   Remaining Time \n         1           1.2529            0.04s\n"
SPACY = """\
E    #       LOSS NER  ENTS_F  SCORE
---  ------  --------  ------  ------
  0       0     45.12    1.00    0.01
  0     200     12.50   71.12    0.71
"""
YOLO = """\
      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size
      2/100      6.73G      1.235     0.5911         11        640: 100%|██████| 16/16 [00:05<00:00,  2.83it/s]
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            SKORCH,
            [("train_loss", 0.6868, 1), ("valid_acc", 0.6, 1), ("train_loss", 0.6706, 2), ("valid_acc", 0.64, 2)],
        ),
        (
            FASTAI,
            [
                *(("train_loss", 0.904591, 0), ("valid_loss", 0.626297, 0), ("error_rate", 0.428571, 0)),
                *(("train_loss", 0.705972, 1), ("valid_loss", float("nan"), 1), ("error_rate", 0.142857, 1)),
            ],
        ),
        (
            RICH,
            [("Train Loss", 0.6931, 1), ("Val Loss", 0.7012, 1), ("Train Loss", 0.5931, 2), ("Val Loss", 0.6512, 2)],
        ),
        (MARKDOWN, [("Loss", 0.5, 10), ("Loss", 0.25, 20)]),
        (STABLE, [("rollout/ep_rew_mean", 22.7, 2048), ("train/loss", -0.25, 2048)]),
        (SCIKIT, [("Train Loss", 1.2529, 1)]),
        (
            SPACY,
            [
                *(("LOSS NER", 45.12, 0), ("ENTS_F", 1, 0), ("SCORE", 0.01, 0)),
                *(("LOSS NER", 12.5, 200), ("ENTS_F", 71.12, 200), ("SCORE", 0.71, 200)),
            ],
        ),
        (YOLO, [("box_loss", 1.235, 32), ("cls_loss", 0.5911, 32)]),
    ],
    ids=["skorch", "fastai", "rich", "markdown", "stable-baselines", "scikit-learn", "spacy", "yolo"],
)
def test_a_table_gives_a_metric_for_each_cell_below_its_head(text: str, found: list[tuple[str, float, float]]) -> None:
    assert str(metrics(parse(text))) == str([(name, float(value), float(step)) for name, value, step in found])


def test_the_step_of_a_line_without_one_is_the_count_of_its_name() -> None:
    text = "Train Loss: 0.5\nTest accuracy: 0.7\nTrain Loss: 0.4\nTest accuracy: 0.8\nTrain Loss: 0.3\n"
    assert metrics(parse(text)) == [
        ("Train Loss", 0.5, 1),
        ("Test accuracy", 0.7, 1),
        ("Train Loss", 0.4, 2),
        ("Test accuracy", 0.8, 2),
        ("Train Loss", 0.3, 3),
    ]


def test_a_count_goes_on_from_the_last_step_that_was_told() -> None:
    assert metrics(parse("epoch 7 loss=0.5\nloss=0.25\nloss=0.125\n"))[1:] == [("loss", 0.25, 8), ("loss", 0.125, 9)]


def test_batches_that_do_not_say_of_how_many_count_on_through_the_epochs() -> None:
    text = "".join(f"epoch: {epoch} batch: {batch} loss: 0.5\n" for epoch in (1, 2) for batch in (100, 200, 300))
    assert [step for _, _, step in metrics(parse(text))] == [100, 200, 300, 400, 500, 600]


def test_what_a_definition_finds_in_a_line_without_a_place_is_all_that_the_line_says() -> None:
    text = "val_acc=0.93 val_loss=0.5\nval_loss=0.25\n"
    assert metrics(parse(text, ("acc", r"val_acc=([\d.]+)"))) == [("acc", 0.93, None), ("val_loss", 0.25, 1)]


@pytest.mark.parametrize(
    "line",
    [
        "loss=" + "9" * 8_000,
        "loss=1e" + "9" * 400,
        "loss=" + "9" * 400 + ".5",
        "loss: ٣.٥",
        "loss: ınf 0.5",
        "loss: ²",
        "acc: 1/0.0 0.5",
        "loss\x00: 0.5\x07",
        "Accuracy: 0.5/0",
        '{"loss": "²", "x": "1_0", "step": 1e400}',
        "| loss | " + "9" * 400 + ".5 |",
        "loss " * 1_500 + "0.5",
        "a(" * 4_000 + "0.5",
        "loss: 0.5 " * 800,
    ],
)
def test_no_number_is_too_strange_to_be_read_or_left(line: str) -> None:
    for _, value, step in metrics(parse(f"{line}\n")):
        assert isinstance(value, float)
        assert step is not None


def test_names_without_end_do_not_make_the_state_grow() -> None:
    parser = MetricParser()
    for at in range(5_000):
        parser.feed("w", b"loss_%d: 0.5\n" % at, 0.0)
    assert len(str(parser.state)) < 20_000
