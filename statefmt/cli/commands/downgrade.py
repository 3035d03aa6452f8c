"""`statetool downgrade`: writes a state for an older release or the other engine, or reports what that would lose."""

from __future__ import annotations

import sys
from typing import Annotated

from typer import BadParameter, Option

from statefmt import DowngradeError
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.groups import LAYOUT
from statefmt.cli.options.provider_sources import LegacyProviderOption, ProviderSources, RegistryOption, show_unused
from statefmt.cli.options.release import parsed_release
from statefmt.cli.options.shared import DropUnknownOption, StateArgument, StateOption, StyleChoice, one_state
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.write import WriteOptions, write_options
from statefmt.cli.streams import message_terminal
from statefmt.cli.target import InPlaceOption, Rewriting, rewrite_state
from statefmt.edit.operations.migrate import downgrade_request, downgraded_style
from statefmt.edit.pipeline import Proposal
from statefmt.edit.session import LoadedState
from statefmt.render.downgrade import downgrade_report, refusal_text


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Write a state for OpenTofu 1.8.", "statetool downgrade --for 1.8 terraform.tfstate -o old.tfstate"),
        (
            "Write a state for Terraform, with its registry.",
            "statetool downgrade --for terraform-1.5 --registry terraform terraform.tfstate -o new.tfstate",
        ),
    ),
)
@takes(options=write_options, configuration=configuration_options)
def downgrade_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    release_name: Annotated[
        str | None,
        Option("--for", metavar="RELEASE", help="The release to write for; 1.8 means opentofu-1.8. Required."),
    ] = None,
    in_place: InPlaceOption = False,
    drop_lossy: Annotated[
        bool, Option("--drop-lossy", help="Drop purely informational members that RELEASE would lose.")
    ] = False,
    drop_unknown: DropUnknownOption = False,
    registry: RegistryOption = None,
    legacy_provider: LegacyProviderOption = None,
    style: Annotated[
        StyleChoice | None,
        Option(
            show_default=False,
            help="The layout to write; default: that of RELEASE for files, or with --in-place in a backend.",
            rich_help_panel=LAYOUT,
        ),
    ] = None,
    *,
    configuration: ConfigurationOptions,
    options: WriteOptions,
) -> int:
    """Write a state so that an older release, or the other engine, reads it without loss.

    If RELEASE would lose anything, nothing is written: each instance and member is listed with a way out (exit status
    2). Resources, instances and provider keys are never dropped. The serial increases by one if --drop-lossy dropped
    something or the source of a provider changed.
    """
    if release_name is None:
        raise BadParameter("name the release, such as --for opentofu-1.8 or --for terraform-1.5", param_hint="--for")
    release = parsed_release(release_name)
    given = one_state(state, state_option)
    name = state_name(given)
    sources = ProviderSources("downgrade", registry, legacy_provider, configuration, [name], unnamed=given is None)

    def operation(loaded: LoadedState) -> Proposal[Rewriting]:
        usual = downgraded_style(loaded.name, release) if in_place else None
        own_style = usual if style is None else style.applied_to(loaded.result.style)
        made = downgrade_request(loaded, release, own_style, drop_lossy=drop_lossy, drop_unknown=drop_unknown)
        report = downgrade_report(
            made.loaded,
            made.rewritten,
            made.dropped,
            release,
            sources.choice,
            message_terminal(),
            serial=made.serial,
            dropped_unknown=drop_unknown,
        )
        return Proposal((made.loaded, report), [made.rewritten.content], check=in_place)

    try:
        loaded = rewrite_state(name, sources, options, in_place, operation, "downgrade")
    except DowngradeError as error:
        print(refusal_text(name, error.losses, release, message_terminal()), file=sys.stderr)
        return FAILED
    show_unused(sources.choice, loaded.sources.used)
    return FINE
