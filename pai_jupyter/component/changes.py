"""What differs between a component as it was saved and as it would run now. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pai_jupyter.backends import ImageFacts
from pai_jupyter.component.code import CodeState
from pai_jupyter.component.component import Component

_MOST = 5  # names of files in a sentence


@dataclass(frozen=True, kw_only=True)
class SavedComponent:
    """A component with what it was made of: the digests of image and code, None where nothing was known.

    `base` is the directory of its file; `notes` say what is odd in the file.
    """

    component: Component
    image_digest: str | None = None
    code_digest: str | None = None
    code_files: Mapping[str, str] = field(default_factory=dict, repr=False)
    base: Path = Path()
    own_file: str | None = None  # the saved file's own name in the code, which is no change
    notes: tuple[str, ...] = ()

    def changes(self, code: CodeState | None, image: ImageFacts | None) -> list[str]:
        """Return a sentence for each difference; None: it is not known what there is now."""
        found = []
        if code is not None and self.code_digest is not None and self._is_other(code):
            found.append(self._code_sentence(code))
        now = image.digests if image is not None else ()
        if now and self.image_digest is not None and self.image_digest not in now:
            found.append(
                f"the image {self.component.image_uri!r} is another one than when {self.component.title} was saved: its tag was "
                f"moved, from {self.image_digest[:19]} to {now[0][:19]}. Give the image as NAME@{self.image_digest}, or "
                "save a new version."
            )
        return found

    def _is_other(self, code: CodeState) -> bool:
        if self.own_file is None or self.own_file not in code.files:
            return code.digest != self.code_digest
        return any(self._differences(code).values())

    def _differences(self, code: CodeState) -> dict[str, list[str]]:
        before, now = self.code_files, {name: each for name, each in code.files.items() if name != self.own_file}
        common = before.keys() & now.keys()
        return {
            "changed": sorted(name for name in common if not now[name].startswith(before[name])),
            "new": sorted(now.keys() - before.keys()),
            "gone": sorted(before.keys() - now.keys()),
        }

    def _code_sentence(self, code: CodeState) -> str:
        where = self.component.source or self.component.name
        said = "; ".join(
            f"{what}: {', '.join(names[:_MOST])}{' ...' if len(names) > _MOST else ''}"
            for what, names in self._differences(code).items()
            if names
        )
        detail = f" ({said})" if said else ""
        return (
            f"the code in {where!r} is not the one with which {self.component.title} was saved{detail}. "
            "Take the changes back, or save a new version."
        )
