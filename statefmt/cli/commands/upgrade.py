"""`statetool upgrade`, `downgrade` and `releases`: rewrite states for other releases, and show what each can read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Option

from statefmt import DowngradeError, StatetoolError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import (
    ConfigurationOptions,
    SchemasOption,
    configuration_options,
    parsed_release,
    provider_schemas,
)
from statefmt.cli.options.shared import (
    LAYOUT,
    DropUnknownOption,
    FormatOption,
    OutputFormat,
    StateArgument,
    StateOption,
    StatesArgument,
    StyleChoice,
    one_state,
)
from statefmt.cli.options.write import write_options
from statefmt.cli.outcome import FAILED, FINE, show_failure
from statefmt.cli.streams import message_terminal, result_terminal
from statefmt.cli.target import (
    InPlaceOption,
    LegacyProviderOption,
    ProviderSources,
    RegistryOption,
    Rewriting,
    rewrite_state,
    show_unused,
)
from statefmt.edit.pipeline import EditOptions, Proposal
from statefmt.edit.session import LoadedState
from statefmt.library.migrating import downgrade_request, downgraded_style, upgrade_request, upgraded_layout
from statefmt.locations import STANDARD_INPUT
from statefmt.releases import all_releases
from statefmt.render.conversions import downgrade_report, refusal_text, upgrade_report
from statefmt.render.releases import release_page, releases_json, releases_table
from statefmt.render.upgrade import flat_attributes_text
from statefmt.snapshots import Layout

if TYPE_CHECKING:
    from statefmt.provider_schemas import ProviderSchemas


@examples(
    ("Upgrade a state for OpenTofu.", "statetool upgrade --registry opentofu old.tfstate -o new.tfstate"),
    ("Upgrade a state for Terraform, in place.", "statetool upgrade -i --registry terraform terraform.tfstate"),
    ("Upgrade with the provider sources of a configuration.", "statetool upgrade -i --config . old.tfstate"),
    ("Upgrade with schemas.", "statetool upgrade -i --registry terraform --schemas schemas.json old.tfstate"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=write_options, configuration=configuration_options)
def upgrade_command(
    states: StatesArgument = None,
    state: StateOption = None,
    in_place: InPlaceOption = False,
    registry: RegistryOption = None,
    legacy_provider: LegacyProviderOption = None,
    style: Annotated[
        StyleChoice | None,
        Option(
            help="The layout to write; default: indent, and with --in-place in a backend keep.", rich_help_panel=LAYOUT
        ),
    ] = None,
    drop_unknown: DropUnknownOption = False,
    schemas: SchemasOption = None,
    *,
    configuration: ConfigurationOptions,
    options: EditOptions,
) -> int:
    """Upgrade states of format version 1 to 4 to canonical version 4.

    If a state names providers by type only, it must be clear which engine will read it: from --registry, --config, the
    file .terraform.lock.hcl beside the state, or the state itself. Otherwise nothing is written.

    With --schemas, attributes in the flat form of formats 1 to 3 are decoded, as the provider would in the next plan.
    Those of another schema version than the provider's, and those that do not decode, stay as they are.

    Decisions and losses are reported on standard error. The lineage stays the same. The serial increases by one only if
    the source of a provider changes or attributes are decoded.
    """
    if states and state:
        raise BadParameter("name the state once, as an argument or with --state", param_hint="--state")
    names = [*(states or ()), *([state] if state else ())]
    unnamed = not names
    names = names or [state_name(None)]
    _check_several(names, in_place, options)
    sources = ProviderSources("upgrade", registry, legacy_provider, configuration, names, unnamed=unnamed)

    found = provider_schemas(schemas)

    def operation(loaded: LoadedState) -> Proposal[Rewriting]:
        decoded, flat_report = _decoded(loaded, found, drop_unknown)
        usual = upgraded_layout(loaded.name) if in_place else Layout.INDENT
        made = upgrade_request(decoded, style.layout if style else usual, drop_unknown=drop_unknown)
        report = upgrade_report(
            loaded, made.rewritten, sources.choice, message_terminal(), dropped_unknown=drop_unknown
        )
        return Proposal((loaded, report + flat_report), [made.rewritten.content], check=in_place)

    status = FINE
    used: set[str] = set()
    for name in names:
        try:
            used |= rewrite_state(sources.named(name), sources, options, in_place, operation, "upgrade").sources.used
        except StatetoolError as error:
            if len(names) == 1:
                raise
            show_failure(error)
            status = FAILED
    show_unused(sources.choice, used)
    return status


def _decoded(loaded: LoadedState, schemas: ProviderSchemas | None, drop_unknown: bool) -> tuple[LoadedState, str]:
    """Decode flat attributes by the schemas, if any, and report it."""
    if schemas is None:
        return loaded, ""
    # Imported late: few upgrades have schemas.
    from statefmt.edit.operations.decode_flat_attributes import flat_attributes_decoded

    new, decoding = flat_attributes_decoded(loaded, schemas, drop_unknown=drop_unknown)
    serials = loaded.result.snapshot.serial, new.result.snapshot.serial
    return new, "\n" + flat_attributes_text(decoding, serials, message_terminal())


def _check_several(names: list[str], in_place: bool, options: EditOptions) -> None:
    """Raise BadParameter if the options do not fit more than one state."""
    if len(names) == 1:
        return
    if not in_place:
        raise BadParameter("several states can only be written back: add --in-place", param_hint="STATE")
    if STANDARD_INPUT in names:
        raise BadParameter("needs files, not standard input", param_hint="--in-place")
    if options.backup is not None:
        raise BadParameter("takes one state", param_hint="--backup")


@examples(
    ("Write a state for OpenTofu 1.8.", "statetool downgrade --for 1.8 terraform.tfstate -o old.tfstate"),
    (
        "Write a state for Terraform, with its registry.",
        "statetool downgrade --for terraform-1.5 --registry terraform terraform.tfstate -o new.tfstate",
    ),
)
@declared(paged=False, decrypts=True, connects=True)
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
            help="The layout to write; default: that of RELEASE for files, or with --in-place in a backend.",
            rich_help_panel=LAYOUT,
        ),
    ] = None,
    *,
    configuration: ConfigurationOptions,
    options: EditOptions,
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


@examples(
    ("Compare all releases.", "statetool releases"),
    ("Show what one release reads, writes and keeps.", "statetool releases opentofu-1.8"),
)
@declared(paged=True, decrypts=False, connects=False)
def releases_command(
    release_name: Annotated[
        str | None,
        Argument(metavar="[RELEASE]", help="Show one release, with the source of each fact: opentofu-1.8 or 1.8."),
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
) -> int:
    """Show what each release of OpenTofu and Terraform reads, writes and keeps of a state."""
    releases = all_releases() if release_name is None else [parsed_release(release_name, "RELEASE")]
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(releases_json(releases))
        return FINE
    if release_name is None:
        print(releases_table(releases, result_terminal()))
    else:
        print(release_page(releases[0], result_terminal()))
    return FINE
