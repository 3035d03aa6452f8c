"""What differs in the members of the document that stand alone."""

from __future__ import annotations

from statefmt.analysis.diff._model import EnvelopeChange
from statefmt.analysis.diff._texts import envelope_texts
from statefmt.model.snapshot import Snapshot


def envelope_changes(old: Snapshot, new: Snapshot, versions: tuple[int, int]) -> tuple[EnvelopeChange, ...]:
    """The format version, the release, the serial, the lineage, and members that statetool does not know.

    `versions` are the format versions of the two files, which snapshots do not tell.
    """
    before, after = (
        {**envelope_texts(snapshot), "version": b"%d" % version}
        for snapshot, version in zip((old, new), versions, strict=True)
    )
    return tuple(
        EnvelopeChange(name, before.get(name), after.get(name))
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    )
