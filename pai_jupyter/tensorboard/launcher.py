"""The program of a board's process: TensorBoard behind an access check, with its data server isolated.

    python -P launcher.py --logdir RUNS --secret-file FILE --fd N [--places FILE]

It runs as a file, so that it needs no module of ours except `mirror`, which fills RUNS with the files of jobs. Socket N is
already bound to loopback; the guard serves paths below `/SECRET/` and rejects all others.

Rule 1: the secret is only in FILE (0600): not in the command line or environment, which `ps` shows to other users, and not in
    the log, since requests are not logged.
Rule 2: a request's Host header must name this machine. Else a web page could send requests by DNS rebinding.
Rule 3: TensorBoard's fast loading starts another server (gRPC on a loopback port) without authentication. So it runs in its own
    network namespace; if the system denies that, TensorBoard reads the files itself: slower (a million scalars take a minute),
    but no other port is open.
"""

import ctypes
import fcntl
import os
import re
import socket
import struct
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from contextlib import suppress
from hmac import compare_digest
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

Environ: TypeAlias = dict[str, Any]  # Any: WSGI's own
Start: TypeAlias = Callable[..., Any]  # Any: WSGI's own
Application: TypeAlias = Callable[[Environ, Start], Iterable[bytes]]

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # CLONE_NEWUSER, CLONE_NEWNET; `os` has them from 3.12
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP
_HOSTS = ("127.0.0.1", "localhost", "::1")
_REFUSED = b"This TensorBoard is private. Open it from where it was started: %pai_tensorboard --list\n"


def guard(app: Application, secret: str) -> Application:
    """Serve `app` only below `/SECRET/`, and only if the Host header names this machine."""
    wanted = f"/{secret}/".encode()

    def guarded(environ: Environ, start: Start) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "").encode("latin-1")
        if not (is_loopback(environ.get("HTTP_HOST", "")) and compare_digest(path[: len(wanted)], wanted)):
            length = str(len(_REFUSED))
            start("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", length)])
            return [_REFUSED]

        def begin(status: str, headers: list[tuple[str, str]], *more: object) -> object:
            # Otherwise a link out of TensorBoard would send the secret to its target (Referer).
            kept = [each for each in headers if each[0].lower() != "referrer-policy"]
            return start(status, [*kept, ("Referrer-Policy", "no-referrer")], *more)

        return app({**environ, "PATH_INFO": path[len(wanted) - 1 :].decode("latin-1")}, begin)

    return guarded


def is_loopback(host: str) -> bool:
    """Return whether a Host header names this machine, with any port."""
    with suppress(ValueError):
        return bool(re.fullmatch(r"[\w.:\[\]-]+", host)) and urlsplit(f"//{host}").hostname in _HOSTS
    return False


def be_alone() -> bool:
    """Move this process into its own network namespace; return whether the system allowed it.

    Open sockets stay in the old one. Root needs no new user namespace, in which it could not read other users' files.
    """
    if sys.platform != "linux":
        return False
    uid, gid = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None)
    if uid == 0:
        return libc.unshare(_NEW_NETWORK) == 0 and _raise_loopback()
    if libc.unshare(_NEW_USER | _NEW_NETWORK) != 0:
        return False
    with suppress(OSError):  # without the maps our files are still readable; only their owner shows as nobody
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    return _raise_loopback()


def _raise_loopback() -> bool:
    """Bring up the loopback interface, which is down in a new namespace."""
    try:
        with socket.socket() as any_socket:
            asked = struct.pack("16sh14x", b"lo", 0)
            flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _GET_FLAGS, asked))[1]
            fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))
    except OSError:
        return False
    return True


def _serve(logdir: str, secret: str, fd: int, *, is_alone: bool) -> None:
    from tensorboard import default, main_lib, program  # late: `be_alone` must come before any thread
    from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

    class QuietHandler(WSGIRequestHandler):
        def log(self, type: str, message: str, *args: object) -> None:  # noqa: A002  werkzeug's name
            """Log nothing: the path has the secret."""

    class Server(ThreadedWSGIServer, program.TensorBoardServer):  # type: ignore[misc]  # TensorBoard is untyped
        def __init__(self, app: Application, flags: object) -> None:
            with socket.socket(fileno=os.dup(fd)) as bound:
                bound.listen(128)
            super().__init__("127.0.0.1", 0, guard(app, secret), QuietHandler, fd=fd)

        def get_url(self) -> str:
            return f"http://127.0.0.1:{self.port}/"  # TensorBoard logs it

    main_lib.global_init()
    board = program.TensorBoard(plugins=default.get_plugins(), server_class=Server)
    fast = "auto" if is_alone else "false"
    board.configure([sys.argv[0], "--logdir", logdir, "--reload_interval", "5", "--load_fast", fast])
    sys.exit(board.main())


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--logdir", required=True)
    parser.add_argument("--secret-file", type=Path, required=True)
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--places", type=Path)
    given = parser.parse_args()
    secret = given.secret_file.read_text().strip()
    if len(secret) < 22:  # 128 bits
        sys.exit(f"there is no secret in {given.secret_file}")
    is_alone = be_alone()
    if given.places:
        from pai_jupyter.tensorboard import mirror  # late: `be_alone` must come before any thread

        mirror.begin(Path(given.logdir), given.places)
    _serve(given.logdir, secret, given.fd, is_alone=is_alone)


if __name__ == "__main__":
    main()
