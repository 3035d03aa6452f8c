"""Finds joint edits, which edit several states at once, in the history of one of these states."""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.store.protocol import HistoryEntry, JointEdit


def entries_of(entries: Sequence[HistoryEntry], joint_id: str) -> tuple[HistoryEntry, ...]:
    """Return the edits that a joint edit made to the state, oldest first."""
    return tuple(entry for entry in entries if entry.joint and entry.joint.id == joint_id)


def content_chain(entries: Sequence[HistoryEntry]) -> list[str]:
    """Return the checksums of the contents that a joint edit gave the state, from the one before it to the last.

    `entries` are those of the joint edit. What was taken back is left out, so the list has one checksum if that is all.
    """
    chain: list[str] = []
    for checksum in (*(entry.before for entry in entries[:1]), *(entry.after for entry in entries)):
        if checksum in chain:
            del chain[chain.index(checksum) :]
        chain.append(checksum)
    return chain


def entries_in_effect(entries: Sequence[HistoryEntry]) -> Sequence[HistoryEntry]:
    """Return the edits without the last ones that were taken back: the state is as before them."""
    while entries and (joint := entries[-1].joint) and len(content_chain(entries_of(entries, joint.id))) == 1:
        entries = [entry for entry in entries if not entry.joint or entry.joint.id != joint.id]
    return entries


def joint_edits_in_effect(entries: Sequence[HistoryEntry]) -> dict[str, JointEdit]:
    """Return the joint edits among these that were neither taken back nor undone by a later one, by their IDs."""
    found: dict[str, JointEdit] = {}
    for joint in {entry.joint.id: entry.joint for entry in entries if entry.joint}.values():
        if len(content_chain(entries_of(entries, joint.id))) == 1:
            continue
        if joint.undoes in found:
            del found[joint.undoes]
        else:
            found[joint.id] = joint
    return found
