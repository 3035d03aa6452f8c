"""Writes a snapshot as v4 bytes."""

from __future__ import annotations

from typing import Any

from statefmt.formats.writing.canonical import canonical
from statefmt.formats.writing.splice import splice
from statefmt.model.snapshot import Snapshot

_canonical = canonical


def write(snapshot: Snapshot, *, canonical: bool = True) -> bytes:
    """Return the bytes of a snapshot, always in format version 4.

    If `canonical`, as OpenTofu writes them: indented by two spaces, without the members that OpenTofu would drop.
    Otherwise, everything that did not change since the snapshot was read keeps its bytes, and the rest follows the
    style of the file; a snapshot of an older format is written in canonical form with all its members.
    """
    if canonical:
        return _canonical(snapshot)
    if snapshot.source is None:
        return _canonical(snapshot, keep_unknown=True)
    return splice(snapshot.source, snapshot)


def as_dict(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot as the document of format version 4, decoded, with all its members and its secrets.

    Numbers are ints and floats. What other programs read exactly is in write().
    """
    import json

    document: dict[str, Any] = json.loads(write(snapshot, canonical=False))
    return document
