"""What the user says about a job: another name, a star, tags, a note. Pure; annotation_files keeps it.

Rule 1: a change names single fields (`AnnotationChange`), so that two of different fields lose nothing, whoever is first.
Rule 2: a tag can be typed in a search, `tag:best,paper`: it has no blank, comma, colon, quote, `<` or `>`. Case does not tell two
    tags apart, as in a search; the first spelling stays.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from pai_jupyter.errors import SpecError
from pai_jupyter.spec import Json
from pai_jupyter.typed_json import FieldError, Fields, line_of

SCHEMA = 1
MAX_NAME = 200  # characters
MAX_TAG = 50  # characters
MOST_TAGS = 50  # of one job
MAX_NOTE = 10_000  # characters
_NOT_IN_TAGS = frozenset(",:<>\"'`\\")
_IN_NOTES = frozenset("\n\t")
_CONTROLS = ("Cc", "Cs")


@dataclass(frozen=True, kw_only=True)
class AnnotationChange:
    """A change of some fields; None leaves a field. `name`: "" takes the given name back. Tags are added, then removed.

    Raises:
        SpecError: a text is not allowed; the sentence says why.
    """

    name: str | None = None
    is_starred: bool | None = None
    note: str | None = None
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.name is not None:
            object.__setattr__(self, "name", read_name(self.name))
        if self.note is not None:
            object.__setattr__(self, "note", read_note(self.note))
        if self.is_starred is not None and not isinstance(self.is_starred, bool):
            raise SpecError("a job has a star or none: give True or False.", field="star")
        object.__setattr__(self, "add", tuple(map(read_tag, self.add)))
        object.__setattr__(self, "remove", tuple(map(read_tag, self.remove)))

    def texts(self) -> list[tuple[str, str]]:
        """Return the texts that would be kept, each with the name of its field."""
        named = [("name", self.name), ("note", self.note), *(("tags", tag) for tag in self.add)]
        return [(field, text) for field, text in named if text]


@dataclass(frozen=True, kw_only=True)
class Annotations:
    """The annotations of one job. `name` is "" unless the job was renamed."""

    name: str = ""
    is_starred: bool = False
    tags: tuple[str, ...] = ()
    note: str = ""

    def changed(self, change: AnnotationChange) -> "Annotations":
        """Return these annotations after a change.

        Raises:
            SpecError: there would be too many tags.
        """
        dropped = {tag.casefold() for tag in change.remove}
        tags = tuple(tag for tag in distinct((*self.tags, *change.add)) if tag.casefold() not in dropped)
        if len(tags) > MOST_TAGS:
            raise SpecError(
                f"the job would have {len(tags)} tags; it may have {MOST_TAGS}. Remove some first.", field="tags"
            )
        return Annotations(
            name=self.name if change.name is None else change.name,
            is_starred=self.is_starred if change.is_starred is None else change.is_starred,
            tags=tags,
            note=self.note if change.note is None else change.note,
        )

    def to_json(self) -> dict[str, Json]:
        tags: list[Json] = [*self.tags]
        return {"schema": SCHEMA, "name": self.name, "is_starred": self.is_starred, "tags": tags, "note": self.note}

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Read what `to_json` wrote.

        Raises:
            FieldError: it is damaged, or of a newer version.
        """
        given = Fields.of(value)
        if given.whole("schema", least=1) > SCHEMA:
            raise FieldError("schema", "is of a newer pai_jupyter. Type: %pip install --upgrade pai_jupyter")
        tags = [line_of(item, path, limit=MAX_TAG) for item, path in given.items("tags")]
        found = cls(
            name=given.line("name", "", limit=MAX_NAME),
            is_starred=given.flag("is_starred"),
            tags=tuple(distinct(tags)),
            note=given.text("note", "", limit=MAX_NOTE),
        )
        _check_kept(found)
        return found


def _check_kept(found: Annotations) -> None:
    """Refuse texts that no change would have written.

    Raises:
        FieldError: with the field.
    """
    problems = [("name", name_problem(found.name)), ("note", note_problem(found.note))]
    problems += [("tags", tag_problem(tag)) for tag in found.tags]
    if len(found.tags) > MOST_TAGS:
        problems.append(("tags", f"has {len(found.tags)} tags; there may be {MOST_TAGS}"))
    for field, problem in problems:
        if problem:
            raise FieldError(field, problem)


def distinct(tags: Iterable[str]) -> list[str]:
    """Return the tags without those that differ only in case from an earlier one."""
    found: dict[str, str] = {}
    for tag in tags:
        found.setdefault(tag.casefold(), tag)
    return list(found.values())


def read_tag(text: str) -> str:
    """Check and normalize a tag.

    Raises:
        SpecError: it is not allowed.
    """
    tag = _composed(text, "a tag")
    if problem := tag_problem(tag):
        raise SpecError(
            f"the tag {tag[: MAX_TAG + 1]!r} {problem}. A tag has 1 to {MAX_TAG} characters, without blanks, commas, colons, quotes, "
            "< and >, and does not begin with -.",
            field="tags",
        )
    return tag


def read_name(text: str) -> str:
    """Check and normalize a name given by the user.

    Raises:
        SpecError: it is not allowed.
    """
    name = _composed(text, "the name")
    if problem := name_problem(name):
        raise SpecError(f"the name {problem}. It is one line of at most {MAX_NAME} characters.", field="name")
    return name


def read_note(text: str) -> str:
    """Check and normalize a note.

    Raises:
        SpecError: it is not allowed.
    """
    note = _composed(text.replace("\r\n", "\n"), "the note") if isinstance(text, str) else _composed(text, "the note")
    if problem := note_problem(note):
        raise SpecError(f"the note {problem}. It is text of at most {MAX_NOTE} characters.", field="note")
    return note


def tag_problem(tag: str) -> str:
    """Return what is wrong with a tag, to follow its name; "" if nothing is."""
    if not tag:
        return "is empty"
    if len(tag) > MAX_TAG:
        return f"has {len(tag)} characters"
    if tag.startswith("-"):
        return "begins with -"
    if any(letter.isspace() for letter in tag):
        return "has a blank in it"
    if found := next((letter for letter in tag if letter in _NOT_IN_TAGS), ""):
        return f"has {found} in it"
    return "" if tag.isprintable() else "has characters that cannot be seen"


def name_problem(name: str) -> str:
    """Return what is wrong with a name, as `tag_problem`."""
    if len(name) > MAX_NAME:
        return f"has {len(name)} characters"
    is_line = not any(unicodedata.category(letter) in (*_CONTROLS, "Zl", "Zp") for letter in name)
    return "" if is_line else "has line breaks or control characters"


def note_problem(note: str) -> str:
    """Return what is wrong with a note, as `tag_problem`."""
    if len(note) > MAX_NOTE:
        return f"has {len(note)} characters"
    is_text = all(letter in _IN_NOTES or unicodedata.category(letter) not in _CONTROLS for letter in note)
    return "" if is_text else "has control characters"


def _composed(text: str, what: str) -> str:
    if not isinstance(text, str):
        raise SpecError(f"{what} is {type(text).__name__}; it must be text.", field=what.rpartition(" ")[2])
    return unicodedata.normalize("NFC", text).strip()
