"""Reads what is whole in a file, whatever happened to the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from statefmt.formats.reading.inspect import without_repeated
from statefmt.formats.salvage._breaks import BreakKind
from statefmt.formats.salvage._collect import documents
from statefmt.formats.salvage._conflict import Sides, conflict_sides
from statefmt.formats.salvage._decoded import ENTITIES, decoded
from statefmt.formats.salvage._page import doubted_on_page
from statefmt.formats.salvage._scan import Scan, scan
from statefmt.formats.salvage.model import Salvage, SalvagedDocument
from statefmt.text.pattern import pattern


def salvage(data: bytes) -> Salvage:
    """Return the states of format version 4 that a file has, whole or in part. Never raises on bad data.

    Takes whole values only, with their bytes as they are. If the file may be torn, which is a new beginning and an old
    end, objects that may hold the seam have a doubt. A tear that leaves valid JSON without repeated objects cannot be
    seen. If two seams show, all objects have a doubt, since others may not show: two writers mixed their blocks.
    Repeated members of a state that can be read are merged first, as OpenTofu reads them. Of an encrypted state, only
    the serial and the lineage can be read: no part is decrypted without the rest.
    """
    text, undone, is_cut, advice = decoded(data)
    text = without_repeated(text)
    scanned = scan(text)
    found = documents(text, scanned)
    if ENTITIES not in undone:
        found = tuple(doubted_on_page(text, one) for one in found)
    return Salvage(
        documents=found,
        undone=undone,
        breaks=tuple(one.position for one in scanned.breaks),
        text=text,
        is_whole=not is_cut and _is_whole(text, found, scanned),
        lacks_end=is_cut or (bool(scanned.breaks) and scanned.breaks[-1].kind is BreakKind.END),
        advice=advice,
    )


def _is_whole(text: bytes, found: Sequence[SalvagedDocument], scanned: Scan) -> bool:
    """Decide whether a file is whole: nothing else says so.

    It is if it has one state, that is JSON from its first bracket to its last by two parsers, and if no other text in
    the file can be part of a state: an old state may be followed by the beginning of a new one.
    """
    if len(found) != 1 or not found[0].is_whole or scanned.breaks:
        return False
    state = found[0]
    try:
        msgspec.json.decode(state.raw, type=msgspec.Raw)
        state.raw.decode()
    except (ValueError, RecursionError):
        return False
    gaps, position = [], 0
    for node in scanned.nodes:
        if node.start < state.start:
            gaps.append(text[position : node.start])
            position = node.end
    gaps.append(text[position : state.start])
    behind = _PART_OF_STATE.search(text, state.start + len(state.raw))
    return behind is None and not any(_PART_OF_OBJECT.search(gap) for gap in gaps)


# What the beginning of a state has, and its end.
_PART_OF_OBJECT: Final = pattern(rb"[{}]")
_PART_OF_STATE: Final = pattern(rb'[{}\[\]":,]')


def sides(data: bytes) -> Sides | None:
    """Return both sides of a file with git's conflict markers, to be salvaged one by one; None if it has none."""
    return conflict_sides(decoded(data).text)
