"""A component as a YAML file, with the digests of its image and code.

Rule 1: a version stays as it is: a file is written once, and again only with the same, or by a later version of the component.
Rule 2: a relative source is kept as it is and starts at the file's directory, so that both can be moved together.
"""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pai_jupyter.backends import ImageFacts
from pai_jupyter.component.addresses import source_kind
from pai_jupyter.component.changes import SavedComponent
from pai_jupyter.component.code import CodeState, about_code, state_of
from pai_jupyter.component.component import Component
from pai_jupyter.component.edits import field_digests, oddities, without_digests
from pai_jupyter.component.forms import from_json, to_json
from pai_jupyter.component.image import facts_of
from pai_jupyter.component.names import in_order, newest_of, next_of, shown
from pai_jupyter.component.problems import check_component
from pai_jupyter.component.yaml_text import file_bytes, read_yaml, reason_of, write_yaml, yaml_errors
from pai_jupyter.errors import NotFoundError, SpecError
from pai_jupyter.spec import Json
from pai_jupyter.store import JobStore
from pai_jupyter.store.disk import create_file, make_folder, replace_file, translated
from pai_jupyter.typed_json import FieldError, Fields

SUFFIXES = (".yaml", ".yml")
_HEAD = "# A component of pai_jupyter. To run it: %pai_component FILE --run\n"


@dataclass(frozen=True, kw_only=True)
class StoredComponent:
    """A component as it is in its file now, and notes on that."""

    component: Component
    path: Path
    notes: tuple[str, ...] = ()


def folder() -> Path:
    """Return the directory of components that were saved without a file's name."""
    return JobStore().home / "components"


def save(component: Component, path: str | os.PathLike[str] | None = None) -> Path:
    """Save a component to a YAML file and return its path; default: `NAME/VERSION.yaml` in the user's components.

    The code of a repository is recorded by its commit, so that a branch that goes on changes nothing.

    Raises:
        SpecError: the component is invalid, the file cannot be written, or holds something else.
        PackageError: its code is not there.
    """
    return store(component, path).path


def store(
    component: Component, path: str | os.PathLike[str] | None = None, *, is_proposed: bool = False
) -> StoredComponent:
    """Save a component as `save` does; `is_proposed`: where its version was just taken by another kernel, take the next."""
    image = facts_of(component.image_uri)
    notes = check_component(component, image=image, for_pai=False)
    place = _place(component, path)
    state = state_of(component)
    if component.source is not None and source_kind(component.source) != "directory":
        notes += about_code(component, state)  # what is elsewhere is not seen otherwise
    if state.commit is not None:
        component = replace(component, commit=state.commit, branch=None)
    digest = image.digests[0] if image is not None and image.digests else None
    if component.image_uri and digest is None and "@sha256:" not in component.image_uri:
        notes.append(
            f"the digest of the image {component.image_uri!r} is not known, for no container engine here has it: if its tag "
            "is moved later, that is not noticed."
        )
    document = _document(component, place, digest, state)
    while not _is_created(place, document):
        if not is_proposed or path is not None:
            notes += _replaced(component, place, document, state, image, is_own=path is not None)
            break
        component = replace(component, version=next_of([component.version, *saved_versions().get(component.name, ())]))
        place = _place(component, None)
        document = _document(component, place, digest, state)
    return StoredComponent(component=component, path=place, notes=tuple(notes))


def load(path: str | os.PathLike[str]) -> SavedComponent:
    """Read a saved component.

    Raises:
        SpecError: there is no such file, or it holds no component.
    """
    place = Path(path).expanduser()
    try:
        value = read_yaml(file_bytes(place))
        if not isinstance(value, Mapping):
            raise SpecError(f"'{place}' holds no component: it has no fields, such as `name: iris`.", field="file")
        given = Fields.of(value, "")
        component = from_json(value)
        return SavedComponent(
            component=_from_here(component, place),
            image_digest=given.optional_line("image_digest"),
            code_digest=given.optional_line("code_digest"),
            code_files=given.texts("code_files"),
            base=place.parent,
            own_file=_own_file(component, place),
            notes=tuple(oddities(value, given.texts("field_digests"), place)),
        )
    except FileNotFoundError:
        raise SpecError(
            f"there is no file '{place}'. Give one that `save` wrote, e.g. iris.yaml", field="file"
        ) from None
    except OSError as exc:
        raise SpecError(f"'{place}' cannot be read: {exc.strerror}.", field="file") from exc
    except (FieldError, ValueError, RecursionError, *yaml_errors()) as exc:
        raise SpecError(f"'{place}' holds no component: {reason_of(exc)}.", field="file") from exc


def load_named(name: str, version: str | None = None) -> SavedComponent:
    """Read a version of one of the user's components, default the newest.

    Raises:
        NotFoundError: it is not saved. SpecError: its file is damaged, or holds another one.
    """
    place = saved_path(name, version)
    saved = load(place)
    if (saved.component.name, saved.component.version) != (name, place.stem):
        raise SpecError(
            f"'{place}' holds {saved.component.title}, and its place is that of {name} {place.stem}. Correct `name` and "
            "`version` in it, or move it.",
            field="file",
        )
    return saved


def list_saved() -> list[Path]:
    """List the files of the user's components, by name and then in the order of their versions' text."""
    found = folder()
    return sorted(found.glob("*/*.yaml")) if found.is_dir() else []


def saved_versions() -> dict[str, list[str]]:
    """Return the versions of each of the user's components, from the lowest to the highest."""
    found: dict[str, list[str]] = {}
    for path in list_saved():
        found.setdefault(path.parent.name, []).append(path.stem)
    return {name: in_order(versions) for name, versions in found.items()}


def saved_path(name: str, version: str | None = None) -> Path:
    """Return the file of a version, default the newest.

    Raises:
        NotFoundError: it is not saved; the sentence lists those that are.
    """
    versions = saved_versions().get(name, ())
    wanted = version or newest_of(versions)
    if wanted is None or wanted not in versions:
        listed = ", ".join(versions) or "none"
        raise NotFoundError(f"component {shown(name)} has no saved version {wanted or ''}; it has: {listed}.")
    return folder() / name / f"{wanted}.yaml"


def _place(component: Component, path: str | os.PathLike[str] | None) -> Path:
    """Return the file to write; its directory is there."""
    if path is None:
        place = folder() / component.name / f"{component.version}.yaml"
        with translated(place.parent):
            make_folder(place.parent)
        return place
    place = Path(path).expanduser()
    if place.suffix not in SUFFIXES:
        raise SpecError(f"`{place}` is no name of a YAML file. Write e.g. {component.name}.yaml", field="--save")
    if not place.absolute().parent.is_dir():
        raise SpecError(
            f"'{place}' cannot be written: there is no directory '{place.parent}'. Create it, or give another file.",
            field="--save",
        )
    return place


def _document(component: Component, place: Path, image: str | None, state: CodeState) -> dict[str, Json]:
    fields = to_json(_from_file(component, place))
    digests: dict[str, Json] = {
        "image_digest": image,
        "code_digest": state.digest if state.count else None,
        "code_files": {name: digest[:16] for name, digest in state.files.items()},
        "field_digests": {**field_digests(fields)},
    }
    return {**fields, **{name: value for name, value in digests.items() if value}}


def _is_created(place: Path, document: dict[str, Json]) -> bool:
    """Create the file; return False if it is there."""
    with translated(place):
        try:
            create_file(place, _encoded(document))
        except FileExistsError:
            return False
    return True


def _encoded(document: dict[str, Json]) -> bytes:
    return f"{_HEAD}{write_yaml(document)}".encode()


def _replaced(
    component: Component,
    place: Path,
    document: dict[str, Json],
    code: CodeState,
    image: ImageFacts | None,
    *,
    is_own: bool,
) -> list[str]:
    """Write over a file that is there, if nothing is lost by that; `is_own`: the user named it. Return notes.

    Raises:
        SpecError: it holds something else.
    """
    try:
        before = load(place)
    except SpecError as exc:
        raise SpecError(
            f"'{place}' is there already and holds no component that can be read. Give another file, or remove it.",
            field="--save",
        ) from exc
    if before.component.name != component.name:
        raise SpecError(
            f"'{place}' holds {before.component.title}, which would be lost. Give another file, e.g. {component.name}.yaml",
            field="--save",
        )
    is_later = in_order([before.component.version, component.version])[-1] != before.component.version
    if before.component.version == component.version and _is_same(before, place, document, code, image):
        return []
    if not (is_own and is_later):
        raise taken(
            component, [before.component.version, *([] if is_own else saved_versions().get(component.name, ()))]
        )
    with translated(place):
        replace_file(place, _encoded(document))
    return [f"'{place}' held {before.component.title} until now."]


def taken(component: Component, versions: Collection[str]) -> SpecError:
    """Return the error for a version that is saved already with something else in it."""
    return SpecError(
        f"{component.title} is saved already, and a version stays as it is. Give the next: --version {next_of(versions)}",
        field="version",
    )


def _is_same(
    before: SavedComponent, place: Path, document: Mapping[str, Json], code: CodeState, image: ImageFacts | None
) -> bool:
    """Return whether a file holds just what would be written: the same fields, code and image."""
    there, new = (without_digests(read_yaml(data)) for data in (file_bytes(place), write_yaml(dict(document)).encode()))
    return there == new and not before.changes(code, image)


def _from_file(component: Component, file: Path) -> Component:
    """Return the component with a directory as it is named from the file: relative, if it is beside or below it."""
    if component.source is None or source_kind(component.source) != "directory":
        return component
    directory, base = Path(component.source).expanduser().absolute(), file.absolute().parent
    is_near = directory.is_relative_to(base) or directory.parent.is_relative_to(base.parent)
    named = os.path.relpath(directory, base) if is_near else str(directory)
    return replace(component, source=named)


def _from_here(component: Component, file: Path) -> Component:
    if component.source is None or source_kind(component.source) != "directory":
        return component
    return replace(component, source=str(file.parent / Path(component.source).expanduser()))


def _own_file(component: Component, file: Path) -> str | None:
    """Return the name of the saved file in the code, if it is in the directory that is packed."""
    if component.source is None or source_kind(component.source) != "directory":
        return None
    directory = (file.parent / Path(component.source).expanduser()).resolve()
    place = file.resolve()
    return place.relative_to(directory).as_posix() if place.is_relative_to(directory) else None
