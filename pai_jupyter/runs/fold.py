"""How a run stands, folded from its plan, its journal and its jobs. Pure; an entry costs the same in a run of any size.

    fold(plan, entries, jobs)     the whole at once
    RunFold                       entry by entry: what the driver and live views keep; `next_acts` says what it asks for

Rule 1: only failures are read from jobs; all that lets other steps begin is in the journal. So folding the journal first and the jobs
    after it gives the same state as the driver had, which saw both as they came.
Rule 2: a view may learn that a job has failed before it reads what the driver wrote without knowing that. An entry about a step that
    has ended for it already makes it fold anew, as in rule 1.
"""

from collections.abc import Iterable, Mapping
from typing import assert_never

from pai_jupyter.events import Status
from pai_jupyter.runs.acts import CollectOutputs, DropTry
from pai_jupyter.runs.drawing import draw_step
from pai_jupyter.runs.job_standing import Try, TryFacts
from pai_jupyter.runs.journal import (
    Blocked,
    ConditionDecided,
    Entry,
    LoopExpanded,
    Noted,
    OutputsRead,
    OutputsWrong,
    ResultTaken,
    RunEnded,
    StopAsked,
    TryBegun,
    TryDropped,
    TryRefused,
)
from pai_jupyter.runs.level import Level, compile_level
from pai_jupyter.runs.nodes import StepNode
from pai_jupyter.runs.plan import JobBody, Plan
from pai_jupyter.runs.progress import StepProgress
from pai_jupyter.runs.state import RunState, RunStatus, StepStatus

MAX_DROPS = 20  # jobs of one step that were lost before it fails
_StepEntry = (
    TryBegun | TryDropped | TryRefused | OutputsRead | OutputsWrong | ConditionDecided | LoopExpanded | ResultTaken
)


def fold(
    plan: Plan, entries: Iterable[Entry], jobs: Mapping[str, TryFacts], *, run_id: str = "", created: float = 0.0
) -> RunState:
    """Return how a run stands. `jobs`: by id; those that are not there (yet, or any more) are left out.

    Raises:
        SpecError: the plan is wrong.
    """
    run = RunFold(plan, run_id=run_id, created=created)
    for entry in entries:
        run.apply(entry)
    for job_id, standing in jobs.items():
        run.update_job(job_id, standing)
    run.settle_ended()
    return run.state()


class RunFold:
    """The fold of one run."""

    def __init__(self, plan: Plan, *, run_id: str = "", created: float = 0.0) -> None:
        """Begin with an empty journal.

        Raises:
            SpecError: the plan is wrong.
        """
        self.plan = plan
        self.ended: RunEnded | None = None
        self.is_stopping = False
        self._id, self._created = run_id, created
        self._notes = list(plan.notes)
        self._blocked = ""
        self._is_refused = False
        self._level = compile_level(plan.graph)
        self._jobs: dict[str, TryFacts] = {}
        self._entries: list[_StepEntry | StopAsked] = []
        self._is_late = False
        self._progress = _Progress(plan, self._level, self._jobs)

    def apply(self, entry: Entry) -> None:
        """Take in the next entry of the journal. Entries about steps that the plan does not have change nothing."""
        if self.ended is not None:
            return
        match entry:
            case Blocked():
                self._blocked, self._is_refused = entry.reason, entry.step is not None
            case Noted():
                self._notes.append(entry.text)
            case RunEnded():
                self.ended = entry
            case _:
                self.is_stopping = self.is_stopping or isinstance(entry, StopAsked)
                self._entries.append(entry)
                self._is_late = self._is_late or not self._progress.apply(entry)

    def update_job(self, job_id: str, standing: TryFacts) -> None:
        """Take in how a job stands."""
        self._jobs[job_id] = standing
        self._progress.update_job(job_id)

    @property
    def progress(self) -> StepProgress:
        """The steps as they stand."""
        if self._is_late:
            known, self._is_late = self._jobs, False
            self._jobs = {}
            self._progress = _Progress(self.plan, self._level, self._jobs)
            for entry in self._entries:
                self._progress.apply(entry)
            for job_id, standing in known.items():
                self.update_job(job_id, standing)
        return self._progress

    @property
    def blocked(self) -> str:
        """What the run waits for that only a person can give; "" if it does not."""
        return self._blocked

    @property
    def is_refused(self) -> bool:
        """Whether that is a key that a service takes, which nobody can see but who tries again."""
        return bool(self._blocked) and self._is_refused

    def job_ids(self) -> list[str]:
        """Return the ids of all jobs that the journal names."""
        return list(self.progress.tries)

    def settle_ended(self) -> None:
        """In a run that has ended, end the steps of jobs that are not there any more."""
        if self.ended is not None:
            is_stopped = self.ended.status == RunStatus.STOPPED
            status = StepStatus.STOPPED if is_stopped else StepStatus.FAILED
            self.progress.end_all(status, "the record of its job is gone")

    def state(self) -> RunState:
        """Return how the run stands; what has not changed since the last call is not drawn again."""
        ended = self.ended
        status = RunStatus.BLOCKED if self._blocked else RunStatus.RUNNING
        return RunState(
            id=self._id,
            name=self.plan.name,
            status=RunStatus(ended.status) if ended else status,
            reason=ended.reason if ended else self._blocked or None,
            is_stopping=self.is_stopping and ended is None,
            notes=tuple(self._notes),
            steps=tuple(draw_step(node) for node in self.progress.root.nodes.values()),
            inputs=self.progress.root.given.values,
            parameters=ended.parameters if ended else {},
            artifacts=ended.artifacts if ended else {},
            created=self._created,
            ended=ended.time if ended else None,
        )


class _Progress(StepProgress):
    """The steps of a run, and what entries and jobs say of them."""

    def __init__(self, plan: Plan, level: Level, jobs: Mapping[str, TryFacts]) -> None:
        super().__init__(plan, level)
        self._jobs = jobs

    def apply(self, entry: _StepEntry | StopAsked) -> bool:
        """Take in an entry; return False if its step has ended already."""
        if isinstance(entry, StopAsked):
            self.halt()
        else:
            node = self._find(entry.step)
            if node is not None and node.status.is_terminal:
                return False
            if node is not None:
                self._begin(node)
                node.touch()
                self._apply_to(node, entry)
        self._drain()
        return True

    def _apply_to(self, node: StepNode, entry: _StepEntry) -> None:
        match entry:
            case TryBegun():
                self._begin_try(node, entry)
            case TryDropped() | TryRefused() | OutputsWrong():
                self._lose_try(node, entry)
            case OutputsRead() | ResultTaken():
                node.taken = entry if isinstance(entry, ResultTaken) else None
                self._succeed(node, entry.parameters, entry.artifacts, entry.time)
            case ConditionDecided():
                self._take_decision(node, entry)
            case LoopExpanded():
                self._take_items(node, entry)
            case _:
                assert_never(entry)

    def update_job(self, job_id: str) -> None:
        """Take in how a job stands now."""
        node, one = self.tries.get(job_id, (None, None))
        if node is not None and one is not None and one.facts != self._jobs[job_id]:
            one.facts = self._jobs[job_id]
            node.change()
            self._judge(node)
            self._drain()

    def _begin_try(self, node: StepNode, entry: TryBegun) -> None:
        if not node.is_job or entry.job_id in self.tries:
            return
        self._end_try(node)
        node.live = Try(entry)
        node.live.facts = self._jobs.get(entry.job_id)
        node.tries.append(node.live)
        node.note_run()
        node.status, node.started = StepStatus.RUNNING, node.started or entry.time
        self.live[entry.job_id] = node
        self.tries[entry.job_id] = node, node.live
        self._judge(node)

    def _lose_try(self, node: StepNode, entry: TryDropped | TryRefused | OutputsWrong) -> None:
        _, one = self.tries.get(entry.job_id, (None, None))
        if isinstance(entry, TryDropped):
            if one is not None:
                one.is_dropped = True
        elif one is not None:
            one.problem = entry.reason
        if isinstance(entry, TryRefused):
            self._finish(node, StepStatus.FAILED, entry.reason, entry.time)
        elif one is not None and node.live is one:
            self._end_try(node)
            self._try_again(node, one)

    def _judge(self, node: StepNode) -> None:
        """See what the job of the step's try has come to."""
        one, facts = node.live, node.live.facts if node.live else None
        if one is None or facts is None:
            return
        if facts.never_was and sum(each.is_dropped for each in node.tries) < MAX_DROPS:
            self._ask(node, DropTry(step=node.path, job_id=one.begun.job_id))
        elif facts.status == Status.SUCCEEDED:
            self._ask(node, self._collecting(node, one))
        elif facts.status == Status.FAILED:
            one.problem = f"its job was lost {MAX_DROPS} times" if facts.never_was else None
            self._end_try(node)
            self._try_again(node, one)
        elif facts.status == Status.STOPPED:
            self._finish(node, StepStatus.STOPPED, facts.reason or "its job was stopped", facts.ended)

    def _try_again(self, node: StepNode, one: Try) -> None:
        if one.is_dropped or node.failures <= node.step.retries:
            node.status = StepStatus.WAITING
            self._advance(node)
        else:
            self._finish(node, StepStatus.FAILED, one.failure, one.facts.ended if one.facts else None)

    @staticmethod
    def _collecting(node: StepNode, one: Try) -> CollectOutputs:
        assert isinstance(node.step.body, JobBody)
        return CollectOutputs(
            step=node.path,
            body=node.step.body,
            job_id=one.begun.job_id,
            parameters=one.begun.parameters,
            artifacts=one.begun.artifacts,
        )
