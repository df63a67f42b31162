"""What the image and the source of a component may be. Pure: only addresses are looked at.

PAI runs components with images of three kinds: official ones, community ones, and one's own in the personal edition of its registry
(ACR), by the address inside the region: `registry-vpc.<region>.aliyuncs.com/<namespace>/<name>:<tag>`.
"""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from pai_jupyter.component.component import Component
from pai_jupyter.component.names import shown
from pai_jupyter.contract import is_secret
from pai_jupyter.errors import SpecError
from pai_jupyter.storage import parse_oss_url

REGIONS = ("cn-beijing", "cn-shanghai", "cn-hangzhou", "cn-shenzhen")

SourceKind: TypeAlias = Literal["directory", "oss", "git"]
_ARCHIVES = (".tar.gz", ".tgz")
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://")
_GIT_SCHEMES = ("https", "http", "ssh", "file")
_SCP = re.compile(r"[\w.-]+@[\w.-]+:(?!//).+")  # git@host:path
_REF = re.compile(r"(?!-)[^\s~^:?*\[\\\x00-\x1f\x7f]{1,200}(?<![./])")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_IMAGE = re.compile(r"[^\s@]+(@sha256:[0-9a-f]{64})?")
_PERSONAL = re.compile(r"registry(?P<net>-vpc|-internal)?\.(?P<region>[a-z0-9-]+)\.aliyuncs\.com")
_ENTERPRISE = re.compile(r"(?P<instance>[a-z0-9-]+)\.(?P<region>[a-z0-9-]+)\.cr\.aliyuncs\.com")
_OFFICIAL = re.compile(r"dsw-registry(-vpc)?|pai-(image-manage|dlc)[a-z-]*registry[a-z-]*")
_OFFICIAL_NAMESPACES = ("pai-dlc/", "pai/")


def source_kind(source: str) -> SourceKind:
    """Tell a directory, an address in OSS and one of a Git repository apart."""
    found = _SCHEME.match(source)
    if found is None:
        return "git" if _SCP.fullmatch(source) else "directory"
    return "oss" if found["scheme"].lower() == "oss" else "git"


def source_problems(component: Component) -> Iterator[tuple[str, str]]:
    """Yield field and sentence about source, branch and commit; whether anything is there is found out by `code`."""
    source, kind = component.source, source_kind(component.source) if component.source is not None else None
    for option, value in (("branch", component.branch), ("commit", component.commit)):
        if value is not None and kind != "git":
            yield option, f"`{option}` is {shown(value)}, which only the address of a Git repository has. Leave it out."
    if source is None:
        return
    if not source.strip():
        yield (
            "source",
            "`source` is empty. Give a directory, oss://BUCKET/DIRECTORY/, or the address of a Git repository.",
        )
    elif kind == "oss":
        yield from (("source", text) for text in _oss_problems(source))
    elif kind == "git":
        yield from _git_problems(component, source)


def check_source(component: Component) -> None:
    """Raise the first problem of the source, before anything is read there.

    Raises:
        SpecError: the address, the branch or the commit cannot be one.
    """
    for field, text in source_problems(component):
        raise SpecError(text, field=field)


def _oss_problems(source: str) -> Iterator[str]:
    try:
        key = parse_oss_url(source).object_key
    except SpecError as exc:
        yield f"`source`: {exc}"
        return
    if not key.endswith(("/", *_ARCHIVES)):
        yield f"`source` is {source!r}. Write '{source}/' for a directory, or give an archive, whose name ends with .tar.gz."


def _git_problems(component: Component, source: str) -> Iterator[tuple[str, str]]:
    found = _SCHEME.match(source)
    if found is not None and found["scheme"].lower() not in _GIT_SCHEMES:
        yield (
            "source",
            f"`source` begins with {shown(found[0])}; code comes from a directory, from oss://BUCKET/DIRECTORY/, or from a Git "
            "repository at https:// or ssh://.",
        )
    if _holds_more(source):
        yield (
            "source",
            "`source` has a query, or an @ or a secret in its path, which are not shown here. Write the plain address of the "
            "repository. A login stands before the host, https://TOKEN@HOST/..., with %2F for / and %40 for @.",
        )
    if component.branch is not None and component.commit is not None:
        yield "branch", "`branch` and `commit` are both given. Keep one: a commit says exactly which code it is."
    if component.branch is not None and not _REF.fullmatch(component.branch):
        yield "branch", f"`branch` is {shown(component.branch)}, which no branch can be called. Give one, e.g. main."
    if component.commit is not None and not _COMMIT.fullmatch(component.commit):
        yield "commit", f"`commit` is {shown(component.commit)}; give 7 to 40 of its digits, 0 to 9 and a to f."


def _holds_more(source: str) -> bool:
    """Return whether the address may hold a login at another place than before the host, where none is looked for."""
    found = _SCHEME.match(source)
    if found is not None and found["scheme"].lower() == "file":
        return False
    if found is None:
        return "?" in source or "#" in source or is_secret("", source)
    host, _, path = source[found.end() :].partition("/")
    port = host.rpartition("@")[2].partition(":")[2]
    is_named = not host.startswith("[") and port and not port.isdigit()  # user:pass/word@host
    return bool(is_named or re.search(r"[?#;]", f"{host}/{path}") or re.search(r"[^/]@", path) or is_secret("", source))


def image_problems(image: str | None) -> Iterator[tuple[str, bool]]:
    """Yield the sentences about an image's address, each with whether it is about PAI only."""
    if image is None or not image.strip():
        yield "the component has no image. Give one, e.g. pytorch:latest, or that of your registry.", True
        return
    if not _IMAGE.fullmatch(image) or image.startswith("-"):
        yield (
            f"the image {shown(image)} is no address of an image. Write NAME:TAG or REGISTRY/NAMESPACE/NAME:TAG.",
            False,
        )
        return
    if sentence := _registry_problem(image):
        yield sentence, True


def is_own_image(image: str) -> bool:
    """Return whether this is an image of the user's own, which may lack what PAI needs in it."""
    host, _, rest = image.partition("/")
    return not _is_short(image) and not _is_official(host, rest)


def image_region(image: str) -> str | None:
    """Return the region of the image's registry; None if it has none."""
    host = image.partition("/")[0]
    found = _PERSONAL.fullmatch(host) or _ENTERPRISE.fullmatch(host)
    return found["region"] if found else None


def _registry_problem(image: str) -> str | None:
    host, _, rest = image.partition("/")
    if _is_short(image) or _is_official(host, rest):
        return None
    if _ENTERPRISE.fullmatch(host):
        return (
            f"the image {shown(image)} is in the enterprise edition of ACR, and components take images of the personal edition "
            "only: registry-vpc.REGION.aliyuncs.com/NAMESPACE/NAME:TAG."
        )
    personal = _PERSONAL.fullmatch(host)
    if personal is None:
        return (
            f"the image {shown(image)} is in no registry that PAI reaches. Push it to ACR, personal edition, and give "
            "registry-vpc.REGION.aliyuncs.com/NAMESPACE/NAME:TAG."
        )
    if personal["net"] != "-vpc":
        return (
            f"the image {shown(image)} does not have the VPC address of its registry. Give that: "
            f"registry-vpc.{personal['region']}.aliyuncs.com/{rest}"
        )
    return None


def _is_short(image: str) -> bool:
    from pai_jupyter.cloud.images import is_short_name  # imported late: it needs the HTTP client

    return is_short_name(image)


def _is_official(host: str, rest: str) -> bool:
    first = host.partition(".")[0]
    if _OFFICIAL.fullmatch(first) and host.endswith(".aliyuncs.com"):
        return True
    return bool(_PERSONAL.fullmatch(host)) and rest.startswith(_OFFICIAL_NAMESPACES)
