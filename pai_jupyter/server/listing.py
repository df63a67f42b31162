"""REST about the list of all jobs: a page of it, delete a job, import a job recorded elsewhere.

    GET    jobs?text=&status=&backend=&notebook=&sort=&descending=&start=&limit=
    DELETE jobs/<id>              delete the folder of a job that has ended; 409 while it runs
    POST   metric {name}          set the metric that the list shows; "": chosen automatically
    POST   jobs/<id>/adopt        create a folder for a job that only a service knows

Changes of the list are pushed over the socket; those made here are pushed at once.
"""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from jupyter_server.auth.decorator import authorized
from tornado import web

from pai_jupyter.config import settings
from pai_jupyter.jobs import adopt, all_rows, get_job_index, remove
from pai_jupyter.server.answers import JobAnswerHandler, parameters
from pai_jupyter.server.http import Handler, on_runtime
from pai_jupyter.wire import Message, Selection
from pai_jupyter.wire.protocol.requests import RequestFields
from pai_jupyter.wire.schema.rest import MetricNamed

if TYPE_CHECKING:
    from pai_jupyter.wire.schema.values import JobNamed, Nothing


class Listing(Handler):
    """`GET jobs`."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        with self.refusing():
            selection = Selection.parse(parameters("jobs", self.request.query))
            self.send(Message(body=selection.answer(await on_runtime(all_rows()))))


class JobHandler(JobAnswerHandler):
    """`GET jobs/<id>`, and `DELETE`."""

    @web.authenticated
    @authorized
    async def delete(self, job: str) -> None:
        with self.refusing():
            parameters("job", self.request.query)
            await on_runtime(_remove(job))
            self.send(Message(body={}))


class AdoptHandler(Handler):
    """`POST jobs/<id>/adopt`: follow the job; afterwards it is a job like any other."""

    @web.authenticated
    @authorized
    async def post(self, job: str) -> None:
        with self.refusing():
            parameters("adopt", self.request.query)
            with self.refusing(mistake=HTTPStatus.CONFLICT):
                self.send(await on_runtime(_adopt(job)))


def name_metric(body: Mapping[str, object]) -> "Nothing":
    """Set the metric that the list shows, as `%pai_config set metric=NAME` does in a kernel."""
    settings().set("metric", RequestFields(body, MetricNamed).text("name"))
    return {}


async def _remove(job_id: str) -> None:
    await asyncio.to_thread(remove, job_id)
    get_job_index().stir()


async def _adopt(job_id: str) -> Message:
    job = await adopt(job_id)
    named: JobNamed = {"job": job.id, "name": job.name}
    return Message(body=named)
