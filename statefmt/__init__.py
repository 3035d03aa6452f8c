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
    statefmt.adoption               where objects belong in a new configuration
    statefmt.merging                three-way merges
    statefmt.snapshots              the parts of a snapshot
    statefmt.locations              where states are
    statefmt.backends               their locks, and copies between places
    statefmt.selection              instances by address, pattern and filter
    statefmt.operations             surgery as pure functions
    statefmt.operations_files       many operations on many states, all or none
    statefmt.partitions             ways to divide a state into several
    statefmt.differences            differences between snapshots
    statefmt.graph                  dependencies
    statefmt.search                 text in attributes and outputs
    statefmt.statistics             numbers and sizes
    statefmt.plans                  plans in JSON, and whether an apply did them
    statefmt.moves                  moves in plans
    statefmt.provider_schemas       the types of attributes, and which are secret
    statefmt.providers              the use of each provider instance
    statefmt.releases               what a release reads, writes and loses
    statefmt.repairs                defects of states that cannot be read, and their repair
    statefmt.rules                  the rules of `statetool check`
    statefmt.salvage                the whole parts of a damaged state
    statefmt.testing                states for tests: make, generate and compare them
    statefmt.configuration          configurations as values, loaded and evaluated
    statefmt.encryption             encrypted states as values

Of the last two, only the names of the package itself are public. All other modules may change with any release. Names
are imported on first use, so that small commands start fast.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports
from statefmt.version import __version__ as __version__

# New names by their old names, which work for at least two more minor releases, with a warning.
_RENAMED: dict[str, str] = {}

with lazy_imports(globals(), _RENAMED):
    from statefmt import (
        addrs as addrs,
        adoption as adoption,
        backends as backends,
        differences as differences,
        graph as graph,
        locations as locations,
        merging as merging,
        moves as moves,
        operations as operations,
        operations_files as operations_files,
        partitions as partitions,
        plans as plans,
        provider_schemas as provider_schemas,
        providers as providers,
        releases as releases,
        repairs as repairs,
        rules as rules,
        salvage as salvage,
        search as search,
        selection as selection,
        snapshots as snapshots,
        statistics as statistics,
    )
    from statefmt.analysis.diff import diff as diff
    from statefmt.analysis.diff.model import SnapshotDiff as SnapshotDiff
    from statefmt.context import ProgressReport as ProgressReport, RunContext as RunContext
    from statefmt.edit.changes import Edit as Edit
    from statefmt.encryption import EncryptionConfiguration as EncryptionConfiguration
    from statefmt.formats.losses import DowngradeError as DowngradeError
    from statefmt.formats.reading import (
        Inspection as Inspection,
        ReadResult as ReadResult,
        inspect as inspect,
        read as read,
    )
    from statefmt.formats.writing.write import write as write
    from statefmt.library.migrating import (
        DowngradeOptions as DowngradeOptions,
        Migration as Migration,
        SourceChange as SourceChange,
        UpgradeOptions as UpgradeOptions,
        downgrade as downgrade,
        upgrade as upgrade,
    )
    from statefmt.library.selecting import Filters as Filters, Instance as Instance
    from statefmt.library.state import State as State, open as open, run_context as run_context  # noqa: A004 - public
    from statefmt.library.text_edit import TextEdit as TextEdit
    from statefmt.library.transaction import EditResult as EditResult, Transaction as Transaction
    from statefmt.library.values import (
        Attributes as Attributes,
        Output as Output,
        ResourceIdentity as ResourceIdentity,
        Sensitive as Sensitive,
    )
    from statefmt.lint.check import check as check
    from statefmt.model.errors import (
        AddressError as AddressError,
        ChangedError as ChangedError,
        ConfigurationError as ConfigurationError,
        EncryptedStateError as EncryptedStateError,
        EncryptionError as EncryptionError,
        InvalidAddressError as InvalidAddressError,
        LockedError as LockedError,
        MissingPathError as MissingPathError,
        NoMatchError as NoMatchError,
        NotAStateError as NotAStateError,
        ProviderSourceError as ProviderSourceError,
        ReleaseError as ReleaseError,
        RemoteStateError as RemoteStateError,
        SelectionError as SelectionError,
        SettingsError as SettingsError,
        StateError as StateError,
        StatetoolError as StatetoolError,
        StoreError as StoreError,
        SurgeryError as SurgeryError,
        UnreadableError as UnreadableError,
        UnsupportedStateError as UnsupportedStateError,
    )
    from statefmt.model.findings import Command as Command, Finding as Finding, Fix as Fix, Severity as Severity
    from statefmt.model.snapshot import Snapshot as Snapshot
    from statefmt.store.protocol import HistoryEntry as HistoryEntry
