"""Where a browser finds a board that listens on this machine's loopback interface. Pure."""

from dataclasses import dataclass
from urllib.parse import urlsplit

VIEWS = "pai-jupyter/boards"
"""Below this our Jupyter server extension passes boards on, to those who are logged in."""
_RESTART = "Install pai_jupyter in the environment of the Jupyter server, and restart that."


@dataclass(frozen=True, kw_only=True)
class Address:
    """`url` is "" where there is none that would work; `note` then says what to do about it.

    `is_secret`: whoever has the address sees the board, so it must not be saved with a notebook.
    """

    url: str
    note: str = ""
    is_secret: bool = False


def address(board: str, direct: str, *, base_url: str | None, is_hub: bool) -> Address:
    """Return the address of `board` for the user's browser; `direct` is the local one, with its secret.

    `base_url` is the path of the Jupyter server that the user looks at and that passes boards on ("/" or "/user/ann/"),
    None where there is none; `is_hub` says whether the user sits behind a JupyterHub, on whose machine a bare loopback
    address would mean the user's own.
    """
    if base_url is not None:
        return Address(url=f"{base_url.rstrip('/')}/{VIEWS}/{board}/")
    if is_hub:
        return Address(url="", note=f"It listens on port {urlsplit(direct).port} of the hub's machine. {_RESTART}")
    return Address(
        url=direct,
        note=f"This link works on the machine that runs the kernel. From elsewhere: {_RESTART}",
        is_secret=True,
    )
