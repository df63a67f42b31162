"""What a view asks of a job, and what it is told: the Python side of the wire format.

The Jupyter server speaks it over REST and a WebSocket, the widget over its comm. Nothing here knows a transport: messages
come in as parsed JSON and go out through a `send`.

    client ── requests ──► feed ──► answers ──► lines, files, source, environment, points     one request, one answer
    client ◄── pushes ──── feed ──► pushes ──► story, live, facts ◄── watch                   a view, as its job goes on

connection  one client: feed, answers, lists
tabs        a job's script, variables and TensorBoard
job_view    one job told to one view, log and metrics
files       outputs and other files, by address
protocol    messages, requests, the job that is meant
schema      what is asked, answered and pushed, declared once: TypeScript and the description are generated from it

The packages depend one way, from the first to the last (import-linter holds it).

Rule 1: all that a client sends is hostile, and all that a job says is too.
Rule 2: blocking work is done on threads; the loop only waits and sends.
Rule 3: whatever a log or a client does, a message is small, and messages are few.
"""

from pai_jupyter.wire.connection.answers import answer
from pai_jupyter.wire.connection.feed import API, Feed
from pai_jupyter.wire.connection.selection import Selection
from pai_jupyter.wire.job_view.job_events import snapshot
from pai_jupyter.wire.protocol.jobs import Handler, find_job
from pai_jupyter.wire.protocol.messages import Message, error_body, to_frame

__all__ = ["API", "Feed", "Handler", "Message", "Selection", "answer", "error_body", "find_job", "snapshot", "to_frame"]
