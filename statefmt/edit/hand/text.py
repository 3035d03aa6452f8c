"""Lays out JSON for an editor, and turns the edited text back into the layout of the file."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from statefmt.formats.style import Layout, style_of

_WIDTH = 2
# msgspec's name for the layout without white space.
_COMPACT = -1


class EditableText(Struct, frozen=True):
    """JSON as it is stored, and as an editor shows it.

    Numbers, escapes, the order of members and repeated members are the same in both; only white space differs.
    `is_laid_out` if `shown` is another layout of `stored`, to which `restored()` goes back.
    """

    stored: bytes
    shown: bytes
    is_laid_out: bool = False

    def __repr__(self) -> str:
        # Keep secrets out of logs and tracebacks.
        return "EditableText()"

    def restored(self, edited: bytes) -> bytes:
        """Return what to store for the edited text. Text that is not JSON is returned as it is.

        A newline that the editor appended to a file without one is dropped.
        """
        if edited == self.shown:
            return self.stored
        if self.is_laid_out:
            try:
                compact = msgspec.json.format(edited, indent=_COMPACT)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                return edited
            return compact + _end(self.stored)
        if edited.endswith(b"\n") and not self.stored.endswith(b"\n"):
            return edited.removesuffix(b"\n").removesuffix(b"\r")
        return edited


def text_of_state(data: bytes) -> EditableText:
    """Return the text of a state: a state on one line is indented, any other text is shown as it is.

    A state with an unusual layout on one line is shown as it is as well: it could not be restored byte for byte.
    """
    if style_of(data).layout is Layout.COMPACT:
        try:
            shown = msgspec.json.format(data, indent=_WIDTH)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return EditableText(data, data)
        if msgspec.json.format(shown, indent=_COMPACT) + _end(data) == data:
            return EditableText(data, shown + b"\n", is_laid_out=True)
    return EditableText(data, data)


def text_of_value(raw: bytes) -> EditableText:
    """Return the text of a JSON value inside of a state, indented from the first column."""
    return EditableText(raw, msgspec.json.format(raw, indent=_WIDTH) + b"\n", is_laid_out=True)


def _end(data: bytes) -> bytes:
    """Return the white space at the end."""
    return data[len(data.rstrip(b" \t\r\n")) :]
