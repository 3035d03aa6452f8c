"""Reads `terraform_remote_state` data sources: which state each of them reads."""

from __future__ import annotations

from typing import Final

import msgspec

from statefmt.fleet.rows._masking import REMOTE_STATE, json_text
from statefmt.fleet.rows._secrets import names_secret
from statefmt.fleet.rows._targets import shown_string, target_uri
from statefmt.fleet.rows.hashes import keyed_hash, state_id_of
from statefmt.fleet.tables import RemoteRefRow
from statefmt.golang import JSONValue, Members
from statefmt.model.cty.data import GetAttr
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.object_value import attributes_value, sensitive_paths
from statefmt.redaction.partial import HIDDEN, Hidden, decoded, exact_text
from statefmt.store.backends.description import without_credentials
from statefmt.text import pattern

# The arguments that say where a state is. All others are hidden, as some are credentials.
_PLACES: Final = frozenset(
    {"bucket", "container_name", "hostname", "key", "organization", "path", "prefix", "region", "resource_group_name"}
    | {"schema_name", "storage_account_name", "workspace_dir", "workspace_key_prefix", "workspaces"}
)
# The arguments of the block `workspaces` of the backends remote and cloud that are no credentials.
_WORKSPACES: Final = frozenset({"name", "prefix", "project", "tags"})
# A user and a password before a host, also without a scheme.
_CONFIG: Final = GetAttr("config")
_LOGIN: Final = pattern(r"[^/@:]*:[^/@]*@")


def remote_ref(
    obj: ResourceInstanceObject, state_id: str, uri: str, address: str, key: bytes, secrets: frozenset[str]
) -> RemoteRefRow | None:
    """Return the row of a data source; None if its attributes cannot be read."""
    try:
        value = decoded(attributes_value(obj, REMOTE_STATE, show_sensitive=False))
    except ValueError:
        return None
    if not isinstance(value, Members):
        return None
    given = dict(value)
    config = given.get("config")
    arguments = dict(config) if isinstance(config, Members) else {}
    shown = {
        name: _shown(name, argument, secrets) if name in _PLACES else HIDDEN
        for name, argument in arguments.items()
        if argument is not None
    }
    backend, workspace = shown_string(given.get("backend")), shown_string(given.get("workspace"))
    # Of a connection string, the place has only the server and the database: one with a password is hidden by its form.
    if "conn_str" in arguments and not any(not path or path[0] == _CONFIG for path in sensitive_paths(obj)):
        arguments["conn_str"] = _connection(obj)
    known = {name: one if name == "conn_str" else _shown(name, one, secrets) for name, one in arguments.items()}
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


def _connection(obj: ResourceInstanceObject) -> JSONValue:
    value = decoded(attributes_value(obj, REMOTE_STATE, show_sensitive=True))
    config = dict(value).get("config") if isinstance(value, Members) else None
    return dict(config).get("conn_str") if isinstance(config, Members) else None


def _shown(name: str, value: JSONValue, secrets: frozenset[str]) -> JSONValue:
    """Return the value of an argument, hidden if it has a secret, or another form than a place has."""
    if name == "workspaces":
        # Old states have blocks as lists.
        blocks = value if isinstance(value, list) else [value]
        if all(isinstance(block, Members) and _WORKSPACES.issuperset(dict(block)) for block in blocks):
            return HIDDEN if _repeats(value, secrets) else value
        return HIDDEN
    if not isinstance(value, str):
        return value if value is None or isinstance(value, bool) else HIDDEN
    is_secret = without_credentials(value) != value or _LOGIN.match(value) is not None
    return HIDDEN if is_secret or names_secret(value, secrets) else value


def _repeats(value: JSONValue, secrets: frozenset[str]) -> bool:
    return bool(secrets) and names_secret(msgspec.json.encode(str(value)).decode(), secrets)
