"""Predicts the effects of a configuration change on a state: objects that lose their provider or are destroyed."""

from __future__ import annotations

from typing import Final, NamedTuple

from statefmt.analysis.providers.fates import Fate, FateKind, provider_fates
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.formats.reading import CURRENT_VERSION, inspect, without_pointers
from statefmt.lint.check import check, check_configuration
from statefmt.lint.remedies import pointer
from statefmt.model import findings as codes
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance, ResourceMode
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import Snapshot

_ORPHANED: Final = (Code.PROVIDER_CONFIGURATION_GONE, Code.PROVIDER_INSTANCE_GONE, Code.PROVIDER_FALLBACK_IMPOSSIBLE)


class Orphan(NamedTuple):
    """An object that loses its provider: its finding, and the provider instance."""

    finding: Finding
    provider: AbsProviderInstance


class Simulation(NamedTuple):
    """The effects of a change: objects that lose their provider, and instances that are destroyed normally.

    `unknown` counts the objects whose provider is unknown after the change, `reasons` has the reasons. `problems` are
    errors that make parts of the changed configuration unknown.
    """

    orphaned: tuple[Orphan, ...]
    destroyed: tuple[AbsResourceInstance, ...]
    unknown: int
    reasons: tuple[Finding, ...]
    problems: tuple[Finding, ...]


def simulate(
    data: bytes, snapshot: Snapshot, before: ProviderReferences, after: ProviderReferences, *, name: str | None = None
) -> Simulation:
    """Compare the effects of two configurations on one state, and return the effects that only `after` has.

    `data` is the content of the state file, `name` its name in suggested commands.
    """
    state = inspect(data)
    # Pointers distinguish the objects, in states of older formats too.
    known = {
        _mark(finding)
        for finding in check(state, select=_ORPHANED, configuration=before, name=name, upgraded_pointers=True)
    }
    found = check(
        state, select=(*_ORPHANED, Code.PROVIDER_UNKNOWN), configuration=after, name=name, upgraded_pointers=True
    )
    fates = provider_fates(snapshot, after)
    providers = {pointer(fate): fate.needed or fate.bound for fate in fates}
    gone = {fate.instance.addr for fate in provider_fates(snapshot, before) if _destroyed(fate)}
    destroyed = [fate.instance.addr for fate in fates if _destroyed(fate) and fate.instance.addr not in gone]
    orphaned = [finding for finding in found if finding.code in _ORPHANED and _mark(finding) not in known]
    version = CURRENT_VERSION if snapshot.source else None
    shown = without_pointers(orphaned, version)
    return Simulation(
        tuple(Orphan(each, providers[finding.pointer]) for finding, each in zip(orphaned, shown, strict=True)),
        tuple(dict.fromkeys(destroyed)),
        sum(1 for fate in fates if fate.outcome is FateKind.UNKNOWN),
        tuple(without_pointers([finding for finding in found if finding.code == Code.PROVIDER_UNKNOWN], version)),
        tuple(check_configuration(after, select=codes.CONFIGURATION_NOT_KNOWN)),
    )


def _mark(finding: Finding) -> tuple[str, str, str]:
    return finding.code, finding.address, finding.pointer


def _destroyed(fate: Fate) -> bool:
    """Whether the next apply destroys the object, and has the provider to do so."""
    managed = fate.instance.resource.addr.resource.mode is ResourceMode.MANAGED
    return managed and not fate.declared and fate.outcome in (FateKind.KEPT, FateKind.REBOUND)
