"""Prepares strings for a terminal: its width and colours, safe characters, numbers with their nouns, notes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final, NamedTuple, TextIO

from statefmt.text import pattern, printable

_CODES: Final = {"red": "31", "yellow": "33", "cyan": "36", "green": "32", "bold": "1", "dim": "2"}
_MINIMUM_WIDTH: Final = 40
# Longer lines of prose are hard to read.
READABLE_WIDTH: Final = 120
# The width of a pipe or a file: programs search lines, and must find each sentence and each address on one line.
UNLIMITED: Final = sys.maxsize
_USUAL_WIDTH: Final = 80


class Terminal(NamedTuple):
    """A stream for text: `width` in columns (UNLIMITED: nothing is wrapped), and whether to use colour."""

    width: int = 80
    colour: bool = False

    def paint(self, text: str, *styles: str) -> str:
        """Apply styles (`red`, `yellow`, `cyan`, `green`, `bold`, `dim`) to the text, if colour is on."""
        if not self.colour:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def wrap(self, text: str, indent: str, hanging: str = "") -> str:
        """Wrap the text to the width; long addresses are never broken.

        Indents every line by `indent`, and all but the first by `hanging`, too.
        """
        found = words(text)
        if self.width == UNLIMITED:
            return indent + " ".join(found) if found else ""
        lines: list[str] = []
        room = 0
        for word in found:
            if lines and len(word) < room:
                lines[-1] += " " + word
                room -= len(word) + 1
            else:
                lines.append((indent + hanging if lines else indent) + word)
                room = self.width - len(lines[-1])
        return "\n".join(lines)


def terminal_for(stream: TextIO, choice: str, environment: Mapping[str, str]) -> Terminal:
    """Return a stream's terminal; other streams have unlimited width.

    `choice` is `auto`, `always` or `never`; `auto` honours NO_COLOR and TERM=dumb.
    """
    on_terminal = stream.isatty()
    columns = terminal_columns(stream, environment)
    width = UNLIMITED if columns is None else max(_MINIMUM_WIDTH, min(columns, READABLE_WIDTH))
    wanted = not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
    colour = choice == "always" or (choice == "auto" and on_terminal and wanted)
    return Terminal(width=width, colour=colour)


def terminal_columns(stream: TextIO, environment: Mapping[str, str]) -> int | None:
    """Return the width of the stream's own terminal, unless COLUMNS overrides it; None if it is not a terminal."""
    if not stream.isatty():
        return None
    wanted = environment.get("COLUMNS", "")
    if wanted.isdecimal() and int(wanted):
        return int(wanted)
    try:
        # 0 if the terminal does not know its size.
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH


# Stands for the address of the root module, which is empty.
ROOT: Final = "(root)"
# An address is one word, even if an instance key contains spaces. So is a statetool command in backticks: a line
# break within it would prevent copying.
_COMMAND: Final = "`statetool "
_WORD: Final = pattern(r'(?:`statetool [^`\n]*`|\["(?:[^"\\\n]|\\.)*"\]|\S)+')


def words(text: str) -> list[str]:
    """Split prose into printable words; an address is one word, and so is a statetool command in backticks."""
    found = _WORD.findall(text) if '["' in text or _COMMAND in text else text.split()
    return found if text.isprintable() else [printable(word) for word in found]


def one_line(text: str) -> str:
    """Join prose into one line."""
    return " ".join(words(text))


def printable_lines(text: str) -> str:
    """Make each line of a text printable."""
    return "\n".join(map(printable, text.split("\n")))


def counted(number: int, noun: str, plural: str = "") -> str:
    """Format a number and its noun; the plural adds an s unless it is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size_text(number: int) -> str:
    """Format a number of bytes: `812 B`, `3.4 kB`, `86.8 MB`, with a factor of 1000."""
    if number < 1000:
        return f"{number} B"
    return f"{number / 1e3:,.1f} kB" if number < 1e6 else f"{number / 1e6:,.1f} MB"


_SECONDS: Final = len("2026-01-01T00:00:00")


def time_text(text: str) -> str:
    """Format a time in ISO 8601 to the second."""
    return printable(text[:_SECONDS].replace("T", " ") + "Z")


def note_text(note: str, terminal: Terminal) -> str:
    """Return a note: a sentence, and optionally a line for each item."""
    sentence, *listed = note.split("\n")
    return "\n".join([terminal.wrap(printable(sentence), ""), *map(printable, listed)])
