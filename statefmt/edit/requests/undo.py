"""The request to undo edits that the history of a state has."""

from __future__ import annotations

from typing import Final, NamedTuple

from statefmt.context import RunContext
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.changes.joint_entries import entries_in_effect, entries_of, joint_edits_in_effect
from statefmt.edit.damaged import damage
from statefmt.edit.operations.restore import restore, restore_damaged
from statefmt.edit.session import StateFileError
from statefmt.model.errors import EncryptedStateError, StateError, StoreError, SurgeryError
from statefmt.model.snapshot import Snapshot
from statefmt.model.wording import Wording
from statefmt.sealed import opened
from statefmt.store.protocol import HistoryEntry, JointEdit, Store
from statefmt.text.printable import printable

_DAMAGED: Final = "the restored content is damaged, so everything in the state counts as removed. The damage:"

_JOINT: Final = (
    "this edit was one of several states. What moved between them is in two of them or in none, unless the edits of "
    "the others are undone, too:"
)


class Undo(NamedTuple):
    """What undoes the edit `entry` and all later ones: `content` is the stored content before it.

    `last` is the last edit and `earlier` the one before `entry`, if any. `name` is that of the state. `joint` are the
    edits of several states that it undoes in this one only. If there is one of them, and `entry` is its first edit,
    all states can be undone `together`.
    """

    name: str
    entry: HistoryEntry
    last: HistoryEntry
    earlier: HistoryEntry | None
    content: bytes
    joint: tuple[JointEdit, ...] = ()

    @property
    def together(self) -> JointEdit | None:
        """The joint edit that can be undone in all its states; None if there is none."""
        return self.joint[0] if len(self.joint) == 1 and self.entry.joint == self.joint[0] else None

    def refuse_one_of_several(self) -> None:
        """Raise StoreError if this would undo a joint edit in one of its states only."""
        if self.together is not None:
            raise StoreError(
                f"{self.name}: edit {self.entry.number} ({printable(self.entry.command)}) changed "
                f"{len(self.together.written)} states; nothing was written. ",
                Wording("Use --only", "statefmt.operations_files.undo_together() undoes all of them, and only=True"),
                " to undo it in this state only",
            )
        if self.joint:
            raise StoreError(
                f"{self.name}: the edits from {self.entry.number} on include {_several(self.joint)} of several states, "
                "which cannot be undone together with other edits; nothing was written. ",
                Wording("Use --only", "Use only=True"),
                " to undo the edits in this state only",
            )

    def edit(self, context: RunContext, snapshot: Snapshot, *, discards_changes: bool = False) -> Edit:
        """Restore the content, decrypted with the configuration of the run; also one that cannot be read.

        Raises EncryptionError, StateFileError if no configuration decrypts it, and SurgeryError if this would discard a
        state of another lineage.
        """
        opening = opened(context, self.name, self.content)
        plain = self.content if opening is None else opening.plain
        number = self.entry.number
        try:
            found = restore(snapshot, plain)
        except StateError as error:
            if isinstance(error, EncryptedStateError):
                where = f"{self.name} before edit {number}; `statetool history --content {number}` prints it"
                raise StateFileError(where, error) from error
            found = with_note(restore_damaged(snapshot, plain), f"{_DAMAGED} {damage(error)}")
        for joint in self.joint:
            states = "\n".join(f"  {name}" for name in joint.written)
            found = with_note(found, f"{_JOINT}\n{states}")
        lineages = (found.snapshot.lineage, snapshot.lineage)
        if discards_changes and all(lineages) and len(set(lineages)) > 1:
            earlier, current = (f"'{printable(lineage)}'" for lineage in lineages)
            raise SurgeryError(
                f"the content before edit {number} has the lineage {earlier}, and the state has "
                f"{current}: another state is in its place by now. `statetool history --content "
                f"{number}` prints the content"
            )
        return found


def undo_request(store: Store, number: int | None) -> Undo:
    """Return what undoes an edit and all later ones; None is the last edit.

    Reads the content, so it must be called before the state is locked: if a backup was moved in place of the state,
    both are the same file, and closing it would drop the lock. Raises StoreError if the history does not have the edit.
    """
    name, entries = store.name, store.versions()
    in_effect = entries_in_effect(entries)
    if not in_effect:
        raise StoreError(f"{name}: nothing to undo: no edits by statetool are recorded")
    found = [entry for entry in entries if number in (None, entry.number)]
    if not found:
        raise StoreError(
            f"{name}: there is no edit {number}; the history has edits {entries[0].number} to {entries[-1].number}: "
            "see ",
            Wording("`statetool history`", "State.history()"),
        )
    entry = in_effect[-1] if number is None else found[-1]
    if entry.joint:
        # A joint edit may write a state several times; what is between the first and the last time is no result.
        entry = entries_of(entries, entry.joint.id)[0]
    place = entries.index(entry)
    earlier = entries[place - 1] if place else None
    joint = tuple(joint_edits_in_effect(entries[place:]).values())
    return Undo(name, entry, entries[-1], earlier, store.content(entry.before), joint)


def _several(joint: tuple[JointEdit, ...]) -> str:
    return "an edit" if len(joint) == 1 else f"{len(joint)} edits"
