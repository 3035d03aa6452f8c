"""An operations file with its states, ready to be planned, applied or ended."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from statefmt.context import RunContext
from statefmt.edit.ending import Ending
from statefmt.edit.operations_file import OperationsFile, created_states
from statefmt.edit.session import LoadedState
from statefmt.edit.transactions._apply import applied, unfinished
from statefmt.edit.transactions._contents import before_change
from statefmt.edit.transactions._intent import Intent
from statefmt.edit.transactions._journal import has_journal
from statefmt.edit.transactions._operations import NO_REFERENCES, References, staging, state_names
from statefmt.edit.transactions._outcome import Agreed, FileOutcome
from statefmt.edit.transactions._participants import Participant, participants
from statefmt.edit.transactions._pins import Pin
from statefmt.edit.transactions._staged import Staged
from statefmt.edit.transactions._unfinished import ended
from statefmt.model.errors import SettingsError
from statefmt.store.protocol import Stored


class ReadStates(NamedTuple):
    """The states of a file when they were read without a lock, and their results."""

    stored: Mapping[str, Stored]
    states: Mapping[str, LoadedState]
    staged: Staged[FileOutcome]


class OpenedOperations(NamedTuple):
    """An operations file, its states, and what they must be. `intent` is the change that it makes."""

    file: OperationsFile
    states: Mapping[str, Participant]
    intent: Intent
    pins: Mapping[str, Pin] = {}

    @property
    def names(self) -> dict[str, str]:
        """The names of the states by their short names, in the order of the file."""
        return {name: self.states[name].store.name for name in self.file.states}

    def planned(self, context: RunContext, references: References = NO_REFERENCES) -> ReadStates:
        """Run the operations on the states, without a lock, and write nothing.

        Raises StatetoolError, also if the change has begun and not ended: the states are half done then.
        """
        if has_journal(context.connection().state_home, self.intent.path):
            raise unfinished(self.intent)
        context.phase("reading")
        stored = {name: one.read() for name, one in self.states.items()}
        contents = {name: one.data for name, one in stored.items()}
        states = before_change(context, self.states, self.intent.checksum, contents)
        for name, pin in self.pins.items():
            pin.refuse_other(states[name], stored[name])
        context.phase("editing")
        return ReadStates(stored, states, staging(self.file, context.note, references)(states))

    def applied(self, context: RunContext, agreed: Agreed, references: References = NO_REFERENCES) -> FileOutcome:
        """Run the operations, and write all results or none. Raises StatetoolError."""
        return applied(
            context,
            self.states,
            self.intent,
            staging(self.file, context.note, references),
            pins=self.pins,
            agreed=lambda outcome: agreed(self.names, outcome),
        ).outcome

    def ended(self, context: RunContext, ending: Ending) -> tuple[str, ...]:
        """End a change that was interrupted; return the names of the states that it writes. Raises StatetoolError."""
        written = ended(context, self.states, self.intent, staging(self.file), ending)
        return tuple(self.states[name].store.name for name in written)


def states_of(
    context: RunContext, name: str, file: OperationsFile, folder: Path, *, begun: bool = False
) -> dict[str, Participant]:
    """Return the states of a file whose paths are relative to `folder`; see `state_names`. Raises StatetoolError."""
    if not file.states:
        raise SettingsError(f"{name}: the file names no state")
    names = state_names(context, file, folder, begun=begun)
    return participants(context, names, created_states(file), in_file=not file.in_memory)
