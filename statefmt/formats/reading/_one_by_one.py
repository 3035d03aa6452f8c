"""Reads a v4 state resource by resource, since its whole document would take as much memory as the file."""

from __future__ import annotations

from threading import local

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json.raw import equals
from statefmt.formats.reading._lift import LiftedState, lift_state
from statefmt.formats.reading._lift_resources import ResourceLifter, SeveralBlocks
from statefmt.formats.reading._repeated import QuoteCount
from statefmt.formats.versions.invalid import InvalidDocument
from statefmt.formats.versions.v4 import ResourceV4, StateV4


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
