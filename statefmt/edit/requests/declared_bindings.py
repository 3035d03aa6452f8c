"""Advises which bindings a configuration wants before instances join a resource of another provider configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from statefmt.analysis.providers.sources import translated
from statefmt.analysis.selection import Criteria, select_in, selector_text
from statefmt.edit.changes.arriving import REBIND, Moved, OtherBindingError
from statefmt.edit.changes.resources import by_address
from statefmt.edit.operations.mv import mv
from statefmt.edit.operations.rebind import rebind
from statefmt.model.addrs import AbsProviderInstance, AbsResource, AbsResourceInstance
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.model.instances import instances
from statefmt.model.resources import ResourceState
from statefmt.model.snapshot import Snapshot
from statefmt.model.wording import MessagePart, Wording
from statefmt.text.shell import shell_line

if TYPE_CHECKING:
    from statefmt.configuration.providers.references import ProviderReferences

# A message with more commands is a script.
_MOST_COMMANDS: Final = 4


class _Rebinding(NamedTuple):
    """A command that binds what an address selects to a provider instance."""

    address: str
    to: AbsProviderInstance


def as_declared(
    error: OtherBindingError, snapshot: Snapshot, references: ProviderReferences, arguments: Sequence[str]
) -> SurgeryError:
    """Return a refusal of `mv` with the way out that fits the configuration.

    `arguments` name the state and the configuration for its commands. They are tried first: with them, the same `mv`
    succeeds and leaves each moved instance with the provider instance that the configuration has for it.
    """
    needed = _needed(snapshot, error.moved, references)
    wanted = needed.get(error.destination)
    if wanted is None:
        unknown = f"The configuration does not determine the provider instance of {error.destination}. "
        return _with(error, unknown, *error.way_out)
    if _fits(_moved(snapshot, error.moved, rebind=True), error.moved, needed):
        return _with(error, REBIND, f" binds it to {wanted}, as the configuration does")
    shows = f"The configuration uses {wanted} for {error.destination}"
    ways = list(_ways(snapshot, error.moved, needed))
    if not ways or len(ways) > _MOST_COMMANDS or not _fits(_after(snapshot, ways, error.moved), error.moved, needed):
        return _with(error, f"{shows}: bind the instances of both resources as the configuration does first")
    lines = [shell_line(("statetool", "rebind", way.address, str(way.to), *arguments)) for way in ways]
    calls = [f"rebind({way.address!r}, {str(way.to)!r})" for way in ways]
    return _with(
        error,
        f"{shows}. First run:" if len(ways) == 1 else f"{shows}. First run these commands:",
        Wording("".join(f"\n  {line}" for line in lines), "".join(f"\n  {call}" for call in calls)),
    )


def _with(error: OtherBindingError, *way_out: MessagePart) -> SurgeryError:
    return SurgeryError(error.reason, *way_out, address=error.destination)


def _joined(snapshot: Snapshot, moved: Moved) -> dict[AbsResource, list[AbsResource]]:
    """Return the resources that instances join, each with those of another configuration that they come from."""
    by = by_address(snapshot)
    found: dict[AbsResource, list[AbsResource]] = {}
    for one, other in moved.items():
        source, home = one.containing_resource(), other.containing_resource()
        if source != home and home in by and by[home].provider_config != by[source].provider_config:
            found.setdefault(home, [])
            if source not in found[home]:
                found[home].append(source)
    return found


def _needed(
    snapshot: Snapshot, moved: Moved, references: ProviderReferences
) -> dict[AbsResourceInstance, AbsProviderInstance]:
    """Return the provider instances of the resources that others join, by the addresses of instances afterwards."""
    by = by_address(snapshot)
    found = {}
    for home in _joined(snapshot, moved):
        stay = [addr for addr in _addresses(by[home]) if addr not in moved]
        for addr in (*stay, *(other for other in moved.values() if other.containing_resource() == home)):
            try:
                wanted = references.instance_binding(addr)
            except KeyError:
                continue
            if isinstance(wanted, AbsProviderInstance):
                found[addr] = _as_in_state(wanted, by[home])
    return found


def _as_in_state(wanted: AbsProviderInstance, home: ResourceState) -> AbsProviderInstance:
    """Return a provider instance with the source of the state, which may be in Terraform's registry."""
    config = home.provider_config
    if config is None or translated(config.instance(), ()).config.provider != wanted.config.provider:
        return wanted
    return replace(wanted, config=replace(wanted.config, provider=config.provider))


def _ways(
    snapshot: Snapshot, moved: Moved, needed: Mapping[AbsResourceInstance, AbsProviderInstance]
) -> Iterator[_Rebinding]:
    """Yield the commands for the resources that instances join and for those that they come from."""
    by = by_address(snapshot)
    joined = _joined(snapshot, moved)
    for addr in dict.fromkeys(each for home, sources in joined.items() for each in (home, *sources)):
        yield from _of_resource(by[addr], {one: needed.get(moved.get(one, one)) for one in _addresses(by[addr])})


def _of_resource(
    resource: ResourceState, wanted: Mapping[AbsResourceInstance, AbsProviderInstance | None]
) -> Iterator[_Rebinding]:
    """Yield the commands for one resource, whose instances go to another configuration only together."""
    first = next((to for to in wanted.values() if to is not None), None)
    config = resource.provider_config
    if first is None or config is None:
        return
    bound = {obj.key: config.instance(obj.provider_key) for obj in resource.objects}
    if config != first.config:
        if None in wanted.values():
            # Nothing says where the others belong.
            return
        yield _Rebinding(selector_text(resource.addr), first)
        bound = dict.fromkeys(bound, first)
    for addr, to in wanted.items():
        if to is not None and bound[addr.key] != to:
            yield _Rebinding(selector_text(addr), to)


def _addresses(resource: ResourceState) -> list[AbsResourceInstance]:
    return list(dict.fromkeys(resource.addr.instance(obj.key) for obj in resource.objects))


def _after(snapshot: Snapshot, ways: Sequence[_Rebinding], moved: Moved) -> Snapshot | None:
    try:
        for way in ways:
            snapshot = rebind(snapshot, select_in(snapshot, Criteria(selectors=(way.address,))), way.to).snapshot
    except (SelectionError, SurgeryError):
        return None
    return _moved(snapshot, moved)


def _moved(snapshot: Snapshot, moved: Moved, *, rebind: bool = False) -> Snapshot | None:
    try:
        return mv(snapshot, moved, rebind=rebind).snapshot
    except SurgeryError:
        return None


def _fits(snapshot: Snapshot | None, moved: Moved, needed: Mapping[AbsResourceInstance, AbsProviderInstance]) -> bool:
    """Return whether all instances are bound as the configuration wants, as far as that is known."""
    if snapshot is None:
        return False
    return all(
        instance.provider(obj) == needed[instance.addr]
        for instance in instances(snapshot)
        if instance.addr in needed
        for obj in instance.objects
    )
