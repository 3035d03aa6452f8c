"""Loads the configuration that a program compares a state with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from statefmt.model.errors import StoreError

if TYPE_CHECKING:
    from statefmt.configuration.providers.references import ProviderReferences


def loaded_configuration(
    directory: str | os.PathLike[str],
    environment: Mapping[str, str],
    variables: Mapping[str, str] | None = None,
    variable_files: Iterable[str | os.PathLike[str]] = (),
) -> ProviderReferences:
    """Load a configuration with its provider references; `variables` override those of files.

    Raises StoreError if the directory does not exist.
    """
    # Imported late: most programs have no configuration.
    from statefmt.configuration import LoadOptions, VariableOption, load
    from statefmt.configuration.providers.references import ProviderReferences

    path = Path(directory)
    if not path.is_dir():
        raise StoreError(f"{path}: not a directory; name the directory of the root module")
    files = (VariableOption(file=os.fspath(file)) for file in variable_files)
    given = (VariableOption(name=name, value=value) for name, value in (variables or {}).items())
    return ProviderReferences(load(path, LoadOptions(variables=(*files, *given), environment=environment)))
