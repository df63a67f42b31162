"""Find options `<backend>.<key>` of a spec whose backend does not exist.

Each backend checks its own keys. Options of other backends are allowed, so that the same cell runs on several.
"""

from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from pai_jupyter.backends import backend_names
from pai_jupyter.spec import JobSpec

_EVERYWHERE = ("local",)  # prefixes for all local backends
ALLOW_LARGE = "package.allow_large"


def check_options(spec: JobSpec) -> Iterator[str]:
    """Yield a sentence for each option of an unknown backend."""
    names = backend_names()
    for option in _unknown(spec):
        backend, _, key = option.partition(".")
        near = get_close_matches(option, (ALLOW_LARGE,)) or [
            f"{name}.{key}" for name in get_close_matches(backend, (*names, *_EVERYWHERE), n=1)
        ]
        hint = f" Did you mean {near[0]!r}?" if near else ""
        yield f"option {option!r}: there is no backend {backend!r}; there are {', '.join(names)}.{hint}"


def without_unknown(spec: JobSpec) -> JobSpec:
    """Return `spec` without options of unknown backends, for reruns of recorded jobs that have some."""
    unknown = set(_unknown(spec))
    return replace(spec, options={name: value for name, value in spec.options.items() if name not in unknown})


def _unknown(spec: JobSpec) -> Iterator[str]:
    known = {*backend_names(), *_EVERYWHERE} if spec.options else set()
    return (name for name in spec.options if name.partition(".")[0] not in known and name != ALLOW_LARGE)
