"""Stages the undo of a change of several states: what each had before, in the reverse order of the writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.operations.restore import with_serial
from statefmt.edit.session import LoadedState
from statefmt.edit.surgical import EditOutcome, surgical
from statefmt.edit.transactions._pins import Pin
from statefmt.edit.transactions._staged import Staged, Staging, Write
from statefmt.model.snapshot import Snapshot
from statefmt.pieces import joined
from statefmt.sealed import opened

_CREATED: Final = (
    "the change created this state, and this undo empties it; delete it unless you want to redo the change"
)


class UndoneState(NamedTuple):
    """A state of a change that is undone: the operation that restores it, and what it must be until then.

    `between` are the contents that the change gave it before the last one, as they are stored: those of a state that it
    wrote twice. `last` names the last edit of the state, for messages.
    """

    restore: Callable[[RunContext, Snapshot], Edit]
    pin: Pin
    between: tuple[bytes, ...] = ()
    last: str = ""


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
            proposal = surgical(partial(one.restore, context))(state)
            outcomes[name] = outcome = proposal.outcome
            between = [with_serial(_plain(context, state.name, data), outcome.serial) for data in one.between]
            contents[name] = [joined(state.data, proposal.pieces), *between]
        # Each write takes the last content that is left.
        return Staged(tuple(Write(name, contents[name].pop()) for name in reversed(writes)), outcomes)

    return stage


def empty_again(_context: RunContext, snapshot: Snapshot) -> Edit:
    """Take everything out of a state that the change created; its history has the rest."""
    return with_note(Edit(structs.replace(snapshot, outputs=(), resources=(), check_results=())), _CREATED)


def _plain(context: RunContext, name: str, content: bytes) -> bytes:
    found = opened(context, name, content)
    return content if found is None else found.plain
