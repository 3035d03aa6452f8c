"""A snapshot as the JSON tree that format version 4 has for it: the members of each object, in canonical order.

A leaf is JSON text. Source: OpenTofu `internal/states/statefile/version4.go` (writeStateV4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Raw

from statefmt.addrs import InstanceKey, IntKey, StringKey, instance_file_order, resource_file_order
from statefmt.golang import encode_string
from statefmt.states import (
    CheckObject,
    CheckResult,
    OutputValue,
    ResourceInstanceObject,
    ResourceState,
    Snapshot,
    UnknownMember,
)
from statefmt.states.check_results import KNOWN_STATUSES
from statefmt.states.provider_binding import Lowered, lower

Leaf: TypeAlias = bytes | Raw
Tree: TypeAlias = "Leaf | Mapping[str, Tree] | Sequence[Tree]"

_NULL = b"null"
_TRUE = b"true"


class TreeBuilder:
    """Builds trees, with or without what statetool does not know.

    With `keep_unknown`, unknown members stand after the same known member as in the file, and check results of
    unknown kind or status stay as they are; else they are left out, as OpenTofu does.
    """

    def __init__(self, *, keep_unknown: bool) -> None:
        self._keep_unknown = keep_unknown

    def snapshot(self, snapshot: Snapshot) -> Mapping[str, Tree]:
        outputs = sorted(snapshot.outputs, key=lambda output: output.name)
        resources = sorted(snapshot.resources, key=lambda resource: resource_file_order(resource.addr))
        members: dict[str, Tree] = {
            **self.envelope(snapshot),
            "outputs": {output.name: self.output(output) for output in outputs},
            "resources": [self.resource(resource) for resource in resources],
            "check_results": self.check_results(snapshot.check_results),
        }
        return self._with_unknown(members, snapshot.unknown)

    def envelope(self, snapshot: Snapshot) -> dict[str, Leaf]:
        """The members of the document that stand alone."""
        return {
            "version": b"4",
            "terraform_version": encode_string(snapshot.terraform_version),
            "serial": b"%d" % snapshot.serial,
            "lineage": encode_string(snapshot.lineage),
        }

    def output(self, output: OutputValue) -> dict[str, Tree]:
        members: dict[str, Tree] = {"value": output.value, "type": output.type}
        if output.sensitive:
            members["sensitive"] = _TRUE
        if output.deprecated:
            members["deprecated"] = encode_string(output.deprecated)
        return self._with_unknown(members, output.unknown)

    def resource(self, resource: ResourceState) -> dict[str, Tree]:
        binding = lower(resource)
        objects = sorted(resource.objects, key=object_order)
        members = {
            **self.resource_head(resource, binding),
            "instances": [self.object(obj, binding.instance_level) for obj in objects],
        }
        return self._with_unknown(members, resource.unknown)

    def resource_head(self, resource: ResourceState, binding: Lowered) -> dict[str, Tree]:
        """The members of a resource that stand before its instances."""
        addr = resource.addr
        members: dict[str, Tree] = {}
        if addr.module:
            members["module"] = encode_string(str(addr.module))
        members["mode"] = encode_string(addr.resource.mode.value)
        members["type"] = encode_string(addr.resource.type)
        members["name"] = encode_string(addr.resource.name)
        if binding.resource_level:
            members["provider"] = encode_string(binding.resource_level)
        return members

    def object(self, obj: ResourceInstanceObject, providers: Mapping[InstanceKey, str]) -> dict[str, Tree]:
        """An instance object; `providers` has its `provider` by provider key, where that is written here."""
        members: dict[str, Tree] = {}
        if isinstance(obj.key, IntKey):
            members["index_key"] = b"%d" % obj.key.value
        elif isinstance(obj.key, StringKey):
            members["index_key"] = encode_string(obj.key.value)
        if obj.status.value:
            members["status"] = encode_string(obj.status.value)
        if obj.deposed:
            members["deposed"] = encode_string(obj.deposed)
        if providers:
            members["provider"] = encode_string(providers[obj.provider_key])
        members["schema_version"] = b"%d" % obj.schema_version
        if obj.attributes is not None:
            members["attributes"] = obj.attributes
        if obj.attributes_flat:
            flat = obj.attributes_flat
            members["attributes_flat"] = {name: encode_string(flat[name]) for name in sorted(flat)}
        members["sensitive_attributes"] = obj.sensitive_attributes
        if obj.private:
            members["private"] = encode_string(obj.private)
        if obj.dependencies:
            members["dependencies"] = _strings(map(str, obj.dependencies))
        if obj.depends_on:
            members["depends_on"] = _strings(map(str, obj.depends_on))
        if obj.create_before_destroy:
            members["create_before_destroy"] = _TRUE
        if obj.skip_destroy:
            members["skip_destroy"] = _TRUE
        if obj.identity is not None:
            members["identity"] = obj.identity
        if obj.identity_schema_version is not None:
            members["identity_schema_version"] = b"%d" % obj.identity_schema_version
        return self._with_unknown(members, obj.unknown)

    def check_results(self, results: Sequence[CheckResult]) -> Tree:
        kept = [result for result in results if result.known_kind or self._keep_unknown]
        return [self._check_result(result) for result in kept] or _NULL

    def _check_result(self, result: CheckResult) -> dict[str, Tree]:
        members: dict[str, Tree] = {
            "object_kind": encode_string(result.object_kind),
            "config_addr": encode_string(result.config_addr),
            "status": self._check_status(result.status),
            "objects": [self._check_object(obj) for obj in result.objects] or _NULL,
        }
        return self._with_unknown(members, result.unknown)

    def _check_object(self, obj: CheckObject) -> dict[str, Tree]:
        members: dict[str, Tree] = {
            "object_addr": encode_string(obj.object_addr),
            "status": self._check_status(obj.status),
        }
        if obj.failure_messages:
            members["failure_messages"] = _strings(obj.failure_messages)
        return self._with_unknown(members, obj.unknown)

    def _check_status(self, status: str) -> bytes:
        keep = status in KNOWN_STATUSES or (self._keep_unknown and status)
        return encode_string(status if keep else "unknown")

    def _with_unknown(self, members: dict[str, Tree], unknown: tuple[UnknownMember, ...]) -> dict[str, Tree]:
        """The members with the unknown ones, each after the known member that it follows in the file."""
        if not unknown or not self._keep_unknown:
            return members
        placed: dict[str, Tree] = {name: raw for name, raw, after in unknown if not after}
        for known, tree in members.items():
            placed[known] = tree
            placed |= {name: raw for name, raw, after in unknown if after == known}
        # What followed a member that is not written (`each`, an empty list) goes last.
        return placed | {name: raw for name, raw, after in unknown if after and after not in members}


def object_order(obj: ResourceInstanceObject) -> tuple[object, str]:
    """The order of the `instances` of a resource in a file."""
    return instance_file_order(obj.key), obj.deposed


def encode_tree(tree: Tree) -> bytes:
    """The compact JSON text of a tree, apart from white space inside its leaves."""
    parts: list[Leaf] = []
    _encode(tree, parts)
    return b"".join(parts)


def _encode(tree: Tree, parts: list[Leaf]) -> None:
    if isinstance(tree, (bytes, Raw)):
        parts.append(tree)
    elif isinstance(tree, Mapping):
        separator = b"{"
        for name, member in tree.items():
            parts += (separator, encode_string(name), b":")
            _encode(member, parts)
            separator = b","
        parts.append(b"}" if tree else b"{}")
    else:
        separator = b"["
        for element in tree:
            parts.append(separator)
            _encode(element, parts)
            separator = b","
        parts.append(b"]" if tree else b"[]")


def _strings(texts: Iterable[str]) -> list[Tree]:
    return [encode_string(text) for text in texts]
