"""Plans of runs for tests: jobs that are only names, and a driver in a few lines, which may die at any entry."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from pai_jupyter.runs.acts import (
    Act,
    CollectOutputs,
    DecideCondition,
    DropTry,
    EndRun,
    ExpandLoop,
    StartTry,
    StopJob,
)
from pai_jupyter.runs.fold import RunFold
from pai_jupyter.runs.job_standing import TryFacts
from pai_jupyter.runs.journal import (
    ConditionDecided,
    Entry,
    LoopExpanded,
    OutputsRead,
    OutputsWrong,
    RunEnded,
    StopAsked,
    TryBegun,
    TryDropped,
)
from pai_jupyter.runs.next_acts import next_acts
from pai_jupyter.runs.plan import (
    Argument,
    DeclaredArtifact,
    DeclaredParameter,
    Graph,
    JobBody,
    Loop,
    ParameterType,
    Plan,
    Step,
)
from pai_jupyter.spec import Json


def body(
    *inputs: str, outputs: tuple[str, ...] = ("out",), type_name: ParameterType = "String", required: bool = False
) -> JobBody:
    """A job with inputs, and output parameters of one type; an artifact in ("data") and one out ("model")."""
    return JobBody(
        builder="tests:builder",
        data={},
        title="job",
        digest="0",
        parameters=tuple(DeclaredParameter(name=name, required=required) for name in inputs),
        artifacts=(DeclaredArtifact(name="data"),),
        output_parameters=tuple(DeclaredParameter(name=name, type=type_name) for name in outputs),
        output_artifacts=(DeclaredArtifact(name="model"),),
    )


def template(text: Json) -> Argument:
    return Argument(value=text, is_template=True)


def output(step: str, name: str = "out") -> str:
    return f"{{{{pipelines.{step}.outputs.parameters.{name}}}}}"


def step(
    name: str,
    *depends: str,
    job: JobBody | Graph | None = None,
    condition: str | None = None,
    loop: Loop | None = None,
    retries: int = 0,
    **parameters: Json,
) -> Step:
    """A step; texts with braces among `parameters` are templates."""
    given = {
        key: Argument(value=value, is_template=isinstance(value, str) and "{{" in value)
        for key, value in parameters.items()
    }
    return Step(
        name=name,
        body=job or body(*parameters),
        parameters=given,
        depends=depends,
        condition=condition,
        loop=loop,
        retries=retries,
    )


def plan_of(*steps: Step, fail_fast: bool = False, **outputs: str) -> Plan:
    graph = Graph(steps=steps, output_parameters={name: template(text) for name, text in outputs.items()})
    return Plan(name="plan", graph=graph, fail_fast=fail_fast)


def of_seed() -> Plan:
    """The pipeline of the seed: train, and train again as the accuracy says, which is a String as in PAI's manifest."""
    return plan_of(
        step("train-step-1"),
        step("train-step-2", "train-step-1", condition=f"{output('train-step-1')} <= 0.9"),
        step("train-step-3", "train-step-1", condition=f"{output('train-step-1')} > 0.9"),
    )


Outcome = Callable[[str, int], str]
"""Path of a step and number of its try -> "ok", "fail", "lost" (with the machine), "wrong" (an output) or "stop"."""


class Simulation:
    """A driver over journal and jobs that are lists. `wanted`: what jobs come to; `values`: their outputs by name of step."""

    def __init__(
        self, plan: Plan, *, wanted: Outcome = lambda path, number: "ok", values: Mapping[str, Json] | None = None
    ) -> None:
        self.plan = plan
        self.entries: list[Entry] = []
        self.jobs: dict[str, TryFacts] = {}
        self.started: list[tuple[str, str]] = []  # path and job of each job that really began
        self.given: dict[str, Mapping[str, Json]] = {}  # parameters by path, of the latest try
        self._wanted = wanted
        self._values = values or {}
        self._steps: dict[str, str] = {}
        self._counts: Counter[str] = Counter()  # of jobs that really began, by path
        self._running: dict[str, None] = {}
        self._time = 0.0
        self.run = RunFold(plan)

    def restart(self) -> None:
        """Die, and begin from the files."""
        self.run = self.refolded()
        for job_id in [each for each in self.run.progress.live if each not in self.jobs]:
            self.write(TryDropped(step=self._steps[job_id], job_id=job_id, time=self.tick()))

    def refolded(self) -> RunFold:
        run = RunFold(self.plan)
        for entry in self.entries:
            run.apply(entry)
        for job_id, facts in self.jobs.items():
            run.update_job(job_id, facts)
        return run

    def tick(self) -> float:
        self._time += 1.0
        return self._time

    def write(self, entry: Entry) -> None:
        self.entries.append(entry)
        self.run.apply(entry)

    def set_job(self, job_id: str, facts: TryFacts) -> None:
        self.jobs[job_id] = facts
        if facts.status == "running":
            self._running[job_id] = None
        else:
            self._running.pop(job_id, None)
        self.run.update_job(job_id, facts)

    def running(self) -> list[str]:
        return list(self._running)

    def end_job(self, job_id: str) -> None:
        path = self._steps[job_id]
        wanted = self._wanted(path, self._counts[path])
        if wanted == "lost":
            self.set_job(job_id, TryFacts(status="failed", is_lost=True))
        elif wanted in ("fail", "stop"):
            self.set_job(job_id, TryFacts(status={"fail": "failed", "stop": "stopped"}[wanted], reason="exit code 1"))
        else:
            self.set_job(job_id, TryFacts(status="succeeded", ended=self.tick()))

    def acts(self) -> list[Act]:
        return next_acts(self.run)

    def do(self, act: Act, *, dies_after_entry: bool = False) -> None:
        """Do an act whole, or die after its entry."""
        match act:
            case StartTry():
                self._start(act, dies_after_entry=dies_after_entry)
                return
            case CollectOutputs():
                self.write(self._outputs(act))
            case DecideCondition():
                self.write(
                    ConditionDecided(
                        step=act.step, is_met=act.is_met, values=act.values, reason=act.reason, time=self.tick()
                    )
                )
            case ExpandLoop():
                self.write(LoopExpanded(step=act.step, items=act.items, reason=act.reason, time=self.tick()))
            case StopJob():
                if act.job_id in self.jobs:
                    self.set_job(act.job_id, TryFacts(status="stopped", reason="stopped"))
                else:
                    self.write(TryDropped(step=act.step, job_id=act.job_id, time=self.tick()))
            case DropTry():
                self.write(TryDropped(step=act.step, job_id=act.job_id, time=self.tick()))
            case EndRun():
                self.write(
                    RunEnded(
                        status=act.status,
                        reason=act.reason,
                        parameters=act.parameters,
                        artifacts=act.artifacts,
                        time=self.tick(),
                    )
                )
        if dies_after_entry:
            self.restart()

    def _start(self, act: StartTry, *, dies_after_entry: bool) -> None:
        job_id = f"j{len(self._steps)}"
        self._steps[job_id] = act.step
        self.given[act.step] = act.parameters
        self.write(
            TryBegun(step=act.step, job_id=job_id, parameters=act.parameters, artifacts=act.artifacts, time=self.tick())
        )
        if dies_after_entry:
            self.restart()
        else:
            self.started.append((act.step, job_id))
            self._counts[act.step] += 1
            self.set_job(job_id, TryFacts(status="running", started=self.tick()))

    def _outputs(self, act: CollectOutputs) -> Entry:
        if self._wanted(act.step, self._counts[act.step]) == "wrong":
            return OutputsWrong(step=act.step, job_id=act.job_id, reason="output `out` is missing", time=self.tick())
        name = act.step.rpartition("/")[2].partition("[")[0]
        value = self._values.get(act.step, self._values.get(name, act.step))
        names = [it.name for it in act.body.output_parameters]
        return OutputsRead(
            step=act.step,
            job_id=act.job_id,
            parameters=dict.fromkeys(names, value),
            artifacts={"model": f"/out/{act.step}"},
            time=self.tick(),
        )

    def stop(self) -> None:
        self.write(StopAsked(time=self.tick()))

    def finish(self) -> None:
        """Do everything in order until the run has ended."""
        while self.run.ended is None:
            acts, running = self.acts(), self.running()
            assert acts or running, f"nothing to do and nothing runs: {self.run.state()}"
            for act in acts:
                self.do(act)
            for job_id in running:
                if job_id in self._running:
                    self.end_job(job_id)

    def wander(self, rng: random.Random, *, deaths: float = 0.1) -> Iterator[None]:
        """Do acts and end jobs in any order, dying now and then; yield after each."""
        while self.run.ended is None:
            choices: list[Act | str] = [*self.acts(), *self.running()]
            assert choices, f"nothing to do and nothing runs: {self.run.state()}"
            chosen = rng.choice(choices)
            if isinstance(chosen, str):
                self.end_job(chosen)
            else:
                self.do(chosen, dies_after_entry=rng.random() < deaths)
            if rng.random() < deaths:
                self.restart()
            yield

    def statuses(self) -> dict[str, str]:
        """The status of every step by path."""
        found = {}
        left = list(self.run.state().steps)
        while left:
            one = left.pop()
            found[one.path] = one.status.value
            left.extend(one.children)
        return found
