"""What an operation gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Edit:
    """A snapshot after an operation, with its serial as it was unless the operation is about that.

    `moved` tells where instances went, `notes` what the operator should know in sentences. `restored` is the content
    of an earlier time with another serial, which is put back as it was, whatever is wrong with it.
    """

    snapshot: Snapshot
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    restored: bytes | None = None


def with_note(edit: Edit, note: str) -> Edit:
    """The edit with one more note."""
    return replace(edit, notes=(*edit.notes, note))
