"""Run by the peer's own Python: keep runs in MLflow's SQLite store, then time `search_runs` over them. Prints JSON.

usage: python mlflow_peer.py RUNS.json STORE.db

The first run is recorded by MLflow itself. The others are copies of its rows, each with an id, a name and numbers of its own, in
one transaction: MLflow takes a quarter of an hour to record 10,000 runs, and how long it takes is not what is compared. SQLite is
told the sizes of the tables then (ANALYZE), which MLflow never does: without that it sorts for ten seconds.
"""

import json
import sys
import time
import uuid

import mlflow
from mlflow import MlflowClient
from mlflow.entities import Metric, Param
from mlflow.store.tracking.dbmodels.models import SqlLatestMetric, SqlMetric, SqlParam, SqlRun, SqlTag
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
from sqlalchemy import insert, select, text

METRICS = 30  # of each run
QUESTIONS = {
    "open": {"max_results": 100},
    "sort": {"max_results": 100, "order_by": ["metrics.metric_3 DESC"]},
    "filter": {"max_results": 100, "filter_string": "metrics.metric_3 > 0.9 and params.opt = 'adam'"},
}


def fill(runs, uri):
    store = SqlAlchemyStore(uri, sys.argv[2] + ".artifacts")
    values, metrics = runs[0]
    first = store.create_run("0", "u", 0, [], "run-0").info.run_id
    told = [Metric(name, value, 0, 1) for name, value in metrics.items()]
    store.log_batch(first, told, [Param(name, str(value)) for name, value in values.items()], [])
    with store.engine.begin() as connection:
        kept = {
            model: [dict(row) for row in connection.execute(select(model.__table__)).mappings()]
            for model in (SqlRun, SqlTag, SqlParam, SqlMetric, SqlLatestMetric)
        }
        ids = [uuid.uuid4().hex for _ in runs]
        for model, rows in kept.items():
            copies = [
                {**row, "run_uuid": ids[number], **of_run(model, row, number, *runs[number])}
                for number in range(1, len(runs))
                for row in rows
            ]
            connection.execute(insert(model.__table__), copies)
        connection.execute(text("ANALYZE"))


def of_run(model, row, number, values, metrics):
    """What the copy of a row says of another run."""
    if model is SqlRun:
        return {"name": f"run-{number}", "start_time": number}
    if model is SqlTag:
        return {"value": f"run-{number}"}  # mlflow.runName
    if model is SqlParam:
        return {"value": str(values[row["key"]])}
    return {"value": metrics[row["key"]], "timestamp": number}


def best(client, question):
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        page = client.search_runs(["0"], **question)
        times.append(time.perf_counter() - begun)
        assert [len(run.data.metrics) for run in page] == [METRICS] * 100
    return min(times)


def main():
    uri = f"sqlite:///{sys.argv[2]}"
    with open(sys.argv[1]) as file:
        runs = json.load(file)
    fill(runs, uri)
    mlflow.set_tracking_uri(uri)
    client = MlflowClient()
    found = {name: best(client, question) for name, question in QUESTIONS.items()}
    print(json.dumps(found))


main()
