"""The option that names a file with the schemas of providers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from typer import Option

from statefmt.cli.options.groups import CONFIGURATION

if TYPE_CHECKING:
    from statefmt.provider_schemas import ProviderSchemas


SchemasOption = Annotated[
    str | None,
    Option(
        "--schemas",
        metavar="FILE",
        show_default=False,
        help="Use the provider schemas in FILE, the output of tofu (or terraform) providers schema -json.",
        rich_help_panel=CONFIGURATION,
    ),
]


def provider_schemas(file: str | None) -> ProviderSchemas | None:
    """Read the file of --schemas, which can be a pipe; None without the option. Raises StoreError and SchemaError."""
    if file is None:
        return None
    # Imported late: most runs have no schemas.
    from statefmt.provider_schemas import open_schemas

    return open_schemas(file)
