"""Reports what was salvaged from a damaged state: what was found where, what was lost, and how to import it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from statefmt.formats.salvage.fill import Filled
from statefmt.formats.salvage.model import FoundObject, LostObject, Salvage, SalvagedDocument
from statefmt.model.addrs.quoting import hcl_quote
from statefmt.render.counted import counted
from statefmt.render.printable import printable


def salvage_text(found: Salvage, document: SalvagedDocument, filled: Filled) -> str:
    """Return the report, in lines."""
    return "\n".join(_lines(found, document, filled))


def _lines(found: Salvage, document: SalvagedDocument, filled: Filled) -> Iterator[str]:
    if document.is_whole:
        yield "the state is whole"
    for position in found.breaks:
        yield f"not JSON at byte {position:,} of {found.size:,}"
    for undone in found.undone:
        yield f"converted: {undone}"
    sources = Counter(one.source for one in filled.taken)
    for source, number in sources.items():
        yield f"{counted(number, 'object')} from {printable(source) if source else 'the file'}"
        if source:
            yield from (f"  {printable(str(one.key))}" for one in filled.taken if one.source == source)
    if filled.uncertain:
        yield f"{counted(len(filled.uncertain), 'object')} uncertain and left out:"
        yield from (f"  {_uncertain(one)}" for one in filled.uncertain)
    if filled.missing:
        yield f"{counted(len(filled.missing), 'object')} lost:"
        yield from (f"  {printable(str(one.key))}: torn at byte {one.end:,}" for one in filled.missing)
    for name in document.lost_outputs:
        yield f"output {printable(name)} lost"
    yield from _imports(filled)


def _uncertain(one: FoundObject) -> str:
    where = f"from {printable(one.source)}" if one.source else f"at byte {one.offset:,}"
    name = printable(str(one.key)) if one.key is not None else "an object without an address"
    return f"{name} ({where}): {one.doubt.value if one.doubt else ''}"


def _imports(filled: Filled) -> Iterator[str]:
    """Yield an import block for each current object of a managed resource that is left out and has an id."""
    told = {one.key for one in filled.taken}
    left: list[FoundObject | LostObject] = [*filled.missing, *filled.uncertain]
    for one in left:
        if one.key is None or one.key in told or one.key.deposed or one.head is None or one.head.mode != "managed":
            continue
        # Whether the id is sensitive is known only of whole objects; an object with sensitive paths keeps it.
        if not one.import_id or (isinstance(one, FoundObject) and b'"value": "id"' in one.raw):
            continue
        told.add(one.key)
        yield f"\nimport {{\n  to = {printable(str(one.key))}\n  id = {hcl_quote(one.import_id)}\n}}"
