"""A training script of XGBoost's users: its collective over the replicas of an XGBoostJob, each with its part of the rows.

Without WORKER_ADDRS it trains alone, and so is its own referee.
"""

import json
import os
import socket
from pathlib import Path

import numpy as np
import xgboost as xgb
from xgboost import collective
from xgboost.tracker import RabitTracker

# Few values: the histograms' cuts are those of all rows, whoever has which.
_random = np.random.default_rng(0)
ROWS = _random.integers(0, 16, (600, 5)).astype(float)
LABELS = ROWS @ _random.random(5)


def train(rank: int, size: int) -> xgb.Booster:
    own = slice(rank, None, size)
    booster = xgb.train({"max_depth": 3, "nthread": 1}, xgb.DMatrix(ROWS[own], LABELS[own]), 20)
    print(f"rank {rank} of {size} has trained on {len(ROWS[own])} rows")
    return booster


def train_together(rank: int, size: int) -> xgb.Booster:
    host, port = socket.gethostbyname(os.environ["MASTER_ADDR"]), int(os.environ["MASTER_PORT"])
    if rank == 0:
        tracker = RabitTracker(n_workers=size, host_ip=host, port=port, sortby="task")
        tracker.start()
    with collective.CommunicatorContext(
        dmlc_communicator="rabit", dmlc_tracker_uri=host, dmlc_tracker_port=port, dmlc_task_id=str(rank), dmlc_retry=60
    ):
        booster = train(rank, size)
    if rank == 0:
        tracker.wait_for()
    return booster


def main() -> None:
    rank, size = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    booster = train_together(rank, size) if "WORKER_ADDRS" in os.environ else train(rank, size)
    if rank == 0:
        predictions = booster.predict(xgb.DMatrix(ROWS)).tolist()
        Path(os.environ["PAI_OUTPUT_MODEL"], "result.json").write_text(json.dumps(predictions))


main()
