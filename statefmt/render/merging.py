"""Prints the conflicts of a merge, as a table and as a file for decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from statefmt.edit.merging.model import Conflict, ConflictKind, MergeSide
from statefmt.render.json_output import document
from statefmt.render.table import fitted_table
from statefmt.render.terminal import UNLIMITED, Terminal
from statefmt.text import printable

_HEADINGS: Final = ("ADDRESS", "PART", "CONFLICT")
_WORDS: Final = {
    ConflictKind.VALUE: "both sides changed it, to different values",
    ConflictKind.DELETED: "one side deleted it, the other side changed it",
    ConflictKind.OBJECTS: "the sides have different remote objects at this address",
    ConflictKind.MOVED: "the sides moved it to different addresses",
    ConflictKind.TAKEN: "the sides have different instances at this new address",
    ConflictKind.PROVIDER: "the sides bind it to different providers",
    ConflictKind.OUTPUT: "both sides changed it, to different values",
    ConflictKind.MEMBER: "both sides changed this unknown member",
}


def conflicts_text(conflicts: Sequence[Conflict], terminal: Terminal) -> str:
    """Render conflicts as a table; values are not shown."""
    rows = [tuple(map(printable, (one.address or "(state)", one.path, _WORDS[one.kind]))) for one in conflicts]
    columns = None if terminal.width == UNLIMITED else terminal.width
    return fitted_table(_HEADINGS, rows, terminal, columns=columns)


def conflict_question(conflict: Conflict, side: MergeSide) -> str:
    """Return the question whether to take a side."""
    return f"{conflict.address or 'the state'} {conflict.path}: {_WORDS[conflict.kind]}. Take {side.value}?"


def conflicts_json(conflicts: Sequence[Conflict], decided: Mapping[Conflict, MergeSide | None]) -> bytes:
    """Return all conflicts of a merge with their decisions, as a file for decisions."""
    return document(
        conflicts=[
            {"address": one.address, "path": one.path, "kind": one.kind.value, "take": decided.get(one)}
            for one in conflicts
        ]
    )
