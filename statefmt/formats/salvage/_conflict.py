"""Splits a file with git's conflict markers into its sides."""

from __future__ import annotations

from typing import Final, NamedTuple

from statefmt.text.pattern import pattern

_MARKER: Final = pattern(rb"(?m)^(<{7}|\|{7}|={7}|>{7})(?: [^\n]*)?\r?(?:\n|\Z)")


class Sides(NamedTuple):
    """The file as each side of a merge had it."""

    ours: bytes
    theirs: bytes


def conflict_sides(text: bytes) -> Sides | None:
    """Return both sides of a text with conflict markers; None if there are none, or they are out of order."""
    if not text.startswith(b"<<<<<<<") and b"\n<<<<<<<" not in text:
        return None
    ours: list[bytes] = []
    theirs: list[bytes] = []
    part, position = b"", 0
    for marker in _MARKER.finditer(text):
        if marker[1][:1] not in _NEXT[part]:
            return None
        _take(part, text[position : marker.start()], ours, theirs)
        part = b"" if marker[1].startswith(b">") else marker[1][:1]
        position = marker.end()
    if part:
        return None
    _take(part, text[position:], ours, theirs)
    return Sides(b"".join(ours), b"".join(theirs))


_NEXT: Final = {b"": b"<", b"<": b"|=", b"|": b"=", b"=": b">"}


def _take(part: bytes, text: bytes, ours: list[bytes], theirs: list[bytes]) -> None:
    if part in (b"", b"<"):
        ours.append(text)
    if part in (b"", b"="):
        theirs.append(text)
