"""`ComponentBase`: what every component can do: become a step, and be run.

A component's manifest is a list of documents (`documents`): those that it needs first, its own last.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pai_jupyter.cloud.flow import SavedPipeline
from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.workflow.documents import Document
from pai_jupyter.workflow.expressions import ConditionExpr, LogicExpr
from pai_jupyter.workflow.io_spec import InputsSpec, OutputsSpec
from pai_jupyter.workflow.step import ConditionStep, LoopStep, PipelineStep
from pai_jupyter.workflow.variables import PipelineVariable

Inputs = Mapping[str, object] | Iterable[object] | None


class ComponentBase:
    """A component or a pipeline with inputs and outputs."""

    def __init__(self, inputs: Iterable[PipelineVariable] | None, outputs: Iterable[PipelineVariable] | None) -> None:
        self.inputs = InputsSpec(inputs)
        self.outputs = OutputsSpec(outputs)
        for it in self.inputs:
            it.bind(self, "inputs")
        for it in self.outputs:
            it.bind(self, "outputs")
        self._latest: Any = None  # Any: a `Run`, or one of PAIFlow

    @property
    def title(self) -> str:
        """What a step of it is called by default."""
        raise NotImplementedError

    def reference(self) -> dict[str, Json]:
        """Return how a step of a manifest names it."""
        raise NotImplementedError

    def documents(self) -> list[Document]:
        """Return its manifest with the values of secrets, its own document last."""
        raise NotImplementedError

    def attached(self) -> list[Document]:
        """Return the documents that a manifest with a step of it must hold."""
        return self.documents()

    def registered(self) -> list[Document]:
        """Return the documents of saved components that a manifest with a step of it names without having them."""
        return []

    def as_saved(self) -> SavedPipeline | None:
        """Return it as PAIFlow has it, if it is saved there."""
        return None

    def io_spec_to_dict(self) -> dict[str, Json]:
        return {"inputs": self.inputs.to_dict(), "outputs": self.outputs.to_dict()}

    def as_step(
        self,
        name: str | None = None,
        inputs: Inputs = None,
        depends: Iterable[PipelineStep] | None = None,
        *,
        retries: int = 0,
        cache: bool = False,
    ) -> PipelineStep:
        """Return a step that runs it.

        Raises:
            SpecError: the name, an input or its value is wrong.
        """
        return PipelineStep(inputs, name, depends, self, retries=retries, cache=cache)

    def as_condition_step(
        self,
        name: str | None,
        condition: ConditionExpr | LogicExpr | str,
        inputs: Inputs = None,
        depends: Iterable[PipelineStep] | None = None,
        *,
        retries: int = 0,
        cache: bool = False,
    ) -> ConditionStep:
        """Return a step that runs it where `condition` is met, e.g. `step.outputs["accuracy"] > 0.9`.

        Raises:
            SpecError: as `as_step`, or the condition is none.
        """
        return ConditionStep(condition, inputs, name, depends, self, retries=retries, cache=cache)

    def as_loop_step(
        self,
        name: str | None,
        items: object,
        parallelism: int | None = None,
        inputs: Inputs = None,
        depends: Iterable[PipelineStep] | None = None,
        *,
        retries: int = 0,
        cache: bool = False,
    ) -> LoopStep:
        """Return a step that runs it for each of `items`: a list, a range, or a parameter; `LoopItem()` is the item.

        Raises:
            SpecError: as `as_step`, or the items are none.
        """
        return LoopStep(items, parallelism, inputs, name, depends, self, retries=retries, cache=cache)

    def run(
        self,
        job_name: str | None = None,
        wait: bool = True,
        arguments: Mapping[str, object] | None = None,
        show_outputs: bool = True,
        *,
        backend: str | None = None,
        parallel: int | None = None,
        fail_fast: bool = False,
    ) -> Any:  # Any: a `Run`, or one of PAIFlow
        """Run it on PAIFlow; here, if all of its machines are of this one, or `backend` is.

        Raises:
            SpecError, BackendError: nothing was started.
            RunFailed, RunStopped: with `wait`, it ended so.
        """
        from pai_jupyter.workflow.running import run  # imported late: it needs the engine

        return run(
            self,
            job_name,
            arguments,
            wait=wait,
            show_outputs=show_outputs,
            backend=backend,
            parallel=parallel,
            fail_fast=fail_fast,
        )

    @property
    def latest_run(self) -> Any:  # Any: as `run` returns
        """The last run that was started with `run` or `local_run`."""
        if self._latest is None:
            raise SpecError(f"`{self.title}` has not run yet. Call .run(NAME) or .local_run(NAME) first.")
        return self._latest

    def keep_run(self, run: Any) -> None:  # Any: as `run` returns
        """Note a run that was started."""
        self._latest = run

    def local_run(
        self,
        name: str | None = None,
        backend: str | None = None,
        arguments: Mapping[str, object] | None = None,
        *,
        wait: bool = True,
        parallel: int | None = None,
        fail_fast: bool = False,
    ) -> Any:  # Any: a `Run`
        """Run it on this machine, in containers where a Docker engine answers; `backend`: "process" or "docker".

        Raises:
            SpecError, PackageError: nothing was started.
            RunFailed, RunStopped: with `wait`, it ended so.
        """
        from pai_jupyter.workflow.running import run_here

        return run_here(self, name, arguments, wait=wait, backend=backend, parallel=parallel, fail_fast=fail_fast)
