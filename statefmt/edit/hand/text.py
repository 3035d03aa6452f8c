"""Lays out JSON for an editor, and turns the edited text back into the layout of the file."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from statefmt.formats import Layout, style_of

_WIDTH = 2
# msgspec's name for the layout without white space.
_COMPACT = -1
_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"


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
        """Return what to store for the edited text. Text that is not JSON is returned as it is, without a BOM.

        White space at the end is that of the stored text, and so are the ends of lines if the editor changed them all:
        editors add and drop both.
        """
        if edited == self.shown:
            return self.stored
        if not self.shown.startswith(_BOM):
            edited = edited.removeprefix(_BOM)
        body = edited.rstrip(_SPACE)
        if not body:
            return b""
        if self.is_laid_out:
            try:
                body = msgspec.json.format(body, indent=_COMPACT)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                return edited
        elif b"\r" not in self.shown and body.count(b"\r\n") == body.count(b"\n"):
            # JSON strings have no line ends.
            body = body.replace(b"\r\n", b"\n")
        return body + _end(self.stored)


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


def is_same_json(one: bytes, other: bytes) -> bool:
    """Return whether two texts differ in white space only; False if one is not JSON."""
    try:
        return msgspec.json.format(one, indent=_COMPACT) == msgspec.json.format(other, indent=_COMPACT)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _end(data: bytes) -> bytes:
    """Return the white space at the end."""
    return data[len(data.rstrip(_SPACE)) :]
