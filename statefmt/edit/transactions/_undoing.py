"""Stages the undo of edits of several states: what each had before, destinations of objects first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from msgspec import structs

from statefmt.analysis.diff.passages import passages
from statefmt.context import RunContext
from statefmt.edit.requests.undo import Undo
from statefmt.edit.session import LoadedState
from statefmt.edit.surgical import EditOutcome, spliced, surgical
from statefmt.edit.transactions._arrivals import with_arrivals
from statefmt.edit.transactions._order import write_order
from statefmt.edit.transactions._pins import Pin
from statefmt.edit.transactions._staged import Staged, Staging, Write
from statefmt.pieces import joined


class UndoneState(NamedTuple):
    """A state that is undone: to which point, and what it must be until then."""

    undo: Undo
    pin: Pin


def undoing(context: RunContext, states: Mapping[str, UndoneState]) -> Staging[dict[str, EditOutcome]]:
    """Return the function that stages the undo of states, by their names.

    Objects arrive in one state before they leave another, so no object is in no state at any time.
    """

    def stage(loaded: Mapping[str, LoadedState]) -> Staged[dict[str, EditOutcome]]:
        outcomes: dict[str, EditOutcome] = {}
        contents: dict[str, bytes] = {}
        for name, state in loaded.items():
            proposal = surgical(partial(states[name].undo.edit, context))(state)
            outcomes[name] = proposal.outcome
            contents[name] = joined(state.data, proposal.pieces)
        went = passages(
            {name: one.changes for name, one in outcomes.items()},
            {name: one.edit.snapshot for name, one in outcomes.items()},
        )
        flows = {(one.other, name) for name, found in went.items() for one in found.received.values()}
        writes: list[Write] = []
        for write in write_order(list(loaded), flows):
            name = write.state
            if not write.only_arrives:
                writes.append(Write(name, contents[name]))
                continue
            after = structs.replace(outcomes[name].edit.snapshot, serial=outcomes[name].serial)
            arrived = with_arrivals(loaded[name].result.snapshot, after, went[name].received.keys())
            writes.append(Write(name, spliced(loaded[name], arrived)))
        return Staged(tuple(writes), outcomes)

    return stage
