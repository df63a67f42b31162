"""Requests of views, answers and pushes: the Python side of the wire format.

The Jupyter server sends them over REST and a WebSocket, the widget over its comm. This package knows no transport: requests
come in as parsed JSON, messages go out through a `send` callable.

    client ── requests ──► feed ──► answers ──► lines, files, source, environment, points     one answer per request
    client ◄── pushes ──── feed ──► pushes ──► job_events, live, facts ◄── poller             one view, while its job runs

connection  one client: feed, answers, lists
tabs        a job's script, variables and TensorBoard
job_view    pushes about one job to one view: state, log, metrics
run_view    pushes about one run of steps to one view
files       output files and buckets, by address
protocol    messages, parsed requests, finding a job by its id
schema      types of requests, answers and pushes, declared once; TypeScript and tests/openapi.json are generated from them

Each package imports only those below it (checked by import-linter).

Rule 1: never trust what a client sends or a job writes.
Rule 2: blocking work runs on threads; the event loop only waits and sends.
Rule 3: messages are small and few, whatever a log or a client does.
"""

from pai_jupyter.wire.connection.answers import answer
from pai_jupyter.wire.connection.feed import API, Feed
from pai_jupyter.wire.connection.selection import Selection
from pai_jupyter.wire.job_view.job_events import snapshot
from pai_jupyter.wire.protocol.jobs import Handler, find_job
from pai_jupyter.wire.protocol.messages import Message, error_body, to_frame

__all__ = ["API", "Feed", "Handler", "Message", "Selection", "answer", "error_body", "find_job", "snapshot", "to_frame"]
