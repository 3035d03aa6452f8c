"""Reads what is whole in a file, whatever happened to the rest."""

from __future__ import annotations

from statefmt.formats.reading.inspect import without_repeated
from statefmt.formats.salvage._collect import documents
from statefmt.formats.salvage._conflict import Sides, conflict_sides
from statefmt.formats.salvage._decoded import ENTITIES, decoded
from statefmt.formats.salvage._page import doubted_on_page
from statefmt.formats.salvage._scan import scan
from statefmt.formats.salvage.model import Salvage


def salvage(data: bytes) -> Salvage:
    """Return the states of format version 4 that a file has, whole or in part. Never raises on bad data.

    Takes whole values only, with their bytes as they are. If the file may be torn, which is a new beginning and an old
    end, objects that may hold the seam have a doubt. A tear that leaves valid JSON without repeated objects cannot be
    seen. If two seams show, all objects have a doubt, since others may not show: two writers mixed their blocks.
    Repeated members of a state that can be read are merged first, as OpenTofu reads them. Of an encrypted state, only
    the serial and the lineage can be read: no part is decrypted without the rest.
    """
    text, undone = decoded(data)
    text = without_repeated(text)
    scanned = scan(text)
    found = documents(text, scanned)
    return Salvage(
        documents=found if ENTITIES in undone else tuple(doubted_on_page(text, one) for one in found),
        undone=undone,
        breaks=tuple(one.position for one in scanned.breaks),
        text=text,
    )


def sides(data: bytes) -> Sides | None:
    """Return both sides of a file with git's conflict markers, to be salvaged one by one; None if it has none."""
    return conflict_sides(decoded(data).text)
