"""The directory of jobs and their ids: $PAI_JUPYTER_HOME/jobs/<job_id>/, one folder per job."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pai_jupyter.errors import PaiJupyterError

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"  # base 32 without i, l, o, u; in the order of their codes


def home() -> Path:
    """Return $PAI_JUPYTER_HOME, else the user's state directory.

    Raises:
        PaiJupyterError: it begins with `~` and an unknown user.
    """
    if given := os.environ.get("PAI_JUPYTER_HOME"):
        try:
            return Path(given).expanduser().absolute()
        except (RuntimeError, OSError) as exc:  # no such user; the working directory was deleted
            why = str(exc).rstrip(".")
            raise PaiJupyterError(
                f"PAI_JUPYTER_HOME is {given!r}, which leads nowhere: {why}. Set it to a directory of yours, by its whole path."
            ) from exc
    from platformdirs import user_state_path  # 10 ms: imported only if needed

    return user_state_path("pai_jupyter", appauthor=False)


@contextmanager
def home_errors(place: Path | None = None) -> Iterator[None]:
    """Translate system errors about the home `place` or its content into a sentence with a remedy."""
    try:
        yield
    except OSError as exc:
        raise PaiJupyterError(
            f"jobs cannot be kept in '{place or home()}': {exc.strerror or exc}. Make that a directory of yours with some "
            "room, or set PAI_JUPYTER_HOME to another one."
        ) from exc


def check_home(place: Path) -> None:
    """Reject a home that is not a directory or not readable; it may be missing.

    Raises:
        PaiJupyterError: with the remedy.
    """
    with home_errors(place), suppress(FileNotFoundError), os.scandir(place):
        pass


def new_job_id(now: float, random: int) -> str:
    """Create an id such as "j1mq8x4f0k7d2" for a job created at `now` (epoch seconds), with 20 bits of `random`.

    "j", the time in 1/32 s as 8 digits in base 32, then 4 random digits. Ids sort by time. The first 6 to 8 characters
    tell jobs apart that were started more than a second from each other, and are enough to type.
    """
    return "j" + _base32(int(now * 32), 8) + _base32(random, 4)


def _base32(number: int, digits: int) -> str:
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(digits)))
