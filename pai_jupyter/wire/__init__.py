"""What a view asks of a job, and what it is told: the Python side of the wire format.

The Jupyter server speaks it over REST and a WebSocket, the widget over its comm. Nothing here knows a transport: messages
come in as parsed JSON and go out through a `send`.

    client ── requests ──► feed ──► answers ──► lines, files, source, environment, points     one request, one answer
    client ◄── pushes ──── feed ──► pushes ──► story, live, facts ◄── watch                   a view, as its job goes on

schema       what is asked, answered and pushed, declared once: TypeScript and the description are generated from it
messages     JSON and binary parts, as frames
requests     what a client sends, checked, as values
jobs         jobs by their ids, one object each
facts        what does not change in a job, and why it failed
lines        windows of lines, within their budget
story        a job told to one view: everything, then the changes
watch        a look at the files, a few times a second, while somebody watches
points       series out of events and event files, decimated (decimate); live: for one view, as they change
listing      all jobs told to one view; selection: a page of them; sparks: the course of a metric, for each row in sight
files        output channels, opened so that nothing outside can be reached (inside); source, environment, board: the tabs;
             difference: of two scripts

Rule 1: all that a client sends is hostile, and all that a job says is too.
Rule 2: blocking work is done on threads; the loop only waits and sends.
Rule 3: whatever a log or a client does, a message is small, and messages are few.
"""

from pai_jupyter.wire.answers import Handler, answer
from pai_jupyter.wire.feed import API, Feed
from pai_jupyter.wire.jobs import find_job
from pai_jupyter.wire.messages import Message, error_body, to_frame
from pai_jupyter.wire.selection import Selection
from pai_jupyter.wire.story import snapshot

__all__ = ["API", "Feed", "Handler", "Message", "Selection", "answer", "error_body", "find_job", "snapshot", "to_frame"]
