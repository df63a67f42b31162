"""Take over the result of an earlier job where nothing has changed: code, values, input files, and its outputs are still there.

    rerun            from the run that is run again, the step of the same path; not where it waits, by `depends` alone, for a step
                     that has run again: nobody knows what that has changed
    cache=True       from any run of this home, whatever the step is called

What a result was made of is in its run: the values in the journal, the stamps of its inputs in inputs/. `cache/steps/` in the home leads
from code and values to the latest such result; it may be deleted at any time.
"""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError
from pai_jupyter.runs.acts import StartTry
from pai_jupyter.runs.inputs import changed_input, exists, noted_inputs, places_of
from pai_jupyter.runs.journal import OutputsRead, ResultTaken, TryBegun
from pai_jupyter.runs.journal_file import read_journal
from pai_jupyter.runs.outcomes import Considered
from pai_jupyter.runs.plan import Graph, JobBody, Plan
from pai_jupyter.runs.plan_json import json_object
from pai_jupyter.runs.rerunning import ITEM
from pai_jupyter.runs.run_folder import RunFolder, open_run_folder, runs_directory
from pai_jupyter.spec import Json
from pai_jupyter.store.disk import make_folder, read_json, to_bytes
from pai_jupyter.typed_json import FieldError, Fields

_RUNS = 20  # that took over from each other


@dataclass(frozen=True, kw_only=True)
class EarlierResult:
    """What a job of an earlier run gave. `key`: of its code and values."""

    key: str
    run_id: str
    job_id: str
    parameters: Mapping[str, Json]
    artifacts: Mapping[str, Json]


class Reuse:
    """What one run may take over."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._directory = folder.home / "cache" / "steps"
        self._earlier: dict[str, EarlierResult] | None = None

    def is_wanted(self, act: StartTry) -> bool:
        """Whether an earlier result is to be looked for."""
        record = self._folder.record
        return not is_anew(act.step, record.anew) and (bool(record.earlier) or act.cache)

    def find(self, act: StartTry) -> Considered:
        """Look for a result that is the step's own. Blocking: inputs may be at a service."""
        key = key_of(act.body, act.parameters, act.artifacts)
        note = ""
        if act.after and self._folder.record.earlier:
            note = f"step `{act.step}` runs again: it waits for step `{act.after}`, which has run again."
        try:
            for found in self._candidates(act, key):
                why = self._why_not(found, act)
                if why is None:
                    return Considered(step=act.step, result=_taken(act.step, found))
                note = note or f"step `{act.step}` runs again: {why}."
        except PaiJupyterError as exc:
            note = f"step `{act.step}` runs again: what it gave earlier cannot be read: {exc}"
        return Considered(step=act.step, note=note)

    def remember(self, body: JobBody, begun: TryBegun, read: OutputsRead) -> None:
        """Have later runs find a result; without room on the disk they do not."""
        key = key_of(body, begun.parameters, begun.artifacts)
        value = {
            "run": self._folder.id,
            "job": read.job_id,
            "parameters": dict(read.parameters),
            "artifacts": dict(read.artifacts),
        }
        with suppress(OSError, PaiJupyterError):
            make_folder(self._directory)
            draft = self._directory / f".{read.job_id}.tmp"
            with open(draft, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(to_bytes(value))
            draft.replace(self._directory / f"{key}.json")  # not synced: it may be lost

    def _candidates(self, act: StartTry, key: str) -> Iterator[EarlierResult]:
        earlier = self._folder.record.earlier
        if earlier and not act.after:
            if self._earlier is None:
                self._earlier = results_of(self._folder.home, earlier)
            found = self._earlier.get(act.step)
            if found is not None and found.key == key:
                yield found
        if act.cache and (cached := self._cached(key)) is not None:
            yield cached

    def _cached(self, key: str) -> EarlierResult | None:
        with suppress(PaiJupyterError, FieldError):
            given = Fields.of(read_json(self._directory / f"{key}.json"))
            return EarlierResult(
                key=key,
                run_id=given.line("run"),
                job_id=given.line("job"),
                parameters=json_object(given, "parameters"),
                artifacts=json_object(given, "artifacts"),
            )
        return None

    def _why_not(self, found: EarlierResult, act: StartTry) -> str | None:
        """Return why an earlier result of the same code and values is not the step's own."""
        run = RunFolder(runs_directory(self._folder.home) / found.run_id)
        if act.artifacts and (place := changed_input(noted_inputs(run, found.job_id), act.artifacts)) is not None:
            return f"its input {place} has changed since run {found.run_id}, or cannot be compared"
        for place in places_of(found.artifacts.values()):
            if not exists(place):
                return f"the output {place} of its job {found.job_id} is gone"
        return None


def is_anew(step: str, anew: tuple[str, ...]) -> bool:
    """Return whether a step is among those that run in any case, or within one."""
    names = step.split("/")
    return any(_leads_to(path.split("/"), names) for path in anew)


def _leads_to(path: list[str], names: list[str]) -> bool:
    """Return whether a path is that of a step or of what it is in; "loop" stands for each of its items."""
    pairs = zip(path, names, strict=False)
    return len(path) <= len(names) and all(own in (name, ITEM.sub("", name)) for own, name in pairs)


def key_of(body: JobBody, parameters: Mapping[str, Json], artifacts: Mapping[str, Json]) -> str:
    """Hash code and values of a step."""
    values = [body.builder, body.digest, dict(parameters), dict(artifacts)]
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def results_of(home: Path, run_id: str, *, depth: int = 0) -> dict[str, EarlierResult]:
    """Return the results of a run by path of the step, those included that it took over itself.

    Raises:
        PaiJupyterError: it cannot be read.
    """
    folder = open_run_folder(run_id, home)
    bodies = bodies_of(folder.record.plan)
    begun: dict[str, TryBegun] = {}
    found: dict[str, EarlierResult] = {}
    others: dict[str, dict[str, EarlierResult]] = {}
    for entry in read_journal(folder.journal):
        match entry:
            case TryBegun():
                begun[entry.job_id] = entry
            case OutputsRead() if entry.job_id in begun:
                body, given = bodies.get(ITEM.sub("", entry.step)), begun[entry.job_id]
                if body is not None:
                    found[entry.step] = EarlierResult(
                        key=key_of(body, given.parameters, given.artifacts),
                        run_id=run_id,
                        job_id=entry.job_id,
                        parameters=entry.parameters,
                        artifacts=entry.artifacts,
                    )
            case ResultTaken() if depth < _RUNS:
                if entry.run_id not in others:
                    others[entry.run_id] = _results_or_none(home, entry.run_id, depth + 1)
                same = [it for it in others[entry.run_id].values() if it.job_id == entry.job_id]
                found |= {entry.step: same[0]} if same else {}
            case _:
                pass
    return found


def _results_or_none(home: Path, run_id: str, depth: int) -> dict[str, EarlierResult]:
    with suppress(PaiJupyterError):
        return results_of(home, run_id, depth=depth)
    return {}  # that run was deleted


def bodies_of(plan: Plan) -> dict[str, JobBody]:
    """Return the bodies of all steps of a plan by path, without the numbers of items."""
    found: dict[str, JobBody] = {}
    left: list[tuple[str, Graph]] = [("", plan.graph)]
    while left:
        prefix, graph = left.pop()
        for step in graph.steps:
            if isinstance(step.body, JobBody):
                found[f"{prefix}{step.name}"] = step.body
            else:
                left.append((f"{prefix}{step.name}/", step.body))
    return found


def _taken(step: str, found: EarlierResult) -> ResultTaken:
    return ResultTaken(
        step=step,
        run_id=found.run_id,
        job_id=found.job_id,
        parameters=found.parameters,
        artifacts=found.artifacts,
        time=time.time(),
    )
