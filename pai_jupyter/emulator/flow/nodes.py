"""The nodes of a run: one with those below it, their statuses, outputs and logs."""

import asyncio

from pai_jupyter.cloud.client import paiflow
from pai_jupyter.emulator.calls.calls import ApiCall
from pai_jupyter.emulator.calls.pagination import MAX_PAGE, equal_to, flag, in_pages, number
from pai_jupyter.emulator.calls.tables import FLOW
from pai_jupyter.emulator.flow.dialects import run_id_of
from pai_jupyter.emulator.flow.following import run_record, state_of
from pai_jupyter.emulator.flow.node_answers import node_answer, output_answers, status_answer
from pai_jupyter.emulator.flow.node_log import LogQuery, node_lines
from pai_jupyter.emulator.flow.tree import RunNode, find_node, flow_tree
from pai_jupyter.emulator.protocol.refusal import ApiRefusal, Fields

_DEPTH = 2
_LINES = 100
_STATUS = paiflow.SERVICE.operation(
    "ListPipelineRunNodeStatus", "GET /pipelineruns/{pipeline_run_id}/nodes/{node_id}/status"
)


@FLOW.serves(paiflow.GET_NODE, paiflow.GET_PIPELINE_RUN_NODE)
async def get_node(call: ApiCall) -> Fields:
    record, node = await _node(call)
    return node_answer(node, record, depth=number(call, "Depth", _DEPTH))


@FLOW.serves(paiflow.LIST_NODE_STATUS, _STATUS)
async def list_node_status(call: ApiCall) -> Fields:
    _, node = await _node(call)
    return {"Status": [status_answer(each) for each in node.down_to(number(call, "Depth", _DEPTH))]}


@FLOW.serves(paiflow.LIST_NODE_OUTPUTS, paiflow.LIST_PIPELINE_RUN_NODE_OUTPUTS)
async def list_node_outputs(call: ApiCall) -> Fields:
    record, node = await _node(call)
    nodes = node.down_to(number(call, "Depth", _DEPTH))
    found = [answer for each in nodes for answer in output_answers(each, record)]
    return in_pages(call, "Outputs", equal_to(call, found, "Name", "Type"), size=50)


@FLOW.serves(paiflow.LIST_NODE_LOGS, paiflow.LIST_PIPELINE_RUN_NODE_LOGS)
async def list_node_logs(call: ApiCall) -> Fields:
    """Return lines of the node's job from `Offset` on; a node without a job has none."""
    _, node = await _node(call)
    query = LogQuery(
        since=_seconds(call, "FromTimeInSeconds"),
        until=_seconds(call, "ToTimeInSeconds"),
        keyword=call.query.get("Keyword", ""),
        is_reverse=flag(call, "Reverse"),
        start=number(call, "Offset", 0, least=0),
        size=min(number(call, "PageSize", _LINES), MAX_PAGE),
    )
    job_id = node.step.job_id if node.step and node.type == "Pod" else None
    job = call.world.runner.job(job_id) if job_id else None
    if job is None:
        return {"Logs": [], "TotalCount": 0}
    lines, total = await asyncio.to_thread(node_lines, job, query, is_over=node.ended is not None)
    return {"Logs": [*lines], "TotalCount": total}


async def _node(call: ApiCall) -> tuple[Fields, RunNode]:
    """Return the record of the run and the node that the path names."""
    record = run_record(call.world, run_id_of(call))
    state, wanted = await state_of(record), call.path["node_id"]
    root = flow_tree(str(record["RunId"]), str(record["Name"]), state) if state else None
    node = find_node(root, wanted) if root else None
    if node is None:
        raise ApiRefusal(404, "NodeNotFound", f"run {record['RunId']} has no node {wanted[:100]!r}, or not yet")
    return record, node


def _seconds(call: ApiCall, name: str) -> float | None:
    return float(number(call, name, 0, least=0)) if call.query.get(name) else None
