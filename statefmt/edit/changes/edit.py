"""The result of an operation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Edit:
    """The snapshot after an operation, with the old serial unless the operation sets it.

    `moved` maps old addresses to new ones; `notes` are sentences for the user. `joins` are sentences on resources and
    modules that joined existing ones, which must be confirmed. `restored` is an earlier content with a new serial, in
    format `restored_version`, which is written back even if it has errors. `undoes` is the number of the edit in the
    history before which the state was so.
    """

    snapshot: Snapshot
    moved: Mapping[AbsResourceInstance, AbsResourceInstance] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    restored: bytes | None = None
    restored_version: int = 0
    undoes: int | None = None


def with_note(edit: Edit, *notes: str) -> Edit:
    """Append notes to an edit."""
    return dataclasses.replace(edit, notes=(*edit.notes, *notes))
