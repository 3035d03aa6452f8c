"""Describes a terminal: its width, and whether to use colour."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final, NamedTuple, TextIO

from statefmt.render.printable import words

_CODES: Final = {"red": "31", "yellow": "33", "cyan": "36", "green": "32", "bold": "1", "dim": "2"}
_MINIMUM_WIDTH: Final = 40
# Longer lines of prose are hard to read.
READABLE_WIDTH: Final = 120
# The width of a pipe or a file: programs search lines, and must find each sentence and each address on one.
UNLIMITED: Final = sys.maxsize
_USUAL_WIDTH: Final = 80


class Terminal(NamedTuple):
    """How to write text to a stream: `width` in columns (UNLIMITED: nothing is wrapped), and whether to use colour."""

    width: int = 80
    colour: bool = False

    def paint(self, text: str, *styles: str) -> str:
        """Apply styles (`red`, `yellow`, `cyan`, `green`, `bold`, `dim`) to the text, if colour is on."""
        if not self.colour:
            return text
        return f"\x1b[{';'.join(_CODES[style] for style in styles)}m{text}\x1b[0m"

    def wrap(self, text: str, indent: str, hanging: str = "") -> str:
        """Wrap the text to the width; long addresses are never broken.

        Every line is indented by `indent`, and all but the first by `hanging`, too.
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
    """Return a stream's terminal; anything but a terminal has unlimited width.

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
