"""Stages the undo of a change of several states: what each had before, in the reverse order of the writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from statefmt.context import RunContext
from statefmt.edit.operations.restore import with_serial
from statefmt.edit.requests.undo import Undo
from statefmt.edit.session import LoadedState
from statefmt.edit.surgical import EditOutcome, surgical
from statefmt.edit.transactions._staged import Staged, Staging, Write
from statefmt.pieces import joined
from statefmt.sealed import opened


class UndoneState(NamedTuple):
    """A state of a change that is undone.

    `between` are the contents that the change gave it before the last one, as they are stored: those of a state that it
    wrote twice.
    """

    undo: Undo
    between: tuple[bytes, ...] = ()


def undoing(
    context: RunContext, states: Mapping[str, UndoneState], writes: Sequence[str]
) -> Staging[dict[str, EditOutcome]]:
    """Return the function that stages the undo of a change with these `writes`, by the names of its states.

    The reverse order passes through what the change passed through, so no object is in no state at any time.
    """

    def stage(loaded: Mapping[str, LoadedState]) -> Staged[dict[str, EditOutcome]]:
        outcomes: dict[str, EditOutcome] = {}
        contents: dict[str, list[bytes]] = {}
        for name, one in states.items():
            state = loaded[name]
            proposal = surgical(partial(one.undo.edit, context))(state)
            outcomes[name] = proposal.outcome
            between = [
                with_serial(_plain(context, one.undo.name, data), proposal.outcome.serial) for data in one.between
            ]
            contents[name] = [joined(state.data, proposal.pieces), *between]
        # Each write takes the last content that is left.
        return Staged(tuple(Write(name, contents[name].pop()) for name in reversed(writes)), outcomes)

    return stage


def _plain(context: RunContext, name: str, content: bytes) -> bytes:
    found = opened(context, name, content)
    return content if found is None else found.plain
