"""Runs that PAIFlow drives: started from here, watched from here, gone on without this machine.

remote_upload  a manifest made ready for PAIFlow      remote_folder  the record of a run in the home
remote_watch   asks the service, seldom               remote_state, remote_steps  nodes and manifest as a `RunState`, pure
remote_source  all such runs as a source of `runs.sources`
"""

import secrets
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypedDict

from pai_jupyter.backends.rehearsal import runs_images
from pai_jupyter.cloud import flow
from pai_jupyter.cloud.session import Session, Site, need_session
from pai_jupyter.config import refuse_secrets, settings
from pai_jupyter.errors import (
    AuthError,
    JobDetached,
    NotFoundError,
    PaiJupyterError,
    ProtocolError,
    SpecError,
)
from pai_jupyter.jobs import Job, follow_all
from pai_jupyter.runs.plan import Outputs
from pai_jupyter.runs.state import RunState, ended
from pai_jupyter.spec import Json
from pai_jupyter.store import new_job_id
from pai_jupyter.workflow.artifact import PipelineArtifact
from pai_jupyter.workflow.document_secrets import exposed_parameters, refuse_in_documents, unset_variables
from pai_jupyter.workflow.io_spec import load_spec
from pai_jupyter.workflow.manifest_text import from_yaml
from pai_jupyter.workflow.preflight import check_values
from pai_jupyter.workflow.remote_folder import (
    RemoteFolder,
    RemoteRecord,
    create_remote_folder,
    open_remote_folder,
    remote_folders,
)
from pai_jupyter.workflow.remote_notes import notes_for_pai
from pai_jupyter.workflow.remote_upload import Document, Upload
from pai_jupyter.workflow.remote_watch import RemoteWatcher, described, terminate

WAIT_SLICE = 0.2  # seconds; an interrupt is noticed between two slices
PATIENCE = 600.0  # seconds that a wait goes on while PAIFlow does not answer
_CONSOLE = "https://pai.console.aliyun.com/?regionId={}#/studio/task/detail/{}"


class RemoteRun:
    """One run of PAIFlow, returned by `run_remote` and `attach_remote_run`."""

    def __init__(self, folder: RemoteFolder) -> None:
        self._folder = folder

    def __repr__(self) -> str:
        return f"<RemoteRun {self.id} {self.name!r} {self._watcher.state().status}>"

    @property
    def id(self) -> str:
        """Its id on this machine; `flow_id` is the service's."""
        return self._folder.id

    @property
    def flow_id(self) -> str:
        return self._folder.record.flow_run

    @property
    def name(self) -> str:
        return self._folder.record.name

    @property
    def folder(self) -> Path:
        return self._folder.path

    @cached_property
    def _watcher(self) -> RemoteWatcher:
        return RemoteWatcher(self._folder)

    @property
    def state(self) -> RunState:
        """How the run stands, as PAIFlow says it now.

        Raises:
            PaiJupyterError: the service does not answer.
        """
        self._watcher.look()
        return self._watcher.state()

    @property
    def notes(self) -> tuple[str, ...]:
        return self._folder.record.notes

    @property
    def url(self) -> str:
        """The address of its page in PAI's console; "" at the emulator."""
        return url_of(self._folder.record)

    @property
    def outputs(self) -> Outputs:
        """What the run gave: the outputs of its pipeline."""
        state = self.state
        return Outputs(parameters=state.parameters, artifacts=state.artifacts)

    @property
    def jobs(self) -> list[Job]:
        """Its steps that have begun, as jobs: with status, log and outputs."""
        self._watcher.look()
        jobs = self._watcher.jobs()
        follow_all(jobs)
        return jobs

    def wait(self, timeout: float | None = None) -> RunState:
        """Wait for the end (at most `timeout` seconds) and return how the run stands.

        Raises:
            RunFailed, RunStopped: it failed or was stopped.
            JobDetached: the wait was interrupted; the run goes on.
            TimeoutError: it has not ended yet.
            NotFoundError: PAIFlow has no such run any more.
            PaiJupyterError: PAIFlow refuses to answer, or has not answered for `PATIENCE` seconds; the run goes on.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        answered = time.monotonic()
        try:
            while True:
                try:
                    self._watcher.poll()
                    answered = time.monotonic()
                except (AuthError, NotFoundError, ProtocolError):
                    raise
                except PaiJupyterError:
                    if time.monotonic() - answered > PATIENCE:
                        raise
                if (state := self._watcher.state()).status.is_terminal:
                    return ended(state)
                left = WAIT_SLICE if deadline is None else deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"run {self.id} has not ended within {timeout:g} seconds")
                time.sleep(min(WAIT_SLICE, left))
        except KeyboardInterrupt:
            raise JobDetached(
                f'interrupted; run {self.id} goes on. To wait again, type: attach_remote_run("{self.id}").wait()'
            ) from None

    def stop(self) -> None:
        """Terminate the run at PAIFlow; one that has ended stays as it is.

        Raises:
            PaiJupyterError: the service does not answer or refuses it.
        """
        terminate(self._folder.record)

    def rerun(self, *, from_step: str | None = None, **values: Json) -> "RemoteRun":
        """Start a run of the same manifest at PAIFlow; `values` replace those of its inputs. All of its steps run again.

        Raises:
            SpecError: a value is wrong, or `from_step` is given: PAIFlow takes no step over from an earlier run.
            PaiJupyterError: the service does not answer, or has forgotten the run; nothing was started.
        """
        if from_step is not None:
            raise SpecError(
                "PAIFlow takes no step over from an earlier run: `from_step` is for runs of this machine. Leave it out, and all "
                "steps run again.",
                field="from_step",
            )
        return _run_again(self._folder.record, values)


def _run_again(record: RemoteRecord, values: Mapping[str, Json]) -> RemoteRun:
    session, documents = record.site.session, from_yaml(described(record).manifest)
    inputs, _ = load_spec(documents[-1].get("spec"))
    checked = {name: inputs[name].checked(value) for name, value in values.items()}
    artifacts = {name: it for name, it in checked.items() if isinstance(inputs[name], PipelineArtifact)}
    parameters = {**record.parameters, **{name: it for name, it in checked.items() if name not in artifacts}}
    artifacts = {**record.artifacts, **artifacts}
    check_values(documents, parameters, artifacts)
    given: _RunArguments = {"name": record.name, "parameters": parameters, "artifacts": artifacts, "session": session}
    if not record.pipeline_id:
        return run_remote(documents, **given)
    saved = flow.SavedPipeline(
        id=record.pipeline_id, identifier="", provider="", version="", documents=tuple(documents)
    )
    return run_saved(saved, **given)


class _RunArguments(TypedDict):
    name: str
    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]
    session: Session


def run_remote(
    documents: Sequence[Mapping[str, Json]],
    *,
    name: str,
    parameters: Mapping[str, Json] | None = None,
    artifacts: Mapping[str, Json] | None = None,
    session: Session | None = None,
) -> RemoteRun:
    """Start a run of a manifest at PAIFlow: its code and its local files are uploaded first.

    `artifacts`: the place of each input of the pipeline, in OSS or on this machine.

    Raises:
        SpecError: an argument is not among the inputs, a file is not there, or no session is configured.
        UncertainError: it may have been started all the same: look in the console before you try again.
        PaiJupyterError: nothing was started.
    """
    if not documents:
        raise SpecError("the manifest is empty. Give what `to_manifest` returns.", field="documents")
    session = session or need_session()
    refuse_secrets([("name", name), *(parameters or {}).items(), *(artifacts or {}).items()])
    refuse_in_documents(documents)
    upload = Upload(session, has_secrets=True)
    _note_rehearsal(upload, session)
    upload.note(*exposed_parameters(documents, parameters or {}))
    sent = upload.documents(documents)
    places = upload.artifacts(artifacts or {})
    flow_run = flow.create_run(name, documents=sent, parameters=parameters, artifacts=places, session=session)
    return _recorded(
        flow_run,
        name,
        documents=documents,
        notes=upload.notes,
        session=session,
        parameters=parameters or {},
        artifacts=places,
    )


def run_saved(
    pipeline: flow.SavedPipeline,
    *,
    name: str,
    parameters: Mapping[str, Json] | None = None,
    artifacts: Mapping[str, Json] | None = None,
    session: Session | None = None,
) -> RemoteRun:
    """Start a run of a saved component or pipeline at PAIFlow. Errors as of `run_remote`."""
    session = session or need_session()
    is_lacking = any(map(unset_variables, pipeline.documents)) and pipeline.provider == flow.provider_of(session)
    if is_lacking:  # only this kernel has the values of its secrets
        return run_remote(pipeline.documents, name=name, parameters=parameters, artifacts=artifacts, session=session)
    refuse_secrets([("name", name), *(parameters or {}).items(), *(artifacts or {}).items()])
    upload = Upload(session)
    _note_rehearsal(upload, session)
    upload.note(*notes_for_pai(pipeline.documents), *exposed_parameters(pipeline.documents, parameters or {}))
    places = upload.artifacts(artifacts or {})
    flow_run = flow.create_run(name, pipeline_id=pipeline.id, parameters=parameters, artifacts=places, session=session)
    return _recorded(
        flow_run,
        name,
        documents=pipeline.documents,
        notes=upload.notes,
        session=session,
        pipeline_id=pipeline.id,
        parameters=parameters or {},
        artifacts=places,
    )


def _note_rehearsal(upload: Upload, session: Session) -> None:
    """Say that an emulator runs the steps here, whatever their machines are, and whether it uses their images."""
    address = session.endpoints.address
    if address is None:
        return
    if runs_images(settings().emulated(address).runner):
        upload.note(f"this is a rehearsal: the steps run at the emulator on this machine, {address}.")
    else:
        upload.note(
            f"this is a rehearsal: the steps run at the emulator on this machine, {address}, in this machine's Python: "
            "their images are neither checked nor used."
        )


def documents_to_save(
    documents: Sequence[Mapping[str, Json]], *, session: Session | None = None, notes: list[str] | None = None
) -> list[Document]:
    """Return a manifest as it can be saved in PAIFlow: its code is uploaded, secrets are left out (`notes` say which).

    Raises:
        PaiJupyterError: something cannot be read or sent.
    """
    refuse_in_documents(documents)
    upload = Upload(session or need_session(), notes=notes if notes is not None else [])
    return upload.documents(documents)


def attach_remote_run(run_id: str) -> RemoteRun:
    """Find a run of PAIFlow that was started from this home, by its id here or the beginning of it.

    Raises:
        NotFoundError: there is no such run.
    """
    return RemoteRun(open_remote_folder(run_id))


def list_remote_runs() -> list[RemoteRun]:
    """List the runs of PAIFlow that were started from this home, newest first. Asks nobody."""
    return [RemoteRun(folder) for folder in remote_folders() if is_readable(folder)]


def delete_remote_run(run_id: str) -> None:
    """Delete the record of a run that has ended; its jobs stay, and so does what PAIFlow has of it.

    Raises:
        NotFoundError: there is no such run.
        PaiJupyterError: it has not ended, as far as its record can be read.
    """
    folder = open_remote_folder(run_id)
    seen = folder.seen()
    is_over = seen is not None and seen.run.is_over
    if not is_over and is_readable(folder) and not described(folder.record).is_over:
        raise PaiJupyterError(f"run {folder.id} has not ended, so it cannot be deleted. Stop it first.")
    folder.delete()


def url_of(record: RemoteRecord) -> str:
    return "" if record.site.address else _CONSOLE.format(record.site.region, record.flow_run)


def _recorded(
    flow_run: str,
    name: str,
    *,
    documents: Sequence[Mapping[str, Json]],
    notes: Sequence[str],
    session: Session,
    parameters: Mapping[str, Json],
    artifacts: Mapping[str, Json],
    pipeline_id: str = "",
) -> RemoteRun:
    now = time.time()
    record = RemoteRecord(
        id="f" + new_job_id(now, secrets.randbits(20))[1:],
        name=name,
        flow_run=flow_run,
        site=Site.of(session, session.require_workspace()),
        created=now,
        documents=tuple(_without_secrets(documents)),
        notes=tuple(notes),
        pipeline_id=pipeline_id,
        parameters=parameters,
        artifacts=artifacts,
    )
    try:
        return RemoteRun(create_remote_folder(record))
    except PaiJupyterError as exc:
        raise PaiJupyterError(f"PAIFlow runs {flow_run}, but that could not be written down here: {exc}") from exc


def _without_secrets(documents: Sequence[Mapping[str, Json]]) -> list[Document]:
    """Return what a drawing needs of the documents: no container, in whose variables secrets may be."""
    found = []
    for document in documents:
        spec = document.get("spec")
        plain = {key: value for key, value in spec.items() if key != "container"} if isinstance(spec, dict) else {}
        found.append({**document, "spec": plain})
    return found


def is_readable(folder: RemoteFolder) -> bool:
    """Return whether the record of a run is whole."""
    try:
        return bool(folder.record)
    except PaiJupyterError:
        return False
