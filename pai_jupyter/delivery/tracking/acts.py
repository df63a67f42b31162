"""What each message of a job does at the MLflow server. Every act may be done again (rule 2 of the package)."""

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.delivery.recipient import DueMessage
from pai_jupyter.delivery.tracking import described
from pai_jupyter.delivery.tracking.client import MlflowServer, RunDeletedError
from pai_jupyter.delivery.tracking.described import Clean, text_in
from pai_jupyter.delivery.tracking.names import listed, renamed
from pai_jupyter.delivery.tracking.outputs import has_secret, kept_elsewhere, read_output, sent_outputs, write_copy
from pai_jupyter.delivery.tracking.points import metric_names, points_in
from pai_jupyter.delivery.tracking.wanted import experiment_of
from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.spec import Json
from pai_jupyter.store import JobFolder


class NotTakenError(Exception):
    """There is something that cannot be sent, now or later; the text says what, to be followed by a stop."""


@dataclass(kw_only=True)
class TrackedJob:
    """A job and its run at a server."""

    folder: JobFolder
    server: MlflowServer
    wanted: Mapping[str, Json]
    secrets: Collection[str]
    clean: Clean = field(init=False)

    def __post_init__(self) -> None:
        self.clean = described.cleaner(self.secrets)

    def act(self, message: DueMessage, *, is_again: bool) -> str:
        """Do what a message is about; return what the job is to be told of it, "" for nothing.

        Raises:
            RunDeletedError, NotTakenError: it cannot be done any more.
            PaiJupyterError: the job's folder cannot be read.
        """
        if not self.folder.mark():
            self._end_deleted(message.body)
            return ""
        match text_in(message.body, "kind"):
            case "start":
                return self._start()
            case "metrics":
                points = points_in(self.folder, message.body, self.clean)
                self.server.log_points(self._run(), points, is_again=is_again)
            case "said":
                return self._say(is_again=is_again)
            case "end":
                return self._end(message.body)
            case "output":
                self._send_output(message.body)
        return ""

    @property
    def _experiment(self) -> str:
        return self.clean(experiment_of(self.folder.record, self.wanted))

    def _run(self) -> str:
        record = self.folder.record
        name, said = described.said_by_user(self.folder, self.clean)
        tags = {**described.tags_of(self.folder, self.clean), **{tag: text for tag, text in said.items() if text}}
        return self.server.ensure_run(
            record.id, self._experiment, name=name, start=int(record.created * 1000), tags=tags
        )

    def _start(self) -> str:
        run_id = self._run()
        values, changes = described.values_of(self.folder, self.clean)
        self.server.log_values(run_id, values)
        found = [f"the values {listed(changes)}"] if changes else []
        _, tags = described.said_by_user(self.folder, self.clean)  # the run was created with them
        if others := described.changed_tags(tags[described.USER_TAGS]):
            found.append(f"the tags {listed(others)}")
        return _differing(found)

    def _say(self, *, is_again: bool) -> str:
        """Bring what the user says now to the run; of a job that was never tracked there is none."""
        only = self.wanted.get("only")
        run_id = self.server.find_run(self.folder.id) if only else self._run()
        if run_id is None:
            return ""
        name, tags = described.said_by_user(self.folder, self.clean)
        before = self.server.tags(run_id).get(described.USER_TAGS, "")
        for tag in described.own_tags(before):
            if tag not in tags:
                self.server.delete_tag(run_id, tag)
        self.server.set_tags(run_id, tags)
        self.server.rename(run_id, name)
        told = [] if is_again else described.changed_tags(before)  # again: they may be there, and were not told
        others = [it for it in described.changed_tags(tags[described.USER_TAGS]) if it not in told]
        return _differing([f"the tags {listed(others)}"] if others else [])

    def _end(self, body: Mapping[str, Json]) -> str:
        run_id, state = self._run(), self.folder.read().state
        self.server.drop_doubles(self.folder.id, self._experiment)
        takes = self.server.takes_artifacts(run_id)
        sent = sent_outputs(self.folder) if takes else []
        elsewhere = kept_elsewhere(self.folder, sent)
        self.server.set_tags(
            run_id,
            {
                **described.tags_of(self.folder, self.clean),  # an image may have been looked up behind the start
                **described.end_of(self.folder, state, self.clean),
                **described.body_of_outputs(elsewhere, self.clean),
            },
        )
        self._terminate(run_id, body)
        files = {self.clean(f"{it['channel']}/{it['path']}"): self.clean(str(it["name"])) for it in sent}
        return self._changes(body, renamed(files), takes=takes)

    def _terminate(self, run_id: str, body: Mapping[str, Json]) -> None:
        ended = body.get("ended")
        time = ended if isinstance(ended, int | float) else 0
        self.server.end(run_id, text_in(body, "status"), int(time * 1000))

    def _end_deleted(self, body: Mapping[str, Json]) -> None:
        """End the run of a job that was deleted, if it has one; what else was due of it is gone with its folder."""
        if text_in(body, "kind") == "end" and (run_id := self.server.find_run(self.folder.id)) is not None:
            self._terminate(run_id, body)

    def _changes(self, body: Mapping[str, Json], files: Sequence[str], *, takes: bool) -> str:
        """Say in what its run differs from the job; `files`: those of another name."""
        names = renamed(metric_names(self.folder.read().state, self.clean))
        found = [f"the metrics {listed(names)}"] if names else []
        if files:
            found.append(f"the artifacts {listed(files)}")
        if body.get("fractions") is True:
            found.append("steps without their fractions, for MLflow takes whole ones")
        if not takes:
            found.append("no files, for its server keeps them elsewhere")
        return _differing(found)

    def _send_output(self, body: Mapping[str, Json]) -> None:
        channel, path, name = (text_in(body, it) for it in ("channel", "path", "name"))
        run_id = self._run()
        if not self.server.takes_artifacts(run_id):
            return  # the job was told at its end
        try:
            data = read_output(self.folder, channel, path)
        except PaiJupyterError as exc:
            raise NotTakenError(str(exc).rstrip(".")) from exc
        if has_secret(data, self.secrets):
            raise NotTakenError("a secret of yours is in it")
        with tempfile.TemporaryDirectory() as directory:
            copy, above = write_copy(data, name, Path(directory))
            self.server.log_artifact(run_id, str(copy), above)


def _differing(found: Sequence[str]) -> str:
    """Say in what a run differs from its job; "" if in nothing."""
    return f"Its run at MLflow has {'; '.join(found)}." if found else ""


__all__ = ["NotTakenError", "RunDeletedError", "TrackedJob"]
