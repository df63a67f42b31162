"""Logs of tasks while they grow: pieces that a cluster of v1.x rotates, and the pages of v0.14, which show text."""

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import httpx
import pytest

from pai_jupyter.backends.openpai.clusters import Secret, cluster_of, hold_secret
from pai_jupyter.backends.openpai.rest.connection import ClusterConnection, ClusterKnowledge, Generation
from pai_jupyter.backends.openpai.rest.logs import LogPart, ManagedLog
from pai_jupyter.backends.openpai.rest.page_log import PageLog
from pai_jupyter.emulator.openpai.logs import escaped

CLUSTER = cluster_of("logs", "logs.invalid", "bob")
Answering = Callable[[httpx.Request], httpx.Response]


@dataclass
class RotatedLog:
    """The log manager, which keeps the last two pieces of a log; `knows_ranges` as newer ones do."""

    pieces: list[bytes] = field(default_factory=lambda: [b""])
    knows_ranges: bool = True
    refuses: int = 0  # addresses that are no longer good
    lists: int = 0

    def write(self, data: bytes) -> None:
        self.pieces[-1] += data

    def rotate(self) -> None:
        self.pieces.append(b"")

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/logs"):
            self.lists += 1
            names = ["all", "all.1"][: len(self.pieces)]
            return httpx.Response(200, json={"locations": [{"name": name, "uri": f"/log/{name}"} for name in names]})
        if self.refuses:
            self.refuses -= 1
            return httpx.Response(403)
        content = self.pieces[-2] if request.url.path.endswith(".1") else self.pieces[-1]
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers["range"])
        assert found is not None
        first, last = int(found[1]), int(found[2])
        if not self.knows_ranges:
            return httpx.Response(200, content=content)
        if first >= len(content):
            return httpx.Response(416, headers={"content-range": f"bytes */{len(content)}"})
        span = f"bytes {first}-{min(last, len(content) - 1)}/{len(content)}"
        return httpx.Response(206, content=content[first : last + 1], headers={"content-range": span})


@dataclass
class YarnLog:
    """The node manager, whose pages have the log as text; `grows` is what is written behind each request."""

    content: bytes = b""
    grows: bytes = b""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/user.pai.stdout/"):
            start, end = int(request.url.params["start"]), request.url.params.get("end")
            shown = self.content[start:].decode(errors="replace")[: None if end is None else int(end) - start]
            page = f"<pre>{escaped(shown).replace('&#233;', '&eacute;')}</pre>"
        else:
            page = f"<a>user.pai.stdout : Total file length is {len(self.content)} bytes.</a>"
        self.content += self.grows
        return httpx.Response(200, text=page)


@pytest.fixture
async def connect() -> AsyncIterator[Callable[[Answering, Generation], ClusterConnection]]:
    hold_secret(CLUSTER, Secret(kind="token", value="t"))
    opened: list[ClusterConnection] = []

    def connect(answer: Answering, generation: Generation) -> ClusterConnection:
        known = ClusterKnowledge(base="http://logs.invalid/rest-server", generation=generation, next_turn=-1e9)
        opened.append(ClusterConnection(CLUSTER, known=known, transport=httpx.MockTransport(answer)))
        return opened[-1]

    yield connect
    for each in opened:
        await each.aclose()


Connect = Callable[[Answering, Generation], ClusterConnection]


async def whole(log: ManagedLog | PageLog, start: int = 0, *, is_over: bool = False) -> tuple[bytes, int]:
    """Everything that there is now from `start` on, and where it ends."""
    data = b""
    while (part := await log.read(start, is_over=is_over)).data:
        data, start = data + part.data, part.end
    return data, start


def lines(start: int, stop: int) -> bytes:
    return b"".join(b"line %d\n" % number for number in range(start, stop))


@pytest.mark.parametrize("knows_ranges", [True, False])
async def test_a_rotation_while_a_log_is_followed_loses_nothing(connect: Connect, knows_ranges: bool) -> None:
    there = RotatedLog(knows_ranges=knows_ranges)
    log = ManagedLog(connect(there, "kubernetes"), "/api/v2/jobs/a/logs")
    there.write(lines(0, 50))
    read, end = await whole(log)
    there.write(lines(50, 90))
    there.rotate()
    there.write(lines(90, 400))  # more than the reader had of the piece before
    more, end = await whole(log, end)
    assert read + more == lines(0, 400)
    there.rotate()
    there.write(lines(400, 401))
    assert await whole(log, end) == (lines(400, 401), len(lines(0, 401)))


async def test_a_reader_who_begins_takes_the_piece_before_first(connect: Connect) -> None:
    there = RotatedLog(pieces=[lines(0, 100), lines(100, 120)])
    connection = connect(there, "kubernetes")
    assert (await whole(ManagedLog(connection, "/api/v2/jobs/a/logs")))[0] == lines(0, 120)
    for cursor in (5, len(lines(0, 100)), len(lines(0, 110))):
        rest, _ = await whole(ManagedLog(connection, "/api/v2/jobs/a/logs"), cursor)
        assert rest == lines(0, 120)[cursor:]


async def test_what_was_rotated_away_is_said_and_the_rest_is_read(connect: Connect) -> None:
    there = RotatedLog()
    log = ManagedLog(connect(there, "kubernetes"), "/api/v2/jobs/a/logs")
    there.write(lines(0, 50))
    _, end = await whole(log)
    for number in (50, 60, 70):
        there.rotate()
        there.write(lines(number, number + 10))
    part = await log.read(end)
    assert part.is_torn
    rest, _ = await whole(log, part.end)
    assert part.data + rest == lines(60, 80)


async def test_an_address_that_has_ended_is_asked_for_again(connect: Connect) -> None:
    there = RotatedLog(pieces=[lines(0, 3)])
    log = ManagedLog(connect(there, "kubernetes"), "/api/v2/jobs/a/logs")
    _, end = await whole(log)
    there.refuses, there.lists = 1, 0
    there.write(lines(3, 4))
    assert await log.read(end) == LogPart(lines(3, 4), len(lines(0, 4)))
    assert there.lists == 1


@pytest.mark.parametrize("lost", [b"\xff\xfe", b"\xe8\xae", "\ufffd".encode()], ids=["invalid", "half", "sign itself"])
async def test_bytes_that_are_no_text_move_nothing_behind_them(connect: Connect, lost: bytes) -> None:
    there = YarnLog(b"a <b>\n" + lost + b"\nc\n")
    log = PageLog(connect(there, "yarn"), "http://node.invalid/containerlogs/x/bob/")
    data, end = await whole(log)
    assert data == b"a <b>\n" + lost.decode(errors="replace").encode() + b"\nc\n"
    assert end == len(there.content)
    there.content += b"d\n"
    assert await whole(log, end) == (b"d\n", end + 2)


async def test_half_a_character_waits_for_its_other_half(connect: Connect) -> None:
    there = YarnLog("a 训".encode()[:-1])
    log = PageLog(connect(there, "yarn"), "http://node.invalid/containerlogs/x/bob/")
    first, end = await whole(log)
    assert first == b"a "
    there.content = "a 训练\n".encode()
    assert await whole(log, end) == ("训练\n".encode(), len(there.content))


async def test_of_a_growing_log_the_text_before_lost_bytes_is_told_at_once(connect: Connect) -> None:
    there = YarnLog(b"good\n\xffbad\n", grows=b"x")
    log = PageLog(connect(there, "yarn"), "http://node.invalid/containerlogs/x/bob/")
    first, end = await whole(log)
    assert first == b"good\n"
    there.grows = b""
    rest, end = await whole(log, end, is_over=True)
    assert rest.startswith("\ufffdbad\nx".encode())
    assert end == len(there.content)


@pytest.mark.parametrize(
    "text", ["loss 😀 0.1", "训练 é", "a\x85b\x9fc", "\x01\x1b[0m", "&amp; &lt;", "\ufeffa", "</pre><pre>"]
)
async def test_every_character_of_a_page_is_read_as_it_was_written(connect: Connect, text: str) -> None:
    there = YarnLog(f"{text}\n{text}\n".encode())
    log = PageLog(connect(there, "yarn"), "http://node.invalid/containerlogs/x/bob/")
    assert await whole(log) == (there.content, len(there.content))


async def test_a_page_that_is_no_text_is_no_traceback(connect: Connect) -> None:
    log = PageLog(
        connect(lambda request: httpx.Response(200, content=b"<pre>\xff&#99999999;</pre>"), "yarn"),
        "http://node.invalid/x/",
    )
    assert await log.read(0) == LogPart(b"", 0)
