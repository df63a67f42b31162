"""Start a job: create its tree, log files and containers. Blocking; the backend runs it in a thread.

Rule 1: all containers are created before any is started. A job that lacks one never began and is submitted anew; a job with all
    of them only needs the rest started.
Rule 2: after an error no container and no network is left behind.
Rule 3: only the job's own files, inputs and outputs are bound, never the engine's socket or anything else.
"""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pai_jupyter import contract
from pai_jupyter.backends.docker import cards, containers, peers, queueing, script
from pai_jupyter.backends.docker.containers import ContainerState
from pai_jupyter.backends.docker.deployment import JOB_LABEL, REPLICA_LABEL, Deployment, check_outputs, note_engine
from pai_jupyter.backends.docker.engine import Client
from pai_jupyter.backends.docker.faults import engine_errors
from pai_jupyter.backends.docker.images import need_image
from pai_jupyter.backends.docker.ownership import open_up
from pai_jupyter.backends.info import HOST_NETWORK, IMAGE_WORKDIR
from pai_jupyter.backends.local import (
    LocalTree,
    addresses,
    disk_errors,
    input_files,
    passed_variables,
    prepare,
    remove_credential,
    written_by_a_job,
)
from pai_jupyter.backends.local.parallel import slot_order
from pai_jupyter.errors import BackendError, NotFoundError, SpecError, UnavailableError
from pai_jupyter.package import Package
from pai_jupyter.spec import JobSpec, Json
from pai_jupyter.store import JobStore

SHARED_MEMORY = "2g"  # the default of 64 MB breaks data loaders with workers; only used memory counts


def run(client: Client, spec: JobSpec, package: Package, job: Deployment, cancelled: threading.Event) -> None:
    """Run the job unless it runs already; concurrent submissions of a job wait for each other.

    Raises:
        BackendError: nothing was started, and nothing is left behind.
    """
    with disk_errors(job.folder):
        job.run.mkdir(parents=True, exist_ok=True)
    with queueing.alone(job):
        own = cards.own_gpus(spec, job.run)
        slot = slot_order(JobStore().home, "docker", own)
        with disk_errors(job.folder):
            note_engine(job)
        states = containers.look(client, job)
        if any(not state.is_made for state in states.values()):
            containers.remove(client, job)
            states = {}
        try:
            if not states:
                _make(client, spec, package, job, cancelled, queueing.labels(slot), own)
            if cancelled.is_set():
                raise BackendError(f"the submission of job {job.job_id} was cancelled.")
            queueing.begin(client, job, [name for name in job.replicas if _has_never_run(states, name)], slot)
        except BaseException:
            queueing.call_off(job)
            remove_credential(job.folder)
            containers.remove(client, job)
            raise


def take_over(client: Client, job: Deployment) -> None:
    """Continue the submission of a dead submitter: start containers that are not started yet.

    Raises:
        NotFoundError: nothing was started, all containers are removed, and the job will never start.
        UnavailableError: that cannot be ensured now: another process acts on the job, or the engine is still working.
    """
    with disk_errors(job.folder):
        job.run.mkdir(parents=True, exist_ok=True)
    with queueing.alone(job, seconds=0):
        if queueing.revive(job):
            return
        states = containers.look(client, job)
        if all(_has_never_run(states, replica) for replica in job.replicas):
            remove_credential(job.folder)
            containers.remove(client, job)
            if any(state.is_made for state in containers.look(client, job).values()):
                raise UnavailableError(f"the containers of job {job.job_id} are still being removed.")
            raise NotFoundError(f"job {job.job_id} was never started.")
        containers.start(
            client, job, [name for name in job.replicas if states[name].is_made and _has_never_run(states, name)]
        )


def _has_never_run(states: Mapping[str, ContainerState], replica: str) -> bool:
    return replica not in states or states[replica].started is None


def _make(
    client: Client,
    spec: JobSpec,
    package: Package,
    job: Deployment,
    cancelled: threading.Event,
    labels: Mapping[str, str],
    own_gpus: Sequence[str],
) -> None:
    begun = time.time()
    images = [need_image(client, image, cancelled) for image in dict.fromkeys(job.images.values())]
    for problem in check_outputs(spec):
        raise SpecError(problem, field="outputs")
    tree = prepare(spec, package, job.folder, cancelled)
    inputs = _input_mounts(tree)
    with disk_errors(job.folder):
        job.folder.chmod(0o700)  # private, since the files in it are writable for any user of a container
        for name in job.replicas:
            _make_files(job, name, begun)
        if job.is_coordinated:
            peers.make_files(job)
        _lines(job).write_text("".join(f"{line}\n" for line in spec.requirements))
        _lines(job).chmod(0o644)
        open_up(client, job, images)
    if job.network is not None:
        with engine_errors("making the job's network"):
            client.create_network(job.network, driver="bridge", labels={JOB_LABEL: job.job_id})
    places = _host_places(spec, job)
    for replica in contract.replicas(spec):
        with engine_errors(f"making a container of image {job.images[replica.name]!r}"):
            made = _container(client, spec, job, tree, inputs, replica, own_gpus, places)
            client.create_container(**{**made, "labels": {**made["labels"], **labels}})


def _host_places(spec: JobSpec, job: Deployment) -> dict[str, Any]:  # Any: arguments of `contract.environment`
    """Say where containers with this machine's network listen; {} where each has the ports of its job type for itself."""
    if not job.is_on_host:
        return {}
    hosts = addresses.hosts(job.job_id, contract.replicas(spec))
    ports = addresses.ports(spec, hosts)
    return {
        "host": hosts.__getitem__,
        "port": lambda replica: ports[replica][0],
        "task_ports": ports.__getitem__,
    }


def _make_files(job: Deployment, replica: str, begun: float) -> None:
    """Create the files that the container writes, writable for any user; the folder around them is private."""
    first_phase = f"preparing 0 {begun:.3f}\n"
    for path, text in ((_log(job, replica), ""), (_phases(job, replica), first_phase), (_usage(job, replica), "")):
        path.write_text(text)
        path.chmod(0o666)


def _log(job: Deployment, replica: str) -> Path:
    return job.folder / "logs" / f"{replica}.log"


def _phases(job: Deployment, replica: str) -> Path:
    return job.run / f"{replica}.phases"


def _usage(job: Deployment, replica: str) -> Path:
    return job.run / f"{replica}.usage"


def _lines(job: Deployment) -> Path:
    return job.run / "requirements.txt"


def _input_mounts(tree: LocalTree) -> dict[str, Path]:
    """Return the read-only input mounts: host paths by container path.

    An input below a directory that a job writes, e.g. an earlier job's checkpoints, is resolved inside the container by a link
    in the tree: else that job could replace it by a link before the engine, as root, resolves it.
    """
    mounts: dict[str, Path] = {}
    for number, (channel, item) in enumerate(tree.inputs.items()):
        top, real = written_by_a_job(item.source), Path(os.path.realpath(item.source))
        if top is None:
            mounts[contract.PATHS.input(channel) + (item.file or "")] = item.source
            continue
        place = tree.root / "input" / "data" / channel
        mounts[f"{script.INPUTS}/{number}"] = top
        if item.file is not None:
            (place / item.file).unlink()
            place /= item.file
        else:
            place.rmdir()
        place.symlink_to(f"{script.INPUTS}/{number}/{real.relative_to(top)}")
    return mounts


def _container(
    client: Client,
    spec: JobSpec,
    job: Deployment,
    tree: LocalTree,
    inputs: Mapping[str, Path],
    replica: contract.Replica,
    own_gpus: Sequence[str],
    places: Mapping[str, Any],  # Any: as `_host_places`
) -> dict[str, Any]:  # Any: arguments of the SDK
    name, host = replica.name, contract.host_name(spec, replica)
    options = spec.backend_options.get("docker", {})
    network = {}
    if job.network is not None:
        endpoint = client.create_endpoint_config(aliases=[host])
        network = {"networking_config": client.create_networking_config({job.network: endpoint})}
    gpus = cards.gpus_of(spec, replica, own_gpus)
    variables = contract.environment(
        spec,
        replica,
        input_files=input_files(tree.inputs),
        gpus=len(gpus or ()),
        shards_done=peers.ALL_DONE,
        **places,
    )
    if gpus and own_gpus:
        variables[cards.GPUS] = ",".join(gpus)
    return {
        "image": job.images[name],
        "name": job.container(name),
        "hostname": host,
        "labels": {JOB_LABEL: job.job_id, REPLICA_LABEL: name},
        "entrypoint": ["sh"],
        "command": script.container_command(
            contract.command(spec, replica).argv,
            requirements=_requirements(spec, tree),
            limit=spec.max_run_time,
            peers=peers.rules(job, name),
        ),
        "working_dir": None if options.get(IMAGE_WORKDIR) is True else contract.PATHS.working_dir.rstrip("/"),
        "environment": {
            cards.GPUS: None,
            **passed_variables(spec, os.environ),
            **variables,
        },  # None unsets a variable of the image
        "use_config_proxy": True,
        "stop_signal": "SIGTERM",
        "host_config": client.create_host_config(
            network_mode=HOST_NETWORK if job.is_on_host else job.network,
            mounts=_mounts(job, tree, inputs, name),
            log_config={"type": "none"},  # the log is the bound file
            security_opt=["label=disable"],  # SELinux would deny the container access to the user's files
            device_requests=cards.requests(gpus, own_gpus),
            **_limits(options),
        ),
        **network,
    }


def _mounts(
    job: Deployment, tree: LocalTree, inputs: Mapping[str, Path], replica: str
) -> list[dict[str, Any]]:  # Any: JSON of the engine
    paths = contract.PATHS
    writable = {
        paths.root: tree.root,
        paths.output_dir: tree.output,
        **{paths.output(channel): path for channel, path in tree.elsewhere.items()},
        script.LOG: _log(job, replica),
        script.PHASES: _phases(job, replica),
        script.USAGE: _usage(job, replica),
        **({peers.REPLICAS: job.run / peers.HISTORY} if job.is_coordinated else {}),
    }
    read_only = {
        f"{paths.root}/input": tree.root / "input",
        **inputs,
        script.REQUIREMENTS: _lines(job),
        **({peers.ALIVE: job.run / peers.PIPES} if job.is_coordinated else {}),
    }
    return [_mount(target, source, is_read_only=False) for target, source in writable.items()] + [
        _mount(target, source, is_read_only=True) for target, source in read_only.items()
    ]


def _mount(target: str, source: Path, *, is_read_only: bool) -> dict[str, Any]:  # Any: JSON of the engine
    return {"Type": "bind", "Target": target.rstrip("/"), "Source": str(source.resolve()), "ReadOnly": is_read_only}


def _requirements(spec: JobSpec, tree: LocalTree) -> list[str]:
    """Return the requirements files to install, as paths in the container."""
    listed = tree.root / "usercode" / "requirements.txt"
    has_list = listed.is_file() and any(
        line.strip() and not line.lstrip().startswith("#") for line in listed.read_text(errors="replace").splitlines()
    )
    return [
        *([contract.PATHS.working_dir + listed.name] if has_list else []),
        *([script.REQUIREMENTS] if spec.requirements else []),
    ]


def _limits(options: Mapping[str, Json]) -> dict[str, Any]:  # Any: arguments of the SDK
    memory, cpus = options.get("memory"), options.get("cpus")
    limits: dict[str, Any] = {"shm_size": str(options.get("shm_size") or SHARED_MEMORY)}  # Any: as above
    if memory is not None:
        limits |= {
            "mem_limit": str(memory),
            "memswap_limit": str(memory),
        }  # else the same amount could be swapped in addition
    if cpus is not None:
        limits["nano_cpus"] = int(float(str(cpus)) * 1e9)
    return limits
