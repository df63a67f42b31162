"""`%pai_config`: settings and their origins. `%pai_doctor`: what this machine has and lacks."""

import getpass
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.backends import backend_names
from pai_jupyter.config import ONE_CLOUD, Value, settings, trackers
from pai_jupyter.config.names import SETTINGS, WEBHOOK
from pai_jupyter.config.webhooks import VARIABLES
from pai_jupyter.emulator import RUNNERS
from pai_jupyter.errors import SpecError
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table
from pai_jupyter.view import front_end, is_stable, said
from pai_jupyter.view.words import in_own_language

if TYPE_CHECKING:
    from pai_jupyter.diagnostics import Check

_SHOWN_IF_SET = ("notify.", trackers.NAME)
_EMULATOR = "emulator"  # so no profile of that name can be used


@magics_class
class ConfigMagics(Magics):
    """`%pai_config` and `%pai_doctor`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument(
        "verb",
        nargs="?",
        default="show",
        help="show, set NAME=VALUE..., use PROFILE, use emulator, test, wizard, drop ADDRESS",
    )
    @argument(
        "words",
        nargs="*",
        metavar="NAME=VALUE | PROFILE",
        help='what to set or use, until the kernel ends (a line NAME = "VALUE" in pai_jupyter.toml in the notebook\'s directory keeps '
        "it); `set tracking mlflow:URI` makes each job a run at an MLflow server, `drop ADDRESS` gives up what is "
        "left to send to one",
    )
    @argument("--backend", choices=RUNNERS, default=RUNNERS[0], help="use emulator: the backend that runs its jobs")
    @argument("--stop", action="store_true", help="use emulator: end it, and restore the settings from before")
    @line_magic
    def pai_config(self, line: str) -> None:
        """Show or change the settings of this notebook; secrets never go on this line."""
        options = parse(self.pai_config, expand(line, self.shell.user_ns))
        match options.verb, options.words:
            case "use", [name] if name == _EMULATOR:
                self._use_emulator(options.backend, is_stop=options.stop)
            case _ if options.stop:
                raise SpecError("`--stop` ends the emulator: %pai_config use emulator --stop")
            case "show", []:
                self._show()
            case "set", [_, *_]:
                self._set(options.words)
            case "use", [profile]:
                settings().use(profile)
                _tell_panel("profile")
                self._show()
            case "test", []:
                self._test()
            case "wizard", []:
                self._wizard()
            case "drop", [address]:
                print(said(_dropped(address)))  # noqa: T201
            case verb, _:
                raise SpecError(
                    f"`%pai_config {verb}` is not valid. Type %pai_config show, %pai_config set backend=docker, "
                    "%pai_config use PROFILE, %pai_config use emulator, %pai_config test, %pai_config wizard or "
                    "%pai_config drop ADDRESS."
                )

    @line_magic
    def pai_doctor(self, line: str) -> None:
        """Show what this machine has and lacks, with remedies."""
        if line.strip():
            raise SpecError("%pai_doctor takes no options.")
        from pai_jupyter.magics.doctor import checkup  # late: it imports every package, and most sessions never use it

        display(_table(checkup()))

    def _show(self) -> None:
        given = [
            value for value in settings().all() if value.value is not None or not value.name.startswith(_SHOWN_IF_SET)
        ]
        rows = [(value.name, _said(value), said(value.origin)) for value in given]
        if (webhook := settings().webhook()) is not None:
            rows.append((WEBHOOK[0], said(f"{webhook.host} (a secret)"), said(webhook.origin)))
        display(Table(headers=("name", "value", "from"), rows=rows))

    def _set(self, words: list[str]) -> None:
        values: dict[str, str] = {}
        from pai_jupyter.magics.webhook_secret import asked_for  # late: not needed by %load_ext

        secrets = asked_for(words)
        if len(words) == 2 and words[0] in SETTINGS:
            words = ["=".join(words)]  # set tracking mlflow:URI
        for word in [word for word in words if word not in secrets]:
            name, equals, value = word.partition("=")
            if not equals:
                raise SpecError(f"`%pai_config set {word}` is not of the form NAME=VALUE, e.g. backend=docker")
            values[name] = value
        notes = _checked_tracker(values.get(trackers.NAME, ""))
        settings().update(values, backends=backend_names())
        for note in notes:
            print(said(note))  # noqa: T201
        _tell_panel(*values)
        _restate_limits()
        for name in secrets:
            self._ask(name)
        self._show()

    def _ask(self, name: str) -> None:
        """Ask for a secret that no line may hold."""
        nobody = SpecError(
            f"`{name}` cannot be asked for here: that needs a notebook or a terminal. Set the environment variable "
            f"{dict(zip(WEBHOOK, VARIABLES, strict=True))[name]} instead."
        )
        if not is_attended(self.shell):
            raise nobody
        from pai_jupyter.magics.webhook_secret import ask_and_keep  # late: it loads cloud libraries

        try:  # looked up now: a kernel replaces `getpass` while a cell runs
            ask_and_keep(name, ask_secret=in_own_language(getpass.getpass), tell=in_own_language(print))
        except KeyboardInterrupt:
            print(said("nothing was changed: you interrupted the question"))  # noqa: T201
        except (EOFError, NotImplementedError) as exc:
            raise nobody from exc

    def _test(self) -> None:
        from pai_jupyter.diagnostics import preflight  # late: it loads cloud libraries

        display(_table(preflight()))

    def _use_emulator(self, runner: Any, *, is_stop: bool) -> None:  # Any: argparse has checked it
        from pai_jupyter.magics import emulator  # late: most sessions never use it

        if is_stop:
            was_running = emulator.stop()
            settings().leave_emulator()
            print(said("the emulator is stopped" if was_running else "no emulator was running"))  # noqa: T201
        else:
            settings().use_emulator(emulator.start(runner))
        _tell_panel(*ONE_CLOUD)
        self._show()

    def _wizard(self) -> None:
        if settings().get("services"):
            raise SpecError(
                "this kernel uses the emulator, which needs no key. Type first: %pai_config use emulator --stop"
            )
        nobody = SpecError(
            "%pai_config wizard cannot ask here: it needs a notebook or a terminal. Set environment variables "
            "instead (ALIBABA_CLOUD_ACCESS_KEY_ID, ALIBABA_CLOUD_ACCESS_KEY_SECRET, PAI_REGION_ID, PAI_WORKSPACE_ID)."
        )
        if not is_attended(self.shell):
            raise nobody
        from pai_jupyter.magics.wizard import Wizard  # late: it loads cloud libraries

        try:  # looked up now: a kernel replaces `input` and `getpass` while a cell runs
            Wizard(
                ask=in_own_language(input),
                ask_secret=in_own_language(getpass.getpass),
                tell=in_own_language(print),
            ).run()
        except KeyboardInterrupt:
            print(said("nothing was changed: you interrupted the questions"))  # noqa: T201
            return
        except (EOFError, NotImplementedError) as exc:
            raise nobody from exc
        _tell_panel(*ONE_CLOUD)
        self._show()


def is_attended(shell: Any) -> bool:  # Any: IPython is untyped
    """Return whether a user can answer a question, at a kernel's front end or at a terminal."""
    if getattr(shell, "kernel", None) is not None:
        return front_end().is_attended
    return sys.stdin is not None and sys.stdin.isatty()


def _checked_tracker(value: str) -> list[str]:
    """Ask the server in a value of `tracking`; return what there is to say of it.

    Raises:
        SpecError: jobs cannot be tracked there.
    """
    if not value or value == trackers.OFF:
        return []
    trackers.check_tracker(value)
    from pai_jupyter.diagnostics.tracking import check_tracker  # late: not needed by %load_ext

    note = check_tracker(trackers.server_of(value))
    kept = (
        "jobs of this notebook are tracked there until its kernel ends. To keep that, add this line to pai_jupyter.toml in its "
        f'directory: {trackers.NAME} = "{value}"'
    )
    return [*([note] if note else []), kept]


def _dropped(address: str) -> str:
    """Give up what is left to send to an MLflow server; say what that was.

    Raises:
        SpecError: nothing is.
    """
    from pai_jupyter.delivery.tracking.left import drop_left  # late: not needed by %load_ext
    from pai_jupyter.store import home

    server = trackers.server_of(address)
    text = drop_left(home(), server)
    if server == trackers.server_of(settings().get(trackers.NAME)):
        return f"{text}. Jobs to come are tracked there still. To end that: %pai_config set tracking="
    return text


def _tell_panel(*names: str) -> None:
    """Apply the new values of these settings to the panel of this kernel's Jupyter server, if it has one."""
    from pai_jupyter.config import marker, spoken  # late: not needed by %load_ext
    from pai_jupyter.store import home

    if not set(names).isdisjoint(ONE_CLOUD):
        names = (*names, *ONE_CLOUD)
    server = marker.server_of_this_kernel(os.environ)
    if server is not None and server.home == str(home()):  # otherwise its panel shows other jobs
        try:
            spoken.speak(server.pid, settings().said(names))
        except OSError as exc:
            reason = exc.strerror or exc
            print(said(f"note: the panel of this Jupyter server could not be told of the change: {reason}"))  # noqa: T201


def _restate_limits() -> None:
    """Apply a new limit to the jobs that are waiting."""
    from pai_jupyter.backends.local.parallel import restate_limits  # late: not needed by %load_ext
    from pai_jupyter.store import home

    restate_limits(home())


def _said(value: Value) -> str:
    backend, _, is_limit = value.name.partition(".")
    if value.value is None and is_limit:
        from pai_jupyter.backends.local.parallel import max_parallel  # late: not needed by %load_ext

        return said("cores" if is_stable() else f"{max_parallel(backend)} (cores)")
    if value.value is None:
        return "-"
    is_address = value.value == settings().get("services")  # its port differs from run to run
    text = said("on this machine") if is_address and is_stable() else value.value
    return said(f"{text} (emulator)") if value.name == "services" else text


def _table(checks: Iterable["Check"]) -> Table:
    rows = [(check.mark, said(check.what), said(check.found), said(check.remedy)) for check in checks]
    return Table(headers=("", "what", "found", "remedy"), rows=rows)
