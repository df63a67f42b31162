"""`%pai_config`: what applies here and where it comes from. `%pai_doctor`: what this machine has and lacks."""

from typing import Any

from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments
from IPython.display import display

from pai_jupyter.backends import backend_names
from pai_jupyter.config import settings
from pai_jupyter.errors import SpecError
from pai_jupyter.magics.lines import expand, parse
from pai_jupyter.magics.table import Table


@magics_class
class ConfigMagics(Magics):
    """`%pai_config` and `%pai_doctor`."""

    shell: Any  # IPython sets it

    @magic_arguments()
    @argument("verb", nargs="?", default="show", help="show, set NAME=VALUE..., use PROFILE, test")
    @argument("words", nargs="*", metavar="NAME=VALUE | PROFILE", help="what to set or use")
    @line_magic
    def pai_config(self, line: str) -> None:
        """Show or change the values that apply in this notebook; secrets never stand on this line."""
        options = parse(self.pai_config, expand(line, self.shell.user_ns))
        match options.verb, options.words:
            case "show", []:
                self._show()
            case "set", [_, *_]:
                self._set(options.words)
            case "use", [profile]:
                settings().use(profile)
                self._show()
            case "test", []:
                display(_checkup())
            case verb, _:
                raise SpecError(
                    f"`%pai_config {verb}` is not understood here. "
                    "Type %pai_config show, %pai_config set backend=docker, %pai_config use PROFILE or %pai_config test."
                )

    @line_magic
    def pai_doctor(self, line: str) -> None:
        """Say what this machine has and lacks, with remedies."""
        if line.strip():
            raise SpecError("%pai_doctor takes no options.")
        display(_checkup())

    def _show(self) -> None:
        rows = [
            (value.name, "-" if value.value is None else str(value.value), value.origin) for value in settings().all()
        ]
        display(Table(headers=("name", "value", "from"), rows=rows))

    def _set(self, words: list[str]) -> None:
        for word in words:
            name, equals, value = word.partition("=")
            if not equals:
                raise SpecError(f"`%pai_config set {word}` is not of the form NAME=VALUE, e.g. backend=docker")
            settings().set(name, value, backends=backend_names())
        self._show()


def _checkup() -> Table:
    from pai_jupyter.magics.doctor import checkup  # it looks into every room, and most sessions never ask

    rows = [(check.mark, check.what, check.found, check.remedy) for check in checkup()]
    return Table(headers=("", "what", "found", "remedy"), rows=rows)
