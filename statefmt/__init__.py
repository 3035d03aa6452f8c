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

Public are the names in `__all__`, here and in the modules by subject:

    statefmt.addrs                  addresses, their parsers and orders
    statefmt.snapshots              the parts of a snapshot
    statefmt.locations              where states are
    statefmt.backends               their locks, and copies between places
    statefmt.selection              instances by address, pattern and filter
    statefmt.operations             surgery as pure functions
    statefmt.operations_files       many operations on many states, all or none
    statefmt.partitions             ways to divide a state into several
    statefmt.differences            what differs between snapshots
    statefmt.graph                  dependencies
    statefmt.search                 text in attributes and outputs
    statefmt.statistics             numbers and sizes
    statefmt.plans                  plans in JSON, and whether an apply did them
    statefmt.moves                  moves that plans show
    statefmt.provider_schemas       the types of attributes, and which are secret
    statefmt.providers              what each provider instance is used for
    statefmt.releases               what a release reads, writes and loses
    statefmt.repairs                what keeps a state from being read, and how to mend it
    statefmt.rules                  the rules of `statetool check`
    statefmt.salvage                what is whole in a damaged state
    statefmt.testing                states for tests: make, generate and compare them
    statefmt.configuration          configurations as values, loaded and evaluated
    statefmt.encryption             encrypted states as values

Of the last two, the names that the package itself has are public. All other modules may change with any release. Names
are imported on first use, so that small commands start fast.
"""

from __future__ import annotations

from importlib import import_module

from statefmt._arguments import checked, is_checkable
from statefmt.version import __version__

# Not imported from typing, which takes as long to load as everything else here. Type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt import (
        addrs,
        backends,
        differences,
        graph,
        locations,
        moves,
        operations,
        operations_files,
        partitions,
        plans,
        provider_schemas,
        providers,
        releases,
        repairs,
        rules,
        salvage,
        search,
        selection,
        snapshots,
        statistics,
    )
    from statefmt.analysis.diff import diff
    from statefmt.analysis.diff.model import SnapshotDiff
    from statefmt.context import ProgressReport, RunContext
    from statefmt.edit.changes.edit import Edit
    from statefmt.encryption import EncryptionConfiguration
    from statefmt.formats.losses import DowngradeError
    from statefmt.formats.reading import Inspection, ReadResult, inspect, read
    from statefmt.formats.writing.write import write
    from statefmt.library.migrating import DowngradeOptions, Migration, SourceChange, UpgradeOptions, downgrade, upgrade
    from statefmt.library.opening import (
        open,  # noqa: A004 - the public name
        run_context,
    )
    from statefmt.library.selecting import Filters, Instance
    from statefmt.library.state import State
    from statefmt.library.text_edit import TextEdit
    from statefmt.library.transaction import EditResult, Transaction
    from statefmt.library.values import Attributes, Output, ResourceIdentity, Sensitive
    from statefmt.lint.check import check
    from statefmt.model.errors import (
        AddressError,
        ChangedError,
        ConfigurationError,
        EncryptedStateError,
        EncryptionError,
        InvalidAddressError,
        LockedError,
        MissingPathError,
        NoMatchError,
        NotAStateError,
        ProviderSourceError,
        ReleaseError,
        RemoteStateError,
        SelectionError,
        SettingsError,
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
    "ChangedError",
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
    "Migration",
    "MissingPathError",
    "NoMatchError",
    "NotAStateError",
    "Output",
    "ProgressReport",
    "ProviderSourceError",
    "ReadResult",
    "ReleaseError",
    "RemoteStateError",
    "ResourceIdentity",
    "RunContext",
    "SelectionError",
    "Sensitive",
    "SettingsError",
    "Severity",
    "Snapshot",
    "SnapshotDiff",
    "SourceChange",
    "State",
    "StateError",
    "StatetoolError",
    "StoreError",
    "SurgeryError",
    "TextEdit",
    "Transaction",
    "UnreadableError",
    "UnsupportedStateError",
    "UpgradeOptions",
    "__version__",
    "addrs",
    "backends",
    "check",
    "diff",
    "differences",
    "downgrade",
    "graph",
    "inspect",
    "locations",
    "moves",
    "open",
    "operations",
    "operations_files",
    "partitions",
    "plans",
    "provider_schemas",
    "providers",
    "read",
    "releases",
    "repairs",
    "rules",
    "run_context",
    "salvage",
    "search",
    "selection",
    "snapshots",
    "statistics",
    "upgrade",
    "write",
]

_HOMES = {
    "AddressError": "statefmt.model.errors",
    "Attributes": "statefmt.library.values",
    "ChangedError": "statefmt.model.errors",
    "Command": "statefmt.model.findings",
    "ConfigurationError": "statefmt.model.errors",
    "DowngradeError": "statefmt.formats.losses",
    "DowngradeOptions": "statefmt.library.migrating",
    "Edit": "statefmt.edit.changes.edit",
    "EditResult": "statefmt.library.transaction",
    "EncryptedStateError": "statefmt.model.errors",
    "EncryptionConfiguration": "statefmt.encryption",
    "EncryptionError": "statefmt.model.errors",
    "Filters": "statefmt.library.selecting",
    "Finding": "statefmt.model.findings",
    "Fix": "statefmt.model.findings",
    "HistoryEntry": "statefmt.store.protocol",
    "Inspection": "statefmt.formats.reading",
    "Instance": "statefmt.library.selecting",
    "InvalidAddressError": "statefmt.model.errors",
    "LockedError": "statefmt.model.errors",
    "Migration": "statefmt.library.migrating",
    "MissingPathError": "statefmt.model.errors",
    "NoMatchError": "statefmt.model.errors",
    "NotAStateError": "statefmt.model.errors",
    "Output": "statefmt.library.values",
    "ProgressReport": "statefmt.context",
    "ProviderSourceError": "statefmt.model.errors",
    "ReadResult": "statefmt.formats.reading",
    "ReleaseError": "statefmt.model.errors",
    "RemoteStateError": "statefmt.model.errors",
    "ResourceIdentity": "statefmt.library.values",
    "RunContext": "statefmt.context",
    "SelectionError": "statefmt.model.errors",
    "Sensitive": "statefmt.library.values",
    "SettingsError": "statefmt.model.errors",
    "Severity": "statefmt.model.findings",
    "Snapshot": "statefmt.model.snapshot",
    "SnapshotDiff": "statefmt.analysis.diff",
    "SourceChange": "statefmt.library.migrating",
    "State": "statefmt.library.state",
    "StateError": "statefmt.model.errors",
    "StatetoolError": "statefmt.model.errors",
    "StoreError": "statefmt.model.errors",
    "SurgeryError": "statefmt.model.errors",
    "TextEdit": "statefmt.library.text_edit",
    "Transaction": "statefmt.library.transaction",
    "UnreadableError": "statefmt.model.errors",
    "UnsupportedStateError": "statefmt.model.errors",
    "UpgradeOptions": "statefmt.library.migrating",
    "check": "statefmt.lint.check",
    "diff": "statefmt.analysis.diff",
    "downgrade": "statefmt.library.migrating",
    "inspect": "statefmt.formats.reading",
    "open": "statefmt.library.opening",
    "read": "statefmt.formats.reading",
    "run_context": "statefmt.library.opening",
    "upgrade": "statefmt.library.migrating",
    "write": "statefmt.formats.writing.write",
}

_MODULES = frozenset({
    "addrs", "backends", "differences", "graph", "locations", "moves", "operations", "operations_files",
    "partitions", "plans", "provider_schemas", "providers", "releases", "repairs", "rules", "salvage", "search",
    "selection", "snapshots", "statistics",
})  # fmt: skip


# New names by their old ones, which work for at least two minor releases more, with a warning.
_RENAMED: dict[str, str] = {}

if not TYPE_CHECKING:
    # Type checkers must not accept just any name.
    def __getattr__(name: str) -> object:
        if name in _RENAMED:
            from statefmt.renamed import current_name

            name = current_name("statefmt", name, _RENAMED)
        if name in _MODULES:
            return import_module(f"statefmt.{name}")
        if name in _HOMES:
            found = getattr(import_module(_HOMES[name]), name)
            return checked(found) if is_checkable(found) else found
        raise AttributeError(f"module 'statefmt' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
