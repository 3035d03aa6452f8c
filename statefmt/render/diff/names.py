"""Prints the addresses of what differs, one per line."""

from __future__ import annotations

from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.render.printable import printable


def diff_names(changes: SnapshotDiff) -> bytes:
    """Return one address per line: instances in list order (new address, or old if removed), then `output.NAME`.

    Omits dependencies that only follow other changes, check results and top-level members.
    """
    names = dict.fromkeys([str(change.addr) for change in changes.instances])
    names |= dict.fromkeys(f"output.{change.name}" for change in changes.outputs)
    return "".join([f"{printable(name)}\n" for name in names]).encode()
