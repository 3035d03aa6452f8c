"""Finds the URI of the state that a `terraform_remote_state` data source reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Final

from statefmt.golang import JSONValue
from statefmt.redaction.hidden import Hidden
from statefmt.store.backends.description import DEFAULT_WORKSPACE
from statefmt.store.backends.settings import named_arguments
from statefmt.store.backends.types import backend_type

# The backends whose states an index can have, by URIs that their arguments say.
_BY_ARGUMENTS: Final = frozenset({"pg", "s3"})
_WORKSPACES: Final = "terraform.tfstate.d"


def target_uri(backend: str | None, workspace: str | None, arguments: Mapping[str, JSONValue], uri: str) -> str | None:
    """Return the URI of the state that is read by the state at `uri`; None if that is not known.

    Arguments that are hidden, or come from the environment of a run, are not known.
    """
    workspace = workspace or DEFAULT_WORKSPACE
    if backend == "local":
        return _local(workspace, arguments, uri)
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
    return location if location.isprintable() else None


def _local(workspace: str, arguments: Mapping[str, JSONValue], uri: str) -> str | None:
    name, default = ("path", "terraform.tfstate") if workspace == DEFAULT_WORKSPACE else ("workspace_dir", _WORKSPACES)
    given = arguments.get(name)
    if given is not None and (isinstance(given, Hidden) or not isinstance(given, str)):
        return None
    path = str(given or default)
    if workspace != DEFAULT_WORKSPACE:
        path = f"{path}/{workspace}/terraform.tfstate"
    if not path.startswith("/") and not uri.startswith("/"):
        # Where the module of a state in a backend is, nothing says.
        return None
    # Paths are relative to the module, where its state is, too, or the folder with its workspaces.
    folder = PurePath(uri).parent
    if folder.parent.name == _WORKSPACES:
        folder = folder.parent.parent
    return os.path.normpath(folder / path)
