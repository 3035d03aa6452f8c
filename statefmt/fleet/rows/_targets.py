"""Finds the URI of the state that a `terraform_remote_state` data source reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

from statefmt.golang import JSONValue
from statefmt.redaction.partial import Hidden
from statefmt.store.backends.description import DEFAULT_WORKSPACE, WORKSPACES_FOLDER
from statefmt.store.backends.settings import named_arguments
from statefmt.store.backends.types import backend_type

# The backends whose states an index can have, by URIs that their arguments say.
_BY_ARGUMENTS: Final = frozenset({"local", "pg", "s3"})


def target_uri(backend: str | None, workspace: str | None, arguments: Mapping[str, JSONValue], uri: str) -> str | None:
    """Return the URI of the state that is read by the state at `uri`; None if that is not known.

    Arguments that are hidden, or come from the environment of a run, are not known.
    """
    workspace = workspace or DEFAULT_WORKSPACE
    known = backend_type(backend) if backend in _BY_ARGUMENTS else None
    if known is None or not workspace.isprintable():
        return None
    values = {name: argument.default for name, argument in named_arguments(known.arguments)}
    for name, value in arguments.items():
        if name in values and value is not None:
            if not isinstance(value, Hidden):
                values[name] = value if isinstance(value, bool) else str(value)
            elif name in (*known.required, "conn_str", "schema_name", "table_name", "workspace_key_prefix"):
                return None
    if any(not values[name] for name in known.required):
        return None
    location = known.place(values, workspace, {})
    if backend == "local":
        return _local(location, uri)
    return location if location.isprintable() else None


def _local(path: str, uri: str) -> str | None:
    if not path.startswith("/") and not uri.startswith("/"):
        # The state is in a backend, so the folder of its module is unknown.
        return None
    # Paths are relative to the module, where its state is, too, or the folder with its workspaces.
    folder = PurePath(uri).parent
    if folder.parent.name == WORKSPACES_FOLDER:
        folder = folder.parent.parent
    return os.path.normpath(folder / path)


def shown_string(value: JSONValue) -> str | None:
    """Return a string that is not hidden, None for any other value."""
    return str(value) if isinstance(value, str) and not isinstance(value, Hidden) else None
