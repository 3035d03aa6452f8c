"""Says which findings of a state `check --fix` mends, without mending them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum, unique
from typing import TYPE_CHECKING, Final

from statefmt.formats.providers.short_addresses import short_addresses
from statefmt.formats.reading.inspect import CURRENT_VERSION, Inspection
from statefmt.lint.mend import Mend
from statefmt.lint.registry import rules_for
from statefmt.model.codes import NO_STATE, Code
from statefmt.model.findings import Finding
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    # Not imported at run time: most runs have no configuration.
    from statefmt.configuration.providers.references import ProviderReferences

# What canonical form decides in a state that can be read, and only a user may.
_IS_DECIDED: Final = frozenset({Code.PROVIDER_BLOCKS_DIFFER})


@unique
class Fixable(StrEnum):
    """How `check --fix` mends a finding: by itself, or only with `--unsafe-fixes`."""

    SAFE = "safe"
    UNSAFE = "unsafe"

    @property
    def options(self) -> str:
        """The options of `check` that mend it."""
        return "--fix" if self is Fixable.SAFE else "--fix --unsafe-fixes"


def mend_of(code: str) -> Mend | None:
    """Return how `check --fix` mends the findings with a code; None if it does not.

    Only rules that look at the state alone have one.
    """
    rule = rules_for().get(code)
    return None if rule is None else rule.mend


def mend_for(finding: Finding) -> Mend | None:
    """Return how `check --fix` mends a finding; None if it does not."""
    mend = mend_of(finding.code)
    return mend if mend is not None and mend.applies(finding) else None


def fixable_codes(
    inspection: Inspection, findings: Iterable[Finding], configuration: ProviderReferences | None
) -> Mapping[str, Fixable]:
    """Return the codes of findings of a state that are mended, and how.

    Nothing is mended in a state that cannot be used, or has an older format. The canonical form is not written if that
    would drop resources, or would also decide what is not among the findings.
    """
    snapshot, document = inspection.snapshot, inspection.document
    if snapshot is None or document is None or inspection.version != CURRENT_VERSION:
        return {}
    return fixable_among(
        findings,
        (each.code for each in inspection.findings),
        has_short_addresses=lambda: bool(short_addresses(document)),
        sources_known=lambda: _sources_known(snapshot, configuration),
    )


def fixable_among(
    findings: Iterable[Finding],
    noticed: Iterable[str],
    *,
    has_short_addresses: Callable[[], bool],
    sources_known: Callable[[], bool] = lambda: False,
) -> Mapping[str, Fixable]:
    """Return what fixable_codes() does for a state of the current format, by what is known about it.

    Args:
        findings: The findings that are reported.
        noticed: The codes of what reading found, reported or not.
        has_short_addresses: Whether it names providers by their type only.
        sources_known: Whether a configuration has a source for each of these.
    """
    reported = tuple(findings)
    found = {finding.code for finding in reported}
    mends = {finding.code: mend for finding in reported if (mend := mend_for(finding)) is not None}
    if not mends or found & NO_STATE:
        return {}
    fixable = {code: Fixable.SAFE if mend.is_safe else Fixable.UNSAFE for code, mend in mends.items()}
    canonical = [code for code, mend in mends.items() if mend.change is None]
    undecided = {code for code in {*mends, *noticed} if _is_decision(code)}
    if canonical and (undecided - found or _IS_DECIDED & found or has_short_addresses()):
        fixable = {code: way for code, way in fixable.items() if code not in canonical}
    elif undecided:
        fixable |= dict.fromkeys(canonical, Fixable.UNSAFE)
    needy = [code for code, mend in mends.items() if mend.needs_sources]
    if needy and not sources_known():
        fixable = {code: way for code, way in fixable.items() if code not in needy}
    return fixable


def _is_decision(code: str) -> bool:
    mend = mend_of(code)
    return mend is not None and mend.change is None and not mend.is_safe


def _sources_known(snapshot: Snapshot, configuration: ProviderReferences | None) -> bool:
    """Return whether a configuration has one source for each provider that a state names by its type only."""
    if configuration is None:
        return False
    from statefmt.analysis.providers.inferred_sources import required_sources

    required = required_sources(configuration.configuration)
    configs = (resource.provider_config for resource in snapshot.resources)
    types = {config.provider.type for config in configs if config is not None and config.provider.is_legacy}
    return all(len(required.get(type_, ())) == 1 for type_ in types)
