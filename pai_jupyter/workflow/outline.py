"""A manifest as a plan to draw: what its steps take and give, whether they could run here or not."""

from collections.abc import Sequence

from pai_jupyter.runs.exclusive import never_run
from pai_jupyter.runs.level import compile_level
from pai_jupyter.runs.plan import Graph, Plan
from pai_jupyter.workflow.checks import Interfaces
from pai_jupyter.workflow.documents import Document
from pai_jupyter.workflow.place import RunPlace
from pai_jupyter.workflow.planning import alone
from pai_jupyter.workflow.planning_bodies import PlanParts
from pai_jupyter.workflow.planning_graph import title_of


def outline(documents: Sequence[Document], *, name: str, registered: Sequence[Document] = ()) -> Plan:
    """Return the plan of a checked manifest, its entry last; `registered`: documents of components that it names only.

    Raises:
        SpecError: it cannot run.
    """
    body = Interfaces([*registered, *documents], None, PlanParts(RunPlace())).read(documents[-1])
    graph = body if isinstance(body, Graph) else alone(body, title_of(documents[-1]))
    return Plan(name=name, graph=graph, notes=tuple(never_run(compile_level(graph))))
