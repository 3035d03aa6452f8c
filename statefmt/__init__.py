"""statetool: reads, checks, migrates, compares and edits OpenTofu and Terraform state snapshots.

    result = statefmt.read(data)          # raises StateError if no snapshot can be made
    statefmt.write(result.snapshot)       # canonical bytes, as OpenTofu writes them
    statefmt.inspect(data).findings       # all findings, without raising
    statefmt.check(data)                  # the rules of `statetool check`
    statefmt.diff(old, new)               # the differences between two snapshots

Names are imported on first use, so that small commands start fast.
"""

from __future__ import annotations

from importlib import import_module

from statefmt.version import __version__

# Not imported from typing, which takes as long to load as everything else here. Type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from statefmt import addrs
    from statefmt.analysis.diff import SnapshotDiff, diff
    from statefmt.formats.reading.inspect import Inspection, ReadResult, inspect, read
    from statefmt.formats.writing.write import write
    from statefmt.lint.check import check
    from statefmt.model.errors import AddressError, StateError
    from statefmt.model.findings import Command, Finding, Fix, Severity
    from statefmt.model.snapshot import Snapshot

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
    "AddressError": "statefmt.model.errors",
    "Command": "statefmt.model.findings",
    "Finding": "statefmt.model.findings",
    "Fix": "statefmt.model.findings",
    "Inspection": "statefmt.formats.reading.inspect",
    "ReadResult": "statefmt.formats.reading.inspect",
    "Severity": "statefmt.model.findings",
    "Snapshot": "statefmt.model.snapshot",
    "SnapshotDiff": "statefmt.analysis.diff",
    "StateError": "statefmt.model.errors",
    "check": "statefmt.lint.check",
    "diff": "statefmt.analysis.diff",
    "inspect": "statefmt.formats.reading.inspect",
    "read": "statefmt.formats.reading.inspect",
    "write": "statefmt.formats.writing.write",
}


def __getattr__(name: str) -> Any:
    if name == "addrs":
        return import_module("statefmt.addrs")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'statefmt' has no attribute {name!r}")
