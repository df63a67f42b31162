"""The clusters that this user has: names, addresses and users in one file, secrets in memory or, by choice, in another.

    $PAI_JUPYTER_HOME/openpai/clusters.json   0600: {"chosen": NAME, "clusters": {NAME: {address, user}}}
    $PAI_JUPYTER_HOME/openpai/secrets.json    0600, only what the user chose to keep: {NAME: {kind, value}}

Rule: a secret is in no record of a job, no log and no message.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast, get_args
from urllib.parse import urlsplit

from pai_jupyter.errors import PaiJupyterError, SpecError
from pai_jupyter.store import home
from pai_jupyter.store.disk import make_folder, read_plain, replace_file, translated
from pai_jupyter.typed_json import Fields

SecretPlace = Literal["", "memory", "file"]
SecretKind = Literal["password", "token"]  # a token of the portal, or an application token, which has no end
_USER = re.compile(r"[A-Za-z0-9_.-]+")
_ADDRESS = re.compile(
    r"(?:(https?)://)?((?:[\w-]+(?:\.[\w-]+)*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?)((?:/[\w.~-]+)*)/?", re.IGNORECASE
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_held: dict[str, "Secret"] = {}  # of this process, by address and user


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster and its user; `address` is what the portal has, http://HOST[:PORT]."""

    name: str
    address: str
    user: str

    @property
    def key(self) -> str:
        return f"{self.user}@{self.address}"


@dataclass(frozen=True, kw_only=True)
class Secret:
    """What a user logs in with."""

    kind: SecretKind
    value: str = field(repr=False)


def cluster_of(name: str, address: str, user: str) -> Cluster:
    """Check what a user typed; the address of its REST server is that of the cluster, too.

    Raises:
        SpecError: it cannot be a cluster.
    """
    found = _ADDRESS.fullmatch(address.strip())
    if found is None or not _has_port(found[2]):
        shown = address.rpartition("@")[2][:100]  # what is before it may be a password
        raise SpecError(f"{shown!r} is no address of a cluster. Give its host, e.g. pai.example.org", field="address")
    if not _USER.fullmatch(user):
        raise SpecError(f"{user!r} is no user of OpenPAI; use letters, digits and . _ -", field="user")
    if not _NAME.fullmatch(name):
        raise SpecError(f"{name!r} is no name of a cluster; use letters, digits and . _ -", field="name")
    whole = f"{(found[1] or 'http').lower()}://{found[2]}{found[3]}"
    return Cluster(name=name, address=whole.removesuffix("/rest-server"), user=user)


def _has_port(host: str) -> bool:
    """Return whether the port of an address is one; it may have none."""
    try:
        urlsplit(f"//{host}").port  # noqa: B018  it is read here
    except ValueError:
        return False
    return True


def clusters() -> dict[str, Cluster]:
    """Return the known clusters by name, the chosen one first."""
    known = _read("clusters.json")
    found = {}
    for name, value, path in known.inside("clusters").all():
        given = Fields.of(value, path)
        found[name] = Cluster(name=name, address=given.line("address"), user=given.line("user"))
    chosen = known.line("chosen", "")
    return dict(sorted(found.items(), key=lambda item: item[0] != chosen))


def find_cluster(name: str | None = None) -> Cluster:
    """Return the cluster of this name, or the chosen one.

    Raises:
        SpecError: there is none.
    """
    known = clusters()
    if name is None and known:
        return next(iter(known.values()))
    if name in known:
        return known[name]
    if not known:
        raise SpecError(
            "no cluster of OpenPAI is known. Type: %pai_openpai cluster add NAME HOST USER", field="cluster"
        )
    raise SpecError(f"there is no cluster {name!r}; there are {', '.join(known)}.", field="cluster")


def cluster_at(host: str = "") -> Cluster | None:
    """Return the cluster at this host, the chosen one first; with "" the chosen one. None if there is none."""
    found = (each for each in clusters().values() if host.lower() in ("", urlsplit(each.address).hostname))
    return next(found, None)


def add_cluster(cluster: Cluster) -> None:
    """Add the cluster, or replace that of its name, and choose it."""
    _write({**clusters(), cluster.name: cluster}, cluster.name)


def remove_cluster(name: str) -> None:
    """Forget a known cluster, and its secret where no other cluster has the same."""
    gone = find_cluster(name)
    left = {key: each for key, each in clusters().items() if key != gone.name}
    _write(left, next(iter(left), ""))
    if all(each.key != gone.key for each in left.values()):
        _held.pop(gone.key, None)
        _keep(gone, None)


def use_cluster(name: str) -> Cluster:
    """Choose a known cluster for what names none."""
    found = find_cluster(name)
    _write(clusters(), found.name)
    return found


def hold_secret(cluster: Cluster, secret: Secret, *, is_kept: bool = False) -> None:
    """Hold the secret in this process; with `is_kept` in a file that only this user can read. In one of both."""
    _held.pop(cluster.key, None)
    if not is_kept:
        _held[cluster.key] = secret
    _keep(cluster, secret if is_kept else None)


def secret_place(cluster: Cluster) -> SecretPlace:
    """Return where the secret of the cluster is; "" where there is none."""
    return "memory" if cluster.key in _held else "file" if cluster.key in _kept() else ""


def secret_of(cluster: Cluster) -> Secret | None:
    """Return what logs in at the cluster; None if nobody has given it."""
    return _held.get(cluster.key) or _kept().get(cluster.key)


def known_secrets() -> list[str]:
    """Return the passwords and tokens of the known clusters, of this process and of the file."""
    return [secret.value for each in clusters().values() if (secret := secret_of(each)) is not None]


def _keep(cluster: Cluster, secret: Secret | None) -> None:
    """Write the secret to the file, or take it out of it."""
    kept = {key: each for key, each in _kept().items() if key != cluster.key}
    if secret is not None or len(kept) < len(_kept()):
        kept |= {} if secret is None else {cluster.key: secret}
        _save("secrets.json", {key: {"kind": each.kind, "value": each.value} for key, each in kept.items()})


def _kept() -> dict[str, Secret]:
    found = {}
    for key, value, path in _read("secrets.json").all():
        given = Fields.of(value, path)
        if (kind := given.line("kind")) in get_args(SecretKind):
            found[key] = Secret(kind=cast(SecretKind, kind), value=given.line("value"))
    return found


def _write(known: dict[str, Cluster], chosen: str) -> None:
    rows = {name: {"address": each.address, "user": each.user} for name, each in known.items()}
    _save("clusters.json", {"chosen": chosen, "clusters": rows})


def _place(name: str) -> Path:
    return home() / "openpai" / name


def _save(name: str, value: object) -> None:
    path = _place(name)
    with translated(path):
        make_folder(path.parent)
        replace_file(path, json.dumps(value, ensure_ascii=False).encode())


def _read(name: str) -> Fields:
    path = _place(name)
    try:
        return Fields.of(json.loads(read_plain(path)), name)
    except FileNotFoundError:
        return Fields.of({}, name)
    except (OSError, ValueError, RecursionError, PaiJupyterError) as exc:
        raise SpecError(f"'{path}' cannot be read. Correct it, or remove it and add the clusters again.") from exc
