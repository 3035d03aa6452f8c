"""Determines the fates of a state's objects under a configuration, and reports them as findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.analysis.providers.fates import Fate, FateKind, provider_fates
from statefmt.hcl.source.position import Range
from statefmt.lint.configurations.place import place
from statefmt.lint.subject import Subject
from statefmt.model.addrs import AbsProviderInstance, AbsResource, AbsResourceInstance
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix

THERE: Final = (FateKind.KEPT, FateKind.REBOUND)


def fates(subject: Subject) -> Sequence[Fate]:
    """Return the fate of each object; empty without a configuration or a readable state."""
    if subject.configuration is None or subject.inspection.snapshot is None:
        return ()
    return subject.once(_fates)


def fates_with(subject: Subject, outcome: FateKind) -> list[Fate]:
    """Return the fates with the given outcome."""
    return [fate for fate in fates(subject) if fate.outcome is outcome]


def _fates(subject: Subject) -> Sequence[Fate]:
    assert subject.configuration is not None and subject.inspection.snapshot is not None
    return provider_fates(subject.inspection.snapshot, subject.configuration)


def fates_of_resource(subject: Subject, fate: Fate) -> Sequence[Fate]:
    """Return the fates of all objects of the same resource, including this one."""
    return subject.once(_by_resource)[fate.instance.addr.containing_resource()]


def provider_of_instance(subject: Subject, fate: Fate) -> AbsProviderInstance | None:
    """Return the declared provider instance of an object of the same instance, the first that has one, if any has."""
    return subject.once(_by_instance).get(fate.instance.addr)


def _by_instance(subject: Subject) -> dict[AbsResourceInstance, AbsProviderInstance]:
    found: dict[AbsResourceInstance, AbsProviderInstance] = {}
    for fate in fates(subject):
        if fate.declared and fate.outcome in THERE:
            assert fate.needed is not None
            found.setdefault(fate.instance.addr, fate.needed)
    return found


def _by_resource(subject: Subject) -> dict[AbsResource, list[Fate]]:
    found: dict[AbsResource, list[Fate]] = {}
    for fate in fates(subject):
        found.setdefault(fate.instance.addr.containing_resource(), []).append(fate)
    return found


def pointer(fate: Fate) -> str:
    """Return the JSON pointer to the object, or "" if unknown."""
    origin = fate.obj.origin
    return "" if origin is None else f"/resources/{origin[0]}/instances/{origin[1]}"


def name(fate: Fate) -> str:
    """Return the name of the object for a sentence: `aws_vpc.main["eu"]`, `aws_vpc.main's deposed object 0f3a`."""
    return f"{fate.instance.addr}'s deposed object {fate.obj.deposed}" if fate.obj.deposed else str(fate.instance.addr)


def finding(fate: Fate, code: Code, summary: str, detail: str, fix: Fix, range_: Range | None = None) -> Finding:
    """Return a finding about one object, with a place in the configuration if `range_` is given."""
    return code.finding(summary, detail, str(fate.instance.addr), pointer(fate), fix, place(range_))
