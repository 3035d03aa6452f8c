"""The types of backends that OpenTofu and Terraform have, a module for each."""

from __future__ import annotations

import importlib
from typing import Final

from statefmt.store.backends.description import BackendType

# `remote` and `cloud` differ in the block that selects workspaces.
KNOWN_BACKENDS: Final = frozenset(
    {"azurerm", "cloud", "consul", "cos", "gcs", "http", "inmem", "kubernetes", "local", "oss", "pg", "remote", "s3"}
)


def backend_type(name: str) -> BackendType | None:
    """Return a type of backend by its name, None if it is not known."""
    if name not in KNOWN_BACKENDS:
        return None
    module = importlib.import_module(f"{__name__}.{name}")
    found = module.BACKEND
    assert isinstance(found, BackendType)
    return found
