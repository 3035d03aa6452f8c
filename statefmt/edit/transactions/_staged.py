"""The results of a change of several states, before the first of them is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from statefmt.edit.session import LoadedState
from statefmt.pieces import Pieces

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Write:
    """A write of a state, by its short name: the plain content, and its pieces if it is made from that before."""

    state: str
    content: bytes
    pieces: Pieces | None = None

    def __repr__(self) -> str:
        # The content may have secrets.
        return f"Write(state={self.state!r})"


@dataclass(frozen=True, slots=True)
class Staged(Generic[R]):
    """The writes in order, and the outcome for display. A state may be written twice; the last one is its result."""

    writes: tuple[Write, ...]
    outcome: R


# Makes the results from the states before; a pure function, which may run again to finish after a crash.
Staging: TypeAlias = Callable[[Mapping[str, LoadedState]], Staged[R]]
