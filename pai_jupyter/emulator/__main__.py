"""`python -m pai_jupyter.emulator --port 0 --data DIR`: print the address and serve until SIGTERM or SIGINT.

    --backend process|docker             what runs the jobs
    --region ID --workspace ID           the emulated region and workspace; default: cn-emulator, 10001
    --bucket NAME                        a bucket created at the start; default: emulator
    --access-key ID:SECRET               an accepted key; without one, a key pair is generated once
    --sts ID:SECRET:TOKEN                a temporary key, valid only with its token
    --access-key-file FILE               keys of both kinds, one per line, written as above
    --bearer-token TOKEN                 a bearer token; its calls need no signature
    --algorithms FILE                    algorithms provided by PAI (format: `server.seeding`)
    --image-map PATTERN=LOCAL            with Docker: run the local image LOCAL instead of images that match PATTERN
    --openpai v0.14|v1.x                 instead: the REST server of an OpenPAI cluster; DIR/openpai.json has its user. v0.14 has
                                         an HDFS, too: http://127.0.0.1:PORT/webhdfs/v1, files in DIR/hdfs
    --mount URI=DIRECTORY                use a local directory for a nas://, cpfs://, odps:// or other address

Every user of a machine can read command lines. Give keys that others must not see in a file, or in the environment:
PAI_EMULATOR_ACCESS_KEY has one or several, separated by spaces, PAI_EMULATOR_BEARER_TOKEN bearer tokens.

DIR has all state: `address.json` and `credentials.json` for clients, `control.token` (see `state.faults`), records in
`state/`, objects in `oss/`, jobs in `home/`. A later emulator on the same DIR continues with them, in the same region and
workspace.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pai_jupyter.config import EMULATOR, check_value
from pai_jupyter.emulator import RUNNERS
from pai_jupyter.emulator.state.access import EmulatorKey
from pai_jupyter.errors import PaiJupyterError, SpecError

KEYS = "PAI_EMULATOR_ACCESS_KEY"
GENERATIONS = ("v0.14", "v1.x")  # of OpenPAI: YARN, Kubernetes
BEARER_TOKENS = "PAI_EMULATOR_BEARER_TOKEN"
if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from pai_jupyter.emulator.calls.context import EmulatorContext

_METAVARS = {"region": "ID", "workspace": "ID", "bucket": "NAME"}
_HELP = {
    "region": "the emulated region",
    "workspace": "its only workspace",
    "bucket": "a bucket created at the start",
}
_EPILOG = """\
keys:    DIR/credentials.json has its own key pair, DIR/address.json its address; only this user can read them. Give further
         keys by --access-key-file or PAI_EMULATOR_ACCESS_KEY=ID:SECRET, so that they are not in the list of processes.
OSS:     the endpoint is the address itself: http://127.0.0.1:PORT/BUCKET/KEY. For a client that puts the bucket into the
         host name, set http://localhost:PORT; it then requests http://BUCKET.localhost:PORT/KEY.
DIR:     a later emulator on the same DIR continues with its jobs, objects and keys, in the same region and workspace.
"""


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    os.umask(0o077)
    data: Path = options.data or _default_data()
    try:
        from pai_jupyter.backends.local.parallel import take_no_slots
        from pai_jupyter.emulator.calls.context import EmulatorContext
        from pai_jupyter.emulator.server.seeding import read_algorithms
        from pai_jupyter.emulator.server.serving import serve

        take_no_slots()
        world = EmulatorContext(
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
            application=_application(options.openpai),
        )
    except PaiJupyterError as exc:
        print(exc, file=sys.stderr)  # noqa: T201  a program's error message
        return 1
    return 0


def _application(openpai: str | None) -> "Callable[[EmulatorContext], ASGIApp]":
    if openpai is None:
        from pai_jupyter.emulator.server.app import Emulator

        return Emulator
    if openpai == GENERATIONS[0]:
        from pai_jupyter.emulator.server.cluster import YarnCluster

        return YarnCluster
    from pai_jupyter.emulator.openpai.app import OpenPaiEmulator

    return partial(OpenPaiEmulator, generation="kubernetes")


def _parser() -> argparse.ArgumentParser:
    assert __doc__
    parser = argparse.ArgumentParser(
        prog="python -m pai_jupyter.emulator",
        description=__doc__.partition("\n")[0],
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, default=0, help="default 0: any free port")
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
    parser.add_argument("--openpai", choices=GENERATIONS, help="emulate an OpenPAI cluster of this generation instead")
    parser.add_argument("--access-key", type=_key, action="append", default=[], metavar="ID:SECRET")
    parser.add_argument("--sts", type=_temporary_key, action="append", default=[], metavar="ID:SECRET:TOKEN")
    parser.add_argument(
        "--access-key-file", type=_keys_in, default=[], metavar="FILE", help="ID:SECRET[:TOKEN], one per line"
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
        help="use a local directory for a nas://, cpfs://, odps:// or other address, and for all addresses below it",
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
        raise argparse.ArgumentTypeError("write a mount as URI=DIRECTORY, e.g. nas://ID.REGION/path=/srv/data")
    if scheme.lower() == "oss":
        raise argparse.ArgumentTypeError("oss:// needs no mount: the emulator has buckets. Upload the data to one.")
    directory = Path(name).expanduser().absolute()
    if not directory.is_dir():
        raise argparse.ArgumentTypeError(f"{name!r} is not a directory on this machine")
    return f"{scheme.lower()}://{rest}", directory


def _key(text: str) -> EmulatorKey:
    access_key_id, _, secret = text.partition(":")
    if not access_key_id or not secret:
        raise argparse.ArgumentTypeError("write a key as ID:SECRET")
    return EmulatorKey(access_key_id=access_key_id, secret=secret)


def _temporary_key(text: str) -> EmulatorKey:
    access_key_id, secret, token = [*text.split(":", 2), "", ""][:3]
    if not access_key_id or not secret or not token:
        raise argparse.ArgumentTypeError("write a temporary key as ID:SECRET:TOKEN")
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
        raise argparse.ArgumentTypeError("write an image map as PATTERN=LOCAL")
    return pattern, local


def _default_data() -> Path:
    from pai_jupyter.store import home

    return home() / "emulator"


if __name__ == "__main__":
    sys.exit(main())
