"""Offers choices for instances and deposed objects that a state has more than once (ADR002)."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.document import LooseDocument
from statefmt.edit.repairs.offers.parts import fixed, json_value, string
from statefmt.formats.writing.changes import Path
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Finding


def duplicate(document: LooseDocument, path: Path, finding: Finding) -> Iterator[Choice]:
    """Keep one of the objects and forget the others, or give the later one another key."""
    objects = _same(document, path)

    def only(kept: Path) -> dict[Path, bytes | None]:
        return {one: None for one in objects if one != kept}

    def with_id(given: str) -> dict[Path, bytes | None]:
        found = [one for one in objects if document.object_id(one) == given]
        if len(found) != 1:
            raise SurgeryError(f"{len(found)} of the {len(objects)} objects have the id {given!r}")
        return only(found[0])

    for name, kept in (("keep=first", objects[0]), ("keep=last", objects[-1])):
        named = document.shown_id(kept)
        yield fixed(
            name,
            f"keep {f'the object with the id {named}' if named else 'it'} and forget "
            f"{'the other' if len(objects) == 2 else 'the others'}; the real objects continue to exist",
            only(kept),
        )
    yield Choice("keep=id", "keep the object with this id and forget the others", with_id, "ID")
    if document.string((*path, "deposed")):
        yield string((*path, "deposed"), "rename", "KEY", "give the later object this deposed key")
    else:
        key = json_value((*path, "index_key"))
        yield Choice("rename", 'give the later object this key: a number or a string ("a")', key.changes, "JSON")


def _same(document: LooseDocument, path: Path) -> list[Path]:
    """Return the objects with the address and deposed key of one, in file order."""
    wanted = document.key(path), document.string((*path, "deposed"))
    return [
        one
        for block in document.blocks(document.resource_address(path[:2]))
        for one in document.parts((*block, "instances"))
        if (document.key(one), document.string((*one, "deposed"))) == wanted
    ]
