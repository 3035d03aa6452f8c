"""Passes over whole values whose parts do not matter, fast, and by the same grammar as the scan."""

from __future__ import annotations

from json import JSONDecoder
from typing import Final, NoReturn

# Each failure costs time linear in the text before it.
_MOST_FAILURES: Final = 100


class Skipper:
    """Finds where objects and arrays in a text end. No byte is read for nothing more than once.

    `repeats` says whether an object in the last value has two members of one name.
    """

    def __init__(self, text: bytes) -> None:
        self.repeats = False
        self._bytes = text
        # One character for each byte, so that offsets are the same.
        self._text = text.decode("latin-1")
        self._failed_until = self._failures = 0
        self._decode = JSONDecoder(
            object_pairs_hook=self._object, parse_int=len, parse_float=len, parse_constant=_refuse
        ).raw_decode

    def end_of(self, start: int) -> int | None:
        """Return the end of the whole object or array at an offset; None if it breaks, or has to be read slowly."""
        if start < self._failed_until:
            return None
        self.repeats = False
        try:
            end = self._decode(self._text, start)[1]
        except (ValueError, RecursionError) as error:
            self._failures += 1
            is_last = isinstance(error, RecursionError) or self._failures >= _MOST_FAILURES
            self._failed_until = len(self._text) if is_last else max(start, getattr(error, "pos", start)) + 1
            return None
        value = self._bytes[start:end]
        # Two spellings of one name may differ only if one has an escape.
        return None if b"\\u" in value and not value.isascii() else end

    def _object(self, members: list[tuple[str, object]]) -> None:
        if len(dict(members)) != len(members):
            self.repeats = True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
