"""The option that names a file with the schemas of providers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Optional

import typer

from statefmt.cli.options.groups import CONFIGURATION
from statefmt.model.errors import StoreError
from statefmt.store.small_files import read_bounded

if TYPE_CHECKING:
    from statefmt.lifecycle.schemas.providers import ProviderSchemas

# The schemas of the largest providers take about 100 MB.
_LARGEST: Final = 1 << 30

SchemasOption = Annotated[
    Optional[str],  # noqa: UP045 - typer reads the annotation at run time
    typer.Option(
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
    from statefmt.lifecycle.schemas.decode import SchemaError
    from statefmt.lifecycle.schemas.providers import read_provider_schemas

    try:
        return read_provider_schemas(read_bounded(file, _LARGEST, pipes=True))
    except OSError as error:
        raise StoreError(f"{file}: {error.strerror}") from error
    except SchemaError as error:
        raise SchemaError(f"{file}: {error}") from None
