"""`python -m pai_jupyter.emulator --port 0 --data DIR`: says where it listens, and serves until it is told to end.

    --backend process|docker             what runs the jobs
    --region ID --workspace ID           the place of the cloud that it stands for: cn-emulator, 10001
    --bucket NAME                        the bucket that is there from the beginning: emulator
    --access-key ID:SECRET               a key that may call; without one, a pair is made up once
    --sts ID:SECRET:TOKEN                a temporary key, no good without its token
    --access-key-file FILE               keys of both kinds, one a line, as above
    --bearer-token TOKEN                 a bearer token, which may call without a signature
    --algorithms FILE                    algorithms that PAI itself provides (`studio.seeding` says how they are written)
    --image-map PATTERN=LOCAL            with Docker: the image on this machine to run in the place of those that fit
    --mount URI=DIRECTORY                a directory of this machine in the place of nas://, cpfs://, odps:// and others

Everybody on a machine can read the command line of a program. Keys that others must not see are given in a file, or as
PAI_EMULATOR_ACCESS_KEY in the environment: one, or several with spaces between them; bearer tokens as
PAI_EMULATOR_BEARER_TOKEN.

DIR has everything: `address.json` and `credentials.json` for who wants to call it, `control.token` (see `faults`), the
records in `state/`, the objects in `oss/`, the jobs in `home/`. A later emulator on the same DIR goes on with all of it,
in the same region and workspace.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from pai_jupyter.config import EMULATOR, check_value
from pai_jupyter.emulator import RUNNERS
from pai_jupyter.emulator.state.access import EmulatorKey
from pai_jupyter.errors import PaiJupyterError, SpecError

KEYS = "PAI_EMULATOR_ACCESS_KEY"
BEARER_TOKENS = "PAI_EMULATOR_BEARER_TOKEN"
_METAVARS = {"region": "ID", "workspace": "ID", "bucket": "NAME"}
_HELP = {
    "region": "the region that it stands for",
    "workspace": "its one workspace",
    "bucket": "the bucket that is there from the beginning",
}
_EPILOG = """\
keys:    its own pair is in DIR/credentials.json, its address in DIR/address.json, for this user only. Further keys, which
         others must not see in a list of processes, are given by --access-key-file, or as PAI_EMULATOR_ACCESS_KEY=ID:SECRET.
OSS:     the endpoint is the address itself: http://127.0.0.1:PORT/BUCKET/KEY. A client that puts the bucket into the name
         of the host is given http://localhost:PORT, and asks http://BUCKET.localhost:PORT/KEY.
DIR:     a later emulator on the same DIR goes on with its jobs, objects and keys, in the same region and workspace.
"""


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    os.umask(0o077)
    data: Path = options.data or _default_data()
    try:
        from pai_jupyter.backends.local.parallel import take_no_slots
        from pai_jupyter.emulator.calls.context import World
        from pai_jupyter.emulator.server.seeding import read_algorithms
        from pai_jupyter.emulator.server.serving import serve

        take_no_slots()
        world = World(
            data=data.expanduser().absolute(),
            backend=options.backend,
            images=dict(options.image_map),
            mounts=dict(options.mount),
        )
        serve(
            world,
            port=options.port,
            keys=[*options.access_key, *options.sts, *options.access_key_file, *_keys_of_environment(os.environ)],
            site={name: getattr(options, name) for name in EMULATOR},
            bearer_tokens=[*options.bearer_token, *os.environ.get(BEARER_TOKENS, "").split()],
            algorithms=[each for path in options.algorithms for each in read_algorithms(path)],
        )
    except PaiJupyterError as exc:
        print(exc, file=sys.stderr)  # noqa: T201  a program's own words
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    assert __doc__
    parser = argparse.ArgumentParser(
        prog="python -m pai_jupyter.emulator",
        description=__doc__.partition("\n")[0],
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=0, help="0 takes any free one")
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="default: $PAI_JUPYTER_HOME/emulator, else emulator/ in the state directory of pai_jupyter",
    )
    parser.add_argument("--backend", choices=RUNNERS, default=RUNNERS[0], help="what runs the jobs")
    for name, value in EMULATOR.items():
        parser.add_argument(
            f"--{name}", type=partial(_value, name), metavar=_METAVARS[name], help=f"{_HELP[name]} (default: {value})"
        )
    parser.add_argument("--access-key", type=_key, action="append", default=[], metavar="ID:SECRET")
    parser.add_argument("--sts", type=_temporary_key, action="append", default=[], metavar="ID:SECRET:TOKEN")
    parser.add_argument(
        "--access-key-file", type=_keys_in, default=[], metavar="FILE", help="ID:SECRET[:TOKEN], one a line"
    )
    parser.add_argument("--bearer-token", action="append", default=[], metavar="TOKEN")
    parser.add_argument("--algorithms", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--image-map", type=_pair, action="append", default=[], metavar="PATTERN=LOCAL")
    parser.add_argument(
        "--mount",
        type=_mount,
        action="append",
        default=[],
        metavar="URI=DIRECTORY",
        help="a directory of this machine in the place of nas://, cpfs://, odps://, ... and all below",
    )
    return parser


def _value(name: str, text: str) -> str:
    try:
        return check_value(name, text)
    except SpecError as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc


def _mount(text: str) -> tuple[str, Path]:
    uri, _, name = text.partition("=")
    scheme, _, rest = uri.partition("://")
    if not scheme or not rest.strip("/") or not name:
        raise argparse.ArgumentTypeError("a mount is written URI=DIRECTORY, e.g. nas://ID.REGION/path=/srv/data")
    if scheme.lower() == "oss":
        raise argparse.ArgumentTypeError("oss:// needs no mount: the emulator has buckets. Upload the data to one.")
    directory = Path(name).expanduser().absolute()
    if not directory.is_dir():
        raise argparse.ArgumentTypeError(f"{name!r} is no directory of this machine")
    return f"{scheme.lower()}://{rest}", directory


def _key(text: str) -> EmulatorKey:
    access_key_id, _, secret = text.partition(":")
    if not access_key_id or not secret:
        raise argparse.ArgumentTypeError("a key is written ID:SECRET")
    return EmulatorKey(access_key_id=access_key_id, secret=secret)


def _temporary_key(text: str) -> EmulatorKey:
    access_key_id, secret, token = [*text.split(":", 2), "", ""][:3]
    if not access_key_id or not secret or not token:
        raise argparse.ArgumentTypeError("a temporary key is written ID:SECRET:TOKEN")
    return EmulatorKey(access_key_id=access_key_id, secret=secret, token=token)


def _any_key(text: str) -> EmulatorKey:
    return _temporary_key(text) if text.count(":") > 1 else _key(text)


def _keys_in(name: str) -> list[EmulatorKey]:
    try:
        lines = Path(name).expanduser().read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as exc:
        raise argparse.ArgumentTypeError(f"{name!r} cannot be read: {getattr(exc, 'strerror', None) or exc}") from exc
    return [_any_key(line.strip()) for line in lines if line.strip() and not line.startswith("#")]


def _keys_of_environment(environ: Mapping[str, str]) -> list[EmulatorKey]:
    try:
        return [_any_key(word) for word in environ.get(KEYS, "").split()]
    except argparse.ArgumentTypeError as exc:
        raise SpecError(f"{KEYS}: {exc}", field=KEYS) from exc


def _pair(text: str) -> tuple[str, str]:
    pattern, _, local = text.partition("=")
    if not pattern or not local:
        raise argparse.ArgumentTypeError("an image map is written PATTERN=LOCAL")
    return pattern, local


def _default_data() -> Path:
    from pai_jupyter.store import home

    return home() / "emulator"


if __name__ == "__main__":
    sys.exit(main())
