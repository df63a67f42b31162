"""The runs of PAIFlow as a source of `runs.sources`: those that were started from this home, for lists and live views; others for lists."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence

from pai_jupyter.cloud.flow import FlowRun
from pai_jupyter.cloud.flow.pipelines import asking
from pai_jupyter.cloud.session import Site, need_session
from pai_jupyter.errors import PaiJupyterError, UnavailableError
from pai_jupyter.runs.labels import input_labels
from pai_jupyter.runs.sources import RunSummary, StateWatcher, add_source
from pai_jupyter.runs.state import RunState, RunStatus, StepState
from pai_jupyter.workflow.remote import is_readable, url_of
from pai_jupyter.workflow.remote_folder import RemoteFolder, is_remote_id, open_remote_folder, remote_folders
from pai_jupyter.workflow.remote_state import RUN_STATUS
from pai_jupyter.workflow.remote_watch import RemoteWatcher, terminate

EVERY = 10.0  # seconds between two questions about the runs that have not ended


class RemoteRuns:
    """The source. Its list asks each site at most every `EVERY` seconds, by one call for all of its runs."""

    def __init__(self) -> None:
        self._listed: dict[Site, tuple[float, dict[str, FlowRun], str]] = {}

    def is_own(self, run_id: str) -> bool:
        return is_remote_id(run_id)

    def summaries(self) -> Sequence[RunSummary]:
        return [self._summary(folder) for folder in remote_folders()]

    def others(self) -> Sequence[RunSummary]:
        session = need_session()
        runs, trouble = self._newest(Site.of(session, session.require_workspace()))
        if trouble:
            raise UnavailableError(trouble)
        own = {folder.record.flow_run for folder in remote_folders() if is_readable(folder)}
        return [_other(run) for run in runs.values() if run.id not in own]

    def watcher(self, run_id: str) -> StateWatcher:
        return RemoteWatcher(open_remote_folder(run_id))

    def stop(self, run_id: str) -> None:
        terminate(open_remote_folder(run_id).record)

    def url(self, run_id: str) -> str:
        try:
            return url_of(open_remote_folder(run_id).record)
        except PaiJupyterError:
            return ""

    def _summary(self, folder: RemoteFolder) -> RunSummary:
        """Return a row: of a run that has ended as it was last seen, of another with the status that the service lists."""
        try:
            record, state = folder.record, RemoteWatcher(folder).state()
        except PaiJupyterError as exc:
            return RunSummary(id=folder.id, name=folder.id, status=RUN_STATUS["Unknown"], created=0.0, trouble=str(exc))
        listed, trouble = (None, "") if state.status.is_terminal else self._told(record.site, record.flow_run)
        return RunSummary(
            id=folder.id,
            name=record.name,
            status=RUN_STATUS.get(listed.status, state.status) if listed else state.status,
            created=record.created,
            ended=listed.ended if listed else state.ended,
            reason=state.reason or "",
            counts=Counter(step.status for step in _jobs(state)),
            url=url_of(record),
            inputs=input_labels(state.inputs),
            trouble=trouble,
        )

    def _told(self, site: Site, flow_run: str) -> tuple[FlowRun | None, str]:
        """Return a run as the service lists it, and why it cannot be asked."""
        runs, trouble = self._newest(site)
        return runs.get(flow_run), trouble

    def _newest(self, site: Site) -> tuple[dict[str, FlowRun], str]:
        """Return the newest runs of a site by the service's ids, and why it cannot be asked."""
        at, runs, trouble = self._listed.get(site, (float("-inf"), {}, ""))
        if time.monotonic() - at > EVERY:
            try:
                newest = asking(site.session, lambda service: service.newest_runs())
                runs, trouble = {run.id: run for run in newest}, ""
            except PaiJupyterError as exc:
                trouble = str(exc)
            self._listed[site] = time.monotonic(), runs, trouble
        return runs, trouble


def show_remote_runs() -> None:
    """Let lists and views of this process have the runs of PAIFlow."""
    add_source(_RUNS)


_RUNS = RemoteRuns()


def _other(run: FlowRun) -> RunSummary:
    return RunSummary(
        id=run.id,
        name=run.name,
        status=RUN_STATUS.get(run.status, RunStatus.RUNNING),
        created=run.created or run.started or 0.0,
        ended=run.ended,
        reason=run.message,
    )


def _jobs(state: RunState) -> Iterator[StepState]:
    def below(steps: Sequence[StepState]) -> Iterator[StepState]:
        for step in steps:
            if step.kind == "job" or not step.children:
                yield step
            else:
                yield from below(step.children)

    return below(state.steps)
