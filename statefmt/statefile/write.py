"""From a snapshot to canonical v4 bytes: OpenTofu's form, byte for byte.

Source: OpenTofu `internal/states/statefile/version4.go` (writeStateV4), Go's `encoding/json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Raw

from statefmt.addrs import IntKey, StringKey
from statefmt.addrs.order import instance_file_order, resource_file_order
from statefmt.gojson import compact, encode_string, escape_html, indent
from statefmt.statefile.style import INDENTED, Layout, Style
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
from statefmt.states.provider_binding import lower

# Pieces of JSON text; a Raw is copied once, when all pieces are joined.
_Text = bytes | Raw


def canonical(snapshot: Snapshot, style: Style = INDENTED, *, keep_unknown: bool = False) -> bytes:
    """The canonical text of a snapshot, in one of the styles that OpenTofu writes.

    With `keep_unknown`, members that statetool does not know follow the known ones of their object, and
    check results of unknown kind or status stay as they are; else they are dropped, as OpenTofu does.
    """
    text = escape_html(b"".join(_CanonicalWriter(keep_unknown).document(snapshot)))
    text = indent(text) if style.layout is Layout.INDENT else compact(text)
    return text + b"\n" * style.newlines


def object_members(obj: ResourceInstanceObject, provider: str) -> dict[str, _Text]:
    """The known members of an instance object in canonical order; `provider` is "" at the resource level."""
    members: dict[str, _Text] = {}
    if isinstance(obj.key, IntKey):
        members["index_key"] = b"%d" % obj.key.value
    elif isinstance(obj.key, StringKey):
        members["index_key"] = encode_string(obj.key.value)
    if obj.status.value:
        members["status"] = encode_string(obj.status.value)
    if obj.deposed:
        members["deposed"] = encode_string(obj.deposed)
    if provider:
        members["provider"] = encode_string(provider)
    members["schema_version"] = b"%d" % obj.schema_version
    if obj.attributes is not None:
        members["attributes"] = obj.attributes
    if obj.attributes_flat:
        members["attributes_flat"] = _string_map(obj.attributes_flat)
    members["sensitive_attributes"] = obj.sensitive_attributes
    if obj.private:
        members["private"] = encode_string(obj.private)
    if obj.dependencies:
        members["dependencies"] = _strings(str(addr) for addr in obj.dependencies)
    if obj.depends_on:
        members["depends_on"] = _strings(str(addr) for addr in obj.depends_on)
    if obj.create_before_destroy:
        members["create_before_destroy"] = b"true"
    if obj.skip_destroy:
        members["skip_destroy"] = b"true"
    if obj.identity is not None:
        members["identity"] = obj.identity
    if obj.identity_schema_version is not None:
        members["identity_schema_version"] = b"%d" % obj.identity_schema_version
    return members


class _CanonicalWriter:
    """Writes the parts of a document, with or without what statetool does not know."""

    def __init__(self, keep_unknown: bool) -> None:
        self._keep_unknown = keep_unknown

    def document(self, snapshot: Snapshot) -> list[_Text]:
        outputs = sorted(snapshot.outputs, key=lambda output: output.name)
        resources = sorted(snapshot.resources, key=lambda resource: resource_file_order(resource.addr))
        members: dict[str, _Text | list[_Text]] = {
            "version": b"4",
            "terraform_version": encode_string(snapshot.terraform_version),
            "serial": b"%d" % snapshot.serial,
            "lineage": encode_string(snapshot.lineage),
            "outputs": self._object({output.name: self._output(output) for output in outputs}),
            "resources": _array(self._resource(resource) for resource in resources),
            "check_results": self._check_results(snapshot.check_results),
        }
        return self._object(members, snapshot.unknown)

    def _output(self, output: OutputValue) -> list[_Text]:
        members: dict[str, _Text | list[_Text]] = {"value": output.value, "type": output.type}
        if output.sensitive:
            members["sensitive"] = b"true"
        if output.deprecated:
            members["deprecated"] = encode_string(output.deprecated)
        return self._object(members, output.unknown)

    def _resource(self, resource: ResourceState) -> list[_Text]:
        addr = resource.addr
        members: dict[str, _Text | list[_Text]] = {}
        if addr.module:
            members["module"] = encode_string(str(addr.module))
        members["mode"] = encode_string(addr.resource.mode.value)
        members["type"] = encode_string(addr.resource.type)
        members["name"] = encode_string(addr.resource.name)
        lowered = lower(resource)
        if lowered.resource_level:
            members["provider"] = encode_string(lowered.resource_level)
        objects = sorted(resource.objects, key=lambda obj: (instance_file_order(obj.key), obj.deposed))
        members["instances"] = _array(
            self._object(object_members(obj, lowered.instance_level.get(obj.provider_key, "")), obj.unknown)
            for obj in objects
        )
        return self._object(members, resource.unknown)

    def _check_results(self, results: tuple[CheckResult, ...]) -> list[_Text]:
        kept = [result for result in results if result.known_kind or self._keep_unknown]
        return _array(self._check_result(result) for result in kept) if kept else [b"null"]

    def _check_result(self, result: CheckResult) -> list[_Text]:
        members: dict[str, _Text | list[_Text]] = {
            "object_kind": encode_string(result.object_kind),
            "config_addr": encode_string(result.config_addr),
            "status": self._check_status(result.status),
            "objects": _array(self._check_object(obj) for obj in result.objects) if result.objects else b"null",
        }
        return self._object(members, result.unknown)

    def _check_object(self, obj: CheckObject) -> list[_Text]:
        members: dict[str, _Text | list[_Text]] = {
            "object_addr": encode_string(obj.object_addr),
            "status": self._check_status(obj.status),
        }
        if obj.failure_messages:
            members["failure_messages"] = _strings(obj.failure_messages)
        return self._object(members, obj.unknown)

    def _check_status(self, status: str) -> bytes:
        keep = status in KNOWN_STATUSES or (self._keep_unknown and status)
        return encode_string(status if keep else "unknown")

    def _object(
        self, members: Mapping[str, _Text | list[_Text]], unknown: tuple[UnknownMember, ...] = ()
    ) -> list[_Text]:
        text: list[_Text] = [b"{"]
        for name, value in (*members.items(), *(unknown if self._keep_unknown else ())):
            text += (b"," if len(text) > 1 else b"", encode_string(name), b":")
            if isinstance(value, list):
                text += value
            else:
                text.append(value)
        text.append(b"}")
        return text


def _array(items: Iterable[list[_Text]]) -> list[_Text]:
    text: list[_Text] = [b"["]
    for item in items:
        if len(text) > 1:
            text.append(b",")
        text += item
    text.append(b"]")
    return text


def _strings(texts: Iterable[str]) -> bytes:
    return b"[" + b",".join(encode_string(text) for text in texts) + b"]"


def _string_map(members: Mapping[str, str]) -> bytes:
    pairs = (encode_string(name) + b":" + encode_string(members[name]) for name in sorted(members))
    return b"{" + b",".join(pairs) + b"}"
