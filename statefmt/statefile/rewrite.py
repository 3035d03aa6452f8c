"""Writing a snapshot: in canonical form, or in the bytes that it was read from."""

from __future__ import annotations

from statefmt.statefile.write import canonical as canonical_text
from statefmt.states import Snapshot


def write(snapshot: Snapshot, *, canonical: bool = True) -> bytes:
    """The bytes of a snapshot, always of format version 4.

    Canonical: as OpenTofu writes them, indented by two spaces, without the members that OpenTofu would drop.
    Else what was not touched keeps its bytes, and the rest follows the style of the file.
    """
    if canonical:
        return canonical_text(snapshot)
    raise NotImplementedError
