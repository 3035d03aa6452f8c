"""statetool: reads, checks, migrates, compares and edits OpenTofu and Terraform state snapshots.

    result = statefmt.read(data)          # StateError where no snapshot can be made
    statefmt.write(result.snapshot)       # canonical bytes, as OpenTofu writes them
    statefmt.inspect(data).findings       # everything that can be said, without raising
    statefmt.check(data)                  # the rules of `statetool check`
    statefmt.diff(old, new)               # what differs between two snapshots

Names are loaded when they are first used, so that a light command starts fast.
"""

from __future__ import annotations

from importlib import import_module

from statefmt.version import __version__

# Not from typing, which takes as long to load as all else that this loads. Checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from statefmt import addrs
    from statefmt.comparison import SnapshotDiff, diff
    from statefmt.diagnostics import Command, Finding, Fix, Severity
    from statefmt.errors import AddressError, StateError
    from statefmt.rules.check import check
    from statefmt.statefile.inspect import Inspection, ReadResult, inspect, read
    from statefmt.statefile.write import write
    from statefmt.states import Snapshot

__all__ = [
    "AddressError",
    "Command",
    "Finding",
    "Fix",
    "Inspection",
    "ReadResult",
    "Severity",
    "Snapshot",
    "SnapshotDiff",
    "StateError",
    "__version__",
    "addrs",
    "check",
    "diff",
    "inspect",
    "read",
    "write",
]

_HOMES = {
    "AddressError": "statefmt.errors",
    "Command": "statefmt.diagnostics",
    "Finding": "statefmt.diagnostics",
    "Fix": "statefmt.diagnostics",
    "Inspection": "statefmt.statefile.inspect",
    "ReadResult": "statefmt.statefile.inspect",
    "Severity": "statefmt.diagnostics",
    "Snapshot": "statefmt.states",
    "SnapshotDiff": "statefmt.comparison",
    "StateError": "statefmt.errors",
    "check": "statefmt.rules.check",
    "diff": "statefmt.comparison",
    "inspect": "statefmt.statefile.inspect",
    "read": "statefmt.statefile.inspect",
    "write": "statefmt.statefile.write",
}


def __getattr__(name: str) -> Any:
    if name == "addrs":
        return import_module("statefmt.addrs")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'statefmt' has no attribute {name!r}")
