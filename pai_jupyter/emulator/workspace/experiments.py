"""Experiments, their runs, and the metrics of runs. `SourceType` and `SourceId` name the job of a run."""

from collections.abc import Sequence

from pai_jupyter.cloud.client import aiworkspace
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.checks import found, objects, text, workspace
from pai_jupyter.emulator.calls.pagination import by_token, chosen, flag, in_pages, rows_ordered
from pai_jupyter.emulator.calls.tables import WORKSPACE
from pai_jupyter.emulator.protocol.fields import items_of
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields, invalid, missing
from pai_jupyter.emulator.protocol.times import stamp
from pai_jupyter.emulator.state.records import new_id
from pai_jupyter.emulator.state.rows import Rows
from pai_jupyter.spec import Json

_SERVICE = aiworkspace.SERVICE
_EXPERIMENTS, _RUNS, _METRICS = "experiments", "runs", "runmetrics"
_SORTS = {"gmtcreatetime": "GmtCreateTime", "name": "Name"}


@WORKSPACE.serves(aiworkspace.CREATE_EXPERIMENT)
async def create_experiment(call: ApiCall) -> Fields:
    name, now = text(call, "Name"), stamp()
    if call.world.records(_EXPERIMENTS).rows({"Name": name}):
        raise ApiRefusal(409, "ExperimentNameExists", f"there is an experiment {name[:100]!r} already")
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


@WORKSPACE.serves(aiworkspace.GET_EXPERIMENT)
async def get_experiment(call: ApiCall) -> Fields:
    return _shown(call, found(call, _EXPERIMENTS, call.path["experiment_id"], what="Experiment"))


@WORKSPACE.serves(aiworkspace.LIST_EXPERIMENTS)
async def list_experiments(call: ApiCall) -> Fields:
    workspace(call, call.query.get("WorkspaceId"))
    name = call.query.get("Name", "")
    every = call.world.records(_EXPERIMENTS).rows()
    named = every.fitting(lambda each: name in str(each["Name"])) if name else every
    page = _listed(call, "Experiments", rows_ordered(call, named, _SORTS))
    return {**page, "Experiments": [_shown(call, each) for each in items_of(page, "Experiments")]}


@WORKSPACE.serves(_SERVICE.operation("UpdateExperiment", "PUT /experiments/{experiment_id}"))
async def update_experiment(call: ApiCall) -> Fields:
    found(call, _EXPERIMENTS, call.path["experiment_id"], what="Experiment")
    call.world.records(_EXPERIMENTS).change(
        call.path["experiment_id"], Name=text(call, "Name"), GmtModifiedTime=stamp()
    )
    return {}


@WORKSPACE.serves(aiworkspace.SERVICE.operation("DeleteExperiment", "DELETE /experiments/{experiment_id}"))
async def delete_experiment(call: ApiCall) -> Fields:
    experiment_id = call.path["experiment_id"]
    found(call, _EXPERIMENTS, experiment_id, what="Experiment")
    for run in [*_runs_of(call, experiment_id)]:
        call.world.records(_METRICS).remove(str(run["RunId"]))
        call.world.records(_RUNS).remove(str(run["RunId"]))
    call.world.records(_EXPERIMENTS).remove(experiment_id)
    return {}


@WORKSPACE.serves(aiworkspace.CREATE_RUN)
async def create_run(call: ApiCall) -> Fields:
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


@WORKSPACE.serves(_SERVICE.operation("GetRun", "GET /runs/{run_id}"))
async def get_run(call: ApiCall) -> Fields:
    run = found(call, _RUNS, call.path["run_id"], what="Run")
    return run | {"Metrics": [*_latest(_metrics(call, str(run["RunId"])))]}


@WORKSPACE.serves(_SERVICE.operation("ListRuns", "GET /runs"))
async def list_runs(call: ApiCall) -> Fields:
    workspace(call, call.query.get("WorkspaceId"))
    runs = chosen(call, call.world.records(_RUNS), "ExperimentId", "SourceType", "SourceId", "Name")
    return _listed(call, "Runs", rows_ordered(call, runs, _SORTS))


@WORKSPACE.serves(_SERVICE.operation("UpdateRun", "PUT /runs/{run_id}"))
async def update_run(call: ApiCall) -> Fields:
    """Change the run's name; given parameters and labels are added, or replace those with the same key."""
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


@WORKSPACE.serves(_SERVICE.operation("DeleteRun", "DELETE /runs/{run_id}"))
async def delete_run(call: ApiCall) -> Fields:
    found(call, _RUNS, call.path["run_id"], what="Run")
    call.world.records(_METRICS).remove(call.path["run_id"])
    call.world.records(_RUNS).remove(call.path["run_id"])
    return {}


@WORKSPACE.serves(aiworkspace.LOG_RUN_METRICS)
async def log_run_metrics(call: ApiCall) -> Fields:
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


@WORKSPACE.serves(aiworkspace.LIST_RUN_METRICS)
async def list_run_metrics(call: ApiCall) -> Fields:
    run_id, key = call.path["run_id"], call.query.get("Key")
    found(call, _RUNS, run_id, what="Run")
    if not key:
        raise missing("Key")
    return by_token(call, "Metrics", [each for each in _metrics(call, run_id) if each["Key"] == key])


def _listed(call: ApiCall, key: str, items: Sequence[Fields]) -> Fields:
    """Return a page by number if the call has `PageNumber` or `PageSize`, else by token."""
    numbered = "PageNumber" in call.query or "PageSize" in call.query
    return in_pages(call, key, items, size=10) if numbered else by_token(call, key, items)


def _shown(call: ApiCall, experiment: Fields) -> Fields:
    """Return the experiment; with its newest run if `Verbose` is set."""
    runs = _runs_of(call, str(experiment["ExperimentId"])) if flag(call, "Verbose") else []
    return experiment | ({"LatestRun": runs[-1]} if runs else {})


def _runs_of(call: ApiCall, experiment_id: str) -> Rows:
    return call.world.records(_RUNS).rows({"ExperimentId": experiment_id})


def _metrics(call: ApiCall, run_id: str) -> list[Fields]:
    metrics = (call.world.records(_METRICS).get(run_id) or {"Metrics": []})["Metrics"]
    assert isinstance(metrics, list)
    return [metric for metric in metrics if isinstance(metric, dict)]


def _latest(metrics: list[Fields]) -> list[Fields]:
    return list({str(metric["Key"]): metric for metric in metrics}.values())
