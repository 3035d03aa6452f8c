"""`mv`: move instances to other addresses and update the dependencies on them."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from statefmt.analysis.selection import Criteria, Selector, select_in, selector_text
from statefmt.analysis.selection.patterns import Modules, NamedModules, invalid_address, modules_of
from statefmt.edit.changes import (
    Bindings,
    Edit,
    Moved,
    arrived,
    by_address,
    pointing,
    refuse_taken,
    with_note,
    without_instances,
)
from statefmt.edit.key_map import normal_key, normalised_note
from statefmt.golang import nfc
from statefmt.model.addrs import NO_KEY, AbsResource, AbsResourceInstance, ModuleInstance, ModuleStep, key_order
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_module_instance
from statefmt.model.addrs.traversal import quoted_literal
from statefmt.model.errors import AddressError, MessagePart, SurgeryError, Wording
from statefmt.model.snapshot import Snapshot
from statefmt.text import has_wildcards, pattern

if TYPE_CHECKING:
    import re2

    from statefmt.configuration.provider_instances import ProviderReferences


_AS_BLOCKS: Final = Wording(
    "; nothing was written. --as-blocks prints the moved block, if the provider supports that, and the removed and "
    "import blocks otherwise",
    "",
)


def move(
    snapshot: Snapshot,
    source: Selector,
    destination: Selector,
    *,
    rebind: bool = False,
    any_type: bool = False,
    references: ProviderReferences | None = None,
    way_out: MessagePart = _AS_BLOCKS,
) -> Edit:
    """Move the matches of the selector `source` to `destination`, which may contain `$1`, `$2`…; see `destinations`.

    The edit lists the resources and modules that join existing ones. With `rebind`, instances take over the provider
    configuration of the resource that they join; with the `references` of a configuration, each is bound to the
    provider instance that it determines. With `any_type`, objects may get other resource types: no program
    reads such a state, but it shows the equivalent blocks of a configuration. `way_out` ends the message if the types
    differ. Raises SelectionError and SurgeryError.
    """
    # A typed destination is unchanged, since it has no wildcards.
    selector_text(destination)
    source, destination = selector_text(source), str(destination)
    found = select_in(snapshot, Criteria(selectors=(source,)))
    moved = destinations([instance.addr for instance in found], source, destination)
    bindings: Bindings = MappingProxyType({})
    if rebind and references is not None:
        # Imported late: most moves have no configuration.
        from statefmt.edit.operations._declared_bindings import declared_bindings

        bindings = declared_bindings(snapshot, moved, references)
    # Instances that move to the root module may join its existing modules.
    depth = 1 if destination in ROOT_NAMES else module_depth(destination)
    edit = dataclasses.replace(
        mv(snapshot, moved, rebind=rebind, bindings=bindings, any_type=any_type, way_out=way_out),
        joins=joins(snapshot, moved, depth=depth),
    )
    return with_note(edit, normalised_note([destination])) if normalised(destination, moved) else edit


def mv(
    snapshot: Snapshot,
    moved: Moved,
    *,
    rebind: bool = False,
    bindings: Bindings = MappingProxyType({}),
    any_type: bool = False,
    way_out: MessagePart = "",
) -> Edit:
    """Move instances, with all their objects; `moved` maps old addresses to new ones.

    A resource is renamed if all its instances go to the same new resource; otherwise instances join the resource at the
    destination. With `rebind`, they then take over its provider configuration. Instances with `bindings`, by their new
    addresses, get these. Raises SurgeryError if a resource would get two provider configurations, if modes differ, if
    types differ without `any_type` (`way_out` ends the message), or if a destination is taken.
    """
    moved = {one: other for one, other in moved.items() if one != other}
    before = by_address(snapshot)
    refuse_taken(before, moved, moved.keys(), any_type=any_type, way_out=way_out)
    left = without_instances(snapshot, moved.keys())
    after = arrived(before, by_address(left), moved, rebind=rebind, bindings=bindings)
    return Edit(pointing(replace(left, resources=tuple(after.values())), moved), moved)


_MOST_NAMED: Final = 5
_CAPTURED_KEY: Final = pattern(r"\[\$(?:\d+|\{\d+\})\]", re.ASCII)
_PLACE: Final = pattern(r"\$(?:\d+|\{\d+\})", re.ASCII)


def module_depth(address: str) -> int:
    """Return the number of steps of a module address, which may contain `$1` or wildcards; 0 for any other address."""
    # Any name and any key will do.
    text = _PLACE.sub("x", _CAPTURED_KEY.sub('["x"]', address.replace("[*]", '["x"]').replace("*", "x")))
    try:
        return len(parse_module_instance(text).steps)
    except AddressError:
        return 0


def joins(
    before: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance], *, depth: int = 0
) -> tuple[str, ...]:
    """Return a sentence for each resource or module that moves into an existing one, a part of which stays.

    `depth` is the number of steps of a module as the target, else 0.
    """
    return (*_of_modules(before, moved, depth), *_of_resources(before, moved))


def _of_resources(before: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> list[str]:
    sources: dict[AbsResource, dict[str, None]] = {}
    for one, other in moved.items():
        source, target = one.containing_resource(), other.containing_resource()
        if source != target:
            sources.setdefault(target, {})[str(source)] = None
    there = by_address(before)
    found = []
    for target, names in sources.items():
        if target not in there:
            continue
        stay = {obj.key for obj in there[target].objects if target.instance(obj.key) not in moved}
        if stay:
            keys = [str(key) or "an instance without a key" for key in sorted(stay, key=key_order)]
            found.append(f"{_listed(names)} {_verb(names)} {target}, which has {_listed(keys)}.")
    return found


def _of_modules(before: Snapshot, moved: Mapping[AbsResourceInstance, AbsResourceInstance], depth: int) -> list[str]:
    if not depth:
        return []
    sources: dict[ModuleInstance, dict[str, None]] = {}
    for one, other in moved.items():
        steps, target = one.module.steps, ModuleInstance(other.module.steps[:depth])
        source = ModuleInstance(steps[: len(steps) - len(other.module.steps) + depth])
        if source != target and not target.is_root:
            sources.setdefault(target, {})[str(source)] = None
    stay: dict[ModuleInstance, list[str]] = {}
    for resource in before.resources:
        module = ModuleInstance(resource.addr.module.steps[:depth])
        if module in sources and any(resource.addr.instance(obj.key) not in moved for obj in resource.objects):
            stay.setdefault(module, []).append(str(resource.addr))
    return [
        f"{_listed(sources[target])} {_verb(sources[target])} {target}, which has {_listed(names)}."
        for target, names in stay.items()
    ]


def _verb(names: Collection[str]) -> str:
    return "joins" if len(names) == 1 else "join"


def _listed(names: Collection[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(list(names)[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


# The names of the root module as a destination; it has no address.
ROOT_NAMES: Final = ("root", "")


def destinations(
    found: Sequence[AbsResourceInstance], source: str, target: str
) -> dict[AbsResourceInstance, AbsResourceInstance]:
    """Return the destination of each of `found`, the instances that the selector `source` matches.

    `source` and `target` both name modules, or both a resource or an instance; if neither has a key, instances keep
    their keys. `root` or "" is the root module, as the destination of modules. If `source` is a pattern, `$1`, `$2`… in
    `target` are the matches of its wildcards in order (the whole key for `[*]`) and `$$` is a dollar sign; otherwise a
    dollar sign is literal. Raises SurgeryError if they do not fit together.
    """
    named = Modules(modules_of(addr.module for addr in found)).named(source)
    if named is not None and named.modules:
        goals = _module_goals(named, source, target)
        return {addr: _in_module(addr, goals) for addr in found}
    if PLACE.search(target) and not _is_address(source, found):
        return {addr: _one(addr, source, filled(target, captures(source, addr))) for addr in found}
    goal = _module(target)
    if goal is not None:
        full = found[0].resource if goal.is_root else f"{target}.{found[0].resource}"
        what = "the destination is the root module" if goal.is_root else f"{target} is a module"
        raise SurgeryError(f"{what}, but {source} is not a module; give a full address: {full}", address=target)
    instance = _instance(target)
    if len({addr.containing_resource() for addr in found}) > 1:
        raise SurgeryError(
            f"{source} matches several resources, but {target} is only one; use $1, $2… in the destination",
            address=target,
        )
    if _keeps_key(source, instance):
        resource = instance.containing_resource()
        return {addr: resource.instance(addr.key) for addr in found}
    if len(found) > 1:
        raise SurgeryError(f"{source} matches {len(found)} instances, but {target} is only one", address=target)
    return {addr: _with_own_key(addr, instance, target) for addr in found}


def normalised(target: str, goes: Mapping[AbsResourceInstance, AbsResourceInstance]) -> bool:
    """Return whether a key in `target` is normalised to Unicode normal form C."""
    given = quoted_literal(target, 1, [])
    return nfc(given) != given and any(nfc(str(addr)) == str(addr) for addr in goes.values())


def _is_address(source: str, found: Sequence[AbsResourceInstance]) -> bool:
    """Return whether `source` is the address of the instances found, and not a pattern."""
    if not has_wildcards(source):
        return True
    try:
        instance = parse_abs_resource_instance(source)
    except AddressError:
        return False
    return all(instance in (addr, addr.containing_resource().instance()) for addr in found)


def _one(addr: AbsResourceInstance, source: str, text: str) -> AbsResourceInstance:
    """Return the destination of an instance; `text` is an address, or the address of the target module."""
    module = _module(text)
    if module is not None:
        return AbsResourceInstance(module, addr.resource)
    instance = _instance(text)
    if _keeps_key(source, instance):
        return instance.containing_resource().instance(addr.key)
    return _with_own_key(addr, instance, text)


def _with_own_key(addr: AbsResourceInstance, target: AbsResourceInstance, text: str) -> AbsResourceInstance:
    """Return the target; with the instance's own key if `text` contains exactly that key: parsing normalises keys."""
    is_own = text.endswith(str(addr.key)) and target.key == normal_key(addr.key)
    return target.containing_resource().instance(addr.key) if is_own else target


def _keeps_key(source: str, target: AbsResourceInstance) -> bool:
    """Return whether source and target both name a resource, not an instance."""
    return target.key is NO_KEY and not source.endswith("]")


def _module_goals(named: NamedModules, source: str, target: str) -> dict[ModuleInstance, ModuleInstance]:
    """Return the destination of each module. Raises SurgeryError if two modules would merge or one contains another."""
    goals: dict[ModuleInstance, ModuleInstance] = {}
    taken: dict[ModuleInstance, ModuleInstance] = {}
    chosen = frozenset(named.modules)
    for module in named.modules:
        outer = next((one for one in module.parent().on_the_way if one in chosen), None)
        if outer is not None:
            raise SurgeryError(
                f"{source} matches both {outer} and {module} in it; move one after the other", address=module
            )
    for module in named.modules:
        text = target
        if named.by_pattern and PLACE.search(target):
            text = filled(target, captures(source, module))
        goal = _module_goal(module, source, text)
        if goal in taken and not goal.is_root:
            way_out = "; use $1, $2… in the destination" if named.by_pattern else ""
            raise SurgeryError(
                f"{module} cannot become {goal}: {taken[goal]} would move there, too{way_out}", address=module
            )
        goals[module], taken[goal] = goal, module
    return goals


def _module_goal(module: ModuleInstance, source: str, text: str) -> ModuleInstance:
    goal = _module(text)
    if goal is None:
        _instance(text)
        raise SurgeryError(f"{source} is a module, but {text} is not", address=text)
    if goal.is_root:
        return goal
    *path, last = goal.steps
    if last.key is NO_KEY and not source.endswith("]"):
        last = ModuleStep(last.name, module.steps[-1].key)
    return ModuleInstance((*path, last))


def _in_module(addr: AbsResourceInstance, goals: Mapping[ModuleInstance, ModuleInstance]) -> AbsResourceInstance:
    """Return the address of an instance after a containing module has moved."""
    source = next(module for module in addr.module.on_the_way if module in goals)
    path = ModuleInstance((*goals[source].steps, *addr.module.steps[len(source.steps) :]))
    return AbsResourceInstance(path, addr.resource)


def _module(text: str) -> ModuleInstance | None:
    if text in ROOT_NAMES:
        return ModuleInstance(())
    try:
        return parse_module_instance(text)
    except AddressError:
        return None


def _instance(text: str) -> AbsResourceInstance:
    try:
        return parse_abs_resource_instance(text)
    except AddressError as error:
        if not text.strip("./"):
            raise SurgeryError(f"{text!r} is not an address; the root module is root", address=text) from error
        if has_wildcards(text):
            raise SurgeryError(
                f"{text}: a destination has no wildcards; use $1, $2… for what those of the source match", address=text
            ) from error
        raise invalid_address(text, error, selects=False) from error


# `$${` is the escape for `${` in addresses, and stays.
PLACE: Final = pattern(r"(\$\$\{)|(\$\$)|\$(?:(\d+)|\{(\d+)\})", re.ASCII)
_TOKEN: Final = pattern(r'(\[\*\])|("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|(\*\*)|([*?])|(.)', re.DOTALL)
_IN_TEXT: Final = pattern(r"\\([*?])|([*?])|(\\.|.)", re.DOTALL)
# A number, or a string with its quotes.
_KEY: Final = r'\[("(?:[^"\\]|\\.)*"|-?\d+)\]'
_ANY_KEY: Final = r'(?:\["(?:[^"\\]|\\.)*"\]|\[-?\d+\])?'


def captures(pattern: str, addr: AbsResourceInstance | ModuleInstance) -> tuple[str, ...]:
    """Return the match of each wildcard of a pattern, in order. Raises SurgeryError if the matches are ambiguous."""
    found = _expression(pattern).fullmatch(str(addr))
    if found is None:
        raise SurgeryError(f"{pattern} does not determine its wildcards in {addr}; write out all keys", address=addr)
    groups: tuple[str, ...] = found.groups()
    return groups


def filled(target: str, values: Sequence[str]) -> str:
    """Replace `$1`, `$2`… and `$$` in a destination. Raises SurgeryError if there is no such wildcard."""

    def value(place: re.Match[str]) -> str:
        template, dollar, plain, braced = place.groups()
        if template or dollar:
            return str(template or "$")
        number = (plain or braced).lstrip("0")
        if not number or len(number) > 9 or int(number) > len(values):
            count = "1 wildcard" if len(values) == 1 else f"{len(values)} wildcards"
            raise SurgeryError(
                f"{place[0]} in {target}: the source has {count}; write $$ for a dollar sign", address=target
            )
        return values[int(number) - 1]

    return PLACE.sub(value, target)


@lru_cache(maxsize=16)
def _expression(pattern: str) -> re2._Regexp:
    # Imported late. re2 matches in linear time, however many wildcards there are.
    try:
        import re2
    except ModuleNotFoundError as error:
        from statefmt.installation import how_to_install

        raise SurgeryError(
            f"$1 and $2 in a destination need the package google-re2: {how_to_install('regex')}"
        ) from error

    parts = []
    for any_key, quoted, depth, wildcard, text in _TOKEN.findall(pattern):
        if any_key:
            parts.append(_KEY)
        elif quoted:
            parts.append(_quoted(quoted))
        elif depth:
            parts.append(r"(.*?)")
        else:
            parts.append(r"([^.\[\]\"]*)" if wildcard == "*" else r"([^.\[\]\"])" if wildcard else re.escape(text))
    # The key of the last step is optional.
    return re2.compile("(?s)" + "".join(parts) + ("" if pattern.endswith("]") else _ANY_KEY))


def _quoted(text: str) -> str:
    one = r'(?:[^"\\]|\\.)'
    return "".join(
        re.escape(literal) if literal else f"({one}{'*' if wildcard == '*' else ''})" if wildcard else re.escape(other)
        for literal, wildcard, other in _IN_TEXT.findall(text)
    )
