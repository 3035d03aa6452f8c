"""`statetool rebind`: binds instances to another provider instance."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec.structs import replace
from typer import Argument, BadParameter, Option

from statefmt import Edit, Snapshot
from statefmt.cli.options.selecting import criteria, tell
from statefmt.cli.options.surgery_options import NewProviderOption, SurgeryOptions, WholeResourceOption, surgery_options
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.surgery import Plan, carry_out
from statefmt.cli.target_validation import known_providers
from statefmt.operations import parse_key_map, rebind
from statefmt.selection import Criteria
from statefmt.text import pattern

# With --map, the last argument is a provider only if it matches this. No resource has the type `provider`.
_PROVIDER: Final = pattern(r"(^|\.)provider\[")


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
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
    ),
)
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

    known = None if new_provider else known_providers(references)

    def operation(snapshot: Snapshot) -> Edit:
        wanted = replace(chosen, selectors=tuple(given))
        return rebind(
            snapshot,
            wanted,
            target,
            mapping=mapping,
            whole_resource=whole_resource,
            known=known,
            references=references,
            note=tell,
        )

    return carry_out(Plan("rebind", operation, references=references), options)
