"""Prints the reports of upgrades and downgrades: the engine that reads the result, losses, and refusals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from statefmt.edit.session import LoadedState, Rewritten
from statefmt.formats.losses import CONSEQUENCES, Cause, EngineReading, Loss, engine_readings, reason, way_out
from statefmt.formats.providers import KNOWN_TYPES, PUBLIC_HOSTS, SourceChoice
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.formats.releases import Release, all_releases
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST, Provider
from statefmt.model.errors import ProviderSourceError
from statefmt.model.snapshot import Snapshot
from statefmt.render.terminal import Terminal, counted
from statefmt.render.upgrade import listed, notes_text, objects_text, sources_text
from statefmt.store.reading import display_name
from statefmt.text import shell_line

# Causes that --registry does not change.
_WHICH: Final[Mapping[Cause, str]] = {
    Cause.PROVIDER_KEY: "bound to provider instance keys",
    Cause.NO_PROVIDER: "without a provider",
}


def engines_text(snapshot: Snapshot, terminal: Terminal, engine: str = "") -> str:
    """Render engines_sentence() as a paragraph of a report; "" if it is empty."""
    sentence = engines_sentence(snapshot, engine)
    return terminal.wrap(sentence, "  ") if sentence else ""


def engines_sentence(snapshot: Snapshot, engine: str = "") -> str:
    """Return the engine that reads the resources, the engine that drops some, and the option that changes it.

    If the state is written for one `engine`, no option is suggested for the registry of the other. Returns "" if no
    engine drops any and the providers do not come from one public registry.
    """
    found, total = engine_readings(snapshot), len(snapshot.resources)
    dropping = [reader for reader in found if reader.total]
    reading = [reader for reader in found if not reader.total]
    hosts = {provider.hostname for provider in _providers(snapshot)}.intersection(PUBLIC_HOSTS)
    if not dropping and len(hosts) != 1:
        return ""
    parts = [_dropped(reader, total) for reader in dropping]
    if reading:
        names = " and ".join(map(_name, reading))
        every = "the only resource" if total == 1 else f"all {total:,} resources"
        parts.insert(0, f"{names} {'read' if len(reading) > 1 else 'reads'} {every}")
    text = "; ".join(parts)
    writing_for = [reader for reader in dropping if Cause.LEGACY_PROVIDER in reader.dropped]
    if not dropping:
        text += f". The providers come from {', '.join(hosts)}"
        writing_for = [reader for reader in found if reader.release.legacy_provider_host not in hosts]
        writing_for = [reader for reader in writing_for if engine in ("", reader.release.engine)]
    types = {provider.type for provider in _providers(snapshot) if provider.is_legacy}
    advice = [
        f"use {' '.join(registry_options(reader.release.engine, types))} to write for {reader.release.engine_name}"
        for reader in writing_for
    ]
    return f"{': '.join([text, *advice])}."


def registry_options(engine: str, types: Collection[str]) -> list[str]:
    """Return --registry, and the options for provider types whose source only the user knows."""
    return ["--registry", engine, *legacy_options([type_ for type_ in types if type_ not in KNOWN_TYPES])]


def legacy_options(types: Collection[str]) -> list[str]:
    """Return a --legacy-provider for each type, with HashiCorp's source or a placeholder."""
    return [
        word
        for type_ in sorted(types)
        for word in ("--legacy-provider", f"{type_}={'hashicorp' if type_ in KNOWN_TYPES else 'NAMESPACE'}/{type_}")
    ]


def _providers(snapshot: Snapshot) -> set[Provider]:
    configs = {resource.provider_config for resource in snapshot.resources}
    return {config.provider for config in configs if config is not None}


def _name(reader: EngineReading) -> str:
    since = f" ({reader.since.number} and later)" if reader.since else ""
    return f"{reader.release.engine_name}{since}"


def _dropped(reader: EngineReading, total: int) -> str:
    everything = "it" if total == 1 else f"all {total:,} of them"
    what = everything if reader.total == total else f"{reader.total:,} of them"
    which = [f"{count:,} {_WHICH[cause]}" for cause, count in reader.dropped.items() if cause in _WHICH]
    detail = f" ({', '.join(which)})" if which else ""
    return f"{_name(reader)} drops {what}{detail}"


_MOST_TYPES: Final = 5
# Options that stay on the same line as their value.
_TAKE_A_VALUE: Final = ("--config", "--legacy-provider", "--registry")


def untold_text(
    error: ProviderSourceError, command: Callable[..., Sequence[str]], terminal: Terminal, *, has_configuration: bool
) -> str:
    r"""Render the reason, and each remedy as a command; the lines after the first ":\n" must not be wrapped.

    `command` returns the words of this run's command line with additional options.
    """
    short = error.short
    ways: list[tuple[str, list[list[str]]]]
    for_terraform = error.host == TERRAFORM_HOST and not error.ambiguous
    concerned = error.unknown if for_terraform else short
    count = sum(short.get(type_, 0) for type_ in concerned)
    text = f"not written: {count:,} of {counted(error.total, 'resource')} {'names' if count == 1 else 'name'} "
    text += f"the provider by type only ({_listed(short, concerned)}), "
    if for_terraform:
        text += "and Terraform silently drops resources with such a provider"
    elif error.ambiguous:
        found = "; ".join(f"{type_}: {' or '.join(sources)}" for type_, sources in error.ambiguous.items())
        text += f"and the source is ambiguous ({found})"
    else:
        engines = {one.engine_name: None for one in all_releases() if one.legacy_provider_host != DEFAULT_HOST}
        text += "and the engine that will read the state is unknown. "
        text += f"{' and '.join(engines)} silently drops resources whose provider has no source"
    text += "".join(f". {problem}" for problem in error.problems)
    if for_terraform:
        ways = [("with their sources", [legacy_options(concerned)])]
    elif error.ambiguous:
        ways = [("with the sources that you mean", list(_chosen(error)))]
    else:
        ways = [
            ("for OpenTofu", [registry_options("opentofu", ())]),
            ("for Terraform", [registry_options("terraform", short)]),
            ("with sources of your own", [legacy_options(short)]),
        ]
        if not has_configuration:
            ways.append(("as the configuration in DIR and its .terraform.lock.hcl say", [["--config", "DIR"]]))
        ways.append(("without sources, which only OpenTofu reads", [["--registry", "keep"]]))
    lines = [f"{text}. {'Choose one' if len(ways) > 1 else 'Write the state'}:"]
    for what, each in ways:
        lines.append(f"  {what}:")
        lines += [line for options in each for line in _command_lines(command(*options), terminal)]
    return "\n".join(lines)


def _chosen(error: ProviderSourceError) -> Iterable[list[str]]:
    """Yield the options for each possible source of an ambiguous type."""
    for type_, sources in error.ambiguous.items():
        others = [other for other in (*error.ambiguous, *error.unknown) if other != type_]
        for source in sources:
            yield ["--legacy-provider", f"{type_}={source}", *legacy_options(others)]


def _command_lines(words: Sequence[str], terminal: Terminal) -> list[str]:
    """Render a command for pasting; a long command continues on the next line."""
    lines = ["   "]
    rest = iter(words)
    for word in rest:
        part = shell_line([word, next(rest, "")] if word in _TAKE_A_VALUE else [word])
        if len(lines[-1]) + len(part) > terminal.width - len(" \\ ") and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {part}"
    return lines


def _listed(short: Mapping[str, int], concerned: Iterable[str]) -> str:
    types = sorted(concerned, key=lambda type_: (-short.get(type_, 0), type_))
    shown = [f"{type_}: {short.get(type_, 0):,}" for type_ in types[:_MOST_TYPES]]
    return ", ".join(shown) + (f" and {len(types) - _MOST_TYPES} more types" if len(types) > _MOST_TYPES else "")


def refusal_text(name: str, losses: Sequence[Loss], release: Release, terminal: Terminal) -> str:
    """Render why a state was not written for a release: losses grouped by reason, with a remedy; lost objects first.

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


def upgrade_report(
    loaded: LoadedState, rewritten: Rewritten, sources: SourceChoice, terminal: Terminal, *, dropped_unknown: bool
) -> str:
    """Render the engine that reads the result, and every decision, loss and rewritten provider source of an upgrade."""
    result, name = loaded.result, display_name(loaded.name)
    head = f"{name}: format version {result.version} → {CURRENT_VERSION}"
    if result.version == CURRENT_VERSION:
        head = f"{name}: has format version {CURRENT_VERSION} already"
        head += ", rewritten in canonical form" if rewritten.content != loaded.data else " and is canonical"
    lines = [
        terminal.paint(terminal.wrap(head, "", "  "), "bold"),
        *filter(None, [engines_text(result.snapshot, terminal)]),
        objects_text(result.snapshot, result.snapshot.serial - loaded.sources.changed),
        *_notes_and_sources(loaded, rewritten, sources, terminal, dropped_unknown=dropped_unknown),
    ]
    return "\n".join(lines)


def _notes_and_sources(
    loaded: LoadedState, rewritten: Rewritten, sources: SourceChoice, terminal: Terminal, *, dropped_unknown: bool
) -> Iterator[str]:
    """Yield the notes and the rewritten provider sources of a report."""
    if rewritten.notes:
        yield notes_text(rewritten.notes, terminal, dropped_unknown=dropped_unknown)
    if loaded.sources.changes or loaded.sources.unresolved:
        yield sources_text(loaded.sources, sources, terminal)


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
    """Render the result written for a release, the dropped members, and other notes.

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
    lines += _notes_and_sources(loaded, rewritten, sources, terminal, dropped_unknown=dropped_unknown)
    return "\n".join(lines)


def _places(losses: Iterable[Loss], terminal: Terminal) -> Iterable[str]:
    return [
        terminal.wrap(f"{at or 'the state'}: {', '.join(what)}", "    ", "  ") for at, what in _by_place(losses).items()
    ]


def _groups(losses: Iterable[Loss], terminal: Terminal) -> Iterable[str]:
    """Render the losses, each with its locations."""
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
        places.setdefault(loss.at, {})[_lost(loss)] = None
    return places


def _lost(loss: Loss) -> str:
    """Describe a loss at one location: a member, or the object with its provider."""
    if loss.cause is Cause.BESIDE_PROVIDER_KEY:
        return f"bound to {loss.provider}, while other instances are bound to a key of it"
    if loss.loses_object:
        return f"bound to {loss.provider}" if loss.provider else "bound to no provider"
    return loss.field
