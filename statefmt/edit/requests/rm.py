"""The request to forget instances, or resources that have none."""

from __future__ import annotations

from msgspec.structs import replace

from statefmt.analysis.selection.criteria import Criteria, criteria_of
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.rm import rm
from statefmt.edit.requests.choose import Note, Selection, choose
from statefmt.model.snapshot import Snapshot


def rm_request(
    snapshot: Snapshot, chosen: Selection, *, keep_dangling: bool = False, note: Note = lambda _: None
) -> Edit:
    """Forget the selected instances, and resources without instances that a selector names by their address.

    Dependencies on a resource are dropped if all of it is gone, unless `keep_dangling`. Raises SelectionError.
    """
    chosen = criteria_of(chosen)
    # A resource without instances meets no condition on instances.
    named = chosen.selectors if replace(chosen, selectors=()) == Criteria() else ()
    empty = [one.addr for one in snapshot.resources if not one.objects and str(one.addr) in named]
    others = tuple(selector for selector in chosen.selectors if selector not in set(map(str, empty)))
    found = choose(snapshot, replace(chosen, selectors=others), note) if others or not empty else []
    return rm(snapshot, [instance.addr for instance in found], empty, keep_dangling=keep_dangling)
