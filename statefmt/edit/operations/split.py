"""Divides a state into several parts, as selectors for each part."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, NamedTuple

from statefmt.analysis.partition import PartitionKind, suggest_partitions
from statefmt.analysis.selection.covering import covering
from statefmt.model.addrs import InstanceKey, IntKey, StringKey
from statefmt.model.errors import SurgeryError, Wording
from statefmt.model.snapshot import InstanceState, Snapshot, instances
from statefmt.text import pattern

_NOT_IN_NAMES: Final = pattern(r"[^A-Za-z0-9._]+")


class SplitBy(StrEnum):
    """The unit of a part: a module call, an instance of one, or an instance of a provider configuration.

    Regions and communities of dependencies are as in `suggest_partitions`, without cycles between the parts.
    """

    MODULE = "module"
    MODULE_INSTANCE = "module-instance"
    PROVIDER = "provider"
    REGION = "region"
    COMMUNITY = "community"


def split_parts(snapshot: Snapshot, by: SplitBy) -> dict[str, tuple[str, ...]]:
    """Return the parts of a state, each with the selectors of its instances; names can be in paths.

    Parts by module omit the root module; parts by provider omit the default configurations; parts by region and
    community omit the largest part. Raises SurgeryError if there are no parts, or if two parts would have the same
    name.
    """
    if by in (SplitBy.REGION, SplitBy.COMMUNITY):
        return _suggested(snapshot, PartitionKind(by.value))
    homes = {instance.addr: _home(instance, by) for instance in instances(snapshot)}
    found = {home: selectors for home, selectors in covering(homes).items() if home is not None}
    if not found:
        what = "has a provider configuration with an alias" if by is SplitBy.PROVIDER else "is in a module"
        raise SurgeryError(f"there is nothing to split: no instance {what}")
    _refuse_equal(found)
    return {home.name: selectors for home, selectors in found.items()}


def _suggested(snapshot: Snapshot, kind: PartitionKind) -> dict[str, tuple[str, ...]]:
    found = suggest_partitions(snapshot, [kind])
    if not found.partitions:
        raise SurgeryError(f"there is nothing to split: {found.without[kind]}")
    [partition] = found.partitions
    return partition.new_states


class _Home(NamedTuple):
    """The address of a part, and its name."""

    address: str
    name: str


def _home(instance: InstanceState, by: SplitBy) -> _Home | None:
    """Return the part of an instance; None if it stays."""
    if by is SplitBy.PROVIDER:
        provider = instance.provider(instance.current_first[0])
        if provider is None or not provider.config.alias:
            return None
        config = provider.config
        words = (*config.module.names, config.provider.type, config.alias, _key(provider.key))
        return _Home(str(provider), _name(*words))
    steps = instance.resource.addr.module.steps
    if not steps:
        return None
    if by is SplitBy.MODULE:
        return _Home(steps[0].name, _name(steps[0].name))
    return _Home(str(steps[0]), _name(steps[0].name, _key(steps[0].key)))


def _name(*parts: str) -> str:
    words = (_NOT_IN_NAMES.sub("-", part).strip("-.") for part in parts)
    return "-".join(word for word in words if word)


def _key(key: InstanceKey) -> str:
    return str(key.value) if isinstance(key, (IntKey, StringKey)) else ""


def _refuse_equal(found: Iterable[_Home]) -> None:
    """Raise SurgeryError if two parts would have the same name, ignoring case."""
    names: dict[str, _Home] = {}
    for home in found:
        other = names.setdefault(home.name.lower(), home)
        if other != home:
            raise SurgeryError(
                f"{other.address} and {home.address} would both go to a state named {home.name}; use ",
                Wording("--select", "selectors"),
                " to name the states",
            )
