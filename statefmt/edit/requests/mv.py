"""The request to move instances, resources or modules to other addresses."""

from __future__ import annotations

import dataclasses
from typing import Final

from statefmt.analysis.selection import select_in
from statefmt.analysis.selection.criteria import Criteria, Selector, selector_text
from statefmt.edit.arguments.destinations import ROOT_NAMES, destinations, normalised
from statefmt.edit.arguments.key_map import normalised_note
from statefmt.edit.changes.edit import Edit, with_note
from statefmt.edit.operations.joins import joins, module_depth
from statefmt.edit.operations.mv import mv
from statefmt.model.errors import MessagePart, Wording
from statefmt.model.snapshot import Snapshot

_AS_BLOCKS: Final = Wording(
    "; nothing was written. --as-blocks prints the moved block, if the provider supports that, and the removed and "
    "import blocks otherwise",
    "",
)


def mv_request(
    snapshot: Snapshot,
    source: Selector,
    destination: Selector,
    *,
    rebind: bool = False,
    any_type: bool = False,
    way_out: MessagePart = _AS_BLOCKS,
) -> Edit:
    """Move what the selector `source` matches to `destination`, which may contain `$1`, `$2`…; see `destinations`.

    The edit lists the resources and modules that join existing ones. With `rebind`, instances take over the provider
    configuration of the resource that they join. With `any_type`, the result has objects under other resource types: no
    program reads such a state, but it shows which blocks of a configuration do it. `way_out` ends the message of a
    refusal because of the types. Raises SelectionError and SurgeryError.
    """
    source, destination = selector_text(source), _destination_text(destination)
    found = select_in(snapshot, Criteria(selectors=(source,)))
    moved = destinations([instance.addr for instance in found], source, destination)
    # What goes to the root module may join the modules that it has.
    depth = 1 if destination in ROOT_NAMES else module_depth(destination)
    edit = dataclasses.replace(
        mv(snapshot, moved, rebind=rebind, any_type=any_type, way_out=way_out),
        joins=joins(snapshot, moved, depth=depth),
    )
    return with_note(edit, normalised_note([destination])) if normalised(destination, moved) else edit


def _destination_text(destination: Selector) -> str:
    """Return an address as a string; a typed one as it is, since it has no wildcards. Raises TypeError."""
    selector_text(destination)
    return str(destination)
