"""The request to undo edits that the history of a state has."""

from __future__ import annotations

from typing import NamedTuple

from statefmt.context import RunContext
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.restore import restore
from statefmt.edit.session import StateFileError
from statefmt.model.errors import StateError, StoreError, SurgeryError
from statefmt.model.snapshot import Snapshot
from statefmt.model.wording import Wording
from statefmt.sealed import opened
from statefmt.store.protocol import HistoryEntry, Store
from statefmt.text.printable import printable


class Undo(NamedTuple):
    """What undoes the edit `entry` and all later ones: `content` is the stored content before it.

    `last` is the last edit and `earlier` the one before `entry`, if any. `name` is that of the state.
    """

    name: str
    entry: HistoryEntry
    last: HistoryEntry
    earlier: HistoryEntry | None
    content: bytes

    def edit(self, context: RunContext, snapshot: Snapshot, *, discards_changes: bool = False) -> Edit:
        """Restore the content, decrypted with the configuration of the run.

        Raises StateFileError, EncryptionError, and SurgeryError if this would discard a state of another lineage.
        """
        opening = opened(context, self.name, self.content)
        try:
            found = restore(snapshot, self.content if opening is None else opening.plain)
            lineages = (found.snapshot.lineage, snapshot.lineage)
            if discards_changes and all(lineages) and len(set(lineages)) > 1:
                earlier, current = (f"'{printable(lineage)}'" for lineage in lineages)
                raise SurgeryError(
                    f"the content before edit {self.entry.number} has the lineage {earlier}, and the state has "
                    f"{current}: another state is in its place by now. `statetool history --content "
                    f"{self.entry.number}` prints the content"
                )
            return found
        except StateError as error:
            number = self.entry.number
            where = f"{self.name} before edit {number}; `statetool history --content {number}` prints it"
            raise StateFileError(where, error) from error


def undo_request(store: Store, number: int | None) -> Undo:
    """Return what undoes an edit and all later ones; None is the last edit.

    Reads the content, so it must be called before the state is locked: if a backup was moved in place of the state,
    both are the same file, and closing it would drop the lock. Raises StoreError if the history does not have the edit.
    """
    name, entries = store.name, store.versions()
    if not entries:
        raise StoreError(f"{name}: nothing to undo: no edits by statetool are recorded")
    found = [entry for entry in entries if number in (None, entry.number)]
    if not found:
        raise StoreError(
            f"{name}: there is no edit {number}; the history has edits {entries[0].number} to {entries[-1].number}: "
            "see ",
            Wording("`statetool history`", "State.history()"),
        )
    entry = found[-1]
    place = entries.index(entry)
    earlier = entries[place - 1] if place else None
    return Undo(name, entry, entries[-1], earlier, store.content(entry.before))
