"""The request to change the keys of instances of resources and modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from statefmt.analysis.selection.criteria import Criteria, criteria_of
from statefmt.analysis.selection.patterns import Modules, modules_of
from statefmt.edit.arguments.key_map import KeyMap
from statefmt.edit.arguments.keys_by_attribute import keys_by_attribute
from statefmt.edit.changes.edit import Edit
from statefmt.edit.changes.keyed import Keyed
from statefmt.edit.operations.rekey import rekey, rekey_each
from statefmt.edit.requests.choose import Note, Selection, choose
from statefmt.model.addrs import ModuleInstance
from statefmt.model.errors import SelectionError, SurgeryError, Wording
from statefmt.model.snapshot import Snapshot, instances

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.instances import Instances

_MAP_FOR_MODULES: Final = Wording("--map instead of --by", "keys= instead of by=")
_FILTERS: Final = Wording("filter options", "filters")


def rekey_request(
    snapshot: Snapshot,
    chosen: Selection,
    *,
    keys: KeyMap | None = None,
    by: str | None = None,
    count: bool = False,
    declared: Instances | None = None,
    arguments: Sequence[str] = (),
    note: Note = lambda _: None,
) -> Edit:
    """Change the keys of the selected instances and of the modules that selectors name.

    The new keys come from the map `keys`, from the attribute at the path `by` (integers for `count`) or from the
    instances that a configuration has `declared`; `arguments` complete the command line in a refusal about these.
    Raises SelectionError and SurgeryError.
    """
    modules, others = _modules(snapshot, criteria_of(chosen))
    if by is not None and modules:
        raise SurgeryError(
            f"{modules[0]} is a module and has no attributes: use ", _MAP_FOR_MODULES, address=modules[0]
        )
    found = choose(snapshot, others, note) if others is not None else []
    if by is not None:
        return rekey_each(snapshot, keys_by_attribute(found, by, count=count))
    if keys is not None:
        return rekey(snapshot, found, keys, modules)
    from statefmt.edit.arguments.keys_by_configuration import keys_by_configuration

    assert declared is not None, "there is a configuration"
    wanted: list[Keyed] = [*modules, *(instance.addr for instance in found)]
    there: list[Keyed] = [*_all_modules(snapshot), *(instance.addr for instance in instances(snapshot))]
    return rekey_each(snapshot, keys_by_configuration(wanted, there, declared, arguments))


def _modules(snapshot: Snapshot, chosen: Criteria) -> tuple[list[ModuleInstance], Criteria | None]:
    """Return the modules that selectors name, and the criteria without these selectors; None if nothing is left.

    Raises SelectionError if other criteria are combined with a module.
    """
    known = Modules(_all_modules(snapshot))
    named = {selector: known.named(selector) for selector in chosen.selectors}
    modules = [module for found in named.values() if found is not None for module in found.modules]
    if not modules:
        return [], chosen
    if replace(chosen, selectors=()) != Criteria():
        selector = next(selector for selector, found in named.items() if found is not None)
        raise SelectionError(
            f"{selector} is a module, and ",
            _FILTERS,
            f" select resources; to change the keys of the resources in it, use '{selector}.**'",
            address=selector,
        )
    left = tuple(selector for selector, found in named.items() if found is None or not found.modules)
    return list(dict.fromkeys(modules)), Criteria(selectors=left) if left else None


def _all_modules(snapshot: Snapshot) -> tuple[ModuleInstance, ...]:
    return modules_of(resource.addr.module for resource in snapshot.resources)
