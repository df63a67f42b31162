"""Where a browser finds a server that listens on this machine's loopback interface. Pure."""

from dataclasses import dataclass

INSTALL_PROXY = "Install jupyter-server-proxy in the environment of the Jupyter server, and restart that."


@dataclass(frozen=True, kw_only=True)
class Address:
    """`url` is "" where there is none that would work; `note` then says what to do about it."""

    url: str
    note: str = ""


def address(port: int, *, base_url: str | None, has_proxy: bool, is_hub: bool) -> Address:
    """The address of `port` for the user's browser.

    `base_url` is the path of the Jupyter server that the user looks at ("/" or "/user/ann/"), None where it is unknown;
    `has_proxy` says whether jupyter-server-proxy answers there, `is_hub` whether the user sits behind a JupyterHub, on
    whose machine a bare loopback address would mean the user's own.
    """
    if has_proxy and base_url is not None:
        return Address(url=f"{base_url.rstrip('/')}/proxy/{port}/")
    if is_hub:
        return Address(url="", note=f"It listens on port {port} of the hub's machine. {INSTALL_PROXY}")
    return Address(
        url=f"http://127.0.0.1:{port}/",
        note=f"This link works on the machine that runs the kernel. From elsewhere: {INSTALL_PROXY}",
    )
