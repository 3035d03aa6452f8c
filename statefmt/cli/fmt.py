"""`statetool fmt`: canonical form, in each file's own style."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.exit_status import FAILED, FINE, FOUND
from statefmt.cli.failure import show_failure
from statefmt.cli.options import DropUnknownOption, StateOption, StatesArgument, StyleChoice, YesOption
from statefmt.cli.provider_sources import (
    LegacyProviderOption,
    Registry,
    RegistryOption,
    chosen_sources,
    show_sources,
    show_unused,
)
from statefmt.cli.run import run_context
from statefmt.cli.streams import listed_name, message_terminal, say
from statefmt.cli.target import kept_text
from statefmt.errors import StatetoolError, StoreError
from statefmt.render.report import notes_text
from statefmt.session import LoadedState, load, replace_state, rewrite, state_name
from statefmt.shell import shell_word
from statefmt.statefile.inspect import CURRENT_VERSION
from statefmt.store.reading import STANDARD_INPUT


def command(
    states: StatesArgument = None,
    state: StateOption = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; list the files that are not canonical (exit status 1).")
    ] = False,
    stdout: Annotated[bool, typer.Option("--stdout", help="Write to standard output instead of the file.")] = False,
    registry: RegistryOption = Registry.KEEP,
    legacy_provider: LegacyProviderOption = None,
    style: Annotated[
        StyleChoice, typer.Option(show_default=False, help="The layout to write; default: keep the file's own.")
    ] = StyleChoice.KEEP,
    drop_unknown: DropUnknownOption = False,
    yes: YesOption = False,
) -> int:
    """Rewrite states in canonical form, byte for byte as OpenTofu writes them.

    A file is written in place, after a backup, and only if it is not canonical already. What a state says stays the
    same, and so does its serial, unless --registry or --legacy-provider changes where a provider comes from: then the
    serial is one more.
    """
    sources = chosen_sources(registry, legacy_provider)
    names = [*(states or ()), *([state] if state else ())] or [state_name(run_context(), None)]
    if stdout and (check or len(names) > 1):
        raise typer.BadParameter("takes one state, and not --check", param_hint="--stdout")
    status = FINE
    used: set[str] = set()
    for name in names:
        try:
            loaded = load(run_context(), name, sources)
            used |= loaded.sources.used
            changed = _format(loaded, check, stdout or name == STANDARD_INPUT, style, drop_unknown)
        except StatetoolError as error:
            show_failure(error)
            status = FAILED
            continue
        if changed and check:
            status = max(status, FOUND)
        if loaded.sources.unresolved or (changed and not check):
            show_sources(loaded, sources)
    show_unused(sources, used)
    return status


def _format(loaded: LoadedState, check: bool, to_stdout: bool, style: StyleChoice, drop_unknown: bool) -> bool:
    """Format one state. Gives whether it was not canonical, or had other provider sources than it is to have."""
    _refuse_older_format(loaded)
    rewritten = rewrite(loaded, style.applied_to(loaded.result.style), drop_unknown=drop_unknown, to_write=not check)
    changed = rewritten.content != loaded.data
    if check:
        if changed:
            print(listed_name(loaded.name))
    elif to_stdout:
        sys.stdout.buffer.write(loaded.to_store(rewritten.content))
    elif changed:
        replace_state(
            run_context(),
            loaded,
            rewritten.content,
            "fmt",
            command_line(),
            lambda backup: say(f"{loaded.name}: formatted{kept_text(backup)}"),
        )
    if changed and not check and rewritten.notes:
        notes = notes_text(rewritten.notes, message_terminal(), dropped_unknown=drop_unknown)
        print(notes, file=sys.stderr)
    return changed


def _refuse_older_format(loaded: LoadedState) -> None:
    if loaded.result.version != CURRENT_VERSION:
        raise StoreError(
            f"{loaded.name}: this state has format version {loaded.result.version}, which no release writes any more:\n"
            f"  statetool upgrade --in-place {shell_word(loaded.name)}"
        )
