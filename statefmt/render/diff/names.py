"""The addresses of what differs, one after the other."""

from __future__ import annotations

from statefmt.analysis.diff import SnapshotDiff
from statefmt.render.printable import printable


def diff_names(changes: SnapshotDiff) -> bytes:
    """One address a line: instances in list order where they are now, or were if they are gone, then `output.NAME`.

    Dependencies that only followed, check results and the members of the document have no place in it.
    """
    names = dict.fromkeys([str(change.addr) for change in changes.instances])
    names |= dict.fromkeys(f"output.{change.name}" for change in changes.outputs)
    return "".join([f"{printable(name)}\n" for name in names]).encode()
