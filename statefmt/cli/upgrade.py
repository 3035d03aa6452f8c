"""`statetool upgrade`: any format version in, canonical version 4 out."""

from __future__ import annotations

import sys
from typing import Annotated, Optional

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.exit_status import FINE
from statefmt.cli.options import DropUnknownOption, StateArgument, StateOption, StyleChoice, YesOption, one_state
from statefmt.cli.provider_sources import (
    LegacyProviderOption,
    Registry,
    RegistryOption,
    chosen_sources,
    show_unused,
)
from statefmt.cli.streams import message_terminal
from statefmt.render.report import upgrade_report
from statefmt.session import load, replace_state, rewrite, state_name, write_new
from statefmt.store.reading import STANDARD_INPUT


def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    output: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--output", "--out", "-o", metavar="OUT", help="Write here; - and the default: standard output."),
    ] = None,
    in_place: Annotated[bool, typer.Option("--in-place", "-i", help="Write back to STATE, after a backup.")] = False,
    registry: RegistryOption = Registry.KEEP,
    legacy_provider: LegacyProviderOption = None,
    style: Annotated[
        StyleChoice, typer.Option(show_default=False, help="The layout to write; default: indent.")
    ] = StyleChoice.INDENT,
    drop_unknown: DropUnknownOption = False,
    yes: YesOption = False,
) -> int:
    """Upgrade a state of format version 1 to 4 to canonical version 4.

    What was decided and what could not be carried over is reported on standard error. The lineage stays as it is,
    and so does the serial, unless --registry or --legacy-provider changes where a provider comes from: then it is one
    more.
    """
    sources = chosen_sources(registry, legacy_provider)
    if in_place and output is not None:
        raise typer.BadParameter("cannot be used together with --output", param_hint="--in-place")
    if output == "":
        raise typer.BadParameter("the name is empty", param_hint="--output")
    name = state_name(one_state(state, state_option))
    if in_place and name == STANDARD_INPUT:
        raise typer.BadParameter("needs a file, not standard input", param_hint="--in-place")
    loaded = load(name, sources)
    rewritten = rewrite(loaded, style.applied_to(loaded.result.style), drop_unknown=drop_unknown)
    if in_place:
        backup = replace_state(loaded, rewritten.content, "upgrade", command_line())
        target = name
    else:
        backup = write_new(output or STANDARD_INPUT, rewritten.content, command_line(), replace=yes)
        target = output or STANDARD_INPUT
    report = upgrade_report(
        loaded,
        rewritten,
        sources,
        message_terminal(),
        target="" if target == STANDARD_INPUT else target,
        backup=str(backup or ""),
        dropped_unknown=drop_unknown,
    )
    print(report, file=sys.stderr)
    show_unused(sources, loaded.sources.used)
    return FINE
