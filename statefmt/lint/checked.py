"""Models the result of checking one state: its findings, their positions, and how `check --fix` fixes them.

Findings with the same cause, code and fix form a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from statefmt.formats.providers import short_addresses
from statefmt.formats.raw_json.positions import Position, finding_positions
from statefmt.formats.reading import CURRENT_VERSION, Inspection, without_pointers
from statefmt.lint.registry import rules_for
from statefmt.lint.rule import Mend
from statefmt.model.findings import NO_STATE, Code, Command, Finding, Fix
from statefmt.model.snapshot import Snapshot
from statefmt.store.reading import display_name

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences

# The canonical form of a readable state decides these, but only a user may.
_IS_DECIDED: Final = frozenset({Code.PROVIDER_BLOCKS_DIFFER})
# Commands that accept several addresses, so that one command can fix a whole group.
_TAKE_SEVERAL: Final = frozenset({"forget-deposed", "rebind", "rm", "taint", "untaint"})
# With more addresses, a command uses a selector for them, if there is one.
_MOST_ADDRESSES: Final = 4
# Replaces the address of a finding in a string that several findings share.
ELLIPSIS: Final = "…"
# Arguments that select exactly the instances with these addresses.
ShortSelectors: TypeAlias = Mapping[frozenset[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class CheckedState:
    """The sorted findings of one state, with their positions in its file.

    `name` is the path as given, or `<standard input>`. `positions` maps the JSON pointers of the findings to
    positions in the file. `hidden` counts the findings that a baseline or a setting suppresses. `fixes` has the codes
    whose findings `check --fix` fixes, at least in part; `way()` answers for one finding. If `is_configuration` is
    set, the findings are about a configuration, and `name` is its directory. If `is_plan` is set, they are about a
    plan. `short_selectors` replace long lists of addresses in the commands of fixes.
    """

    name: str
    findings: tuple[Finding, ...]
    positions: Mapping[str, Position] = field(default_factory=dict)
    hidden: int = 0
    fixes: Mapping[str, Fixable] = field(default_factory=dict)
    is_configuration: bool = False
    is_plan: bool = False
    short_selectors: ShortSelectors = field(default_factory=dict)

    def fixable(self, *ways: Fixable) -> tuple[Finding, ...]:
        """Return the findings that can be fixed in one of the given ways."""
        return tuple(finding for finding in self.findings if self.way(finding) in ways)

    def way(self, finding: Finding) -> Fixable | None:
        """Return how `check --fix` fixes one of the findings; None if it does not."""
        found = self.fixes.get(finding.code)
        return found if found is not None and mend_for(finding) is not None else None

    def place(self, finding: Finding) -> tuple[str, Position | None]:
        """Return the file of a finding and, if known, the position in it."""
        if finding.place is not None:
            return finding.place.file, Position(finding.place.line, finding.place.column)
        return self.name, self.positions.get(finding.pointer)


def checked_state(name: str, data: bytes, version: int, findings: Sequence[Finding]) -> CheckedState:
    """Return findings about a state, given its bytes and format version, with their positions in its file.

    The pointers of the findings refer to the version 4 document.
    """
    found = without_pointers(findings, version)
    return CheckedState(display_name(name), tuple(found), finding_positions(data, found) if found else {})


@dataclass(frozen=True, slots=True)
class UnreadableState:
    """A file that does not exist or could not be read; `message` gives the reason and includes the name."""

    name: str
    message: str


@unique
class Fixable(StrEnum):
    """How `check --fix` fixes a finding: by default, or only with `--unsafe-fixes`."""

    SAFE = "safe"
    UNSAFE = "unsafe"

    @property
    def options(self) -> str:
        """The options of `check` that apply the fix."""
        return "--fix" if self is Fixable.SAFE else "--fix --unsafe-fixes"


def mend_of(code: str) -> Mend | None:
    """Return how `check --fix` fixes the findings with a code; None if it does not.

    Only rules that check the state alone have a mend.
    """
    rule = rules_for().get(code)
    return None if rule is None else rule.mend


def mend_for(finding: Finding) -> Mend | None:
    """Return how `check --fix` fixes a finding; None if it does not."""
    mend = mend_of(finding.code)
    return mend if mend is not None and mend.applies(finding) else None


def fixable_codes(
    inspection: Inspection, findings: Iterable[Finding], configuration: ProviderReferences | None
) -> Mapping[str, Fixable]:
    """Return the codes of the fixable findings of a state, and how to fix them.

    Nothing is fixable in a state that is unusable or has an older format. The canonical form is not written if that
    would drop resources, or would also decide a question that is not among the findings.
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
    """Like fixable_codes(), for a state of the current format, from facts about it.

    Args:
        findings: The reported findings.
        noticed: The codes of all problems that the reader found, reported or not.
        has_short_addresses: Whether it names providers by their type only.
        sources_known: Whether a configuration has a source for each of these types.
    """
    reported = tuple(findings)
    found = {finding.code for finding in reported}
    mends = {finding.code: mend for finding in reported if (mend := mend_for(finding)) is not None}
    if not mends or found & NO_STATE:
        return {}
    fixable = {code: Fixable.SAFE if mend.is_safe else Fixable.UNSAFE for code, mend in mends.items()}
    canonical = [code for code, mend in mends.items() if mend.change is None]
    possible = {code: mend_of(code) for code in {*mends, *noticed}}
    undecided = {code for code, mend in possible.items() if mend and mend.change is None and not mend.is_safe}
    if canonical and (undecided - found or _IS_DECIDED & found or has_short_addresses()):
        fixable = {code: way for code, way in fixable.items() if code not in canonical}
    elif undecided:
        fixable |= dict.fromkeys(canonical, Fixable.UNSAFE)
    needy = [code for code, mend in mends.items() if mend.needs_sources]
    if needy and not sources_known():
        fixable = {code: way for code, way in fixable.items() if code not in needy}
    return fixable


def _sources_known(snapshot: Snapshot, configuration: ProviderReferences | None) -> bool:
    """Return whether a configuration has one source for each provider that a state names only by its type."""
    if configuration is None:
        return False
    from statefmt.analysis.providers.inferred_sources import required_sources

    required = required_sources(configuration.configuration)
    configs = (resource.provider_config for resource in snapshot.resources)
    types = {config.provider.type for config in configs if config is not None and config.provider.is_legacy}
    return all(len(required.get(type_, ())) == 1 for type_ in types)


class Group(NamedTuple):
    """Findings with the same cause, in their order, and the fix for all of them."""

    findings: tuple[Finding, ...]
    fix: Fix


def grouped(findings: Sequence[Finding], short: ShortSelectors) -> list[Group]:
    """Group findings by severity, code and fix; a group is at the position of its first finding.

    Fixes are the same if they differ only in the address of their finding. `short` is from short_selectors().
    """
    return [Group(tuple(group), _joined_fix(group, short)) for group in _groups(findings)]


def short_selectors(findings: Sequence[Finding], snapshot: Snapshot) -> ShortSelectors:
    """Return the selectors that replace long lists of addresses in the commands of groups."""
    joined = [
        finding
        for finding in findings
        if any(part.name in _TAKE_SEVERAL and finding.address in part.arguments for part in finding.fix.commands)
    ]
    if len(joined) <= _MOST_ADDRESSES:
        return {}
    # Imported late: few states have so many findings with the same cause.
    from statefmt.analysis.selection.covering import command_words, shortest

    found = {}
    for group in _groups(joined):
        addresses = frozenset(finding.address for finding in group)
        if len(addresses) > _MOST_ADDRESSES and addresses not in found:
            criteria = shortest(snapshot, addresses)
            if criteria is not None:
                found[addresses] = command_words(criteria)
    return found


def _groups(findings: Sequence[Finding]) -> list[list[Finding]]:
    groups: dict[object, list[Finding]] = {}
    last, group = None, list[Finding]()
    for finding in findings:
        # Many findings about one object are adjacent.
        if not (
            last
            and finding.fix is last.fix
            and (finding.code, finding.address) == (last.code, last.address)
            and finding.severity is last.severity
        ):
            group = groups.setdefault((finding.code, finding.severity, _template(finding)), [])
        group.append(finding)
        last = finding
    return list(groups.values())


def _template(finding: Finding) -> tuple[object, ...]:
    parts = [
        (part.name, tuple(_arguments(part, finding, (ELLIPSIS,))))
        if isinstance(part, Command)
        else without_address(part, finding.address)
        for part in finding.fix.advice
    ]
    return (*parts, finding.fix.snippet)


def _joined_fix(group: Sequence[Finding], short: ShortSelectors) -> Fix:
    first = group[0]
    if len(group) == 1:
        return first.fix
    addresses = tuple(dict.fromkeys(finding.address for finding in group))
    selecting = short.get(frozenset(addresses), addresses)
    advice = tuple(
        Command(part.name, tuple(_arguments(part, first, selecting)))
        if isinstance(part, Command)
        else without_address(part, first.address)
        if len(addresses) > 1
        else part
        for part in first.fix.advice
    )
    return replace(first.fix, advice=advice)


def _arguments(command: Command, finding: Finding, addresses: Sequence[str]) -> Iterator[str]:
    """Yield the arguments of a command, with all addresses for the finding's if the command accepts several."""
    for argument in command.arguments:
        if argument == finding.address and command.name in _TAKE_SEVERAL:
            yield from addresses
        else:
            yield argument


def without_address(text: str, address: str) -> str:
    """Replace a whole address in a string by an ellipsis; longer addresses that contain it stay."""
    if not address or address not in text:
        return text
    parts = text.split(address)
    found = parts[:1]
    for before, after in pairwise(parts):
        is_part = _continues(before[-1:]) or before.endswith(".") or _continues(after[:1]) or _extends(after)
        found += (address if is_part else ELLIPSIS, after)
    return "".join(found)


def _continues(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")


def _extends(rest: str) -> bool:
    """Return whether text after an address belongs to it: a key, or a dot that does not end a sentence."""
    return rest[:1] == "[" or (rest[:1] == "." and _continues(rest[1:2]))
