"""Experiments, the runs in them, and the metrics that runs log. A run belongs to a job by `SourceType` and `SourceId`."""

from collections.abc import Sequence

from pai_jupyter.cloud.client import aiworkspace
from pai_jupyter.emulator.api import Call, Fields, Refusal
from pai_jupyter.emulator.checks import found, missing, new_id, objects, stamp, text, workspace
from pai_jupyter.emulator.fields import items_of
from pai_jupyter.emulator.lists import by_token, chosen, flag, in_pages, invalid, rows_ordered
from pai_jupyter.emulator.rows import Rows
from pai_jupyter.emulator.workspace.table import TABLE
from pai_jupyter.spec import Json

_SERVICE = aiworkspace.SERVICE
_EXPERIMENTS, _RUNS, _METRICS = "experiments", "runs", "runmetrics"
_SORTS = {"gmtcreatetime": "GmtCreateTime", "name": "Name"}


@TABLE.serves(aiworkspace.CREATE_EXPERIMENT)
async def create_experiment(call: Call) -> Fields:
    name, now = text(call, "Name"), stamp()
    if call.world.records(_EXPERIMENTS).rows({"Name": name}):
        raise Refusal(409, "ExperimentNameExists", f"there is an experiment {name[:100]!r} already")
    artifacts, experiment_id = text(call, "ArtifactUri", default=""), new_id("exp-")
    call.world.records(_EXPERIMENTS).put(
        experiment_id,
        {
            "ExperimentId": experiment_id,
            "Name": name,
            "ArtifactUri": artifacts,
            "TensorboardLogUri": f"{artifacts.rstrip('/')}/tensorboard/" if artifacts else "",
            "Accessibility": text(call, "Accessibility", default="PRIVATE"),
            "WorkspaceId": workspace(call, text(call, "WorkspaceId")),
            "Labels": [*objects(call, "Labels")],
            "OwnerId": call.account,
            "UserId": call.account,
            "GmtCreateTime": now,
            "GmtModifiedTime": now,
        },
    )
    return {"ExperimentId": experiment_id}


@TABLE.serves(aiworkspace.GET_EXPERIMENT)
async def get_experiment(call: Call) -> Fields:
    return _shown(call, found(call, _EXPERIMENTS, call.path["experiment_id"], what="Experiment"))


@TABLE.serves(aiworkspace.LIST_EXPERIMENTS)
async def list_experiments(call: Call) -> Fields:
    workspace(call, call.query.get("WorkspaceId"))
    name = call.query.get("Name", "")
    every = call.world.records(_EXPERIMENTS).rows()
    named = every.fitting(lambda each: name in str(each["Name"])) if name else every
    page = _listed(call, "Experiments", rows_ordered(call, named, _SORTS))
    return {**page, "Experiments": [_shown(call, each) for each in items_of(page, "Experiments")]}


@TABLE.serves(_SERVICE.operation("UpdateExperiment", "PUT /experiments/{experiment_id}"))
async def update_experiment(call: Call) -> Fields:
    found(call, _EXPERIMENTS, call.path["experiment_id"], what="Experiment")
    call.world.records(_EXPERIMENTS).change(
        call.path["experiment_id"], Name=text(call, "Name"), GmtModifiedTime=stamp()
    )
    return {}


@TABLE.serves(aiworkspace.SERVICE.operation("DeleteExperiment", "DELETE /experiments/{experiment_id}"))
async def delete_experiment(call: Call) -> Fields:
    experiment_id = call.path["experiment_id"]
    found(call, _EXPERIMENTS, experiment_id, what="Experiment")
    for run in [*_runs_of(call, experiment_id)]:
        call.world.records(_METRICS).remove(str(run["RunId"]))
        call.world.records(_RUNS).remove(str(run["RunId"]))
    call.world.records(_EXPERIMENTS).remove(experiment_id)
    return {}


@TABLE.serves(aiworkspace.CREATE_RUN)
async def create_run(call: Call) -> Fields:
    experiment_id, run_id, now = text(call, "ExperimentId"), new_id("run-"), stamp()
    experiment = found(call, _EXPERIMENTS, experiment_id, what="Experiment")
    call.world.records(_RUNS).put(
        run_id,
        {
            "RunId": run_id,
            "ExperimentId": experiment_id,
            "Name": text(call, "Name", default=run_id),
            "SourceType": text(call, "SourceType", default=""),
            "SourceId": text(call, "SourceId", default=""),
            "Params": [*objects(call, "Params")],
            "Labels": [*objects(call, "Labels")],
            "Accessibility": experiment["Accessibility"],
            "WorkspaceId": experiment["WorkspaceId"],
            "OwnerId": call.account,
            "UserId": call.account,
            "GmtCreateTime": now,
            "GmtModifiedTime": now,
        },
    )
    return {"RunId": run_id}


@TABLE.serves(_SERVICE.operation("GetRun", "GET /runs/{run_id}"))
async def get_run(call: Call) -> Fields:
    run = found(call, _RUNS, call.path["run_id"], what="Run")
    return run | {"Metrics": [*_latest(_metrics(call, str(run["RunId"])))]}


@TABLE.serves(_SERVICE.operation("ListRuns", "GET /runs"))
async def list_runs(call: Call) -> Fields:
    workspace(call, call.query.get("WorkspaceId"))
    runs = chosen(call, call.world.records(_RUNS), "ExperimentId", "SourceType", "SourceId", "Name")
    return _listed(call, "Runs", rows_ordered(call, runs, _SORTS))


@TABLE.serves(_SERVICE.operation("UpdateRun", "PUT /runs/{run_id}"))
async def update_run(call: Call) -> Fields:
    """Change the run's name; parameters and labels are added to those that it has."""
    run = found(call, _RUNS, call.path["run_id"], what="Run")
    changes: dict[str, Json] = {"Name": text(call, "Name", default=str(run["Name"])), "GmtModifiedTime": stamp()}
    for kind in ("Params", "Labels"):
        added = objects(call, kind)
        keys = {each.get("Key") for each in added}
        kept = run[kind]
        assert isinstance(kept, list)
        changes[kind] = [*(each for each in kept if isinstance(each, dict) and each.get("Key") not in keys), *added]
    call.world.records(_RUNS).change(call.path["run_id"], **changes)
    return {}


@TABLE.serves(_SERVICE.operation("DeleteRun", "DELETE /runs/{run_id}"))
async def delete_run(call: Call) -> Fields:
    found(call, _RUNS, call.path["run_id"], what="Run")
    call.world.records(_METRICS).remove(call.path["run_id"])
    call.world.records(_RUNS).remove(call.path["run_id"])
    return {}


@TABLE.serves(aiworkspace.LOG_RUN_METRICS)
async def log_run_metrics(call: Call) -> Fields:
    run_id, added = call.path["run_id"], objects(call, "Metrics")
    found(call, _RUNS, run_id, what="Run")
    if not added:
        raise missing("Metrics")
    for metric in added:
        is_number = isinstance(metric.get("Value"), int | float) and not isinstance(metric.get("Value"), bool)
        if not metric.get("Key") or not isinstance(metric["Key"], str) or not is_number:
            raise invalid("Metrics", metric, "{Key, Value, Step, Timestamp}")
    call.world.records(_METRICS).put(run_id, {"Metrics": [*_metrics(call, run_id), *added]})
    return {}


@TABLE.serves(aiworkspace.LIST_RUN_METRICS)
async def list_run_metrics(call: Call) -> Fields:
    run_id, key = call.path["run_id"], call.query.get("Key")
    found(call, _RUNS, run_id, what="Run")
    if not key:
        raise missing("Key")
    return by_token(call, "Metrics", [each for each in _metrics(call, run_id) if each["Key"] == key])


def _listed(call: Call, key: str, items: Sequence[Fields]) -> Fields:
    """Return a page by number or by token; a call that names a page's number or size means the former."""
    numbered = "PageNumber" in call.query or "PageSize" in call.query
    return in_pages(call, key, items, size=10) if numbered else by_token(call, key, items)


def _shown(call: Call, experiment: Fields) -> Fields:
    """Return the experiment, with its newest run if `Verbose`."""
    runs = _runs_of(call, str(experiment["ExperimentId"])) if flag(call, "Verbose") else []
    return experiment | ({"LatestRun": runs[-1]} if runs else {})


def _runs_of(call: Call, experiment_id: str) -> Rows:
    return call.world.records(_RUNS).rows({"ExperimentId": experiment_id})


def _metrics(call: Call, run_id: str) -> list[Fields]:
    metrics = (call.world.records(_METRICS).get(run_id) or {"Metrics": []})["Metrics"]
    assert isinstance(metrics, list)
    return [metric for metric in metrics if isinstance(metric, dict)]


def _latest(metrics: list[Fields]) -> list[Fields]:
    return list({str(metric["Key"]): metric for metric in metrics}.values())
