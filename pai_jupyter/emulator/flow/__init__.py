"""The service PAIFlow: saved pipelines and components, runs of them, the nodes of a run.

manifests        reads and writes manifests and arguments
pipelines        saved pipelines and components
statuses         the statuses of runs and nodes
dialects         the two dialects of runs
tree             the nodes of a run, from its state
nodes            nodes, their statuses, outputs and logs
node_answers     answers about nodes         manifest_steps  what a node executes         node_log  lines of its job's log
runs             create, get, list, start, terminate, delete; runs go on without the emulator
following        how runs stand              starting        starts and ends them
planning         a run as a plan of the package `runs`
"""

from pai_jupyter.emulator.calls.tables import FLOW as TABLE
from pai_jupyter.emulator.flow import nodes, pipelines, runs
from pai_jupyter.emulator.flow.following import followed_runs

__all__ = ["TABLE", "followed_runs", "nodes", "pipelines", "runs"]
