"""Reads `terraform_remote_state` data sources: which state each of them reads."""

from __future__ import annotations

from typing import Final

import msgspec

from statefmt.fleet.rows._masking import json_text
from statefmt.fleet.rows._secrets import names_secret
from statefmt.fleet.rows._targets import shown_string, target_uri
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
    backend, workspace = shown_string(given.get("backend")), shown_string(given.get("workspace"))
    # Of a connection string, the place has only the server and the database.
    known = {name: HIDDEN if name != "conn_str" and _repeats(one, secrets) else one for name, one in arguments.items()}
    is_known = not any(isinstance(given.get(name), Hidden) for name in ("config", "workspace"))
    target = target_uri(backend, workspace, known, uri) if is_known else None
    if target is not None and names_secret(target, secrets):
        target = None
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


def _repeats(value: JSONValue, secrets: frozenset[str]) -> bool:
    if isinstance(value, str):
        return names_secret(value, secrets)
    return bool(secrets) and names_secret(msgspec.json.encode(str(value)).decode(), secrets)
