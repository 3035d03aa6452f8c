"""Generates edits of a state, as arguments of commands that accept them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from msgspec.structs import replace

from statefmt.edit.arguments.key_map import map_text
from statefmt.formats.reading.inspect import read
from statefmt.library.values import Attributes
from statefmt.model.addrs import NO_KEY, AbsResource, ConfigProviderConfig, ResourceMode, StringKey
from statefmt.model.errors import SelectionError
from statefmt.model.instances import InstanceState, instances
from statefmt.model.resources import ObjectStatus, ResourceInstanceObject
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.redaction.path_text import parse_path, path_text

# The name of a command and its arguments, without shell quoting.
EditArguments: TypeAlias = tuple[str, ...]


def edits(state: bytes | Snapshot) -> SearchStrategy[EditArguments]:
    """Generate valid edits of a state, each as the arguments of a command of statetool.

        ("mv", "aws_vpc.main", "aws_vpc.fresh")
        ("taint", 'module.net["a"].aws_subnet.this[0]')

    Each command succeeds and changes what the state says. The commands are `mv`, `rm`, `rekey`, `rebind`,
    `replace-provider`, `taint`, `untaint`, `forget-deposed`, `set`, `unset`, `set-serial` and `new-lineage`. They need
    `--yes` without a terminal, and `--state` to name the file. A state with the highest serial cannot be edited:
    nothing is generated for it. Raises StateError if the bytes are not a readable state.
    """
    snapshot = state if isinstance(state, Snapshot) else read(state).snapshot
    if snapshot.serial == HIGHEST_SERIAL:
        return st.nothing()
    by_command: dict[str, list[EditArguments]] = {}
    for arguments in _edits(snapshot):
        by_command.setdefault(arguments[0], []).append(arguments)
    # First the command, so that each is as likely in a large state.
    return st.sampled_from(sorted(by_command)).flatmap(lambda command: st.sampled_from(by_command[command]))


def _edits(snapshot: Snapshot) -> Iterator[EditArguments]:
    if snapshot.serial < HIGHEST_SERIAL - 1:
        yield "set-serial", str(snapshot.serial + 1)
    yield ("new-lineage",)
    name = _fresh_name(snapshot)
    for instance in instances(snapshot):
        if instance.key is NO_KEY and any(obj.key is not NO_KEY for obj in instance.resource.objects):
            continue  # its address means the whole resource
        yield from _instance_edits(instance, name)
    for resource in snapshot.resources:
        renamed = AbsResource(resource.addr.module, replace(resource.addr.resource, name=name))
        if resource.objects:
            yield "mv", str(resource.addr), str(renamed)
            yield "rm", str(resource.addr)
    for module in dict.fromkeys(resource.addr.module for resource in snapshot.resources if resource.objects):
        if module:
            yield "mv", str(module), f"module.{name}"
            yield "rm", str(module)
    for provider in dict.fromkeys(r.provider_config.provider for r in snapshot.resources if r.provider_config):
        yield "replace-provider", str(provider), f"registry.opentofu.org/{name}/{provider.type}", "--new-provider"


def _instance_edits(instance: InstanceState, name: str) -> Iterator[EditArguments]:
    address, resource = str(instance.addr), instance.resource
    yield "mv", address, f'{AbsResource(resource.addr.module, replace(resource.addr.resource, name=name))}["{name}"]'
    yield "rm", address
    current = instance.current
    if current is not None and current.status is ObjectStatus.TAINTED:
        yield "untaint", address
    elif current is not None and resource.addr.resource.mode is ResourceMode.MANAGED:
        yield "taint", address
    if instance.deposed:
        yield "forget-deposed", address
    yield "rekey", address, "--map", map_text({instance.key: StringKey(name)})
    if current is not None:
        yield from _attribute_edits(address, current, resource.addr.resource.type, name)
    config = resource.provider_config
    if config is not None:
        yield "rebind", address, f'{_with_alias(config, name)}["{name}"]', "--new-provider", "--whole-resource"


def _attribute_edits(address: str, obj: ResourceInstanceObject, type_name: str, name: str) -> Iterator[EditArguments]:
    """Yield edits of attributes other than the id, by which states tell real objects apart."""
    shown = Attributes(obj, type_name)
    for attribute, value in _decoded(obj).items():
        path = path_text((attribute,))
        if attribute == "id" or not _leads_to(path, attribute):
            continue
        if value is not None and not isinstance(value, dict):
            yield "unset", address, path
        # Sensitive ones are only set from a file or the environment.
        if isinstance(value, str) and isinstance(shown[attribute], str):
            yield "set", address, f"{path}={json.dumps(name)}"


def _decoded(obj: ResourceInstanceObject) -> dict[str, object]:
    """Return the attributes as Python's own decoder reads them; empty if it cannot."""
    try:
        attributes = {} if obj.attributes is None else json.loads(bytes(obj.attributes))
    except (ValueError, RecursionError):
        return {}
    return attributes if isinstance(attributes, dict) else {}


def _leads_to(path: str, attribute: str) -> bool:
    """Return whether a path leads to an attribute; the parser normalises some names."""
    try:
        return parse_path(path) == (attribute,)
    except SelectionError:
        return False


def _with_alias(config: ConfigProviderConfig, name: str) -> ConfigProviderConfig:
    return config if config.alias else replace(config, alias=name)


def _fresh_name(snapshot: Snapshot) -> str:
    """Return a name that no address in the state contains."""
    taken = " ".join([f"{r.addr} {r.provider_config}" for r in snapshot.resources])
    taken += " ".join([str(obj.key) + str(obj.provider_key) for r in snapshot.resources for obj in r.objects])
    return next(name for name in map("fresh{}".format, range(len(taken) + 1)) if name not in taken)
