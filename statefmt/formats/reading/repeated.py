"""Finds members that an object repeats, merges them as Go's `encoding/json` does, and reports unknown members.

Programs differ in which of the repeated members they read, and a rewrite keeps only one.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias, get_args, get_origin

import msgspec
from msgspec import Raw, Struct

from statefmt.formats.raw_json import RawItem, container_at, in_batches, members_at, skip_space, token, value_at
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.formats.reading._members import canonical_private
from statefmt.formats.versions import (
    IndexKey,
    InstanceObjectV4,
    InvalidDocument,
    ResourceV4,
    StateV4,
    check_uint64,
    container_type,
    decode_document,
    decode_leaf,
    is_struct,
    member_types,
)
from statefmt.golang import encode_string, fold_name
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import UnknownMember
from statefmt.pieces import Span

# Parts that are decoded to find repeated members are no larger than this, to save memory, and no deeper in the file
# than the attributes of an object, so that no byte is decoded more often than that.
_LARGEST: Final = 4 << 20
_DEEPEST: Final = 8
_CONTAINERS: Final = (b"{", b"[")
# The configuration of a backend in version 3, which no upgrade keeps.
_DROPPED: Final = "/backend/config"
# Values whose structure a provider or a configuration defines: Terraform decodes them with their type, and keeps the
# text.
_ATTRIBUTES: Final = frozenset({"attributes", "identity"})
_IN_ATTRIBUTES: Final = (
    "The file keeps all of them. Terraform and OpenTofu use the last one, other programs may use the first."
)
_IN_UNKNOWN: Final = "The file keeps all of them. Programs differ in which one they use."
_LOST: Final = "Only the last one counts; the others are lost when the file is written."


def duplicate_members(data: bytes, version: int, noticed: Iterable[Finding] = ()) -> Iterator[Finding]:
    """Yield a finding for each duplicate member in a state, at any depth. `data` must be valid JSON.

    Names of the format match in any case, all others only exactly. `noticed` are the findings of the reader: merged
    members already have a finding there, which covers the members of the format within them.
    """
    if version == 4 and _repeats_nothing(data):
        return
    # Imported late: it loads the old formats, and hardly any state needs it.
    from statefmt.formats.versions.structure import DOCUMENTS

    merged = {finding.pointer for finding in noticed if finding.code == Code.DUPLICATE_MEMBER}
    # A stack, not recursion: a file may nest deeper than Python's recursion limit.
    waiting: list[tuple[Span, Any, str, str, int]] = [
        (Span(skip_space(data, 0), len(data)), DOCUMENTS[version], "", _LOST, 0)
    ]
    while waiting:
        (start, end), type_, pointer, effect, depth = waiting.pop()
        type_ = container_type(type_)
        if end - start <= _LARGEST and depth <= _DEEPEST and _is_all_decoded(data[start:end], type_):
            continue
        inside: list[tuple[Span, Any, str, str, int]] = []
        if data.startswith(b"{", start):
            known = member_types(type_) if is_struct(type_) else {}
            seen = set()
            for given, value, after in members_at(data, start):
                name = given if given in known or fold_name(given) not in known else fold_name(given)
                place = f"{pointer}/{token(name)}"
                if name in seen and (effect != _LOST or not any(f"{place}/".startswith(f"{one}/") for one in merged)):
                    yield _duplicate(given, pointer, place, effect)
                seen.add(name)
                if data.startswith(_CONTAINERS, value) and place != _DROPPED:
                    inner = known.get(name) if known else _elements_of(type_)
                    within = effect
                    if effect == _LOST and name in _ATTRIBUTES and Raw in get_args(inner):
                        within = _IN_ATTRIBUTES
                    elif effect == _LOST and version == CURRENT_VERSION and known and name not in known:
                        within = _IN_UNKNOWN
                    inside.append((Span(value, after), inner, place, within, depth + 1))
        else:
            for number, item in enumerate(container_at(data, start, end).items):
                if data.startswith(_CONTAINERS, item.value.start):
                    inside.append((item.value, _elements_of(type_), f"{pointer}/{number}", effect, depth + 1))
        waiting += reversed(inside)


def stays(finding: Finding) -> bool:
    """Return whether canonical form keeps the members of a finding: in attributes, identities and unknown members."""
    return finding.detail.endswith((_IN_ATTRIBUTES, _IN_UNKNOWN))


def _elements_of(type_: Any) -> Any:
    return get_args(type_)[-1] if get_origin(type_) in (list, dict) else None


def _repeats_nothing(data: bytes) -> bool:
    """Return whether there are certainly no duplicate members; ten times as fast as checking each one.

    Needs little memory: resources are read a few at a time.
    """
    members = container_at(data).items
    if len({fold_name(member.name) for member in members}) < len(members):
        return False
    try:
        return all(_is_all_decoded(part, type_) for member in members for part, type_ in _parts(data, member))
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return False


def _parts(data: bytes, member: RawItem) -> Iterator[tuple[bytes, Any]]:
    start, end = member.value
    opening = data[start : start + 1]
    if member.name == "resources" and opening == b"[":
        for batch in in_batches(msgspec.json.decode(memoryview(data)[start:end], type=list[Raw])):
            yield b"[%b]" % b",".join(batch), list[ResourceV4 | None]
    elif opening in (b"{", b"["):
        yield b'{"%b":%b}' % (member.name.encode(), data[start:end]), StateV4


def _is_all_decoded(part: bytes, type_: Any) -> bool:
    """Return whether a part of the file certainly repeats no member; much faster than checking each member.

    Each member has quotes, and decoding drops repeated members. The types of the format refuse names in another case.
    """
    try:
        if type_ is not None:
            msgspec.json.decode(part, type=type_)
        shortest = msgspec.json.encode(msgspec.json.decode(part))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError):
        # OverflowError: a number beyond 64 bits.
        return False
    # The escape of a quote becomes a quote, which could compensate for a dropped one.
    return shortest.count(b'"') == part.count(b'"') and b"\\u0022" not in part


def _duplicate(name: str, parent: str, place: str, effect: str) -> Finding:
    detail = f'The member "{name}" occurs more than once in its object ({parent or "at the top level"}). {effect}'
    fix = "Keep the correct one and remove the others, as with statetool edit."
    return Code.DUPLICATE_MEMBER.notice("Duplicate member in state", detail, pointer=place, fix=fix)


# Go matches the name of a member without case and decodes each occurrence into the value of the earlier ones: objects
# and maps are merged, the elements of a list are decoded into the elements that the list had before, and null leaves
# an object, a number, a string or a Boolean as it was. Most other programs take the last occurrence.
# Source: Go 1.23 `encoding/json/decode.go` (object, array, literalStore); the tests compare with a real Terraform.

_NULL: Final = b"null"


class MergedMembers(NamedTuple):
    """A document in which no member of the format is repeated.

    The findings are about the repeated members that Go does not read as their last occurrence.
    """

    text: bytes
    findings: tuple[Finding, ...]


def merged_members(data: bytes, version: int) -> MergedMembers | None:
    """Return a state with its repeated members merged as in Go; None if it repeats no member of the format.

    `data` is valid JSON. Unknown members, and the values that belong to providers, stay as they are. Raises
    `msgspec.ValidationError` or InvalidDocument if Go cannot decode an occurrence, even one that does not count.
    """
    from statefmt.formats.versions.structure import DOCUMENTS, wrong_types

    wrong = next(wrong_types(data, version), None)
    if wrong is not None:
        # Usually raises a better error.
        decode_document(data, DOCUMENTS[version])
        raise InvalidDocument("".join(f"/{token(step)}" for step in wrong.path), wrong.reason)
    merger = _Merger(data, version)
    document = merger.value(DOCUMENTS[version], *value_at(data), None, "")
    return MergedMembers(merger.text(document), tuple(merger.findings())) if merger.repeats else None


class _Object:
    """A decoded object or map: its text if nothing in it is repeated, and the text of an object's unknown members."""

    def __init__(self, plain: bytes) -> None:
        self.plain: bytes | None = plain
        self.members: dict[str, _Value] = {}
        self.unknown: list[bytes] = []


class _List:
    """A decoded list. Elements beyond its length come from a longer, earlier list with the same name."""

    def __init__(self, plain: bytes | None) -> None:
        self.plain = plain
        self.elements: list[_Value] = []
        self.length = 0


# The text of a value, if it is not decoded further.
_Value: TypeAlias = _Object | _List | bytes


class _Merger:
    """Decodes the values of one text, which have the types of their format version."""

    def __init__(self, data: bytes, version: int) -> None:
        self.repeats = False
        self._data = data
        # The structs of versions 1 to 3 have pointers to others, which null sets to nil.
        self._has_pointers = version != 4
        self._merged: dict[str, str] = {}
        # Go's []byte, which JSON has as base64 or as a list of numbers.
        self._bytes = member_types(InstanceObjectV4)["private"]

    def value(self, type_: Any, start: int, end: int, old: _Value | None, pointer: str) -> _Value:
        """Decode the value in a range of the text into the value that its member has so far."""
        if type_ == IndexKey or Raw in (type_, *get_args(type_)):
            return self._data[start:end]
        is_null = self._data.startswith(_NULL, start)
        if type_ == self._bytes:
            return self._byte_list(start, end, old, pointer)
        inner = container_type(type_)
        if is_null:
            has_pointer = inner is not None and (self._has_pointers or not isinstance(inner, type))
            if has_pointer or old is None or old == _NULL:
                return _NULL
            self._merged[pointer] = "Terraform and OpenTofu ignore a null that follows a value."
            return old
        if inner is None:
            if isinstance(old, bytes) and int in get_args(type_) and not self._has_pointers:
                # Refuse a number that does not count, but that Go cannot decode.
                check_uint64(decode_leaf(old, int | None), pointer)
            return self._data[start:end]
        if get_origin(inner) is list:
            return self._list(get_args(inner)[0], start, end, old, pointer)
        if get_origin(inner) is dict:
            return self._map(get_args(inner)[1], start, end, old, pointer)
        return self._object(inner, start, end, old, pointer)

    def findings(self) -> Iterator[Finding]:
        """Yield a finding for each merged member, but not for the members within it."""
        for pointer, what in self._merged.items():
            steps = pointer.split("/")
            if any("/".join(steps[:length]) in self._merged for length in range(2, len(steps))):
                continue
            parent, _, name = pointer.rpartition("/")
            yield Code.DUPLICATE_MEMBER.notice(
                "Duplicate member in state",
                f'The member "{name}" occurs more than once in its object ({parent or "at the top level"}), perhaps in '
                f"different case. {what} Most other programs, such as jq, read only the last one.",
                pointer=pointer,
                fix="Write what Terraform and OpenTofu read with statetool fmt, or keep the correct one with statetool "
                "edit.",
            )

    def text(self, value: _Value) -> bytes:
        """Return the JSON text of a value."""
        if isinstance(value, bytes):
            return value
        if value.plain is not None:
            return value.plain
        if isinstance(value, _List):
            return b"[%b]" % b",".join(map(self.text, value.elements[: value.length]))
        members = [b"%b:%b" % (encode_string(name), self.text(member)) for name, member in value.members.items()]
        return b"{%b}" % b",".join([*members, *value.unknown])

    def _object(self, struct: type[Struct], start: int, end: int, old: _Value | None, pointer: str) -> _Object:
        node = old if isinstance(old, _Object) else _Object(self._data[start:end])
        if node is old:
            self._merge(node, pointer)
        types = member_types(struct)
        seen = set()
        for name, value, after in members_at(self._data, start):
            field = name if name in types else fold_name(name)
            if field not in types:
                node.unknown.append(b"%b:%b" % (encode_string(name), self._data[value:after]))
                continue
            if field in seen:
                self.repeats = True
                node.plain = None
            seen.add(field)
            found = self.value(types[field], value, after, node.members.get(field), f"{pointer}/{field}")
            node.members[field] = found
            _note(node, found)
        return node

    def _map(self, type_: Any, start: int, end: int, old: _Value | None, pointer: str) -> _Object:
        node = old if isinstance(old, _Object) else _Object(self._data[start:end])
        if node is old:
            self._merge(node, pointer)
        for name, value, after in members_at(self._data, start):
            if name in node.members:
                self.repeats = True
                node.plain = None
            # Go decodes the values of a map into new ones.
            found = node.members[name] = self.value(type_, value, after, None, f"{pointer}/{token(name)}")
            _note(node, found)
        return node

    def _list(self, type_: Any, start: int, end: int, old: _Value | None, pointer: str) -> _List:
        items = container_at(self._data, start, end).items
        if not items or not isinstance(old, _List):
            node = _List(self._data[start:end])
        else:
            node = old
            self._merge(node, pointer)
        for number, item in enumerate(items):
            before = node.elements[number] if number < len(node.elements) else None
            found = self.value(type_, item.value.start, item.value.end, before, f"{pointer}/{number}")
            node.elements[number : number + 1] = [found]
            _note(node, found)
        node.length = len(items)
        return node

    def _byte_list(self, start: int, end: int, old: _Value | None, pointer: str) -> _Value:
        if isinstance(old, bytes) and old.startswith(b'"'):
            try:
                content = base64.b64decode(canonical_private(decode_leaf(old, str)))
            except ValueError as error:
                raise InvalidDocument(pointer, f"it is {error}", code=Code.PRIVATE_INVALID) from error
            old = _List(None)
            old.elements += [b"%d" % byte for byte in content]
        if not self._data.startswith(b"[", start):
            return self._data[start:end]
        found = self._list(int | None, start, end, old, pointer)
        found.elements = [b"0" if element == _NULL else element for element in found.elements]
        return found

    def _merge(self, node: _Object | _List, pointer: str) -> None:
        self._merged[pointer] = "Terraform and OpenTofu merge them."
        node.plain = None


def _note(node: _Object | _List, part: _Value) -> None:
    """Discard the text of a node if anything in it is repeated."""
    if not isinstance(part, bytes) and part.plain is None:
        node.plain = None


def unknown_findings(document: StateV4) -> Iterator[Finding]:
    """Yield an info finding for each unknown member, in file order."""
    yield from _unknown_members(document.unknown, "", "")
    for name, output in (document.outputs or {}).items():
        if output and output.unknown:
            yield from _unknown_members(output.unknown, f"output.{name}", f"/outputs/{token(name)}")
    for number, resource in enumerate(document.resources or ()):
        if resource is None:
            continue
        address = resource.address()
        yield from _unknown_members(resource.unknown, address, f"/resources/{number}")
        for place, obj in enumerate(resource.instances or ()):
            if obj and obj.unknown:
                yield from _unknown_members(obj.unknown, address, f"/resources/{number}/instances/{place}")
    for number, result in enumerate(document.check_results or ()):
        if result is None:
            continue
        address = result.config_addr or ""
        yield from _unknown_members(result.unknown, address, f"/check_results/{number}")
        for place, checked in enumerate(result.objects or ()):
            if checked and checked.unknown:
                yield from _unknown_members(checked.unknown, address, f"/check_results/{number}/objects/{place}")


def _unknown_members(unknown: tuple[UnknownMember, ...], address: str, pointer: str) -> Iterator[Finding]:
    for name, _, _ in unknown:
        detail = (
            f'The member "{name}" is not known to statetool {"in " + address if address else "at the top level"}; '
            "a newer release may have written it. It is kept unless --drop-unknown is given."
        )
        yield Code.UNKNOWN_MEMBER.notice("Unknown member in state", detail, address, f"{pointer}/{token(name)}")
