"""`statetool replace-provider`: binds resources to another provider or provider configuration."""

from __future__ import annotations

from typing import Annotated

from typer import Argument

from statefmt import Edit, Snapshot
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.options.surgery_options import NewProviderOption, SurgeryOptions, WholeResourceOption, surgery_options
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.cli.target_validation import known_providers
from statefmt.operations import parse_replaced, replace_provider
from statefmt.selection import Criteria


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        (
            "Move to the other public registry.",
            "statetool replace-provider registry.terraform.io/hashicorp/aws hashicorp/aws",
        ),
        (
            "Replace a provider by a fork that the state does not use yet.",
            "statetool replace-provider --new-provider hashicorp/aws acme/aws",
        ),
        (
            "Say where a provider comes from that Terraform knows by its type only.",
            "statetool replace-provider registry.terraform.io/-/acme acme-corp/acme",
        ),
        (
            "Replace a provider configuration.",
            "statetool replace-provider 'provider[\"hashicorp/aws\"].west' 'provider[\"hashicorp/aws\"].east'",
        ),
    ),
)
@takes(chosen=criteria, options=surgery_options)
def replace_provider_command(
    old: Annotated[
        str,
        Argument(metavar="FROM", help='A source (hashicorp/aws), or a configuration (provider["hashicorp/aws"].west).'),
    ],
    new: Annotated[str, Argument(metavar="TO", help="The source, or the configuration, that replaces it.")],
    whole_resource: WholeResourceOption = False,
    new_provider: NewProviderOption = False,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Replace a provider, or one of its configurations, in all resources or in the selected ones.

    If FROM and TO are sources, each resource keeps its module, alias and keys.

    TO must be used by the configuration in --config or, without one, in the state. A provider from the other public
    registry needs neither.
    """
    replaced = parse_replaced(old)
    replacement = parse_replaced(new, instead_of=replaced)
    references = options.configuration.loaded()

    known = None if new_provider else known_providers(references)

    def operation(snapshot: Snapshot) -> Edit:
        return replace_provider(
            snapshot, chosen, replaced, replacement, whole_resource=whole_resource, known=known, note=tell
        )

    return carry_out(Plan("replace-provider", operation, asks=True, references=references), options)
