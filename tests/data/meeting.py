"""What each replica of a job of tests/support/job_types.py runs: it says what it was told, serves, and asks all others.

The first line is what it was told, the second who answered at each address. No replica ends before all have been answered.
"""

import json
import os
import socket
import threading
import time

DEADLINE = 60.0  # seconds; a replica may start late

told = {name: os.environ[name] for name in json.loads(os.environ["WANTED"]) if name in os.environ}
print(json.dumps(told), flush=True)  # noqa: T201  it is what the test reads

places: dict[str, tuple[str, int]] = {}
own, count = "", 1
if "TF_CONFIG" in told:
    config = json.loads(told["TF_CONFIG"])
    for role, addresses in config["cluster"].items():
        for index, address in enumerate(addresses):
            places[f"{role}-{index}"] = (address.rpartition(":")[0], int(address.rpartition(":")[2]))
    own, count = "{type}-{index}".format(**config["task"]), len(places)
elif "MASTER_ADDR" in told:
    workers = [name for name in told.get("WORKER_ADDRS", "").split(",") if name]
    for rank, host in enumerate([told["MASTER_ADDR"], *workers]):
        name = f"worker-{rank - 1}" if rank else "master-0"
        places[name] = (host, int(told["WORKER_PORT" if rank else "MASTER_PORT"]))
    own = f"worker-{int(told['RANK']) - 1}" if int(told["RANK"]) else "master-0"
    count = int(told["WORLD_SIZE"])


def serve(server: socket.socket) -> None:
    left = count
    while left:
        with server.accept()[0] as caller:
            said = caller.recv(100)
            caller.sendall(own.encode())
            left -= said == b"goodbye"


def ask(place: tuple[str, int], what: bytes) -> str:
    deadline = time.monotonic() + DEADLINE
    while True:
        try:
            with socket.create_connection(place, 5) as call:
                call.sendall(what)
                return call.recv(100).decode()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


if own in places:
    threading.Thread(target=serve, args=[socket.create_server(places[own])]).start()
print(json.dumps({name: ask(place, b"who?") for name, place in places.items()}), flush=True)  # noqa: T201
decides = next((name for name in ("chief-0", "master-0", "worker-0") if name in places), "")
for name in sorted(places, key=lambda name: name == decides):  # its end may end the others
    ask(places[name], b"goodbye")
