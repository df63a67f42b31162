"""Run by the peer's own Python: keep runs in MLflow's SQLite store, then time `search_runs` over them. Prints JSON.

usage: python mlflow_peer.py RUNS.json STORE.db
"""

import json
import sys
import time

import mlflow
from mlflow.entities import Metric, Param
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

QUESTIONS = {
    "open": {"max_results": 100},
    "sort": {"max_results": 100, "order_by": ["metrics.metric_3 DESC"]},
    "filter": {"max_results": 100, "filter_string": "metrics.metric_3 > 0.9 and params.opt = 'adam'"},
}


def fill(runs, uri):
    store = SqlAlchemyStore(uri, sys.argv[2] + ".artifacts")
    for number, (values, metrics) in enumerate(runs):
        run = store.create_run("0", "u", number, [], f"run-{number}")
        told = [Metric(name, value, number, 1) for name, value in metrics.items()]
        store.log_batch(run.info.run_id, told, [Param(name, str(value)) for name, value in values.items()], [])


def main():
    uri = f"sqlite:///{sys.argv[2]}"
    with open(sys.argv[1]) as file:
        fill(json.load(file), uri)
    mlflow.set_tracking_uri(uri)
    found = {}
    for name, question in QUESTIONS.items():
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            mlflow.search_runs(experiment_ids=["0"], **question)
            times.append(time.perf_counter() - begun)
        found[name] = sorted(times)[2]
    print(json.dumps(found))


main()
