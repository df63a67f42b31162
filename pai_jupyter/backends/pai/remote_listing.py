"""List this user's jobs at the services, submitted from any machine: those with our label.

Rule 1: one page of each service's newest jobs is requested. A workspace may have any number of older jobs, and this request is
    repeated.
Rule 2: a workspace is shared. Jobs of other users are left out if the service names the owner. With a RAM role the key's owner
    is not the job's creator, so all labelled jobs are listed.
"""

import time
from collections.abc import Iterator
from itertools import chain

from pai_jupyter.backends import RemoteJob
from pai_jupyter.backends.pai.services import status_map
from pai_jupyter.backends.pai.services.connections import ServiceConnection
from pai_jupyter.backends.pai.services.job import LABEL, Kind, PaiJob
from pai_jupyter.backends.pai.services.job_service import JobService
from pai_jupyter.backends.pai.services.status_map import Fields
from pai_jupyter.backends.pai.services.status_poller import WINDOW
from pai_jupyter.cloud.client import Client, sts
from pai_jupyter.cloud.session import Site

_PERSONS = ("Account", "RAMUser")


async def list_recorded(connection: ServiceConnection, site: Site, owner: str) -> list[RemoteJob]:
    """Return our jobs among the newest of both services; only those of the user id `owner` unless it is ""."""
    found: list[Iterator[RemoteJob]] = []
    for kind, service in connection.services.items():
        fields = [each for each in await _newest(service) if owner in ("", str(each.get("UserId") or owner))]
        found.append(_ours(fields, kind, site))
    return [*chain.from_iterable(found)]


async def owner_of(client: Client) -> str:
    """Return the service's id of the user who owns the access key; "" for a role."""
    caller = await client.call(sts.GET_CALLER_IDENTITY)
    return str(caller.get("UserId") or "") if caller.get("IdentityType") in _PERSONS else ""


def _ours(listed: list[Fields], kind: Kind, site: Site) -> Iterator[RemoteJob]:
    for fields in listed:
        label, job = _label(fields), fields.get("TrainingJobId")
        if label and isinstance(job, str) and job:
            yield RemoteJob(
                ref=PaiJob(job_id=label, kind=kind, id=job, site=site).ref,
                name=status_map.line(fields.get("TrainingJobName")) or job,
                place=f"{'emulator' if site.address else 'pai'} (submitted elsewhere, {site.region})",
                report=status_map.report_of(fields),
                created=status_map.read_time(fields.get("GmtCreateTime")) or 0.0,
                url=status_map.console_of(fields),
            )


def _label(fields: Fields) -> str:
    """Return our id of the job from its label; "" without one."""
    values = (each.get("Value") for each in status_map.objects(fields, "Labels") if each.get("Key") == LABEL)
    return next((value for value in values if isinstance(value, str)), "")


async def _newest(service: JobService) -> list[Fields]:
    async for page in service.newest(time.time() - WINDOW):
        return page
    return []
