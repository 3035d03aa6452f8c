"""Takes instance keys from a configuration: `rekey --config DIR`.

A state does not say which element of a `for_each` an instance with a `count` index was made for, so keys are used only
where there is a single way: one instance whose key the configuration lacks, and one key that the state lacks. Otherwise
the refusal shows a key map to complete.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from statefmt.configuration.instances import AbsentInstance, Expansion, Instances
from statefmt.configuration.model import Repetition
from statefmt.edit.key_map import Keyed, Repeatable, by_block, key_text, map_text, normal_key, renamed
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.syntax import Call
from statefmt.hcl.value import Unknown, Value, children
from statefmt.model.addrs import AbsResource, InstanceKey, ModuleInstance, StringKey, key_order
from statefmt.model.cty import STRING
from statefmt.model.errors import SurgeryError, Wording
from statefmt.text import shell_line

_MOST_NAMED: Final = 10
_MAP_ALONE: Final = Wording("--map without --config", "keys= without config=")


def keys_by_configuration(
    chosen: Iterable[Keyed], there: Iterable[Keyed], instances: Instances, arguments: Iterable[str] = ()
) -> dict[Keyed, InstanceKey]:
    """Return the new keys of chosen instances and modules whose keys the configuration lacks.

    `there` are all instances and modules of the state. `arguments` complete the command line in a refusal. Raises
    SurgeryError if the configuration does not determine the new keys, or does not have the resource or module.
    """
    known = by_block(there)
    new: dict[Keyed, InstanceKey] = {}
    modules: dict[ModuleInstance, InstanceKey] = {}
    # Outer modules first: the configuration knows what is in them by the new addresses.
    for block, found in sorted(by_block(chosen).items(), key=lambda item: _depth(item[0])):
        goal = _goal(block, modules)
        wanted = _declared(instances, goal)
        taken = {normal_key(key) for key in known[block]}
        old = sorted((key for key in found if normal_key(key) not in wanted), key=key_order)
        free = [key for key in wanted if key not in taken]
        if not old:
            continue
        if len(old) != 1 or len(free) != 1:
            raise _undetermined(block, old, free, _in_list_order(instances, goal), arguments)
        one = found[old[0]]
        new[one] = free[0]
        if isinstance(one, ModuleInstance):
            modules[one] = free[0]
    return new


def _depth(block: Repeatable) -> int:
    return len(block.steps) if isinstance(block, ModuleInstance) else len(block.module.steps) + 1


def _goal(block: Repeatable, modules: Mapping[ModuleInstance, InstanceKey]) -> Repeatable:
    """Return the address of a block after the modules that contain it have got their new keys."""
    at = renamed(modules)
    if isinstance(block, AbsResource):
        return AbsResource(at(block.module), block.resource)
    return at(block.parent()).child(block.steps[-1].name)


def _declared(instances: Instances, block: Repeatable) -> dict[InstanceKey, None]:
    """Return the keys that a block has in the configuration, in its order. Raises SurgeryError if they are unknown."""
    found: Expansion | Unknown | AbsentInstance
    if isinstance(block, ModuleInstance):
        found = instances.of_call(block)
    elif block.config() not in instances.blocks:
        found = AbsentInstance()
    else:
        found = instances.expansion_of(block)
    if isinstance(found, AbsentInstance):
        raise SurgeryError(_absent(instances, block), address=block)
    if isinstance(found, Unknown):
        place = f" ({found.range})" if found.range else ""
        raise SurgeryError(
            f"{block}: the configuration does not determine its keys: {found.reason}{place}; use ",
            _MAP_ALONE,
            address=block,
        )
    return dict.fromkeys(found.keys)


def _absent(instances: Instances, block: Repeatable) -> str:
    around = block.parent() if isinstance(block, ModuleInstance) else block.module
    outer = next((one for one in around.on_the_way if isinstance(instances.scope(one), AbsentInstance)), None)
    if outer is None:
        return f"{block}: the configuration does not have it"
    return f"{block}: the configuration does not have {outer}; change the keys of that module first"


def _undetermined(
    block: Repeatable,
    old: Collection[InstanceKey],
    free: Collection[InstanceKey],
    order: list[StringKey],
    arguments: Iterable[str],
) -> SurgeryError:
    if not free:
        return SurgeryError(
            f"{block}: the configuration has no instance for {_named(old)}, and no other key without an instance",
            address=block,
        )
    numbers = range(len(old))
    in_order = len(order) == len(old) == len(free) and [str(key) for key in old] == [f"[{n}]" for n in numbers]
    pairs: dict[InstanceKey, InstanceKey | None] = (
        dict(zip(old, order, strict=True)) if in_order else dict.fromkeys(old)
    )
    line = shell_line(["statetool", "rekey", str(block), "--map", map_text(pairs), *arguments])
    what = (
        "It would be this in the order of the list in for_each; check that order, and "
        if in_order
        else "Replace each ? by its new key, and "
    )
    return SurgeryError(
        f"{block}: the configuration does not determine which of {_named(old)} becomes which of {_named(free)}. {what}",
        Wording(f"run:\n  {line}", f"pass:\n  keys={map_text(pairs)!r}"),
        address=block,
    )


def _in_list_order(instances: Instances, block: Repeatable) -> list[StringKey]:
    """Return the elements of the list in `for_each = toset(list)`, in its order; empty for any other expression."""
    expression = repetition.for_each.expression if (repetition := _repetition(instances, block)).for_each else None
    scope = instances.scope(block.parent() if isinstance(block, ModuleInstance) else block.module)
    if not isinstance(expression, Call) or expression.name != "toset" or len(expression.arguments) != 1:
        return []
    if isinstance(scope, Unknown | AbsentInstance):
        return []
    value = evaluate(expression.arguments[0], scope)
    if not isinstance(value, Value) or not isinstance(value.data, tuple):
        return []
    items = [part.data for part in children(value) if isinstance(part, Value) and part.type == STRING]
    keys = dict.fromkeys(StringKey(item) for item in items if isinstance(item, str))
    return list(keys) if len(keys) == len(value.data) else []


def _repetition(instances: Instances, block: Repeatable) -> Repetition:
    if isinstance(block, AbsResource):
        return instances.blocks[block.config()].repetition
    call = instances.call(block)
    return Repetition() if call is None else call.repetition


def _named(keys: Collection[InstanceKey]) -> str:
    texts = [key_text(key) for key in list(keys)[:_MOST_NAMED]]
    more = len(keys) - len(texts)
    return ", ".join(texts) + (f" and {more} more" if more else "")
