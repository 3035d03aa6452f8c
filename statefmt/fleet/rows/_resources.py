"""Makes the rows of resources, their objects, and what these depend on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.fleet.rows._identifiers import ORDINARY_IDENTIFIERS, identifiers, of_arn
from statefmt.fleet.rows._masking import MASK, Masking, json_text, one_line
from statefmt.fleet.rows.hashes import HASH_DIGITS, begun_hash, keyed_hash
from statefmt.fleet.tables import DependencyRow, ObjectRow, ResourceRow
from statefmt.model.addrs import NO_KEY, ConfigProviderConfig, InstanceKey, ResourceMode
from statefmt.model.snapshot import ObjectStatus, ResourceInstanceObject, ResourceState


class ResourceRows(Struct):
    """The rows of the tables resources, objects and dependencies of one state."""

    resources: list[ResourceRow]
    objects: list[ObjectRow]
    dependencies: list[DependencyRow]


class _Provider(Struct, frozen=True, gc=False):
    """The columns about a provider configuration, and the address of its instance without a key."""

    source: str | None
    module: str | None
    alias: str | None
    instance: str | None


_NO_PROVIDER: Final = _Provider(None, None, None, None)


def resource_rows(
    resources: Iterable[ResourceState], state_id: str, masking: Masking, hash_key: bytes, *, attributes: bool
) -> ResourceRows:
    """Return the rows of the resources of a state, with attributes if wanted.

    This is most of the work of an index, so it prints nothing twice and calls little.
    """
    rows: list[ResourceRow] = []
    objects: list[ObjectRow] = []
    dependencies: list[DependencyRow] = []
    printed, ordinary, format_json = masking.printed, ORDINARY_IDENTIFIERS.decode, msgspec.json.format
    begun = begun_hash(hash_key)
    providers: dict[ConfigProviderConfig | None, _Provider] = {None: _NO_PROVIDER}
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
            provider = providers[config] = _provider(config, masking)
        rows.append(
            ResourceRow(
                state_id,
                address,
                module,
                "data" if is_data else "managed",
                name.type,
                masking.text(name.name),
                provider.source,
                provider.module,
                provider.alias,
            )
        )
        is_secret = masking.is_secret(name.type)
        for obj in resource.objects:
            key, raw = obj.key, obj.attributes
            instance = address if key is NO_KEY else f"{address}{masking.address(str(key))}"
            if obj.provider_key is NO_KEY or config is None:
                bound = provider.instance
            else:
                bound = instances.get((config, obj.provider_key))
                if bound is None:
                    bound = masking.address(str(config.instance(obj.provider_key)))
                    instances[config, obj.provider_key] = bound
            found = None
            if raw is not None and not is_secret and not masking.names and masking.is_plain(obj):
                # The usual case: nothing to hide, and so nothing to decode.
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
                size = _size(obj)
                id_, arn, region, account = of_object = identifiers(obj, name.type, masking.names)
                attr_hash = _hash(obj, name.type, masking, hash_key, repeats=MASK in of_object)
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
                    None if obj.identity is None else _identity(obj, name.type, masking),
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
    """Return the address of an instance as `resource_rows` has it."""
    address = masking.address(str(resource.addr))
    return address if obj.key is NO_KEY else f"{address}{masking.address(str(obj.key))}"


def _provider(config: ConfigProviderConfig, masking: Masking) -> _Provider:
    return _Provider(
        masking.address(str(config.provider)),
        masking.address(str(config.module)),
        masking.text(config.alias),
        masking.address(str(config.instance(NO_KEY))),
    )


def _identity(obj: ResourceInstanceObject, type_name: str, masking: Masking) -> str | None:
    identity = masking.identity(obj, type_name)
    return None if identity is None else json_text(identity)


def _size(obj: ResourceInstanceObject) -> int:
    if obj.attributes is not None:
        return len(memoryview(obj.attributes))
    return sum(len(name) + len(value or "") for name, value in (obj.attributes_flat or {}).items())


def _hash(
    obj: ResourceInstanceObject, type_name: str, masking: Masking, hash_key: bytes, *, repeats: bool
) -> str | None:
    raw = obj.attributes
    if not repeats and raw is not None and masking.is_plain(obj) and not masking.is_secret(type_name):
        # The usual case: nothing to hide, and so nothing to decode.
        return keyed_hash(hash_key, one_line(raw))
    shown = masking.attributes(obj, type_name)
    return None if shown is None else keyed_hash(hash_key, shown)
