"""Choose the browser address of a board on this machine's loopback interface. Pure."""

from dataclasses import dataclass
from urllib.parse import urlsplit

VIEWS = "pai-jupyter/boards"
"""The path below which our Jupyter server extension proxies boards to logged-in users."""
_RESTART = (
    "Open it in a notebook of a Jupyter server that has pai_jupyter in its environment; restart a server that was started before "
    "pai_jupyter was installed."
)


@dataclass(frozen=True, kw_only=True)
class Address:
    """The address of a board. `url` is "" if no address works; `note` then says what to do.

    `is_secret`: everybody with the address can see the board, so it must not be saved in a notebook.
    """

    url: str
    note: str = ""
    is_secret: bool = False


def address(board: str, direct: str, *, base_url: str | None, is_hub: bool) -> Address:
    """Return the address of `board` for the user's browser; `direct` is the local one, with its secret.

    `base_url` is the path ("/" or "/user/ann/") of the user's Jupyter server if it proxies boards, else None; `is_hub`: behind
    a JupyterHub, where a loopback address would point to the user's own machine.
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
