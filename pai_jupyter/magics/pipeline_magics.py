"""`%%pai_pipeline`: a cell that makes a pipeline. `%pai_pipeline FILE`: one from a manifest."""

import os
import stat
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand
from IPython.core.magic_arguments import argument, argument_group, magic_arguments
from IPython.display import display

from pai_jupyter.backends import find_info
from pai_jupyter.config import refuse_secret_cell
from pai_jupyter.errors import SpecError
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.pipeline_cell import pipeline_of_cell
from pai_jupyter.magics.pipeline_components import components_table
from pai_jupyter.magics.train_magics import notebook_name
from pai_jupyter.runs.parameter_types import read_value
from pai_jupyter.spec import Json
from pai_jupyter.training import pairs, variable
from pai_jupyter.view import front_end
from pai_jupyter.view.run import ShownRun, draw_plan, show_run
from pai_jupyter.workflow.component_base import ComponentBase
from pai_jupyter.workflow.component_store import lookup
from pai_jupyter.workflow.document_secrets import refuse_in_documents
from pai_jupyter.workflow.local_run import local_run
from pai_jupyter.workflow.outline import outline
from pai_jupyter.workflow.parameter import PipelineParameter
from pai_jupyter.workflow.pipeline import Pipeline
from pai_jupyter.workflow.running import check_given, checked_arguments, machines_of

LARGEST = 10_000_000  # bytes of a manifest


@magics_class
class PipelineMagics(Magics):
    """`%%pai_pipeline` and `%pai_pipeline`."""

    shell: Any  # IPython sets it

    @no_var_expand
    @magic_arguments()
    @argument("name", nargs="?", help="name of the run; without a cell the YAML file of a manifest")
    @argument_group("what to do")
    @argument("--draw", action="store_true", help="draw the pipeline, and run nothing (the default)")
    @argument("--yaml", action="store_true", help="print its manifest")
    @argument("--run", action="store_true", help="run it")
    @argument(
        "--components", action="store_true", help="list the components that are saved for pipelines, and nothing else"
    )
    @argument("-p", "--param", action="append", metavar="NAME=VALUE", help="a value of an input of the pipeline")
    @argument(
        "--wait",
        action="store_true",
        default=None,
        help="return at the end of the run (the default without a front end)",
    )
    @argument("--no-wait", action="store_false", dest="wait", help="return at once (the default in a notebook)")
    @argument("--as", dest="variable", metavar="VAR", default="_pai", help="store the Run under this name")
    @argument_group("where")
    @argument("--backend", metavar="NAME", help="process, docker: where the steps run here; automatic when left out")
    @argument("--remote", action="store_true", help="run it at PAI, whatever its machines are")
    @argument("--parallel", type=int, metavar="N", help="at most so many jobs at the same time, here")
    @argument("--fail-fast", action="store_true", help="stop all steps when one has failed, here")
    @line_cell_magic
    def pai_pipeline(self, line: str, cell: str | None = None) -> None:
        """Draw or run the pipeline that this cell makes, or that a manifest describes.

        The cell is Python. Components saved on this machine are at hand by their names (iris-train is iris_train), beside your
        variables. Its pipeline is the last expression, or the only Pipeline that it makes. The run goes on without this notebook.

        Examples::

            %%pai_pipeline iris --run --backend process
            train = iris_train.as_step(inputs={"train": "./iris.csv"})
            Pipeline(steps=[check.as_condition_step("check", train.outputs["accuracy"] > 0.9)])

            %pai_pipeline pipeline.yaml --run -p lr=0.1
            %pai_pipeline --components
        """
        given = parse(self.pai_pipeline, expand(line, self.shell.user_ns), of_pipeline=True)
        if given.components:
            _check_only(line, cell)
            display(components_table())
            return
        _check(given)
        name, source = given.name, "\n".join(("%%pai_pipeline " + line, cell)) if cell is not None else ""
        refuse_secret_cell(source)
        if cell is not None:
            component = pipeline_of_cell(self.shell, cell)
        else:
            component, name = _of_file(given.name), Path(given.name).stem
        refuse_in_documents(component.documents())
        values = _values(component, pairs("-p", given.param, example="lr=0.1", is_job=False))
        if given.yaml:
            print(_manifest(component), end="")  # noqa: T201  for the user
        if given.draw or not (given.yaml or given.run):
            display(draw_plan(outline(component.documents(), name=name)), raw=True)
        if given.run:
            self._show(given, self._run(given, component, name, values, source))

    def _run(
        self, given: Namespace, component: ComponentBase, name: str, values: dict[str, Any], cell: str
    ) -> ShownRun:
        documents = component.documents()
        machines = [it.is_here for it in machines_of(documents, values)]
        if given.remote or (given.backend is None and not all(machines)):
            return _run_remotely(given, component, name, values, has_only_own=bool(machines) and all(machines))
        return local_run(
            documents,
            name,
            backend=given.backend,
            arguments=checked_arguments(component, values),
            parallel=given.parallel,
            fail_fast=given.fail_fast,
            wait=False,
            lookup=lookup,
            cell=cell,
            notebook=notebook_name(self.shell.user_ns, os.environ) or "",
        )

    def _show(self, given: Namespace, run: ShownRun) -> None:
        self.shell.user_ns[given.variable] = run
        wait = given.wait if given.wait is not None else not front_end().is_attended
        show_run(run, wait=wait)
        if wait:
            run.wait()


def _run_remotely(
    given: Namespace, component: ComponentBase, name: str, values: dict[str, Any], *, has_only_own: bool
) -> ShownRun:  # Any: values, paths
    """Run at PAI; `has_only_own`: all machines that are named are of this machine.

    Raises:
        SpecError: it cannot run there.
    """
    if has_only_own:
        raise SpecError(
            "`--remote` is for machines of PAI, and the steps name those of this one. Give them an ecs.* type, or leave "
            "--remote out.",
            field="--remote",
        )
    for option, value in (("--parallel", given.parallel), ("--fail-fast", given.fail_fast)):
        if value:
            raise SpecError(f"`{option}` is for runs on this machine. Leave it out.", field=option)
    found: ShownRun = component.run(name, wait=False, arguments=values, show_outputs=False)
    return found


def _check_only(line: str, cell: str | None) -> None:
    if line.split() != ["--components"] or cell is not None:
        raise SpecError("`--components` stands alone: %pai_pipeline --components", field="--components")


def _check(given: Namespace) -> None:
    if not given.name:
        raise SpecError(
            "a pipeline needs a name: %%pai_pipeline NAME; or the YAML file of a manifest: %pai_pipeline FILE",
            field="name",
        )
    variable(given.variable)
    if given.backend is not None and given.remote:
        raise SpecError(
            "`--backend` is for runs on this machine, and `--remote` for PAI. Leave one out.", field="--remote"
        )
    info = find_info(given.backend) if given.backend is not None else None
    if given.backend is not None and (info is None or not info.is_local):
        raise SpecError(
            f"`--backend {given.backend}`: there is no such backend on this machine. Type --backend process, or --backend docker; "
            "--remote runs the pipeline at PAI.",
            field="--backend",
        )
    if given.parallel is not None and given.parallel < 1:
        raise SpecError(f"`--parallel {given.parallel}` must be a whole number from 1.", field="--parallel")


def _of_file(path: str) -> ComponentBase:
    """Read the pipeline of a manifest.

    Raises:
        SpecError: the file cannot be read, or is no manifest.
    """
    try:
        file = Path(path).expanduser()
        facts = file.stat()
        if not stat.S_ISREG(facts.st_mode):  # a device or a pipe may be read without end
            raise ValueError(path)
        if facts.st_size > LARGEST:
            raise SpecError(f"{path!r} has more than {LARGEST // 1_000_000} MB, which is no manifest.", field="name")
        text = file.read_text()
    except (OSError, ValueError) as exc:
        why = exc.strerror if isinstance(exc, OSError) and exc.strerror else "it is no text file"
        raise SpecError(
            f"{path!r} cannot be read: {why}. Give the YAML file of a manifest, or write a cell: %%pai_pipeline NAME",
            field="name",
        ) from exc
    return Pipeline.from_manifest(text)


def _values(component: ComponentBase, given: dict[str, str]) -> dict[str, Json]:
    """Return the values of `-p`, of the types that the pipeline declares.

    Raises:
        SpecError: one is unknown, or does not fit.
    """
    inputs, found = {it.name: it for it in component.inputs}, dict[str, Json]()
    for name, text in given.items():
        declared = inputs.get(name)
        found[name] = (
            read_value(text, declared.typ, what=f"`-p {name}`") if isinstance(declared, PipelineParameter) else text
        )
    check_given(component, found)
    return found


def _manifest(component: ComponentBase) -> str:
    from pai_jupyter.workflow.document_secrets import masked
    from pai_jupyter.workflow.manifest_text import to_yaml

    with suppress(AttributeError):
        return str(component.to_manifest())  # type: ignore[attr-defined]  # what was made here has it
    return to_yaml(masked(component.documents()))
