"""MLflow's client for one server, imported when it is needed.

Rule 1: one try a request. Who tries again is the deliverer, which knows what may be sent again; it would also wait for minutes here.
Rule 2: nothing of it goes anywhere else: no usage statistics.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from pai_jupyter.delivery.tracking.described import JOB, KEPT
from pai_jupyter.delivery.tracking.points import Point

MOST_TAGS = 100  # values or tags in one request
_MOST_EXPERIMENTS = 1000  # in one search
_TIMEOUT = "60"  # seconds
_VARIABLES = {
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": _TIMEOUT,
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_ENABLE_PROXY_MULTIPART_UPLOAD": "false",
    "GIT_PYTHON_REFRESH": "quiet",
}
_STATUSES = {"succeeded": "FINISHED", "failed": "FAILED", "stopped": "KILLED"}


class RunDeletedError(Exception):
    """The user has deleted the run at the server."""


class MlflowServer:
    """One server. Its methods raise what MLflow's client raises (see trouble)."""

    def __init__(self, address: str) -> None:
        os.environ.update({name: value for name, value in _VARIABLES.items() if not _is_given(name)})
        from mlflow.tracking import MlflowClient  # late: it takes a second, and only this process needs it

        self._client: Any = MlflowClient(tracking_uri=address, registry_uri=address)  # Any: untyped where it is missing
        self._runs: dict[str, str] = {}  # by the job's id

    def ensure_run(self, job_id: str, experiment: str, *, name: str, start: int, tags: Mapping[str, str]) -> str:
        """Return the id of the job's run, which is created if there is none.

        Raises:
            RunDeletedError: there was one.
        """
        if job_id in self._runs:
            return self._runs[job_id]
        experiment_id = self._experiment(experiment)
        run_id = self._kept([experiment_id], job_id)
        if run_id is None:
            run_id = self._client.create_run(
                experiment_id, start_time=start, tags={**tags, JOB: job_id}, run_name=name
            ).info.run_id
        self._client.set_tag(run_id, KEPT, run_id)
        self._runs[job_id] = run_id
        return run_id

    def find_run(self, job_id: str) -> str | None:
        """Return the id of the job's run in whichever experiment; None if it has none, or a deleted one."""
        if job_id in self._runs:
            return self._runs[job_id]
        found = [it.experiment_id for it in self._client.search_experiments()]
        for first in range(0, len(found), _MOST_EXPERIMENTS):
            try:
                if run_id := self._kept(found[first : first + _MOST_EXPERIMENTS], job_id):
                    return run_id
            except RunDeletedError:
                return None
        return None

    def drop_doubles(self, job_id: str, experiment: str) -> None:
        """Delete runs of the job that a request without an answer has made beside the one that is kept."""
        self._kept([self._experiment(experiment)], job_id)

    def _experiment(self, name: str) -> str:
        known = self._client.get_experiment_by_name(name)
        if known is not None and known.lifecycle_stage == "deleted":
            raise RunDeletedError(f"the experiment {name!r} was deleted there")
        return str(self._client.create_experiment(name) if known is None else known.experiment_id)

    def _kept(self, experiments: Sequence[str], job_id: str) -> str | None:
        """Return the run of the job that counts; delete others."""
        from mlflow.entities import ViewType

        found = self._client.search_runs(
            experiments, filter_string=f"tags.`{JOB}` = '{job_id}'", run_view_type=ViewType.ALL, max_results=100
        )
        active = sorted((it for it in found if it.info.lifecycle_stage == "active"), key=lambda it: it.info.run_id)
        kept = [it for it in found if it.data.tags.get(KEPT) == it.info.run_id]
        if any(it.info.lifecycle_stage != "active" for it in kept):
            raise RunDeletedError("its run was deleted there")
        if not active:
            return None
        chosen = (kept or active)[0]
        for other in active:
            if other.info.run_id != chosen.info.run_id and KEPT not in other.data.tags:
                self._client.delete_run(other.info.run_id)
        return str(chosen.info.run_id)

    def log_values(self, run_id: str, values: Mapping[str, str]) -> None:
        from mlflow.entities import Param

        for part in _parts(values):
            self._client.log_batch(run_id, params=[Param(name, text) for name, text in part])

    def set_tags(self, run_id: str, tags: Mapping[str, str]) -> None:
        from mlflow.entities import RunTag

        for part in _parts(tags):
            self._client.log_batch(run_id, tags=[RunTag(name, text) for name, text in part])

    def tags(self, run_id: str) -> dict[str, str]:
        return dict(self._client.get_run(run_id).data.tags)

    def delete_tag(self, run_id: str, name: str) -> None:
        self._client.delete_tag(run_id, name)

    def rename(self, run_id: str, name: str) -> None:
        self._client.update_run(run_id, name=name)

    def log_points(self, run_id: str, points: Sequence[Point], *, is_again: bool) -> None:
        """Log at most 1000 metrics; `is_again`: those that are there already are left out."""
        from mlflow.entities import Metric

        known = self._known(run_id, points) if is_again else set()
        new = [it for it in points if it.identity not in known]
        if new:
            self._client.log_batch(run_id, metrics=[Metric(it.key, it.value, it.time, it.step) for it in new])

    def _known(self, run_id: str, points: Sequence[Point]) -> set[tuple[str, int, int, str]]:
        history = self._client.get_metric_history
        return {
            Point(it.key, it.value, it.timestamp, it.step).identity
            for key in dict.fromkeys(point.key for point in points)
            for it in history(run_id, key)
        }

    def end(self, run_id: str, status: str, end: int) -> None:
        self._client.set_terminated(run_id, status=_STATUSES[status], end_time=end)

    def takes_artifacts(self, run_id: str) -> bool:
        """Return whether the server itself takes files; otherwise they would go to a store, or a directory, that it names."""
        return str(self._client.get_run(run_id).info.artifact_uri).startswith(("mlflow-artifacts:", "http:", "https:"))

    def log_artifact(self, run_id: str, path: str, directory: str) -> None:
        self._client.log_artifact(run_id, path, directory or None)


def _is_given(name: str) -> bool:
    """Return whether the user's own value counts."""
    return name == "MLFLOW_HTTP_REQUEST_TIMEOUT" and bool(os.environ.get(name))


def _parts(table: Mapping[str, str]) -> list[list[tuple[str, str]]]:
    rows = list(table.items())
    return [rows[first : first + MOST_TAGS] for first in range(0, len(rows), MOST_TAGS)]
