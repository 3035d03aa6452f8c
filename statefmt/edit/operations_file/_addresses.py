"""Tells the state of an address from the address in it: `state.app.module.vpc`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from statefmt.model.errors import SelectionError

_STATE: Final = "state."


class StateAddress(NamedTuple):
    """The name of a state, and an address or a pattern in it."""

    state: str
    selector: str


def state_address(text: str, states: Collection[str]) -> StateAddress:
    """Return the state and the address in a string. The only state of a file need not be named.

    Raises SelectionError if the string names no state of the file.
    """
    if text.startswith(_STATE):
        # A name has no dots.
        name, dot, selector = text.removeprefix(_STATE).partition(".")
        if name not in states:
            raise SelectionError(f"{text}: the file names no state {name!r}", address=text)
        if not (dot and selector):
            raise SelectionError(f"{text}: the address in the state is missing", address=text)
        return StateAddress(name, selector)
    if len(states) == 1:
        return StateAddress(next(iter(states)), text)
    raise SelectionError(f"{text}: the file names several states: write state.NAME.{text}", address=text)


def named_state(text: str) -> str:
    """Return the name of the state that a string starts with, "" if it starts with none."""
    return text.removeprefix(_STATE).partition(".")[0] if text.startswith(_STATE) else ""


def by_state(chosen: str | Iterable[str], states: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Group selectors by their states, in order. Raises SelectionError."""
    found: dict[str, tuple[str, ...]] = {}
    for text in (chosen,) if isinstance(chosen, str) else chosen:
        name, selector = state_address(text, states)
        found[name] = (*found.get(name, ()), selector)
    if not found:
        raise SelectionError("no instances selected: the list of addresses is empty")
    return found
