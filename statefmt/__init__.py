"""statetool: reads, checks, migrates, compares and edits OpenTofu and Terraform state snapshots.

    state = statefmt.open("terraform.tfstate")
    for instance in state.select("module.net.**"):
        print(instance.address, instance.provider, instance.id, instance.attributes["tags"]["Owner"])
    with state.edit("move the network") as edit:     # locks, writes once at the end, and keeps a backup
        edit.move("module.network", "module.net")
    state.undo()

For bytes and snapshots, without files:

    result = statefmt.read(data)          # raises StateError if no snapshot can be made
    statefmt.write(result.snapshot)       # canonical bytes, as OpenTofu writes them
    statefmt.inspect(data).findings       # all findings, without raising
    statefmt.check(data)                  # the rules of `statetool check`
    statefmt.diff(old, new)               # the differences between two snapshots
    statefmt.upgrade(data).data           # canonical format version 4; downgrade() for an older release

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
    from statefmt.context import RunContext
    from statefmt.edit.changes.edit import Edit
    from statefmt.encryption import EncryptionConfiguration
    from statefmt.formats.reading.inspect import Inspection, ReadResult, inspect, read
    from statefmt.formats.releases.loss import DowngradeError, Loss
    from statefmt.formats.releases.releases import Release
    from statefmt.formats.writing.write import write
    from statefmt.library.context import run_context
    from statefmt.library.edit_result import EditResult
    from statefmt.library.instance import Instance
    from statefmt.library.migrating import DowngradeOptions, UpgradeOptions, downgrade, upgrade
    from statefmt.library.migration import Migration, SourceChange
    from statefmt.library.opening import open  # noqa: A004 - the public name
    from statefmt.library.selecting import Filters
    from statefmt.library.state import State
    from statefmt.library.transaction import Transaction
    from statefmt.library.values import Attributes, Output, Sensitive
    from statefmt.lint.check import check
    from statefmt.model.errors import (
        AddressError,
        ConfigurationError,
        EncryptedStateError,
        EncryptionError,
        InvalidAddressError,
        LockedError,
        NoMatchError,
        NotAStateError,
        ProviderSourceError,
        ReleaseError,
        SelectionError,
        StateError,
        StatetoolError,
        StoreError,
        SurgeryError,
        UnreadableError,
        UnsupportedStateError,
    )
    from statefmt.model.findings import Command, Finding, Fix, Severity
    from statefmt.model.snapshot import Snapshot
    from statefmt.store.protocol import HistoryEntry

__all__ = [
    "AddressError",
    "Attributes",
    "Command",
    "ConfigurationError",
    "DowngradeError",
    "DowngradeOptions",
    "Edit",
    "EditResult",
    "EncryptedStateError",
    "EncryptionConfiguration",
    "EncryptionError",
    "Filters",
    "Finding",
    "Fix",
    "HistoryEntry",
    "Inspection",
    "Instance",
    "InvalidAddressError",
    "LockedError",
    "Loss",
    "Migration",
    "NoMatchError",
    "NotAStateError",
    "Output",
    "ProviderSourceError",
    "ReadResult",
    "Release",
    "ReleaseError",
    "RunContext",
    "SelectionError",
    "Sensitive",
    "Severity",
    "Snapshot",
    "SnapshotDiff",
    "SourceChange",
    "State",
    "StateError",
    "StatetoolError",
    "StoreError",
    "SurgeryError",
    "Transaction",
    "UnreadableError",
    "UnsupportedStateError",
    "UpgradeOptions",
    "__version__",
    "addrs",
    "check",
    "diff",
    "downgrade",
    "inspect",
    "open",
    "read",
    "run_context",
    "upgrade",
    "write",
]

_HOMES = {
    "AddressError": "statefmt.model.errors",
    "Attributes": "statefmt.library.values",
    "Command": "statefmt.model.findings",
    "ConfigurationError": "statefmt.model.errors",
    "DowngradeError": "statefmt.formats.releases.loss",
    "DowngradeOptions": "statefmt.library.migrating",
    "Edit": "statefmt.edit.changes.edit",
    "EditResult": "statefmt.library.edit_result",
    "EncryptedStateError": "statefmt.model.errors",
    "EncryptionConfiguration": "statefmt.encryption",
    "EncryptionError": "statefmt.model.errors",
    "Filters": "statefmt.library.selecting",
    "Finding": "statefmt.model.findings",
    "Fix": "statefmt.model.findings",
    "HistoryEntry": "statefmt.store.protocol",
    "Inspection": "statefmt.formats.reading.inspect",
    "Instance": "statefmt.library.instance",
    "InvalidAddressError": "statefmt.model.errors",
    "LockedError": "statefmt.model.errors",
    "Loss": "statefmt.formats.releases.loss",
    "Migration": "statefmt.library.migration",
    "NoMatchError": "statefmt.model.errors",
    "NotAStateError": "statefmt.model.errors",
    "Output": "statefmt.library.values",
    "ProviderSourceError": "statefmt.model.errors",
    "ReadResult": "statefmt.formats.reading.inspect",
    "Release": "statefmt.formats.releases.releases",
    "ReleaseError": "statefmt.model.errors",
    "RunContext": "statefmt.context",
    "SelectionError": "statefmt.model.errors",
    "Sensitive": "statefmt.library.values",
    "Severity": "statefmt.model.findings",
    "Snapshot": "statefmt.model.snapshot",
    "SnapshotDiff": "statefmt.analysis.diff",
    "SourceChange": "statefmt.library.migration",
    "State": "statefmt.library.state",
    "StateError": "statefmt.model.errors",
    "StatetoolError": "statefmt.model.errors",
    "StoreError": "statefmt.model.errors",
    "SurgeryError": "statefmt.model.errors",
    "Transaction": "statefmt.library.transaction",
    "UnreadableError": "statefmt.model.errors",
    "UnsupportedStateError": "statefmt.model.errors",
    "UpgradeOptions": "statefmt.library.migrating",
    "check": "statefmt.lint.check",
    "diff": "statefmt.analysis.diff",
    "downgrade": "statefmt.library.migrating",
    "inspect": "statefmt.formats.reading.inspect",
    "open": "statefmt.library.opening",
    "read": "statefmt.formats.reading.inspect",
    "run_context": "statefmt.library.context",
    "upgrade": "statefmt.library.migrating",
    "write": "statefmt.formats.writing.write",
}


def __getattr__(name: str) -> Any:
    if name == "addrs":
        return import_module("statefmt.addrs")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'statefmt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
