"""Find the variables in a command and whether the shell splits them. Parses `sh` text; runs nothing.

It knows only what decides that: quotes, backslashes, comments, here-documents, `$(...)`, backquotes, `${...}`, arithmetic,
assignments, the `)` of a `case` pattern, and what moves the positional parameters. It never fails: invalid text is read as far
as possible; the shell itself will reject it.

`$'...'` is read as dash reads it: a `$`, then a quoted text.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
# a name without braces may continue after a backslash and line end
_REFERENCE = re.compile(rf"\$(?:({_NAME})(?!(?:\\\n)?[A-Za-z0-9_])|\{{({_NAME})\}})")
_ASSIGNMENT = re.compile(rf"{_NAME}=")
_NO_PARAMETERS = re.compile(r"\([ \t]*\)")
_DELIMITER = re.compile(r"<<(-?)[ \t]*((?:\\.|'[^']*'|\"[^\"]*\"|[^\s;&|<>()'\"\\])+)")
_BEFORE_COMMAND = frozenset({"if", "then", "else", "elif", "do", "while", "until", "!", "{"})


class ShellContext(StrEnum):
    """How the shell treats a variable at this place."""

    OPEN = "open"  # splits its value into words
    SHADOWED = "shadowed"  # splits, and "$@" is not the command's own: in or after a function, after set, shift
    HELD = "held"  # does not split: in quotes, a here-document, arithmetic, an assignment


@dataclass(frozen=True, kw_only=True)
class ShellReference:
    """One `$NAME` or `${NAME}`; it is `text[start:end]`.

    `quote` is the innermost quoting: `"`, `'` (this shell does not expand it), `<<` for a here-document.
    """

    name: str
    start: int
    end: int
    place: ShellContext
    quote: str = ""


def references(text: str) -> tuple[ShellReference, ...]:
    """Return all plain variable references in order, without comments and escaped ones."""
    reader = _ShellReader(text)
    reader.commands()
    return tuple(reader.found)


class _ShellReader:
    """One pass over the text, one method per construct: it starts at the opening sign and ends after the closing one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[ShellReference] = []
        self._held = 0  # number of enclosing constructs that prevent splitting
        self._quote = ""  # the innermost of them, if it is a quote
        self._backquotes = 0
        self._shadowed = False
        # here-documents announced on this line: (delimiter, strip tabs before it)
        self._here_documents: list[tuple[str, bool]] = []

    def commands(self, end: str = "") -> None:
        """Read commands up to the unquoted `end`: `)`, a backquote, or the end of the text."""
        words = _Words()
        around, self._quote = self._quote, ""
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\n;&|<>()" or char == end:
                self._end_word(words)
                if char == end and not words.is_inside:
                    break
                self._operator(char, words)
            elif char == "#" and words.begin is None:
                self._comment(end)
            elif self.text.startswith("\\\n", self.at):
                self.at += 2  # continued line; no word begins here
            else:
                words.begin = self.at if words.begin is None else words.begin
                self._part_of_word(char, word=words.begin)
        self._end_word(words)
        self._quote = around
        self.at += len(end)

    def _end_word(self, words: "_Words") -> None:
        if words.begin is not None:
            self._shadowed |= words.close(self.text[words.begin : self.at])

    def _operator(self, char: str, words: "_Words") -> None:
        definition = _NO_PARAMETERS.match(self.text, self.at) if words.has_name else None
        if definition:
            self._shadowed = True
            self.at = definition.end()
            words.next_command()
        elif char == "<":
            self._redirection()
        else:
            self.at += 1
            words.operator(char)
            if char == "\n":
                self._skip_here_documents()

    def _part_of_word(self, char: str, *, word: int | None) -> None:
        match char:
            case "\\":
                self.at += 2
            case "'":
                self._single_quoted()
            case '"':
                self._double_quoted()
            case "`":
                self._backquoted()
            case "$":
                self._dollar(word)
            case _:
                self.at += 1

    def _comment(self, end: str) -> None:
        stop = re.compile(r"[\n`]" if end == "`" else r"\n").search(self.text, self.at)
        self.at = stop.start() if stop else len(self.text)

    def _redirection(self) -> None:
        document = _DELIMITER.match(self.text, self.at)
        if self.text.startswith("<<<", self.at):  # bash `<<<`: the next word is the text
            self.at += 3
        elif document:
            delimiter = re.sub(r"""\\(.)|['"]""", r"\1", document[2])
            self._here_documents.append((delimiter, bool(document[1])))
            self.at = document.end()
        else:
            self.at += 1

    def _skip_here_documents(self) -> None:
        start = self.at
        for delimiter, strips_tabs in self._here_documents:
            line = None
            while line != delimiter and self.at < len(self.text):
                end = self.text.find("\n", self.at)
                line = self.text[self.at : end if end >= 0 else None]
                line = line.lstrip("\t") if strips_tabs else line
                self.at = end + 1 if end >= 0 else len(self.text)
        self._pass_held(start, self.at, "<<")
        self._here_documents.clear()

    def _single_quoted(self) -> None:
        start, close = self.at, self.text.find("'", self.at + 1)
        self.at = len(self.text) if close < 0 else close + 1
        self._pass_held(start, self.at, "'")

    def _pass_held(self, start: int, end: int, quote: str) -> None:
        """Record references in text that this shell passes on unchanged; another shell may expand it."""
        for match in _REFERENCE.finditer(self.text, start, end):
            if self.text[match.start() - 1] != "\\":
                self._note(match, ShellContext.HELD, quote)

    def _double_quoted(self) -> None:
        self.at += 1
        self._held += 1
        around, self._quote = self._quote, '"'
        self._until('"')
        self._quote = around
        self._held -= 1

    def _backquoted(self) -> None:
        self.at += 1
        self._backquotes += 1
        self.commands("`")
        self._backquotes -= 1

    def _dollar(self, word: int | None) -> None:
        reference = _REFERENCE.match(self.text, self.at)
        if reference:
            is_assigned = word is not None and _ASSIGNMENT.match(self.text, word, self.at)
            self._note(reference, ShellContext.HELD if is_assigned else self._place(), self._quote)
            self.at = reference.end()
        elif self.text.startswith("$((", self.at):
            self._arithmetic()
        elif self.text.startswith("$(", self.at):
            self.at += 2
            self.commands(")")
        elif self.text.startswith("${", self.at):
            self.at += 2
            self._until("}", word=word)
        else:
            self.at += 2 if self.text.startswith("$$", self.at) else 1  # $$NAME is the process id, then a name

    def _until(self, end: str, *, word: int | None = None) -> None:
        """Read parts of a word, including blanks, up to `end`. In double quotes, `'` is a plain character."""
        while self.at < len(self.text) and self.text[self.at] != end:
            char = self.text[self.at]
            self._part_of_word(" " if char == "'" and self._held else char, word=word)
        self.at += 1

    def _arithmetic(self) -> None:
        self.at += 3
        self._held += 1
        depth = 2
        while self.at < len(self.text) and depth:
            char = self.text[self.at]
            depth += {"(": 1, ")": -1}.get(char, 0)
            self._part_of_word(char, word=None)
        self._held -= 1

    def _place(self) -> ShellContext:
        would_lose_backslashes = self._shadowed and self._backquotes  # text in backquotes
        if self._held or would_lose_backslashes:
            return ShellContext.HELD
        return ShellContext.SHADOWED if self._shadowed else ShellContext.OPEN

    def _note(self, match: re.Match[str], place: ShellContext, quote: str) -> None:
        name = match[1] or match[2]
        self.found.append(ShellReference(name=name, start=match.start(), end=match.end(), place=place, quote=quote))


class _Words:
    """The words of the current command: enough to recognize `case`, functions and `set`."""

    def __init__(self) -> None:
        self.begin: int | None = None  # where the word being read begins
        self.has_name = False  # the last word may be a function's name
        self._count = 0
        self._is_set = False
        self._open: list[str] = []  # "(" and "case", innermost last

    def close(self, word: str) -> bool:
        """End the current word; return True if the positional parameters may change from here on."""
        self.begin = None
        self.has_name = not re.search(r"[$'\"`\\=]", word)
        if self._count == 0 and word == "case":
            self._open.append("case")
        elif self._count == 0 and word == "esac" and self._open[-1:] == ["case"]:
            self._open.pop()
        moves = word in ("shift", "function") or (self._is_set and (word == "--" or word[0] not in "-+"))
        self._is_set = word == "set" or (self._is_set and word != "-o")
        if word not in _BEFORE_COMMAND or self._count:
            self._count += 1
        return moves

    def operator(self, char: str) -> None:
        if char == "(":
            self._open.append("(")
        elif char == ")" and self._open[-1:] == ["("]:
            self._open.pop()
        if char not in " \t<>":
            self.next_command()

    def next_command(self) -> None:
        self._count, self._is_set, self.has_name = 0, False, False

    @property
    def is_inside(self) -> bool:
        """Whether a `)` here closes a subshell or a `case` pattern of this command, not an enclosing construct."""
        return bool(self._open)
