"""Reads a v4 state resource by resource, since its whole document would take as much memory as the file."""

from __future__ import annotations

from threading import local
from typing import Final

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.formats.raw_json.raw import equals
from statefmt.formats.reading._lift import LiftedState, lift_state
from statefmt.formats.reading._lift_resources import ResourceLifter, SeveralBlocks
from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.v4 import ResourceV4, StateV4

# Bytes that are encoded before their quotes are counted: few enough for the cache of the processor.
_COUNTED_AT_ONCE: Final = 1 << 17


class QuoteCount:
    """A proof in C that decoding dropped no member: each has quotes, and what was decoded has all quotes of the text.

    What was decoded is encoded again, without the nulls of the format: a document that has some is not proven.
    """

    def __init__(self) -> None:
        self._encode_into = msgspec.json.Encoder().encode_into
        self._buffer = bytearray()
        self._quotes = 0

    def add(self, resource: Struct) -> None:
        """Count the quotes of a resource that was decoded."""
        self._encode_into(resource, self._buffer, -1)
        if len(self._buffer) > _COUNTED_AT_ONCE:
            self._count()

    def proves(self, data: bytes, document: StateV4) -> bool:
        """Return whether a document, with the resources that were added, is certainly all of the text."""
        self.add(replace(document, resources=None if document.resources is None else []))
        self._count()
        # The escape of a quote becomes a quote, and could stand in for one that was dropped.
        return self._quotes == data.count(b'"') and not (b"\\" in data and b"\\u0022" in data)

    def _count(self) -> None:
        self._quotes += self._buffer.count(b'"')
        self._buffer.clear()


class _Reading(local):
    """The lifter and the proof of this thread. What msgspec has decoded can find them in no other way."""

    lifter: ResourceLifter
    quotes: QuoteCount


_READING = _Reading()


class _Resource(ResourceV4):
    """A block that is converted as soon as msgspec has decoded it, and then forgets what it has."""

    def __post_init__(self) -> None:
        _READING.quotes.add(self)
        _READING.lifter.add(self)
        self.module = self.mode = self.type = self.name = self.provider = self.instances = None


class _State(StateV4):
    resources: list[_Resource] | None = None  # type: ignore[assignment]


def read_one_by_one(data: bytes) -> LiftedState | None:
    """Return what lift_state() gives for the document of a v4 state; None if it needs the whole document at once.

    That is also the case unless it certainly repeats no member.
    """
    lifter, quotes = _READING.lifter, _READING.quotes = ResourceLifter(), QuoteCount()
    try:
        state = msgspec.json.decode(data, type=_State)
        is_whole = lifter.added == len(state.resources or ())
        if not is_whole or not quotes.proves(data, state):
            return None
        state.resources = None
        if isinstance(state.version, Raw) and equals(state.version, b"4"):
            return lift_state(state, lifter)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InvalidDocument, SeveralBlocks):
        pass
    finally:
        del _READING.lifter, _READING.quotes
    return None
