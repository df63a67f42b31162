"""The supervisor's order as plain values: `run/job`, written with `marshal`, since `json` would cost milliseconds."""

from typing import TypedDict


class ReplicaOrder(TypedDict):
    name: str
    argv: list[str]
    environment: dict[str, str]  # added to the supervisor's own
    decides: bool  # whether the job waits for this replica's end


class Preparation(TypedDict):
    """A command before the job's own; it may write its failure's reason to run/preparation_failed."""

    argv: list[str]
    environment: dict[str, str]


class SlotRequest(TypedDict):
    """The slots for which the job waits, and how many jobs may run at once."""

    folder: str
    limit: int


class JobOrder(TypedDict):
    id: str
    cwd: str
    replicas: list[ReplicaOrder]
    preparation: Preparation | None
    limit: int | None  # maximum seconds of running
    grace: float  # seconds from TERM to KILL
    gpus: bool  # whether the job asks for GPUs
    wrapped: bool  # a wrapper around each command waits for it and must not be signalled before it
    closed: bool  # each command has a PID namespace, whose process 1 is the wrapper's child
    slot: SlotRequest | None  # None = run at once
