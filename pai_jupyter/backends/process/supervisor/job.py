"""The supervisor's order as plain values: `run/job`, written with `marshal`, since `json` would cost milliseconds."""

from typing import TypedDict


class ReplicaOrder(TypedDict):
    name: str
    argv: list[str]
    environment: dict[str, str]  # added to the supervisor's own
    decides: bool  # the job succeeds when all replicas that decide have succeeded
    lasts: float | None  # seconds that it may run on after that; None = to its own end
    restarts: int  # how often it is started again after a failure


class RoleRule(TypedDict):
    """When the tasks of one role decide the job: counts of failures and successes, 0 = never."""

    replicas: list[str]
    failures: int
    successes: int


class Preparation(TypedDict):
    """A command before the job's own; it may write its failure's reason to run/preparation_failed."""

    argv: list[str]
    environment: dict[str, str]


class SlotRequest(TypedDict):
    """The slots for which the job waits, how many jobs may run at once, and the pools of its GPUs."""

    folder: str
    limit: int
    gpus: list[str]


class GpuOrder(TypedDict):
    """How the GPUs of a job are measured."""

    devices: list[str]  # numbers or UUIDs of those that it has for itself; empty = all
    nvml: str  # the directory with the package `pynvml`; "" = not installed


class JobOrder(TypedDict):
    id: str
    cwd: str
    replicas: list[ReplicaOrder]
    preparation: Preparation | None
    limit: int | None  # maximum seconds of running
    grace: float  # seconds from TERM to KILL
    gpus: bool  # whether the job asks for GPUs
    gpu_order: GpuOrder
    wrapped: bool  # a wrapper around each command waits for it and must not be signalled before it
    closed: bool  # each command has a PID namespace, whose process 1 is the wrapper's child
    slot: SlotRequest | None  # None = run at once
    completions: list[RoleRule]  # in place of `decides`; empty = that one decides
    all_done: str | None  # a file whose existence means that the job has succeeded, whatever still runs
