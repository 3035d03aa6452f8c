"""Renders real objects that several states manage, and copies of states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from statefmt.render.counted import counted
from statefmt.render.json_output import document
from statefmt.render.printable import printable
from statefmt.render.terminal import Terminal

if TYPE_CHECKING:
    # The command that makes them has imported them.
    from statefmt.fleet import DuplicateObject, LineageCopies, ManagedPlace

MATCHES: Final = {"identity": "same identity", "arn": "same ARN", "id": "same type and id"}


def duplicates_text(
    found: Sequence[DuplicateObject], copies: Sequence[LineageCopies] | None, terminal: Terminal
) -> Iterator[str]:
    """Yield the lines of duplicates and, unless None, of copies."""
    for one in found:
        where = [printable(part) for part in (one.region, one.account) if part and part not in one.object]
        about = ", ".join([MATCHES[one.matched_by], *where])
        yield f"{terminal.paint(printable(one.object), 'bold')} ({about})"
        for place in one.places:
            yield f"  {printable(place.uri)}: {_address(place)}"
    if copies is not None:
        for lineage in copies:
            yield terminal.paint(f"lineage {printable(lineage.lineage)}" if lineage.lineage else "no lineage", "bold")
            for state in lineage.states:
                newest = ", newest" if state.newest else ""
                yield f"  {printable(state.uri)}: serial {state.serial}, {counted(state.n_objects, 'object')}{newest}"


def duplicates_json(found: Sequence[DuplicateObject], copies: Sequence[LineageCopies] | None) -> bytes:
    """Render duplicates and, unless None, copies as JSON (schema: `fleet-duplicates-output.schema.json`)."""
    members = {"duplicates": found} if copies is None else {"duplicates": found, "copies": copies}
    return document(msgspec.to_builtins(members))


def _address(place: ManagedPlace) -> str:
    address = printable(place.address)
    return f"{address} (deposed object {printable(place.deposed)})" if place.deposed else address
