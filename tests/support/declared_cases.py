"""Declarations in the manner of each library, each with what it declares: type, default, and how a value goes back.

One line a name: `name type default style`, with the choices behind it; `-` stands for none. `!`: it is required.
"""

CLICK = {
    '@click.option("--lr", default=0.1)': "lr Float 0.1 -",
    '@click.option("--n", default=3)': "n Int 3 -",
    '@click.option("--name")': "name String None -",
    '@click.option("--lr", type=float, required=True)': "lr Float None - !",
    '@click.option("--lr", "rate", type=click.FLOAT)': "lr Float None -",
    '@click.option("--k", type=click.IntRange(1, 9), default=3)': "k Int 3 -",
    '@click.option("--opt", type=click.Choice(["a", "b"]), default="a")': "opt String a - a|b",
    '@click.option("--amp/--no-amp", default=False)': "amp Bool False switch",
    '@click.option("--amp", is_flag=True)': "amp Bool False flag",
    '@click.option("-v", "--verbose", count=True)': "verbose Int None count",
    '@click.option("--tag", multiple=True)': "tag Json None repeat",
    '@click.option("--betas", nargs=2, type=float)': "betas Json None words",
    '@click.argument("path", type=click.Path())': "path String None positional !",
    '@click.argument("files", nargs=-1)': "files Json None positional",
    '@click.option("--lr", default=lambda: 0.1)': "lr String None -",
}
TYPER = {
    "lr: float = 0.1": "lr Float 0.1 -",
    "batch_size: int = 3": "batch-size Int 3 -",
    "amp: bool = False": "amp Bool False switch",
    "amp: bool = typer.Option(False, '--amp')": "amp Bool False flag",
    "data: str": "data String None positional !",
    "lr: float = typer.Option(..., help='rate')": "lr Float None - !",
    "lr: float = typer.Option(0.1, '--rate', min=0)": "rate Float 0.1 -",
    "lr: Annotated[float, typer.Option('--rate')] = 0.1": "rate Float 0.1 -",
    "data: Annotated[Path, typer.Argument()] = Path('x')": "data String x positional",
    "name: Optional[str] = None": "name String None -",
    "tags: list[str] = []": "tags Json None repeat",
    "betas: tuple[float, float] = (0.9, 0.99)": "betas Json [0.9, 0.99] words",
    "kind: Literal['a', 'b'] = 'a'": "kind String a - a|b",
    "ctx: typer.Context, n: int = 1": "n Int 1 -",
}
FIRE = {
    "lr=0.1": "lr Float 0.1 literal",
    "n=3": "n Int 3 literal",
    "amp=False": "amp Bool False literal",
    "name='x'": "name String x literal",
    "layers=(1, 2)": "layers Json [1, 2] literal",
    "data": "data String None literal !",
    "resume=None": "resume String None literal",
    "lr: float = 1": "lr Float 1.0 literal",
    "self, n=1": "n Int 1 literal",
    "*, n: int": "n Int None literal !",
}
ABSL = {
    'flags.DEFINE_float("lr", 0.1, "rate")': "lr Float 0.1 -",
    'flags.DEFINE_integer("n", 3, "count", lower_bound=1)': "n Int 3 -",
    'flags.DEFINE_bool("amp", True, "")': "amp Bool True no_prefix",
    'DEFINE_boolean("amp", False, "")': "amp Bool False no_prefix",
    'tf.app.flags.DEFINE_string("dir", "/tmp", "where")': "dir String /tmp -",
    'flags.DEFINE_string("name", None, "", required=True)': "name String None - !",
    'flags.DEFINE_string("name", None, "")\nflags.mark_flag_as_required("name")': "name String None - !",
    'flags.DEFINE_enum("opt", "a", ["a", "b"], "")': "opt String a - a|b",
    'flags.DEFINE_list("xs", ["a", "b"], "")': "xs Json ['a', 'b'] commas",
    'flags.DEFINE_multi_integer("xs", [1], "")': "xs Json None repeat",
    'tf.flags.DEFINE_float(flag_name="lr", default_value=0.1, docstring="")': "lr Float 0.1 -",
    'LR = flags.DEFINE_float(name="lr", default=None, help="")': "lr Float None -",
}
HF = {
    "lr: float = 0.1": "lr Float 0.1 -",
    "n: int = field(default=3, metadata={'help': 'x'})": "n Int 3 -",
    "amp: bool = False": "amp Bool False -",
    "name: Optional[str] = field(default=None)": "name String None -",
    "model: str = field(metadata={'help': 'which'})": "model String None - !",
    "layers: List[int] = field(default_factory=lambda: [1, 2])": "layers Json [1, 2] words",
    "kind: Literal['a', 'b'] = 'a'": "kind String a - a|b",
    "rate: Optional[float] = None": "rate Float None -",
    "VERSION: ClassVar[int] = 1\n    n: int = 2": "n Int 2 -",
    "tags: list[str] = field(default_factory=list)": "tags Json None words",
}
TYRO = {
    "lr: float = 0.1": "lr Float 0.1 -",
    "lr: float": "lr Float None - !",
    "amp: bool = False": "amp Bool False inner_switch",
    "amp: bool": "amp Bool None - !",
    "amp: bool | None = None": "amp Bool None -",
    "kind: Literal['a', 'b'] = 'a'": "kind String a - a|b",
    "layers: tuple[int, ...] = (1, 2)": "layers Json [1, 2] words",
    "path: Path = Path('runs')": "path String runs -",
    "data: tyro.conf.Positional[str] = 'x'": "data String x positional",
    "n: int = 3\n    '''of a step'''": "n Int 3 -",
}
SIMPLE = {
    "lr: float = 0.1  # rate": "lr Float 0.1 -",
    "n: int = field(default=3, alias='-n')": "n Int 3 -",
    "amp: bool = False": "amp Bool False -",
    "opt: str = choice('a', 'b', default='a')": "opt String a - a|b",
    "layers: List[int] = list_field(1, 2)": "layers Json None words",
    "name: str": "name String None - !",
    "kind: Literal['a', 'b'] = 'b'": "kind String b - a|b",
    "xs: tuple[float, float] = (0.9, 0.99)": "xs Json [0.9, 0.99] words",
    "rate: Optional[float] = None": "rate Float None -",
}
DRACCUS = {
    "lr: float = 0.1": "lr Float 0.1 yaml",
    "n: int = 3": "n Int 3 yaml",
    "amp: bool = True": "amp Bool True yaml",
    "name: Optional[str] = None": "name String None yaml",
    "layers: list[int] = field(default_factory=lambda: [1])": "layers Json [1] yaml",
    "path: Path = Path('runs')": "path String runs yaml",
    "data: str": "data String None yaml !",
    "extra: dict[str, int] = field(default_factory=dict)": "extra Json {} yaml",
}
HYDRA = {
    "lr: 0.1": "lr Float 0.1 hydra",
    "lr: 1e-3  # rate": "lr Float 0.001 hydra",
    "n: 3": "n Int 3 hydra",
    "amp: true": "amp Bool True hydra",
    "name: 'a b'": "name String a b hydra",
    "layers: [64, 32]": "layers Json [64, 32] hydra",
    "layers:\n  - 64\n  - 32": "layers Json [64, 32] hydra",
    "optim:\n  kind: adam\n  lr: 0.1": "optim.kind String adam hydra\noptim.lr Float 0.1 hydra",
    "data: ???": "data String None override !",
    "resume: null": "resume String None override",
    "out: ${name}/x": "out String None override",
    "defaults:\n  - model: small\nn: 1": "model String None override\nn Int 1 hydra",
    "# only a comment\n---\nn: 1\nhydra:\n  run:\n    dir: x": "n Int 1 hydra",
    "a: &x 1\nb: 2": "a String None override\nb Int 2 hydra",
}
NANOGPT = {
    "lr = 6e-4": "lr Float 0.0006 literal",
    "n = 12 # of a step": "n Int 12 literal",
    "compile = True": "compile Bool True literal",
    "out_dir = 'out'": "out_dir String out literal",
    "steps = 5 * 8": "steps Int 40 literal",
    "dtype = 'a' if x else 'b'": "dtype String None literal",
    "rate = a * 2": "rate String None glued",
    "_private = 1\nn = 2": "n Int 2 literal",
    "layers = [1]\nn = 2": "n Int 2 literal",
}
JSONARGPARSE = {
    "lr: float = 0.1": "lr Float 0.1 -",
    "n: int": "n Int None - !",
    "amp: bool = True": "amp Bool True -",
    "layers: list[int] = [1]": "layers Json [1] -",
    "name: Optional[str] = None": "name String None -",
    "kind: Literal['a', 'b'] = 'a'": "kind String a - a|b",
    "path: Path = Path('x')": "path String x -",
    "model: torch.nn.Module, n: int = 1": "n Int 1 -",
}
DOCOPT = {
    "Usage: t.py [--lr=<f>]\n\nOptions:\n  --lr=<f>  rate [default: 0.1]": "lr String 0.1 -",
    "Usage: t.py [options]\n\nOptions:\n  -n --num=N  count [default: 3].": "num String 3 -",
    "Usage: t.py [options]\n\nOptions:\n  --name NAME  of the run": "name String None -",
    "Usage: t.py [--amp]": "amp Bool False flag",
    "Usage: t.py <data>": "data String None positional !",
    "Usage: t.py [<data>]": "data String None positional",
    "Usage: t.py FILE [--amp]": "FILE String None positional !\namp Bool False flag",
    "Usage:\n  t.py <data> [--lr=<f>]\n  t.py -h | --help": "data String None positional !\nlr String None -",
    "Usage: t.py [options]\n\nOptions:\n  -h --help  Show.\n  --amp  Half.": "amp Bool False flag",
}
TAP = {
    "lr: float = 0.1": "lr Float 0.1 -",
    "amp: bool = False": "amp Bool False flag",
    "aug: bool = True": "aug Bool True no_flag",
    "data: str": "data String None - !",
    "layers: List[int] = [1]": "layers Json [1] words",
    "kind: Literal['a', 'b'] = 'a'": "kind String a - a|b",
    "name: Optional[str] = None": "name String None -",
    "n: int = 3  # count": "n Int 3 -",
}
ARGPARSE = {
    'p.add_argument("data")': "data String None positional !",
    'p.add_argument("n", type=int)': "n Int None positional !",
    'p.add_argument("n", type=int, nargs="?", default=3)': "n Int 3 positional",
    'p.add_argument("files", nargs="*")': "files Json None positional",
    'p.add_argument("files", nargs="+", type=int)': "files Json None positional !",
    'p.add_argument("mode", choices=["a", "b"])': "mode String None positional ! a|b",
    'p.add_argument("out", nargs="?")': "out String None positional",
    's = p.add_subparsers()\nt = s.add_parser("t")\nt.add_argument("--n", type=int)': "command String None command t\nn Int None -",
}

WRAPPED: dict[str, tuple[str, dict[str, str]]] = {
    "click": ("import click\n@click.command()\n{}\ndef main(**given): ...\nmain()\n", CLICK),
    "typer": ("import typer\ndef main({}): ...\ntyper.run(main)\n", TYPER),
    "fire": ("import fire\ndef main({}): ...\nfire.Fire(main)\n", FIRE),
    "absl": ("from absl import app, flags\n{}\napp.run(main)\n", ABSL),
    "HfArgumentParser": ("@dataclass\nclass A:\n    {}\nHfArgumentParser((A, Elsewhere))\n", HF),
    "tyro": ("import tyro\n@dataclasses.dataclass\nclass A:\n    {}\ntyro.cli(A)\n", TYRO),
    "simple-parsing": ("import simple_parsing\n@dataclass\nclass A:\n    {}\np.add_arguments(A, 'a')\n", SIMPLE),
    "draccus": ("import draccus\n@dataclass\nclass A:\n    {}\n@draccus.wrap()\ndef main(cfg: A): ...\n", DRACCUS),
    "nanogpt": ("{}\nexec(open('configurator.py').read())\n", NANOGPT),
    "jsonargparse": ("from jsonargparse import CLI\ndef main({}): ...\nCLI(main)\n", JSONARGPARSE),
    "LightningCLI": (
        "class M(L.LightningModule):\n    def __init__(self, {}): ...\nLightningCLI(M, run=False)\n",
        {code: expected.replace(" - !", " -") for code, expected in JSONARGPARSE.items()},
    ),
    "docopt": ('"""{}\n"""\nfrom docopt import docopt\nargs = docopt(__doc__)\n', DOCOPT),
    "tap": ("from tap import Tap\nclass A(Tap):\n    {}\nA().parse_args()\n", TAP),
    "argparse": ("p = argparse.ArgumentParser()\n{}\np.parse_args()\n", ARGPARSE),
}
HYDRA_SCRIPT = "import hydra\n@hydra.main(config_path='conf', config_name='config')\ndef main(cfg): ...\nmain()\n"
OMEGACONF_SCRIPT = (
    "from omegaconf import OmegaConf\ncfg = OmegaConf.merge(OmegaConf.load('conf/config.yaml'), OmegaConf.from_cli())\n"
)
