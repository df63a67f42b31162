"""Tests stay on this machine: whoever wants to reach another host from this process is refused."""

import socket
from typing import Any

import pytest

_HERE = ("127.0.0.1", "::1", "localhost")


def stay_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Refuse every way out; gives the list of hosts beyond this machine that somebody wants, as it grows."""
    reached: list[str] = []
    connect, look_up = socket.socket.connect, socket.getaddrinfo

    def guard(host: object) -> None:
        text = host.decode() if isinstance(host, bytes) else str(host or "127.0.0.1")
        if text not in _HERE:
            reached.append(text)
            raise OSError(f"no way to {text}: tests stay on this machine")

    def guarded_connect(self: socket.socket, address: Any) -> None:  # Any: an address of any family
        if self.family in (socket.AF_INET, socket.AF_INET6):
            guard(address[0])
        connect(self, address)

    def guarded_look_up(host: Any, *rest: Any, **options: Any) -> Any:  # Any: as the standard library has it
        guard(host)
        return look_up(host, *rest, **options)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
    return reached
