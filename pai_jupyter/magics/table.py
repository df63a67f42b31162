"""Tables and counts in the output of magics.

A table is aligned text, and HTML in a notebook. Text from jobs is escaped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import east_asian_width

from pai_jupyter.view import said


@dataclass(frozen=True, kw_only=True)
class Table:
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    empty: str = "nothing to show"
    has_names: bool = False  # its headers are somebody's own names, or said already

    @property
    def _said_headers(self) -> list[str]:
        return [*self.headers] if self.has_names else [*map(said, self.headers)]

    def __repr__(self) -> str:
        if not self.rows:
            return said(self.empty)
        rows = [self._said_headers, *map(list, self.rows)]
        widths = [max(columns(row[column]) for row in rows) for column in range(len(self.headers))]
        return "\n".join(
            "  ".join(_pad(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def _repr_html_(self) -> str:
        if not self.rows:
            return f"<p>{escape(said(self.empty))}</p>"
        head = "".join(
            f'<th scope="col" style="text-align:left">{escape(header)}</th>' for header in self._said_headers
        )
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in row) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def counted(count: int, what: str) -> str:
    """Format a count with its noun: "1 file", "2,000 files"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def clipped(text: str, width: int = 60) -> str:
    """Clip a text to one line of at most `width` characters."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def columns(text: str) -> int:
    """Return the number of terminal columns; wide (Chinese) characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - columns(text))
