"""Prints notes on upgrades: the contents of a state, provider sources, losses, and decoded attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from statefmt.formats.providers import SourceChoice, SourceReport
from statefmt.formats.versions import UpgradeNoteKind
from statefmt.model.addrs.provider import LEGACY_NAMESPACE, TERRAFORM_HOST
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import Snapshot
from statefmt.render.terminal import Terminal, counted

if TYPE_CHECKING:
    # Most runs have no schemas and skip this import.
    from statefmt.edit.operations.decode_flat_attributes import FlatDecoding, FlatObject


# The maximum number of notes or names of one kind.
_MOST: Final = 8
# Members of nearly every object of an old state: their name, and why their loss is harmless.
_EVERYWHERE: Final[Mapping[str, tuple[str, str]]] = {
    "depends_on": ("dependencies", "which the next apply records again"),
    "outputs": ("outputs", "which each run recomputes"),
}
_LABELS: Mapping[str, str] = {UpgradeNoteKind.CHOSEN: "chosen", UpgradeNoteKind.NOT_CARRIED_OVER: "not carried over"}


def objects_text(snapshot: Snapshot, serial: int) -> str:
    """Render the contents of a state in numbers, and its serial before and after."""
    objects = sum(len(resource.objects) for resource in snapshot.resources)
    parts = ((len(snapshot.resources), "resource"), (objects, "object"), (len(snapshot.outputs), "output"))
    after = f" → {snapshot.serial}" if snapshot.serial != serial else ""
    return f"  {', '.join(counted(number, noun) for number, noun in parts)}; serial {serial}{after}"


def notes_text(notes: Sequence[Finding], terminal: Terminal, *, dropped_unknown: bool) -> str:
    """Render the decisions, changes and losses of the conversion to canonical form, grouped by kind."""
    upgrading = [finding for finding in notes if finding.code == Code.UPGRADE_CHOICE]
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in upgrading:
        groups.setdefault((_LABELS[finding.summary], _subject(finding)), []).append(finding)
    lines = [terminal.wrap(f"{label}: {_grouped(what, group)}", "  ") for (label, what), group in groups.items()]
    by_code: dict[str, list[Finding]] = {}
    for finding in notes:
        if finding.code != Code.UPGRADE_CHOICE:
            by_code.setdefault(finding.code, []).append(finding)
    for code, group in by_code.items():
        lines += [terminal.wrap(f"{one.severity.value} {code}: {one.detail}", "  ") for one in group[:_MOST]]
        if len(group) > _MOST:
            lines.append(f"  … and {len(group) - _MOST:,} more {code}")
    cut = [group[0].code for group in (*groups.values(), *by_code.values()) if len(group) > _MOST]
    if cut:
        command = f"`statetool check --select {','.join(sorted(set(cut)))} STATE`"
        lines.append(terminal.wrap(f"{command} on the old state lists all of them.", "  "))
    if dropped_unknown and any(finding.code == Code.UNKNOWN_MEMBER for finding in notes):
        lines.append("  The unknown members were dropped.")
    return "\n".join(lines)


def listed(names: Iterable[str]) -> str:
    """Join names; of many, only the first few."""
    found = list(dict.fromkeys(names))
    return ", ".join(found[:_MOST]) + (f" and {len(found) - _MOST:,} more" if len(found) > _MOST else "")


def _subject(finding: Finding) -> str:
    """Return the subject of a note on an upgrade, to group notes that differ only in their location."""
    member = finding.pointer.rpartition("/")[2]
    # An unknown member may have the same name.
    return member if member in _EVERYWHERE and finding.detail.startswith("its ") else finding.detail


def _grouped(what: str, group: Sequence[Finding]) -> str:
    """Render the notes on the same subject, with their locations."""
    places = [finding.address for finding in group if finding.address]
    where = listed(places)
    if what in _EVERYWHERE:
        name, harmless = _EVERYWHERE[what]
        return f"{name} of {_counted_places(places)}, {harmless}: {where}."
    if len(places) < 2:
        return f"{where}: {what}" if where else what
    return f"in {_counted_places(places)}: {what.removesuffix('.')}: {where}."


def _counted_places(places: Sequence[str]) -> str:
    modules = sum(_is_module(place) for place in places)
    outputs = sum(place.startswith("output.") for place in places)
    kinds = ((len(places) - modules - outputs, "instance"), (modules, "module"), (outputs, "output"))
    return " and ".join(counted(number, noun) for number, noun in kinds if number)


def _is_module(place: str) -> bool:
    # Modules have no keys before format 4.
    names = place.split(".")
    return len(names) % 2 == 0 and all(name == "module" for name in names[::2])


def sources_text(report: SourceReport, choice: SourceChoice, terminal: Terminal) -> str:
    """Render each rewritten source and each type whose source is unknown; an empty string if there are none."""
    lines = [
        terminal.wrap(f"rewritten: {old} → {new} ({_addresses(count)}){_origin(report, old)}", "  ", "  ")
        for (old, new), count in sorted(report.changes.items())
    ]
    lines += [_unresolved(type_, count, choice, terminal) for type_, count in sorted(report.unresolved.items())]
    return "\n".join(lines)


def unused_text(choice: SourceChoice, used: Iterable[str], terminal: Terminal) -> str:
    """Render each --legacy-provider type that no state has; an empty string if there are none."""
    return "\n".join(
        terminal.wrap(f"--legacy-provider {type_}=… is unused: no address names {type_} by its type only", "", "  ")
        for type_ in sorted(set(choice.legacy) - set(used))
    )


def _unresolved(type_: str, count: int, choice: SourceChoice, terminal: Terminal) -> str:
    text = (
        f"unknown source: provider {type_} ({_addresses(count)}) is known by its type only. "
        f"Set it with --legacy-provider {type_}=NAMESPACE/{type_}."
    )
    if choice.host == TERRAFORM_HOST:
        text += " Terraform silently drops resources with such an address."
    return terminal.wrap(text, "  ", "  ")


def _origin(report: SourceReport, old: str) -> str:
    """Return the origin of the new source of a provider known only by its type."""
    _, _, type_ = old.partition(f"/{LEGACY_NAMESPACE}/")
    origin = report.origins.get(type_)
    return f", {origin}" if origin else ""


def _addresses(count: int) -> str:
    return counted(count, "address", "addresses")


# The maximum number of lines.
_MOST_LINES: Final = 16


def flat_attributes_text(decoding: FlatDecoding, serials: tuple[int, int], terminal: Terminal) -> str:
    """Render the objects with decoded attributes, and the objects that stay in the flat form, with the reasons.

    `serials` are the serials before and after.
    """
    if not decoding.objects:
        return "  no attributes in the flat form of older formats"
    lines: list[str] = []
    if decoding.decoded:
        before, after = serials
        serial = f"; serial {before} → {after}" if before != after else ""
        lines.append(f"decoded by their schemas: attributes of {_objects(decoding.decoded)}{serial}.")
    by_dropped = _by_text([(listed(each.unused), each) for each in decoding.decoded if each.unused])
    lines += [f"dropped, since the schema does not have it: {keys}: {_objects(group)}." for keys, group in by_dropped]
    by_reason = _by_text([(each.reason, each) for each in decoding.kept])
    lines += [f"attributes left in the flat form: {reason}: {_objects(group)}." for reason, group in by_reason]
    shown = [terminal.wrap(line, "  ") for line in lines[:_MOST_LINES]]
    if len(lines) > len(shown):
        shown.append(f"  … and {len(lines) - len(shown):,} more reasons")
    if any(each.unused for each in decoding.kept):
        shown.append(terminal.wrap("Add --drop-unknown to drop attributes that the schema does not have.", "  "))
    if decoding.kept:
        command = f"`statetool check --select {Code.FLAT_ATTRIBUTES} STATE`"
        shown.append(terminal.wrap(f"{command} on the new state lists all that are left.", "  "))
    return "\n".join(shown)


def _objects(objects: Sequence[FlatObject]) -> str:
    names = (f"{each.addr} (deposed {each.deposed})" if each.deposed else str(each.addr) for each in objects)
    return f"{counted(len(objects), 'object')}: {listed(names)}"


def _by_text(pairs: Sequence[tuple[str, FlatObject]]) -> list[tuple[str, list[FlatObject]]]:
    groups: dict[str, list[FlatObject]] = {}
    for text, each in pairs:
        groups.setdefault(text, []).append(each)
    return list(groups.items())
