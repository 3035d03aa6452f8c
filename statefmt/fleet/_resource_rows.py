"""Makes the rows of resources and objects, with their dependencies and the states that they refer to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b, sha256
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.object_id import SECRET_IDS, id_among
from statefmt.fleet._masking import MASK, REMOTE_STATE, Masking, json_text, names_secret, one_line
from statefmt.fleet.tables import DependencyRow, ObjectRow, RemoteRefRow, ResourceRow
from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.model.addrs import NO_KEY, ConfigProviderConfig, InstanceKey, ResourceMode
from statefmt.model.cty.data import GetAttr
from statefmt.model.snapshot import ObjectStatus, ResourceInstanceObject, ResourceState
from statefmt.redaction.object_value import attributes_value, secret_steps, sensitive_paths, shown_flat
from statefmt.redaction.partial import HIDDEN, Hidden, decoded, exact_text, step_key
from statefmt.store.backends.description import DEFAULT_WORKSPACE, WORKSPACES_FOLDER, without_credentials
from statefmt.store.backends.settings import named_arguments
from statefmt.store.backends.types import backend_type
from statefmt.text import pattern

if TYPE_CHECKING:
    from hashlib import _Hash


class ResourceRows(Struct):
    """The rows of the tables resources, objects and dependencies of one state."""

    resources: list[ResourceRow]
    objects: list[ObjectRow]
    dependencies: list[DependencyRow]


def resource_rows(
    resources: Iterable[ResourceState], state_id: str, masking: Masking, hash_key: bytes, *, attributes: bool
) -> ResourceRows:
    """Return the rows of the resources of a state, with attributes if wanted.

    This is most of the work of an index, so it formats each value once and makes few calls.
    """
    rows: list[ResourceRow] = []
    objects: list[ObjectRow] = []
    dependencies: list[DependencyRow] = []
    printed, ordinary, format_json = masking.printed, ORDINARY_IDENTIFIERS.decode, msgspec.json.format
    begun = begun_hash(hash_key)
    # Its columns, and the address of its instance without a key.
    providers: dict[ConfigProviderConfig | None, tuple[str | None, ...]] = {None: (None, None, None, None)}
    instances: dict[tuple[ConfigProviderConfig, InstanceKey], str] = {}
    for resource in resources:
        addr, config = resource.addr, resource.provider_config
        name, module = addr.resource, printed(addr.module)
        is_data = name.mode is ResourceMode.DATA
        local = f"data.{name.type}.{name.name}" if is_data else f"{name.type}.{name.name}"
        address = masking.address(str(addr)) if masking.names else f"{module}.{local}" if module else local
        provider = providers.get(config)
        if provider is None:
            assert config is not None
            provider = providers[config] = (
                masking.address(str(config.provider)),
                masking.address(str(config.module)),
                masking.text(config.alias),
                masking.address(str(config.instance(NO_KEY))),
            )
        mode = "data" if is_data else "managed"
        rows.append(ResourceRow(state_id, address, module, mode, name.type, masking.text(name.name), *provider[:3]))
        is_secret = masking.is_secret(name.type)
        for obj in resource.objects:
            key, raw = obj.key, obj.attributes
            instance = address if key is NO_KEY else f"{address}{masking.address(str(key))}"
            if obj.provider_key is NO_KEY or config is None:
                bound = provider[3]
            else:
                bound = instances.get((config, obj.provider_key))
                if bound is None:
                    bound = masking.address(str(config.instance(obj.provider_key)))
                    instances[config, obj.provider_key] = bound
            found = None
            if raw is not None and not is_secret and not masking.names and masking.is_plain(obj):
                # The usual case: nothing to hide, so nothing to decode.
                text = bytes(raw)
                size = len(text)
                try:
                    line = format_json(text, indent=-1) if b"\n" in text else text
                    found = ordinary(line)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    pass
                else:
                    hashing = begun.copy()
                    hashing.update(line)
                    attr_hash: str | None = hashing.hexdigest()[:HASH_DIGITS]
                    region, account = found.region or None, found.account_id or None
                    if found.arn and not (region and account):
                        arn_region, arn_account = of_arn(found.arn)
                        region, account = region or arn_region, account or arn_account
                    id_, arn = found.id, found.arn
            if found is None:
                if raw is None:
                    size = sum(len(each) + len(value or "") for each, value in (obj.attributes_flat or {}).items())
                else:
                    size = len(memoryview(raw))
                id_, arn, region, account = of_object = identifiers(obj, name.type, masking.names)
                attr_hash = _hash(obj, name.type, masking, hash_key, repeats=MASK in of_object)
            identity = None if obj.identity is None else masking.identity(obj, name.type)
            shown = masking.attributes(obj, name.type) if attributes else None
            objects.append(
                ObjectRow(
                    state_id,
                    instance,
                    address,
                    None if key is NO_KEY else masking.text(str(key.value)),
                    obj.deposed,
                    "tainted" if obj.status is ObjectStatus.TAINTED else "ready",
                    bound,
                    obj.schema_version,
                    id_,
                    arn,
                    region,
                    account,
                    None if identity is None else json_text(identity),
                    size,
                    attr_hash,
                    None if shown is None else json_text(shown),
                )
            )
            if obj.dependencies or obj.depends_on:
                names = map(printed, (*obj.dependencies, *obj.depends_on))
                dependencies += [DependencyRow(state_id, instance, obj.deposed, text) for text in names]
    return ResourceRows(rows, objects, dependencies)


def instance_address(resource: ResourceState, obj: ResourceInstanceObject, masking: Masking) -> str:
    """Return the address of an instance as in `resource_rows`."""
    address = masking.address(str(resource.addr))
    return address if obj.key is NO_KEY else f"{address}{masking.address(str(obj.key))}"


def _hash(
    obj: ResourceInstanceObject, type_name: str, masking: Masking, hash_key: bytes, *, repeats: bool
) -> str | None:
    raw = obj.attributes
    if not repeats and raw is not None and masking.is_plain(obj) and not masking.is_secret(type_name):
        # The usual case: nothing to hide, so nothing to decode.
        return keyed_hash(hash_key, one_line(raw))
    shown = masking.attributes(obj, type_name)
    return None if shown is None else keyed_hash(hash_key, shown)


_ABSENT: Final = Raw(b"null")
# arn:partition:service:region:account:resource
_ARN_PARTS: Final = 6


class OrdinaryIdentifiers(Struct, gc=False):
    """The usual form of identifying attributes: strings, or absent."""

    id: str | None = None
    arn: str | None = None
    region: str | None = None
    account_id: str | None = None


class _Attributes(Struct):
    id: Raw = _ABSENT  # the decoder skips everything else: attributes can be long
    arn: Raw = _ABSENT
    region: Raw = _ABSENT
    account_id: Raw = _ABSENT


# Raises a DecodeError for unusual objects, which need `identifiers`. The result is the same.
ORDINARY_IDENTIFIERS: Final = msgspec.json.Decoder(OrdinaryIdentifiers)
_DECODER: Final = msgspec.json.Decoder(_Attributes)
_NAMES: Final = _Attributes.__struct_fields__


class Identifiers(NamedTuple):
    """The identifiers of an object; None for missing ones."""

    id: str | None
    arn: str | None
    region: str | None
    account: str | None


def identifiers(obj: ResourceInstanceObject, type_name: str, secrets: frozenset[str]) -> Identifiers:
    """Return the identifiers of an object; sensitive values and their copies are hidden."""
    if obj.attributes is None:
        shown = dict(shown_flat(obj, type_name))
        given = {name: str(value) if isinstance(value := shown.get(name), str) else None for name in _NAMES}
    else:
        given = _read(obj, type_name)
    if type_name in SECRET_IDS and given["id"] is not None:
        given["id"] = MASK
    id_, arn, region, account = [MASK if (value := given[name]) in secrets else value for name in _NAMES]
    if arn and not secrets.isdisjoint(arn.split(":")):
        arn = MASK
    if arn and not (region and account):
        arn_region, arn_account = of_arn(arn)
        region, account = region or arn_region, account or arn_account
    return Identifiers(id_, arn, region or None, account or None)


def of_arn(arn: str) -> tuple[str | None, str | None]:
    """Return the region and the account of an ARN; None for a missing part."""
    parts = arn.split(":", _ARN_PARTS - 1)
    return (parts[3] or None, parts[4] or None) if len(parts) == _ARN_PARTS else (None, None)


def _read(obj: ResourceInstanceObject, type_name: str) -> dict[str, str | None]:
    raw = obj.attributes or _ABSENT
    hidden = [step_key(path[0]) if path else None for path in sensitive_paths(obj)]
    hidden += [steps[0] if steps else None for steps in secret_steps(obj, type_name)]
    if memoryview(raw)[0] != ord("{") or not all(isinstance(name, str) for name in hidden):
        return dict.fromkeys(_NAMES)
    try:
        found = _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Only the id needs the slower decoder, which handles unpaired surrogates.
        given: dict[str, str | None] = dict.fromkeys(_NAMES)
        found_id = id_among(raw, None)
        given["id"] = MASK if "id" in hidden else None if found_id is None else str(found_id)
        return given
    return {name: MASK if name in hidden else _text(getattr(found, name)) for name in _NAMES}


def _text(raw: Raw) -> str | None:
    text = bytes(raw)
    if text[:1] == b'"':
        # Like OpenTofu, replace invalid Unicode.
        return str(loads_exact(text, replace_invalid=True)) if b"\\" in text else text[1:-1].decode("utf-8", "replace")
    return text.decode() if text[:1].isdigit() or text[:1] == b"-" else None


# The arguments that locate a state. All others are hidden, as some are credentials.
_PLACES: Final = frozenset(
    {"bucket", "container_name", "hostname", "key", "organization", "path", "prefix", "region", "resource_group_name"}
    | {"schema_name", "storage_account_name", "workspace_dir", "workspace_key_prefix", "workspaces"}
)
# The arguments of the `workspaces` block of the backends remote and cloud without credentials.
_WORKSPACES: Final = frozenset({"name", "prefix", "project", "tags"})
# A user and a password before a host, with or without a scheme.
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
    # The place uses only the server and the database of a connection string; a string with a password is hidden by its
    # form.
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
    """Return the value of an argument, hidden if it contains a secret, or does not look like a place."""
    if name == "workspaces":
        # Old states have blocks as lists.
        blocks = value if isinstance(value, list) else [value]
        if all(isinstance(block, Members) and _WORKSPACES.issuperset(dict(block)) for block in blocks):
            text = msgspec.json.encode(str(value)).decode() if secrets else ""
            return HIDDEN if secrets and names_secret(text, secrets) else value
        return HIDDEN
    if not isinstance(value, str):
        return value if value is None or isinstance(value, bool) else HIDDEN
    is_secret = without_credentials(value) != value or _LOGIN.match(value) is not None
    return HIDDEN if is_secret or names_secret(value, secrets) else value


# The backends whose URIs follow from their arguments.
_BY_ARGUMENTS: Final = frozenset({"local", "pg", "s3"})


def target_uri(backend: str | None, workspace: str | None, arguments: Mapping[str, JSONValue], uri: str) -> str | None:
    """Return the URI of the state that the state at `uri` reads; None if it is unknown.

    Hidden arguments, and arguments from the environment, are unknown.
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
    # Paths are relative to the module, which contains its state, or the folder with its workspaces.
    folder = PurePath(uri).parent
    if folder.parent.name == WORKSPACES_FOLDER:
        folder = folder.parent.parent
    return os.path.normpath(folder / path)


def shown_string(value: JSONValue) -> str | None:
    """Return a string that is not hidden, None for any other value."""
    return str(value) if isinstance(value, str) and not isinstance(value, Hidden) else None


HASH_DIGITS: Final = 32


def keyed_hash(key: bytes, data: bytes) -> str:
    """Return a hash of 16 bytes in hexadecimal: half of the SHA-256 of the key and the data.

    Truncation prevents length extension. Processors have instructions for SHA-256.
    """
    found = begun_hash(key).copy()
    found.update(data)
    return found.hexdigest()[:HASH_DIGITS]


@lru_cache(maxsize=4)
def begun_hash(key: bytes) -> _Hash:
    """Return the hash state of a key: copy it, add the data, and cut the digest to HASH_DIGITS, like `keyed_hash`."""
    return sha256(key)


def state_id_of(uri: str) -> str:
    """Return the id of a state by its place, 8 bytes in hexadecimal."""
    if uri.startswith("s3://"):
        # A bucket has one region, which references often omit.
        uri = uri.partition("?")[0]
    return blake2b(uri.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
