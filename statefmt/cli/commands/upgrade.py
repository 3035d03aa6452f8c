"""`statetool upgrade`: rewrites a state of any format version in canonical version 4."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.exit_status import FINE
from statefmt.cli.options.provider_sources import (
    LegacyProviderOption,
    Registry,
    RegistryOption,
    chosen_sources,
    show_unused,
)
from statefmt.cli.options.shared import DropUnknownOption, StateArgument, StateOption, StyleChoice, one_state
from statefmt.cli.options.takes import takes
from statefmt.cli.options.write import WriteOptions, write_options
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal
from statefmt.cli.target import InPlaceOption, Rewriting, rewrite_state
from statefmt.edit.pipeline import Proposal
from statefmt.edit.session import LoadedState, rewrite, state_name
from statefmt.render.formats.upgrade import upgrade_report


@takes(options=write_options)
def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    in_place: InPlaceOption = False,
    registry: RegistryOption = Registry.KEEP,
    legacy_provider: LegacyProviderOption = None,
    style: Annotated[
        StyleChoice, typer.Option(show_default=False, help="The layout to write; default: indent.")
    ] = StyleChoice.INDENT,
    drop_unknown: DropUnknownOption = False,
    *,
    options: WriteOptions,
) -> int:
    """Upgrade a state of format version 1 to 4 to canonical version 4.

    Decisions and losses are reported on standard error. The lineage stays the same. The serial increases by one only if
    --registry or --legacy-provider changes the source of a provider.
    """
    sources = chosen_sources(registry, legacy_provider)
    name = state_name(run_context(), one_state(state, state_option))

    def operation(loaded: LoadedState) -> Proposal[Rewriting]:
        rewritten = rewrite(loaded, style.applied_to(loaded.result.style), drop_unknown=drop_unknown)
        report = upgrade_report(loaded, rewritten, sources, message_terminal(), dropped_unknown=drop_unknown)
        return Proposal((loaded, report), [rewritten.content], check=in_place)

    loaded = rewrite_state(name, sources, options, in_place, operation, "upgrade")
    show_unused(sources, loaded.sources.used)
    return FINE
