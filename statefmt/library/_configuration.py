"""Loads the configuration that a program compares a state with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from statefmt.model.errors import StoreError, SurgeryError
from statefmt.model.findings import Severity

if TYPE_CHECKING:
    from statefmt.configuration.providers.references import ProviderReferences
    from statefmt.configuration.scopes.instances import Instances


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
    return ProviderReferences(
        load(path, LoadOptions(variables=(*files, *given), environment=environment, for_program=True))
    )


def declared_instances(references: ProviderReferences) -> Instances:
    """Return the instances that a configuration declares. Raises SurgeryError if errors hide a part of it."""
    from statefmt.lint.check import check_configuration
    from statefmt.model.codes import CONFIGURATION_NOT_KNOWN

    found = check_configuration(references, select=CONFIGURATION_NOT_KNOWN)
    errors = [problem for problem in found if problem.severity is Severity.ERROR]
    if errors:
        raise SurgeryError(
            f"errors hide a part of the configuration ({errors[0].detail}); correct them, or use keys= without config="
        )
    return references.instances
