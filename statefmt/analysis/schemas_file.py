"""Reads the schemas of providers from files."""

from __future__ import annotations

from typing import Final

from statefmt.lifecycle.schemas.decode import SchemaError
from statefmt.lifecycle.schemas.providers import ProviderSchemas, read_provider_schemas
from statefmt.model.errors import StoreError
from statefmt.store.small_files import read_bounded

# The schemas of the largest providers take about 100 MB.
_LARGEST: Final = 1 << 30


def open_schemas(path: str) -> ProviderSchemas:
    """Read a file with the output of `providers schema -json`, which can be a pipe.

    Raises StoreError and SchemaError.
    """
    try:
        return read_provider_schemas(read_bounded(path, _LARGEST, pipes=True))
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}") from error
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from None
