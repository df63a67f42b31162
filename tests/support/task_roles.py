"""Jobs of task roles as a table: what their tasks do, and how the job ends by the counts of its roles."""

from dataclasses import dataclass

from pai_jupyter.events import Status
from pai_jupyter.spec import JobSpec, Role

FOREVER = "sleep 600 & wait $!"

# Servers that listen everywhere, each at its own port, and clients that find them by the variables of OpenPAI.
MEETING = """
import os, socket, sys, time
name, index = os.environ["PAI_CURRENT_TASK_ROLE_NAME"], os.environ["PAI_TASK_INDEX"]
if name == "server_1":
    with socket.create_server(("", int(os.environ["PAI_CONTAINER_HOST_data_PORT_LIST"]))) as server:
        with server.accept()[0] as client:
            client.sendall(b"hello " + client.recv(100))
else:
    address = os.environ["PAI_HOST_IP_server_1_" + index], int(os.environ[f"PAI_PORT_LIST_server_1_{index}_data"])
    while True:
        try:
            client = socket.create_connection(address, timeout=10)
        except OSError:
            time.sleep(0.05)
            continue
        with client:
            client.sendall(os.environ["PAI_TASK_INDEX"].encode())
            print(client.recv(100).decode(), os.environ["PAI_RESOURCE"], flush=True)
        break
"""


@dataclass(frozen=True, kw_only=True)
class RolesCase:
    """Roles with their commands; `index` in a command is the task's."""

    what: str
    roles: tuple[Role, ...]
    status: Status

    def __str__(self) -> str:
        return self.what

    def spec(self, image: str) -> JobSpec:
        return JobSpec(name="demo", command="true", job_type="TaskRoles", roles=self.roles, image_uri=image)


def _fails_at(index: int) -> str:
    return f'[ "$PAI_TASK_INDEX" != {index} ] || exit 3'


CASES = (
    RolesCase(
        what="all-succeed", roles=(Role(name="a_1", command="true"), Role(name="b~2", command="true")), status=Status.SUCCEEDED
    ),
    RolesCase(
        what="one-fails",
        roles=(Role(name="a", instance_count=2, command=_fails_at(1)), Role(name="b", command=FOREVER)),
        status=Status.FAILED,
    ),
    RolesCase(
        what="one-failure-is-tolerated",
        roles=(Role(name="a", instance_count=2, command=_fails_at(1), tolerated_failures=1),),
        status=Status.SUCCEEDED,
    ),
    RolesCase(
        what="two-failures-are-not",
        roles=(Role(name="a", instance_count=3, command="exit 3", tolerated_failures=1), Role(name="b", command=FOREVER)),
        status=Status.FAILED,
    ),
    RolesCase(
        what="a-role-has-its-successes",
        roles=(
            Role(name="ps", command=FOREVER),
            Role(name="worker", instance_count=2, command="true", sufficient_successes=2),
        ),
        status=Status.SUCCEEDED,
    ),
    RolesCase(
        what="one-success-is-enough",
        roles=(Role(name="a", instance_count=2, command=f'[ "$PAI_TASK_INDEX" = 1 ] || {{ {FOREVER}; }}', sufficient_successes=1),),
        status=Status.SUCCEEDED,
    ),
)  # fmt: skip

MEETS = RolesCase(
    what="tasks-meet",
    roles=(
        Role(name="server_1", instance_count=2, command="python train.py", ports={"data": 1}),
        Role(name="client_001", instance_count=2, command="python train.py", cpus=2, memory=300),
    ),
    status=Status.SUCCEEDED,
)
