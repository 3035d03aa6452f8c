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
    from statefmt.edit.arguments.assignment import Assignment, assignment, parse_assignment
    from statefmt.edit.arguments.key_map import KeyMap, parse_key_lines, parse_key_map
    from statefmt.edit.changes.edit import Edit, with_note
    from statefmt.edit.operations.envelope import new_lineage, set_serial
    from statefmt.edit.operations.joins import module_depth
    from statefmt.edit.operations.replace_provider import Replaced, parse_replaced
    from statefmt.edit.operations.restore import restore
    from statefmt.edit.requests.choose import Note
    from statefmt.edit.requests.forget_deposed import forget_deposed_request as forget_deposed
    from statefmt.edit.requests.known_providers import KnownProviders
    from statefmt.edit.requests.mv import mv_request as move
    from statefmt.edit.requests.rebind import rebind_request as rebind
    from statefmt.edit.requests.rekey import rekey_request as rekey
    from statefmt.edit.requests.replace_provider import replace_provider_request as replace_provider
    from statefmt.edit.requests.rm import rm_request as remove
    from statefmt.edit.requests.set import set_request as set  # noqa: A004 - the name of the command
    from statefmt.edit.requests.taint import taint_request as taint, untaint_request as untaint
    from statefmt.edit.requests.unset import unset_request as unset

__all__ = [
    "Assignment",
    "Edit",
    "KeyMap",
    "KnownProviders",
    "Note",
    "Replaced",
    "assignment",
    "forget_deposed",
    "module_depth",
    "move",
    "new_lineage",
    "parse_assignment",
    "parse_key_lines",
    "parse_key_map",
    "parse_replaced",
    "rebind",
    "rekey",
    "remove",
    "replace_provider",
    "restore",
    "set",
    "set_serial",
    "taint",
    "unset",
    "untaint",
    "with_note",
]
