"""Statuses of a DLC job, and its way to submission (see `jobs.lifecycle`).

Creating ─► Queuing ─► EnvPreparing ─► Running ─► Succeeded | Failed | Stopped
                                          └─► Stopping ─► Stopped
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from pai_jupyter.emulator.dlc.mount_paths import mount_path
from pai_jupyter.emulator.dlc.request_mapping import job_spec
from pai_jupyter.emulator.jobs.channels import ChannelPlaces, Channels
from pai_jupyter.emulator.jobs.lifecycle import TROUBLE, JobLifecycle, JobVocabulary
from pai_jupyter.emulator.jobs.mounts import directory_of, not_mounted
from pai_jupyter.emulator.protocol.fields import items_of
from pai_jupyter.emulator.protocol.refusal import Fields
from pai_jupyter.emulator.state.faults import FaultName
from pai_jupyter.errors import SpecError
from pai_jupyter.events import Status
from pai_jupyter.storage import OssUrl, parse_oss_url
from pai_jupyter.storage.opening import scheme_of

KIND = JobVocabulary(
    records="dlcjobs",
    id="JobId",
    prefix="dlc",
    history="StatusHistory",
    before=frozenset({"Creating", "Queuing", "EnvPreparing"}),
    underway=frozenset({"Running", "Stopping"}),
    ends={
        Status.SUCCEEDED: ("Succeeded", "JobSucceeded"),
        Status.FAILED: ("Failed", "JobFailed"),
        Status.STOPPED: ("Stopped", "StoppedByUser"),
    },
    not_saved="DataSourceNotSaved",
    times={
        "Queuing": ("GmtSubmittedTime",),
        "Running": ("GmtRunningTime",),
        "Succeeded": ("GmtSuccessedTime", "GmtFinishTime"),
        "Failed": ("GmtFailedTime", "GmtFinishTime"),
        "Stopped": ("GmtStoppedTime", "GmtFinishTime"),
    },
)


class DlcLifecycle(JobLifecycle):
    """The lifecycle of a DLC job."""

    kind = KIND

    def enter(self, status: str, code: str = "", message: str = "") -> None:
        """Record a new status; a repeated one, e.g. of a second stop, is ignored."""
        if self._record["Status"] != status:
            super().enter(status, code, message)

    async def _begin(self) -> None:
        self.enter("Queuing")
        self.enter("EnvPreparing")
        try:
            self._strike(FaultName.CREATE_FAILED, FaultName.INITIALIZE_FAILED)
            channels = self._channels()
            directories = await asyncio.to_thread(channels.bring, {})
            spec = job_spec(
                self._body,
                {name: (wanted, directories.place_of(name)) for name, (wanted, _) in self._mounts().items()},
                job_id=self._id,
                image=self._world.runner.image,
                is_container=self._world.backend == "docker",
                work=self._folder,
            )
            if self._record["IsStopped"]:
                self._end(Status.STOPPED)
                return
            await self._world.runner.submit(spec, channels.source, job_id=self._id)
        except TROUBLE as exc:
            self.enter("Failed", "EnvPrepareFailed", str(exc))

    def _channels(self) -> Channels:
        places = {name: url for name, (_, url) in self._mounts().items()}
        return Channels(self._world, self._folder, ChannelPlaces(code=None, inputs={}, outputs=places))

    def _mounts(self) -> Mapping[str, tuple[str, OssUrl | Path]]:
        """Return the data sources by generated name: mount path, and address in OSS or mounted directory."""
        mounts = {}
        for number, source in enumerate(items_of(self._body, "DataSources")):
            dataset = self._dataset(source)
            uri = str(source.get("Uri") or dataset.get("Uri"))
            mounts[f"mount{number}"] = (mount_path(source, dataset), self._place(uri))
        return mounts

    def _place(self, uri: str) -> OssUrl | Path:
        if scheme_of(uri) == "oss":
            return parse_oss_url(uri)
        if (directory := directory_of(uri, self._world.mounts)) is None:  # the mount is gone since the job was created
            raise SpecError(not_mounted(uri), field="DataSources")
        return directory

    def _dataset(self, source: Fields) -> Fields:
        if source.get("Uri"):
            return {}
        record = self._world.records("datasets").get(str(source["DataSourceId"]))
        if record is None:
            raise SpecError(f"there is no dataset {str(source['DataSourceId'])[:200]!r}.", field="DataSources")
        return record
