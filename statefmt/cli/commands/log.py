"""`statetool log` and `blame`: show what changed from version to version of a state, and who changed it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Annotated, Final

from msgspec.structs import replace
from typer import Argument, BadParameter, Option

from statefmt import SelectionError, StoreError
from statefmt.addrs import AbsResourceInstance
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.selecting import criteria, refuse_state_names
from statefmt.cli.options.shared import AGE, FormatOption, OutputFormat, ShowSensitiveOption, StateOption, seconds
from statefmt.cli.outcome import FINE
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say
from statefmt.differences import (
    EventKind,
    StateLog,
    StateVersion,
    VersionChanges,
    attribute_paths,
    blamed,
    diff,
    kinds,
    narrowed,
    read_version,
    state_log,
    state_versions,
)
from statefmt.locations import display_name
from statefmt.render.terminal import counted
from statefmt.selection import Criteria, select
from statefmt.snapshots import instances

_ALWAYS: Final = (EventKind.PRESENT, EventKind.CREATED, EventKind.MOVED, EventKind.REMOVED)


@examples(
    ("Show what happened to an instance, also under earlier addresses.", "statetool log 'aws_instance.web[0]'"),
    ("Show when a module was bound to other providers, and who did it.", "statetool log module.app --only rebound"),
    ("Show the values that changed in the last week.", "statetool log --since 7d --patch"),
)
@declared(paged=True, decrypts=True, connects=True)
@takes(chosen=criteria)
def log_command(
    *,
    chosen: Criteria,
    state: StateOption = None,
    attr: Annotated[
        str | None, Option(metavar="PATH", help="Only changes of this attribute, such as tags.Name.")
    ] = None,
    only: Annotated[
        list[str] | None, Option(metavar="KIND,...", help="Only these kinds of changes, such as moved or rebound.")
    ] = None,
    since: Annotated[
        str | None, Option(metavar="TIME", help="Only versions since 2026-01-31, a time or an age (30d).")
    ] = None,
    by: Annotated[str | None, Option(metavar="NAME", help="Only versions by users or authors with this name.")] = None,
    patch: Annotated[bool, Option("--patch", "-p", help="Show the differences of each version.")] = False,
    show_sensitive: ShowSensitiveOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show what changed from version to version of a state, newest first.

    Versions are in git, in backups, in statetool's history and in a bucket. Instances are followed through moves.
    """
    if patch and output_format is OutputFormat.JSON:
        raise BadParameter("cannot be combined with --format json", param_hint="--patch")
    context, wanted, begin = run_context(), _kinds(only), _time(since)
    name = state_name(state, to_read=True)
    with state_versions(context, name) as versions:
        log = state_log(context, name, versions, chosen)
        everything = chosen == Criteria() and not only and attr is None
        changes = [
            shown
            for one in log.changes
            if (begin is None or one.version.origin.second >= begin) and _is_by(one, by)
            for shown in [_narrowed(one, log, wanted, attr, everything=everything)]
            if shown.events or shown.problem or shown.missing or (patch and everything)
        ]
        if output_format is OutputFormat.JSON:
            from statefmt.render.log import log_json

            sys.stdout.buffer.write(log_json(display_name(name), changes, log.notes))
        elif patch:
            _print_patches(name, log, changes, everything=everything, show_sensitive=show_sensitive)
        elif changes:
            from statefmt.render.log import log_text

            print(log_text(changes, result_terminal()))
    sys.stdout.flush()
    for note in log.notes:
        say(f"statetool: {note}")
    if not changes:
        say(f"statetool: {display_name(name)}: no such changes in {counted(len(versions), 'available version')}")
    return FINE


@examples(
    ("Show which version last changed each attribute of an instance.", "statetool blame 'aws_instance.web[0]'"),
    ("Show who last changed one attribute.", "statetool blame aws_instance.web tags.Name"),
)
@declared(paged=True, decrypts=True, connects=True)
def blame_command(
    address: Annotated[str, Argument(metavar="ADDRESS", help="The address of a resource instance.")],
    path: Annotated[
        str | None, Argument(metavar="[PATH]", help="An attribute, such as tags.Name; default: all, at the top level.")
    ] = None,
    state: StateOption = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show the version of a state that last changed each attribute of an instance, and who wrote it.

    The versions are those of `log`. If versions are missing, the change may have been made in one of them, which is
    said.
    """
    refuse_state_names([address])
    context, chosen = run_context(), Criteria(selectors=(address,))
    name = state_name(state, to_read=True)
    with state_versions(context, name) as versions:
        log = state_log(context, name, _up_to_current(versions), chosen)
    if log.changes[-1].problem:
        raise StoreError(log.changes[-1].problem)
    met = select(instances(log.last), chosen)
    if len(met) > 1:
        raise SelectionError(f"{address} selects {len(met)} instances; give the address of one")
    found = blamed([one.events for one in log.changes], log.lives.current[met[0].addr], attribute_paths(met[0], path))
    if output_format is OutputFormat.JSON:
        from statefmt.render.log import blame_json

        sys.stdout.buffer.write(blame_json(display_name(name), str(met[0].addr), found, log.changes, log.notes))
    else:
        from statefmt.render.log import blame_text

        print(blame_text(found, log.changes, result_terminal()))
    sys.stdout.flush()
    problems = [one for one in log.changes if one.problem]
    for note in (*log.notes, *(f"a version cannot be read: {one.problem}" for one in problems)):
        say(f"statetool: {note}")
    return FINE


def _is_named(named: set[str], addr: AbsResourceInstance) -> bool:
    return str(addr) in named


def _up_to_current(versions: Sequence[StateVersion]) -> Sequence[StateVersion]:
    """Leave out versions that are no longer in effect."""
    current = next((place for place, one in enumerate(versions) if one.is_current), len(versions) - 1)
    return versions[: current + 1]


def _narrowed(
    one: VersionChanges, log: StateLog, wanted: frozenset[EventKind], attr: str | None, *, everything: bool
) -> VersionChanges:
    """Keep the selected changes of a version, those of outputs only with `everything`; gaps are kept."""
    chosen = tuple(
        event
        for event in one.events
        if event.kind in wanted
        and (event.life in log.lives.chosen or (everything and event.life is None))
        and (attr is None or event.kind in _ALWAYS or event.touches(attr))
    )
    return replace(one, events=chosen)


def _kinds(texts: Sequence[str] | None) -> frozenset[EventKind]:
    names = [name.strip() for text in texts or () for name in text.split(",")]
    for name in names:
        if name not in frozenset(map(str, EventKind)):
            raise BadParameter(f"{name!r} is not a kind; choose from: {', '.join(EventKind)}", param_hint="--only")
    return frozenset(map(EventKind, names)) or frozenset(EventKind)


def _time(text: str | None) -> str | None:
    """Return a date, a time or an age as a time in UTC, in the form of the times of versions."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = run_context().clock() - timedelta(seconds=seconds(text, "--since", AGE))
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _is_by(one: VersionChanges, name: str | None) -> bool:
    return name is None or any(name.casefold() in origin.who.casefold() for origin in one.version.origins)


def _print_patches(
    name: str, log: StateLog, changes: Sequence[VersionChanges], *, everything: bool, show_sensitive: bool
) -> None:
    """Print each version with its differences from the one before it, newest first."""
    from statefmt.render.diff import Manner, diff_text
    from statefmt.render.log import version_text

    context, terminal = run_context(), result_terminal()
    readable = [one.version for one in log.changes if not one.problem]
    before = {new.digest: old for old, new in pairwise(readable)}
    for one in reversed(changes):
        print(version_text(one, terminal))
        former = before.get(one.version.digest)
        if one.problem or former is None:
            said = f"cannot be read: {one.problem}" if one.problem else "the first available version"
            print(f"\n{terminal.wrap(said, '  ')}\n")
            continue
        new = read_version(context, name, one.version)
        old = read_version(context, name, former, new)
        found = diff(old.result.snapshot, new.result.snapshot)
        if not everything:
            named = {place for event in one.events for place in (event.address, event.old)}
            found = narrowed(found, kinds(), partial(_is_named, named))
        print()
        for piece in diff_text(found, Manner(show_sensitive=show_sensitive), terminal):
            print(piece)
        print()
