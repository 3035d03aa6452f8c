"""Groups findings that have one cause: the same code and the same fix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from statefmt.model.findings import Command, Finding, Fix
from statefmt.model.snapshot import Snapshot

# Commands that take several addresses, so that one command can fix a whole group.
_TAKE_SEVERAL: Final = frozenset({"forget-deposed", "rebind", "rm", "taint", "untaint"})
# With more addresses than this, a command has a selector for them, if there is one.
_MOST_ADDRESSES: Final = 4
# Stands for the address of a finding in a text that several findings share.
ELLIPSIS: Final = "…"


# Arguments that select exactly the instances with these addresses.
ShortSelectors: TypeAlias = Mapping[frozenset[str], tuple[str, ...]]


class Group(NamedTuple):
    """Findings with one cause, in their order, and the fix for all of them."""

    findings: tuple[Finding, ...]
    fix: Fix


def grouped(findings: Sequence[Finding], short: ShortSelectors) -> list[Group]:
    """Group findings by severity, code and fix; a group takes the place of its first finding.

    Fixes are the same if they differ only in the address of their finding. `short` is from short_selectors().
    """
    return [Group(tuple(group), _joined_fix(group, short)) for group in _groups(findings)]


def short_selectors(findings: Sequence[Finding], snapshot: Snapshot) -> ShortSelectors:
    """Return the selectors that stand for long lists of addresses in the commands of groups."""
    joined = [
        finding
        for finding in findings
        if any(part.name in _TAKE_SEVERAL and finding.address in part.arguments for part in finding.fix.commands)
    ]
    if len(joined) <= _MOST_ADDRESSES:
        return {}
    # Imported late: few states have so many findings of one cause.
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
        # Many findings about one object follow each other.
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
    """Yield the arguments of a command, with other addresses for that of its finding if the command takes several."""
    for argument in command.arguments:
        if argument == finding.address and command.name in _TAKE_SEVERAL:
            yield from addresses
        else:
            yield argument


def without_address(text: str, address: str) -> str:
    """Replace a whole address in a text by an ellipsis; longer addresses that contain it stay."""
    if not address or address not in text:
        return text
    parts = text.split(address)
    found = parts[:1]
    for before, after in pairwise(parts):
        is_part = _continues(before[-1:]) or before.endswith(".") or _continues(after[:1]) or _goes_on(after)
        found += (address if is_part else ELLIPSIS, after)
    return "".join(found)


def _continues(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")


def _goes_on(rest: str) -> bool:
    """Return whether text after an address belongs to it: a key, or a dot that does not end a sentence."""
    return rest[:1] == "[" or (rest[:1] == "." and _continues(rest[1:2]))
