"""What a supervisor is told, as plain values: `run/job`, written with `marshal`, since `json` would cost milliseconds."""

from typing import TypedDict


class ReplicaOrder(TypedDict):
    name: str
    argv: list[str]
    environment: dict[str, str]  # on top of the supervisor's own
    decides: bool  # whether the job goes on until this replica has ended


class Preparation(TypedDict):
    """A command before the job's own; why it failed, it may leave in run/preparation_failed."""

    argv: list[str]
    environment: dict[str, str]


class SlotRequest(TypedDict):
    """Where the slots are that the job waits for, and how many jobs may run at once."""

    folder: str
    limit: int


class JobOrder(TypedDict):
    id: str
    cwd: str
    replicas: list[ReplicaOrder]
    preparation: Preparation | None
    limit: int | None  # seconds of running
    grace: float  # seconds from TERM to KILL
    gpus: bool  # whether the job asks for GPUs
    wrapped: bool  # a program around each command waits for it, and must not be told to end before it
    closed: bool  # each command is in a PID namespace, whose process 1 is the child of that program
    slot: SlotRequest | None  # None: it runs at once
