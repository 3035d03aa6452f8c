"""Prints the changes of all versions of a state, and who last changed each attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.analysis.life import BlamedPath, Event, EventKind
from statefmt.edit.versions import VersionChanges, VersionOrigin, VersionSource
from statefmt.render.json_output import document
from statefmt.render.table import table
from statefmt.render.terminal import Terminal, one_line, time_text
from statefmt.text import printable

_MOST_PATHS: Final = 6
_COMMIT: Final = 10
_HEADINGS: Final = ("time", "serial", "version", "who", "release", "change")


def log_text(changes: Sequence[VersionChanges], terminal: Terminal) -> str:
    """Render one line for each change, newest first."""
    rows: list[tuple[str, ...]] = []
    for one in reversed(changes):
        said = [event_text(event) for event in reversed(one.events)]
        said += [f"cannot be read: {printable(one_line(one.problem))}"] if one.problem else []
        rows += [(*_columns(one), text) for text in said]
        if one.missing is not None:
            first, last = one.missing
            serials = str(first) if first == last else f"{first} to {last}"
            what = "this version is" if first == last else "versions between these serials are"
            rows.append(("", serials, "", "", "", f"{what} not available"))
    return table(_HEADINGS, rows, terminal, right="lr")


def version_text(one: VersionChanges, terminal: Terminal) -> str:
    """Render the heading of a version's patch."""
    time, serial, place, who, release = _columns(one)
    message = printable(one.version.origin.message)
    head = terminal.paint(f"{place}, serial {serial}, {time}", "bold")
    about = "; ".join(filter(None, (who, release and f"written by {release}")))
    return "\n".join([head, *(f"  {line}" for line in (about, message) if line)])


def _columns(one: VersionChanges) -> tuple[str, str, str, str, str]:
    origin = one.version.origin
    serial = "" if one.version.serial is None else str(one.version.serial)
    return (
        time_text(origin.time) if origin.time else "",
        serial,
        _place(origin),
        printable(origin.who),
        printable(one.release),
    )


def _place(origin: VersionOrigin) -> str:
    if origin.kind is VersionSource.GIT:
        return f"git {origin.place[:_COMMIT]}"
    return printable(
        origin.place if origin.kind in (VersionSource.FILE, VersionSource.BACKUP) else f"{origin.kind} {origin.place}"
    )


def event_text(event: Event) -> str:
    """Return the sentence on a change, without its version."""
    address, old, new = map(printable, (event.address, event.old, event.new))
    deposed = f" (deposed object {new})" if new else ""
    match event.kind:
        case EventKind.PRESENT:
            return f"{address} is in the first available version"
        case EventKind.MOVED:
            return f"{old} moved to {address}"
        case EventKind.REBOUND:
            return f"{address} rebound: {old or 'no provider'} → {new or 'no provider'}"
        case EventKind.CHANGED:
            return f"{address} changed{_paths(event)}"
        case EventKind.DEPOSED:
            return f"{address} has a new deposed object {new}"
        case EventKind.DEPOSED_REMOVED:
            return f"{address} lost the deposed object {new}"
        case EventKind.TAINTED | EventKind.UNTAINTED:
            return f"{address} {event.kind}{deposed}"
    return f"{address} {event.kind}"


def _paths(event: Event) -> str:
    named = [printable(path or "all attributes") for path in (*event.paths, *event.members)]
    more = f" and {len(named) - _MOST_PATHS} more" if len(named) > _MOST_PATHS else ""
    return f": {', '.join(named[:_MOST_PATHS])}{more}" if named else ""


def log_json(location: str, changes: Sequence[VersionChanges], notes: Sequence[str]) -> bytes:
    """Render the changes, newest version first (schema: `log-output.schema.json`)."""
    versions = [
        {**_version(one), "events": [_event(event) for event in reversed(one.events)]} for one in reversed(changes)
    ]
    return document(location=location, versions=versions, notes=list(notes))


def _version(one: VersionChanges) -> dict[str, object]:
    return {
        "serial": one.version.serial,
        "lineage": one.version.lineage or None,
        "release": one.release or None,
        "current": one.version.is_current,
        "origins": [
            {
                "kind": origin.kind.value,
                "place": origin.place,
                "time": origin.time or None,
                "who": origin.who or None,
                "message": origin.message or None,
            }
            for origin in one.version.origins
        ],
        "missing": None if one.missing is None else {"from": one.missing[0], "to": one.missing[1]},
        "problem": one.problem or None,
    }


def _event(event: Event) -> dict[str, object]:
    return {
        "kind": event.kind.value,
        "address": event.address,
        "from": event.old or None,
        "to": event.new or None,
        "paths": list(event.paths),
        "members": list(event.members),
    }


def blame_text(found: Sequence[BlamedPath], changes: Sequence[VersionChanges], terminal: Terminal) -> str:
    """Render each attribute with the version that last changed it."""
    rows = [(*_columns(changes[one.place])[:4], printable(one.path), _since(one, changes)) for one in found]
    return table((*_HEADINGS[:4], "attribute", "since"), rows, terminal, right="lr")


def _since(one: BlamedPath, changes: Sequence[VersionChanges]) -> str:
    missing = changes[one.place].missing
    said = "first available version" if one.event.kind is EventKind.PRESENT else one.event.kind.value
    return said if missing is None else f"{said}, here or in a version since serial {missing[0]}"


def blame_json(
    location: str, address: str, found: Sequence[BlamedPath], changes: Sequence[VersionChanges], notes: Sequence[str]
) -> bytes:
    """Render each attribute with its last change (schema: `blame-output.schema.json`)."""
    attributes = [
        {"path": one.path, "event": _event(one.event), "version": _version(changes[one.place])} for one in found
    ]
    return document(location=location, address=address, attributes=attributes, notes=list(notes))
