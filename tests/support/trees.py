"""Directories to be packed, and what came of them."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from pai_jupyter.errors import PackageError
from pai_jupyter.package import Package, build, unpack


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def names(package: Package) -> list[str]:
    return [file.name for file in package.files]


def unpacked(package: Package, to: Path) -> dict[str, bytes]:
    unpack(package.path, to)
    return {str(path.relative_to(to)): path.read_bytes() for path in to.rglob("*") if path.is_file()}


def refusal(source_dir: Path | None, to: Path, **options: object) -> str:
    with pytest.raises(PackageError) as caught:
        build(source_dir, to=to, **options)  # type: ignore[arg-type]  # whatever the case at hand gives
    assert list(to.parent.iterdir()) == []  # nothing is left behind
    return str(caught.value)
