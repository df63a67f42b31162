"""How scripts declare hyperparameters to the libraries for command lines: one reader a style, each a module.

A reader takes a script and gives what it declares in its style, or None where the script has nothing of it. It says of each
hyperparameter how its value goes back: the `style` of its word, or the `places` of its literals. No code is run.

    click_options       @click.option("--lr"), optparse, getopt
    typer_functions     typer.run(main), @app.command()
    fire_calls          fire.Fire(train)
    dataclass_parsers   HfArgumentParser, tyro, simple-parsing, draccus
    absl_flags          flags.DEFINE_float("lr", ...), also of TensorFlow
    hydra_configs       @hydra.main, OmegaConf.from_cli()
    overridden_globals  nanoGPT's configurator.py
    jsonargparse_cli    CLI(main), LightningCLI(Model, Data)
    docopt_usage        docopt(__doc__)

Rule 1: a reader that is sure to have read all says so (`complete`): then a name that it does not know is an error.
Rule 2: a default is known only where its literal is seen; any other is shown as text and not sent.
"""

from collections.abc import Iterator

from pai_jupyter.hyperparameters.readers.absl_flags import read_absl
from pai_jupyter.hyperparameters.readers.click_options import read_click
from pai_jupyter.hyperparameters.readers.dataclass_parsers import read_dataclasses
from pai_jupyter.hyperparameters.readers.docopt_usage import read_docopt
from pai_jupyter.hyperparameters.readers.fire_calls import read_fire
from pai_jupyter.hyperparameters.readers.hydra_configs import read_hydra
from pai_jupyter.hyperparameters.readers.jsonargparse_cli import read_jsonargparse
from pai_jupyter.hyperparameters.readers.overridden_globals import read_overridden_globals
from pai_jupyter.hyperparameters.readers.reader import Found, Reader, ScriptText
from pai_jupyter.hyperparameters.readers.typer_functions import read_typer

READERS: tuple[Reader, ...] = (
    read_click,
    read_typer,
    read_fire,
    read_dataclasses,
    read_absl,
    read_hydra,
    read_overridden_globals,
    read_jsonargparse,
    read_docopt,
)


def read_styles(script: ScriptText) -> Iterator[Found]:
    """Yield what each reader finds."""
    for reader in READERS:
        found = reader(script)
        if found is not None:
            yield found


__all__ = ["READERS", "Found", "Reader", "ScriptText", "read_styles"]
