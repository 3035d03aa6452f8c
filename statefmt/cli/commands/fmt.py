"""`statetool fmt`: rewrites states in canonical form, each in its own style."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

from typer import BadParameter, Option

from statefmt import StatetoolError, StoreError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.shared import LAYOUT, DropUnknownOption, StateOption, StatesArgument, StyleChoice
from statefmt.cli.options.write import has_conditions, store_of, write_options
from statefmt.cli.outcome import FAILED, FINE, FOUND, kept_text, show_failure
from statefmt.cli.run import run_context
from statefmt.cli.streams import listed_name, message_terminal, say
from statefmt.cli.target import (
    LegacyProviderOption,
    ProviderSources,
    RegistryOption,
    show_engines,
    show_sources,
    show_unused,
)
from statefmt.edit.pipeline import EditOptions, Proposal, edit
from statefmt.edit.session import LoadedState, Rewritten, rewrite, would_rewrite
from statefmt.locations import STANDARD_INPUT, RemoteName, state_words
from statefmt.render.upgrade import notes_text
from statefmt.snapshots import CURRENT_VERSION
from statefmt.store.protocol import standard_input
from statefmt.text import shell_line, shell_word


@examples(
    ("Rewrite the state of this directory.", "statetool fmt"),
    ("List the states that are not canonical.", "statetool fmt --check *.tfstate"),
    ("Take all providers from OpenTofu's registry.", "statetool fmt --registry opentofu terraform.tfstate"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=write_options, configuration=configuration_options)
def fmt_command(
    states: StatesArgument = None,
    state: StateOption = None,
    check: Annotated[
        bool, Option("--check", help="Write nothing; list the files that are not canonical (exit status 1).")
    ] = False,
    stdout: Annotated[bool, Option("--stdout", help="Write to standard output instead of the file.")] = False,
    registry: RegistryOption = None,
    legacy_provider: LegacyProviderOption = None,
    style: Annotated[
        StyleChoice, Option(help="The layout to write; default: keep the file's own.", rich_help_panel=LAYOUT)
    ] = StyleChoice.KEEP,
    drop_unknown: DropUnknownOption = False,
    *,
    configuration: ConfigurationOptions,
    options: EditOptions,
) -> int:
    """Rewrite states in canonical form, byte for byte as OpenTofu writes them.

    Files are written in place, after a backup, and only if they are not canonical. The contents stay the same. The
    serial increases by one only if --registry or --legacy-provider changes the source of a provider.
    """
    names = [*(states or ()), *([state] if state else ())]
    unnamed = not names
    names = names or [state_name(None)]
    sources = ProviderSources("fmt", registry, legacy_provider, configuration, names, unnamed=unnamed)
    if stdout and (check or len(names) > 1):
        raise BadParameter("takes one state, and cannot be combined with --check", param_hint="--stdout")
    if options.out is not None and (stdout or check or len(names) > 1):
        raise BadParameter("takes one state, and cannot be combined with --check or --stdout", param_hint="--out")
    if check and options.dry_run:
        raise BadParameter("cannot be combined with --check, which writes nothing", param_hint="--dry-run")
    status = FINE
    used: set[str] = set()
    for named in names:
        to = STANDARD_INPUT if stdout or (named == STANDARD_INPUT and options.out is None) else options.out
        try:
            state_read = sources.load(sources.named(named))
            _refuse_older_format(state_read)
            if not check:
                state_read = sources.inferred(state_read)
            used |= state_read.sources.used
            if check:
                layout = style.applied_to(state_read.result.style)
                changed = would_rewrite(state_read, layout, drop_unknown=drop_unknown)
                if changed:
                    print(listed_name(state_read.name))
            else:
                rewritten = _rewritten(state_read, style, drop_unknown)
                changed = rewritten.content != state_read.data
                if changed or to is not None or has_conditions(options):
                    _write(state_read, rewritten, to, options, sources, style, drop_unknown)
                if changed:
                    show_engines(state_read)
                if changed and rewritten.notes:
                    notes = notes_text(rewritten.notes, message_terminal(), dropped_unknown=drop_unknown)
                    print(notes, file=sys.stderr)
        except StatetoolError as error:
            show_failure(error)
            status = FAILED
            continue
        if changed and check:
            status = max(status, FOUND)
        if state_read.sources.unresolved or (changed and not check):
            show_sources(state_read, sources.choice)
    show_unused(sources.choice, used)
    return status


def _rewritten(state: LoadedState, style: StyleChoice, drop_unknown: bool) -> Rewritten:
    _refuse_older_format(state)
    return rewrite(state, style.applied_to(state.result.style), drop_unknown=drop_unknown)


def _write(
    read: LoadedState,
    rewritten: Rewritten,
    to: str | None,
    options: EditOptions,
    sources: ProviderSources,
    style: StyleChoice,
    drop_unknown: bool,
) -> None:
    """Write a state in canonical form; `rewritten` is used if the state still equals `read`."""
    context, name = run_context(), read.name
    # A pipe can be read only once.
    source = store_of(name) if to is None else standard_input(lambda: read.stored, name)

    def opening(data: bytes) -> LoadedState:
        return read if data == read.stored else sources.opened(name, data)

    def operation(state: LoadedState) -> Proposal[None]:
        content = (rewritten if state is read else _rewritten(state, style, drop_unknown)).content
        return Proposal(None, [content], check=to is None)

    def written(_: None, backup: str | None) -> None:
        if to != STANDARD_INPUT:
            say(f"{to or name}: formatted{kept_text(backup)}")

    edit(context, source, replace(options, operation="fmt", out=to), operation, opening=opening, written=written)
    if options.dry_run:
        done = "would be formatted" if rewritten.content != read.data else "is canonical"
        say(f"{name}: {done}; dry run; nothing was written")


def _refuse_older_format(loaded: LoadedState) -> None:
    if loaded.result.version != CURRENT_VERSION:
        name = loaded.name
        argument = shell_line(state_words(name)) if isinstance(name, RemoteName) else shell_word(name)
        raise StoreError(
            f"{name}: this state has format version {loaded.result.version}; upgrade it first:\n"
            f"  statetool upgrade --in-place {argument}"
        )
