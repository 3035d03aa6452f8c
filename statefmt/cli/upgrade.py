"""`statetool upgrade`: any format version in, canonical version 4 out."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.exit_status import FINE
from statefmt.cli.options import DropUnknownOption, StateArgument, StateOption, StyleChoice, YesOption, one_state
from statefmt.cli.provider_sources import (
    LegacyProviderOption,
    Registry,
    RegistryOption,
    chosen_sources,
    show_unused,
)
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal
from statefmt.cli.target import InPlaceOption, OutputOption, chosen_target, write_to
from statefmt.render.report import upgrade_report
from statefmt.session import load, rewrite, state_name


def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    output: OutputOption = None,
    in_place: InPlaceOption = False,
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
    name = state_name(run_context(), one_state(state, state_option))
    target = chosen_target(name, output, in_place)
    loaded = load(run_context(), name, sources)
    rewritten = rewrite(loaded, style.applied_to(loaded.result.style), drop_unknown=drop_unknown)
    report = upgrade_report(loaded, rewritten, sources, message_terminal(), dropped_unknown=drop_unknown)
    write_to(target, loaded, rewritten.content, "upgrade", report, replace=yes)
    show_unused(sources, loaded.sources.used)
    return FINE
