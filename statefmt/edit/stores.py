"""Finds the store of a state by its name."""

from __future__ import annotations

from statefmt.context import RunContext
from statefmt.store.backends.remote_name import RemoteName, VersionName
from statefmt.store.protocol import Store
from statefmt.store.reading import STANDARD_INPUT
from statefmt.store.standard_input import StandardInput


def store_at(context: RunContext, name: str) -> Store:
    """Return the store of a state: a file, a state in a backend or a version of it or, for `-`, standard input."""
    if name == STANDARD_INPUT:
        return StandardInput(lambda: context.read(STANDARD_INPUT))
    if isinstance(name, RemoteName):
        from statefmt.store.opening import remote_store

        return remote_store(name.place, context.connection())
    if isinstance(name, VersionName):
        from statefmt.store.kept_versions import KeptVersion

        return KeptVersion(name, context.connection())
    # Imported here: commands that only check start faster without it.
    from statefmt.store.local.store import LocalFile

    return LocalFile(name, context)
