"""The operations of surgery as pure functions from a snapshot to an Edit, for programs that work without files.

    >>> from statefmt import open, operations
    >>> snapshot = open("samples/v4-regions.tfstate").snapshot
    >>> edit = operations.move(snapshot, "aws_vpc.main", "module.network.aws_vpc.main")
    >>> len(edit.moved), len(edit.snapshot.resources) == len(snapshot.resources)
    (2, True)

The methods of a Transaction have the same names, and apply the same functions. `Transaction.apply()` takes these and
your own. Instances are chosen by Criteria (`statefmt.selection`), addresses are strings as on the command line, and
`note` receives sentences about the selection. They raise SelectionError if nothing matches, and SurgeryError if the
operation does not apply.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.edit.changes import Edit as Edit, Note as Note, with_note as with_note
    from statefmt.edit.key_map import (
        KeyMap as KeyMap,
        parse_key_lines as parse_key_lines,
        parse_key_map as parse_key_map,
    )
    from statefmt.edit.operations.instances import (
        forget_deposed as forget_deposed,
        remove as remove,
        taint as taint,
        untaint as untaint,
    )
    from statefmt.edit.operations.mv import module_depth as module_depth, move as move
    from statefmt.edit.operations.rebind import (
        KnownProviders as KnownProviders,
        Replaced as Replaced,
        parse_replaced as parse_replaced,
        rebind as rebind,
        replace_provider as replace_provider,
    )
    from statefmt.edit.operations.rekey import rekey as rekey
    from statefmt.edit.operations.set import (
        Assignment as Assignment,
        assignment as assignment,
        new_lineage as new_lineage,
        parse_assignment as parse_assignment,
        set_attributes as set,  # noqa: A004 - the name of the command
        set_serial as set_serial,
        unset_attributes as unset,
    )
    from statefmt.edit.operations.undo import restore as restore

__all__ = [
    "Assignment", "Edit", "KeyMap", "KnownProviders", "Note", "Replaced", "assignment", "forget_deposed",
    "module_depth", "move", "new_lineage", "parse_assignment", "parse_key_lines", "parse_key_map", "parse_replaced",
    "rebind", "rekey", "remove", "replace_provider", "restore", "set", "set_serial", "taint", "unset", "untaint",
    "with_note",
]  # fmt: skip
