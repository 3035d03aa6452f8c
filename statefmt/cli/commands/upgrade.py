"""`statetool upgrade`: rewrites states of any format version in canonical version 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from statefmt import StatetoolError
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.failure import show_failure
from statefmt.cli.named_state import state_name
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.groups import LAYOUT
from statefmt.cli.options.provider_sources import LegacyProviderOption, ProviderSources, RegistryOption, show_unused
from statefmt.cli.options.schemas import SchemasOption, provider_schemas
from statefmt.cli.options.shared import DropUnknownOption, StateOption, StatesArgument, StyleChoice
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.options.write import WriteOptions, write_options
from statefmt.cli.streams import message_terminal
from statefmt.cli.target import InPlaceOption, Rewriting, rewrite_state
from statefmt.edit.operations.migrate import upgrade_request, upgraded_layout
from statefmt.edit.pipeline import Proposal
from statefmt.edit.session import LoadedState
from statefmt.locations import STANDARD_INPUT
from statefmt.render.upgrade import upgrade_report
from statefmt.snapshots import Layout

if TYPE_CHECKING:
    from statefmt.provider_schemas import ProviderSchemas


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Upgrade a state for OpenTofu.", "statetool upgrade --registry opentofu old.tfstate -o new.tfstate"),
        ("Upgrade a state for Terraform, in place.", "statetool upgrade -i --registry terraform terraform.tfstate"),
        ("Upgrade with the provider sources of a configuration.", "statetool upgrade -i --config . old.tfstate"),
        ("Upgrade with schemas.", "statetool upgrade -i --registry terraform --schemas schemas.json old.tfstate"),
    ),
)
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
            show_default=False,
            help="The layout to write; default: indent, and with --in-place in a backend keep.",
            rich_help_panel=LAYOUT,
        ),
    ] = None,
    drop_unknown: DropUnknownOption = False,
    schemas: SchemasOption = None,
    *,
    configuration: ConfigurationOptions,
    options: WriteOptions,
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
    """Decode flat attributes by the schemas, if there are any, and report it."""
    if schemas is None:
        return loaded, ""
    # Imported late: few upgrades have schemas.
    from statefmt.edit.operations.decode_flat_attributes import flat_attributes_decoded
    from statefmt.render.upgrade import flat_attributes_text

    new, decoding = flat_attributes_decoded(loaded, schemas, drop_unknown=drop_unknown)
    serials = loaded.result.snapshot.serial, new.result.snapshot.serial
    return new, "\n" + flat_attributes_text(decoding, serials, message_terminal())


def _check_several(names: list[str], in_place: bool, options: WriteOptions) -> None:
    """Raise BadParameter if the options do not fit more than one state."""
    if len(names) == 1:
        return
    if not in_place:
        raise BadParameter("several states can only be written back: add --in-place", param_hint="STATE")
    if STANDARD_INPUT in names:
        raise BadParameter("needs files, not standard input", param_hint="--in-place")
    if options.backup is not None:
        raise BadParameter("takes one state", param_hint="--backup")
