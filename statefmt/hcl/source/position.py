"""Positions in a configuration: file, line and column, as HCL counts them."""

from __future__ import annotations

import bisect

import msgspec

from statefmt.hcl.source.graphemes import count_graphemes


class Range(msgspec.Struct, frozen=True, gc=False, order=True):
    """A range within one file.

    `line` and `column` start at 1; a column is a user-perceived character (a grapheme cluster), as in HCL. The end is
    exclusive. `start` and `stop` are the byte offsets of the same range.
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    stop: int

    def __str__(self) -> str:
        """Return `main.tf:3,5-20` as OpenTofu prints it, `main.tf:3,5-4,2` for several lines."""
        end = str(self.end_column) if self.end_line == self.line else f"{self.end_line},{self.end_column}"
        return f"{self.file}:{self.line},{self.column}-{end}"

    def to(self, other: Range) -> Range:
        """Return the range from the start of this one to the end of a later one in the same file."""
        return Range(
            file=self.file,
            line=self.line,
            column=self.column,
            end_line=other.end_line,
            end_column=other.end_column,
            start=self.start,
            stop=max(self.stop, other.stop),
        )


class SourceText:
    """The content of one file, with conversion from byte offsets to lines and columns."""

    __slots__ = ("_lines", "_simple", "content", "file")

    def __init__(self, file: str, content: bytes) -> None:
        self.file = file
        self.content = content
        # Then every byte is one column.
        self._simple = content.isascii() and b"\r" not in content
        self._lines: list[int] | None = None

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a byte offset, both from 1."""
        if self._lines is None:
            self._lines = _line_starts(self.content)
        line = bisect.bisect_right(self._lines, offset)
        start = self._lines[line - 1]
        if self._simple:
            return line, offset - start + 1
        return line, count_graphemes(self.content[start:offset].decode("utf-8", "replace")) + 1

    def range(self, start: int, stop: int) -> Range:
        """Return the range of the bytes from `start` up to, but not including, `stop`."""
        return Range(self.file, *self.place(start), *self.place(stop), start, stop)

    def text(self, start: int, stop: int) -> str:
        """Decode these bytes; invalid UTF-8 becomes U+FFFD."""
        return self.content[start:stop].decode("utf-8", "replace")


class EmbeddedSource(SourceText):
    """A text embedded in another file, such as a JSON string, at the bytes `start` to `stop` of that file.

    The text starts at the byte `before` of `content`, which may wrap it for parsing. If `exact`, each byte of the text
    is a byte of the file; otherwise (the text had escapes) every range in it is the whole text.
    """

    __slots__ = ("_before", "_exact", "_outer", "_start", "_stop")

    def __init__(self, outer: SourceText, start: int, stop: int, content: bytes, before: int, *, exact: bool) -> None:
        super().__init__(outer.file, content)
        self._outer = outer
        self._start = start
        self._stop = stop
        self._before = before
        self._exact = exact

    def range(self, start: int, stop: int) -> Range:
        if not self._exact:
            return self._outer.range(self._start, self._stop)
        shift = self._start - self._before
        return self._outer.range(
            min(max(start + shift, self._start), self._stop), min(max(stop + shift, self._start), self._stop)
        )


def _line_starts(content: bytes) -> list[int]:
    starts = [0]
    found = content.find(b"\n")
    while found >= 0:
        starts.append(found + 1)
        found = content.find(b"\n", found + 1)
    return starts
