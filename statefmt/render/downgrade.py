"""Renders the report or the refusal of a downgrade, for standard error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from statefmt.edit.session import LoadedState, Rewritten
from statefmt.formats.losses import CONSEQUENCES, Cause, Loss, reason, way_out
from statefmt.formats.providers import SourceChoice
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.formats.releases import Release
from statefmt.render.engines import engines_text
from statefmt.render.terminal import Terminal, counted
from statefmt.render.upgrade import listed, notes_text, objects_text, sources_text
from statefmt.store.reading import display_name


def refusal_text(name: str, losses: Sequence[Loss], release: Release, terminal: Terminal) -> str:
    """Render why a state was not written for a release: losses grouped by reason, with a way out; lost objects first.

    `name` is the name of the file as given.
    """
    head = f"statetool: {display_name(name)}: not written: {release.title} would lose parts of it"
    parts = [terminal.paint(terminal.wrap(head, "", "  "), "bold")]
    causes: dict[str, list[Loss]] = {}
    for loss in sorted(losses, key=lambda loss: not loss.loses_object):
        causes.setdefault(reason(loss.cause, release), []).append(loss)
    for why, group in causes.items():
        fields = {loss.field: None for loss in group if not loss.loses_object}
        lines = [
            terminal.wrap(f"{release.title} {why}:", "  "),
            *_places(group, terminal),
            *(
                terminal.wrap(f"{field}: {CONSEQUENCES[field]}", "    ", "  ")
                for field in fields
                if field in CONSEQUENCES
            ),
            terminal.wrap(f"→ {way_out(group[0].cause, release)}", "    ", "  "),
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def downgrade_report(
    loaded: LoadedState,
    rewritten: Rewritten,
    dropped: Sequence[Loss],
    release: Release,
    sources: SourceChoice,
    terminal: Terminal,
    *,
    serial: int,
    dropped_unknown: bool,
) -> str:
    """Render what is written for a release, what is dropped for it, and other notes.

    `loaded` is the state to be written, `serial` the serial of the file that was read.
    """
    snapshot, version = loaded.result.snapshot, loaded.result.version
    climbed = f"format version {version} → {CURRENT_VERSION}, " if version != CURRENT_VERSION else ""
    head = f"{display_name(loaded.name)}: {climbed}as {release.title} reads it"
    lines = [
        terminal.paint(terminal.wrap(head, "", "  "), "bold"),
        *filter(None, [engines_text(snapshot, terminal, release.engine)]),
        objects_text(snapshot, serial),
    ]
    if dropped:
        lines += [
            terminal.wrap(f"dropped, because {release.title} does not keep it:", "  "),
            *_groups(dropped, terminal),
        ]
    if rewritten.notes:
        lines.append(notes_text(rewritten.notes, terminal, dropped_unknown=dropped_unknown))
    if loaded.sources.changes or loaded.sources.unresolved:
        lines.append(sources_text(loaded.sources, sources, terminal))
    return "\n".join(lines)


def _places(losses: Iterable[Loss], terminal: Terminal) -> Iterable[str]:
    """Render each place with what it loses."""
    return [
        terminal.wrap(f"{at or 'the state'}: {', '.join(what)}", "    ", "  ") for at, what in _by_place(losses).items()
    ]


def _groups(losses: Iterable[Loss], terminal: Terminal) -> Iterable[str]:
    """Render what is lost, with the places that lose the same."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for at, what in _by_place(losses).items():
        groups.setdefault(tuple(what), []).append(at or "the state")
    return [
        terminal.wrap(
            f"{', '.join(what)} in {counted(len(places), 'place')}: {listed(places)}"
            if len(places) > 1
            else f"{places[0]}: {', '.join(what)}",
            "    ",
            "  ",
        )
        for what, places in groups.items()
    ]


def _by_place(losses: Iterable[Loss]) -> Mapping[str, Iterable[str]]:
    places: dict[str, dict[str, None]] = {}
    for loss in losses:
        places.setdefault(loss.at, {})[_what(loss)] = None
    return places


def _what(loss: Loss) -> str:
    """Describe what is lost at one place: a member, or the object with its provider."""
    if loss.cause is Cause.BESIDE_PROVIDER_KEY:
        return f"bound to {loss.provider}, while other instances are bound to a key of it"
    if loss.loses_object:
        return f"bound to {loss.provider}" if loss.provider else "bound to no provider"
    return loss.field
