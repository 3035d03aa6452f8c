"""Renders which flat attributes an upgrade decoded, for standard error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from statefmt.model.findings import Code
from statefmt.render.counted import counted
from statefmt.render.formats.upgrade import listed
from statefmt.render.terminal import Terminal

if TYPE_CHECKING:
    # Most runs have no schemas and skip this import.
    from statefmt.edit.operations.decode_flat_attributes import FlatDecoding, FlatObject

# The most lines to show.
_MOST: Final = 16


def flat_attributes_text(decoding: FlatDecoding, serials: tuple[int, int], terminal: Terminal) -> str:
    """Render whose attributes were decoded, and which stay in the flat form for which reason.

    `serials` are those before and after.
    """
    if not decoding.objects:
        return "  no attributes in the flat form of older formats"
    lines: list[str] = []
    if decoding.decoded:
        before, after = serials
        serial = f"; serial {before} → {after}" if before != after else ""
        lines.append(f"decoded by their schemas: attributes of {_objects(decoding.decoded)}{serial}.")
    by_dropped = _grouped([(listed(each.unused), each) for each in decoding.decoded if each.unused])
    lines += [f"dropped, since the schema does not have it: {keys}: {_objects(group)}." for keys, group in by_dropped]
    by_reason = _grouped([(each.reason, each) for each in decoding.kept])
    lines += [f"attributes left in the flat form: {reason}: {_objects(group)}." for reason, group in by_reason]
    shown = [terminal.wrap(line, "  ") for line in lines[:_MOST]]
    if len(lines) > len(shown):
        shown.append(f"  … and {len(lines) - len(shown):,} more reasons")
    if any(each.unused for each in decoding.kept):
        shown.append(terminal.wrap("Add --drop-unknown to drop attributes that the schema does not have.", "  "))
    if decoding.kept:
        command = f"`statetool check --select {Code.FLAT_ATTRIBUTES} STATE`"
        shown.append(terminal.wrap(f"{command} on the new state lists all that are left.", "  "))
    return "\n".join(shown)


def _objects(objects: Sequence[FlatObject]) -> str:
    names = (f"{each.addr} (deposed {each.deposed})" if each.deposed else str(each.addr) for each in objects)
    return f"{counted(len(objects), 'object')}: {listed(names)}"


def _grouped(pairs: Sequence[tuple[str, FlatObject]]) -> list[tuple[str, list[FlatObject]]]:
    groups: dict[str, list[FlatObject]] = {}
    for text, each in pairs:
        groups.setdefault(text, []).append(each)
    return list(groups.items())
