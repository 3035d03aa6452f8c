"""`statetool rebind` and `replace-provider`: bind instances and resources to other providers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from msgspec.structs import replace
from typer import Argument, BadParameter, Option

from statefmt.cli.command import declared, examples, takes
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.run import command_line
from statefmt.cli.surgery import (
    AllowMismatchOption,
    NewProviderOption,
    SurgeryOptions,
    WholeResourceOption,
    carry_out,
    surgery_options,
)
from statefmt.operations import KnownProviders, parse_key_map, parse_replaced, rebind, replace_provider
from statefmt.selection import Criteria
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.providers import ProviderReferences


# With --map, the last argument is a provider only if it matches this. No resource has the type `provider`.
_PROVIDER: Final = pattern(r"(^|\.)provider\[")


@examples(
    (
        "Bind an instance to another instance of its provider configuration.",
        "statetool rebind 'aws_vpc.main[\"eu\"]' 'aws.by_region[\"eu-west-1\"]'",
    ),
    ("Check the target against the configuration.", "statetool rebind --config . aws_s3_bucket.logs aws.west"),
    (
        "Bind to a configuration that nothing in the state uses yet.",
        "statetool rebind --new-provider aws_s3_bucket.logs aws.west",
    ),
    ("Change provider keys in a module.", "statetool rebind module.app --map eu=eu-west-1,us=us-east-1"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(chosen=criteria, options=surgery_options)
def rebind_command(
    selectors: Annotated[
        list[str] | None,
        Argument(
            metavar="[SELECTOR]... [PROVIDER_INSTANCE]",
            help='The instances, and their new provider instance: \'provider["hashicorp/aws"].by_region["eu"]\'.',
        ),
    ] = None,
    keys: Annotated[
        list[str] | None,
        Option(
            "--map", metavar="OLD=NEW,...", help="Change provider keys: instances with the key OLD get the key NEW."
        ),
    ] = None,
    whole_resource: WholeResourceOption = False,
    new_provider: NewProviderOption = False,
    allow_mismatch: AllowMismatchOption = False,
    *,
    chosen: Criteria,
    options: SurgeryOptions,
) -> int:
    """Bind instances to another provider instance.

    Single instances of a resource can be bound to another instance of their provider configuration; only all of them
    together can be bound to another configuration. With --map, PROVIDER_INSTANCE is the new configuration for all of
    them, and optional.

    The provider instance must be declared by the configuration in --config or, without one, be used in the state. A
    short name, such as aws or aws.west["eu"], is one of the root module.
    """
    given = list(selectors or [])
    named = bool(given) and (not keys or _PROVIDER.search(given[-1]) is not None)
    target = given.pop() if named else None
    if target is None and not keys:
        raise BadParameter(
            "name the provider instance at the end, or map keys with --map", param_hint="PROVIDER_INSTANCE"
        )
    mapping = parse_key_map(keys) if keys else None
    references = options.configuration.loaded()
    operation = partial(
        rebind,
        chosen=replace(chosen, selectors=tuple(given)),
        target=target,
        mapping=mapping,
        whole_resource=whole_resource,
        known=None if new_provider else known_providers(references),
        references=references,
        note=tell,
    )
    return carry_out("rebind", operation, options, references=references, allow_mismatch=allow_mismatch)


@examples(
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
)
@declared(paged=False, decrypts=True, connects=True)
@takes(chosen=criteria, options=surgery_options)
def replace_provider_command(
    old: Annotated[
        str,
        Argument(metavar="FROM", help='A source (hashicorp/aws), or a configuration (provider["hashicorp/aws"].west).'),
    ],
    new: Annotated[str, Argument(metavar="TO", help="The source, or the configuration, that replaces it.")],
    whole_resource: WholeResourceOption = False,
    new_provider: NewProviderOption = False,
    allow_mismatch: AllowMismatchOption = False,
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
    operation = partial(
        replace_provider,
        chosen=chosen,
        old=replaced,
        new=replacement,
        whole_resource=whole_resource,
        known=None if new_provider else known_providers(references),
        note=tell,
    )
    return carry_out(
        "replace-provider", operation, options, asks=True, references=references, allow_mismatch=allow_mismatch
    )


def known_providers(references: ProviderReferences | None) -> KnownProviders:
    """Return the providers that a command may bind to: the providers of the configuration, else of the state."""
    return KnownProviders(f"run:\n  statetool {command_line()} --new-provider", references)
