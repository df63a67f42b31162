"""A network that is this process's own: loopback, and nothing that comes or goes.

When a container comes or goes, Linux tells every program that an address did, and Chromium then cuts what it is asking for
(net::ERR_NETWORK_CHANGED). The tests of the other groups start hundreds while those in the browser run.
"""

import ctypes
import fcntl
import socket
import struct
from pathlib import Path

_NEW_NETWORK = 0x40000000  # CLONE_NEWNET of sched.h
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1  # SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP of net/if.h


def leave_networks() -> bool:
    """Have a network of its own for this thread, and for what it starts from now on; False where this is not allowed."""
    system = ctypes.CDLL(None)
    with Path("/proc/thread-self/ns/net").open() as before:
        if system.unshare(_NEW_NETWORK) != 0:
            return False  # who is not root
        try:
            _begin_loopback()
        except OSError:  # one that may make a network, and not change it
            system.setns(before.fileno(), _NEW_NETWORK)
            return False
    return True


def _begin_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sH14x", b"lo", 0))
        (flags,) = struct.unpack_from("H", asked, 16)
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))
