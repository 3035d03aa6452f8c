"""Reads `terraform_remote_state` data sources: which state each of them reads."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

import msgspec

from statefmt.fleet.rows._masking import json_text
from statefmt.fleet.rows._secrets import names_secret
from statefmt.fleet.rows.hashes import keyed_hash, state_id_of
from statefmt.fleet.tables import RemoteRefRow
from statefmt.golang import JSONValue, Members
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import decoded, exact_text

# The arguments that say where a state is. All others are hidden, as some are credentials.
_PLACES: Final = frozenset(
    {"bucket", "container_name", "hostname", "key", "organization", "path", "prefix", "region", "resource_group_name"}
    | {"schema_name", "storage_account_name", "workspace_dir", "workspace_key_prefix", "workspaces"}
)


def remote_ref(
    obj: ResourceInstanceObject, state_id: str, uri: str, address: str, key: bytes, secrets: frozenset[str]
) -> RemoteRefRow | None:
    """Return the row of a data source; None if its attributes cannot be read."""
    try:
        value = decoded(attributes_value(obj, show_sensitive=False))
    except ValueError:
        return None
    if not isinstance(value, Members):
        return None
    given = dict(value)
    config = given.get("config")
    arguments = dict(config) if isinstance(config, Members) else {}
    shown = {
        name: argument if name in _PLACES and not _repeats(argument, secrets) else HIDDEN
        for name, argument in arguments.items()
        if argument is not None
    }
    backend, workspace = _string(given.get("backend")), _string(given.get("workspace"))
    target = _target(backend, workspace, shown, uri)
    outputs = given.get("outputs")
    return RemoteRefRow(
        state_id,
        address,
        backend,
        workspace,
        json_text(exact_text(Members(shown.items()))) if arguments else None,
        target,
        None if target is None else state_id_of(target),
        None if outputs is None else keyed_hash(key, exact_text(outputs)),
    )


def _target(backend: str | None, workspace: str | None, config: Mapping[str, JSONValue], uri: str) -> str | None:
    """Return the URI of the state that is read; None for backends whose URIs need more than their arguments."""
    named = workspace not in (None, "", "default")
    if backend == "local":
        path = _string(config.get("path")) or "terraform.tfstate"
        if named:
            folder = _string(config.get("workspace_dir")) or "terraform.tfstate.d"
            path = f"{folder}/{workspace}/terraform.tfstate"
        # Paths are relative to the module, where its state is, too.
        return os.path.normpath(os.path.join(os.path.dirname(uri), path))  # noqa: PTH118, PTH120
    bucket, name = _string(config.get("bucket")), _string(config.get("key"))
    if backend == "s3" and bucket and name:
        prefix = _string(config.get("workspace_key_prefix")) or "env:"
        return f"s3://{bucket}/{prefix}/{workspace}/{name}" if named else f"s3://{bucket}/{name}"
    return None


def _string(value: JSONValue) -> str | None:
    return str(value) if isinstance(value, str) and not isinstance(value, Hidden) else None


def _repeats(value: JSONValue, secrets: frozenset[str]) -> bool:
    if isinstance(value, str):
        return names_secret(value, secrets)
    return bool(secrets) and names_secret(msgspec.json.encode(str(value)).decode(), secrets)
