"""Compares a document with the structure of its format version: wrong types, failing upgrades, names of members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace as with_fields
from functools import cache
from typing import Any, Final, NamedTuple, get_args, get_origin

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.formats.raw_json import container_at, token, value_at
from statefmt.formats.versions import (
    FormatObject,
    InvalidDocument,
    StateV4,
    UpgradeFailed,
    UpgradeReport,
    container_type,
    decode_document,
    decode_leaf,
    holds_struct,
    is_struct,
    member_types,
)
from statefmt.formats.versions.before_v3 import StateV1, upgrade_v1, upgrade_v2
from statefmt.formats.versions.v3 import StateV3, parse_legacy_address, upgrade_v3
from statefmt.golang import fold_name
from statefmt.model.addrs import AbsResourceInstance, Module
from statefmt.model.findings import Finding
from statefmt.pieces import Span

DOCUMENTS: Final[dict[int, type[Struct]]] = {1: StateV1, 2: StateV3, 3: StateV3, 4: StateV4}


class WrongType(NamedTuple):
    """A part of the wrong type: the tokens of its pointer, and the reason (`expected str | null, got int`)."""

    path: tuple[str, ...]
    reason: str


def wrong_types(data: bytes, version: int) -> Iterator[WrongType]:
    """Yield the parts that the decoder of a format version rejects, in file order, without descending into them.

    The decoder itself stops at the first. Descends only into rejected containers, so that the time is linear in the
    bytes.
    """
    yield from _below(data, value_at(data), DOCUMENTS[version], ())


def _below(data: bytes, span: Span, type_: Any, path: tuple[str, ...]) -> Iterator[WrongType]:
    reason = _problem(data, span, type_)
    if not reason:
        return
    first = data[span.start : span.start + 1]
    inner = container_type(type_)
    opening = b"[" if get_origin(inner) is list else b"{"
    if inner is None or first != opening:
        yield WrongType(path, reason)
        return
    struct = inner if is_struct(inner) else None
    for number, item in enumerate(container_at(data, span.start, span.end).items):
        name = item.name if first == b"{" else str(number)
        if struct is not None:
            types = member_types(struct)
            known = types.get(name, types.get(fold_name(name)))
            if known is None:
                continue
            yield from _below(data, item.value, known, (*path, name))
        else:
            yield from _below(data, item.value, get_args(inner)[-1], (*path, name))


def _problem(data: bytes, span: Span, type_: Any) -> str:
    raw = memoryview(data)[span.start : span.end]
    try:
        msgspec.json.decode(raw, type=type_)
    except msgspec.ValidationError as error:
        return _reason(error)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Half a surrogate pair, which is readable, may hide a wrong type.
        if holds_struct(type_):
            return "it is not valid"
        try:
            decode_leaf(Raw(bytes(raw)), type_)
        except msgspec.ValidationError as error:
            return _reason(error)
    return ""


def _reason(error: msgspec.ValidationError) -> str:
    reason = str(error).partition(" - at `$")[0].replace("`", "")
    return reason[:1].lower() + reason[1:]


_FIRST = "/modules/0"
_ROOT = ["root"]


def upgrade_problems(data: bytes, version: int) -> Iterator[Finding]:
    """Yield a finding for each part that cannot be upgraded, in file order; all members have the right types.

    Each part is upgraded alone, so that the time is linear in the bytes.
    """
    document = replace(_document(data, version), unknown=())
    yield from _problems(replace(document, modules=[]), version, 0)
    for number, module in enumerate(document.modules or ()):
        bare = None if module is None else replace(module, outputs=None, resources=None, unknown=())
        found = list(_problems(replace(document, serial=0, modules=[bare]), version, number))
        yield from found
        if found or module is None or bare is None:
            continue
        for name, output in (module.outputs or {}).items():
            part = replace(bare, outputs={name: output})
            yield from _problems(replace(document, serial=0, modules=[part]), version, number)
        for name, resource in (module.resources or {}).items():
            part = replace(bare, resources={name: resource})
            yield from _problems(replace(document, serial=0, modules=[part]), version, number)


def repeated_instances(data: bytes, version: int) -> Mapping[str, list[str]]:
    """Return the pointers of the entries of `resources` by the address of their instance, if it has several."""
    found: dict[str, list[str]] = {}
    for number, module in enumerate(_document(data, version).modules or ()):
        if module is None:
            continue
        path = Module(tuple(name or "" for name in (module.path or _ROOT)[1:])).unkeyed_instance()
        for name in module.resources or ():
            try:
                address = str(AbsResourceInstance(path, parse_legacy_address(name)))
            except ValueError:
                continue
            found.setdefault(address, []).append(f"/modules/{number}/resources/{token(name)}")
    return {address: pointers for address, pointers in found.items() if len(pointers) > 1}


def _document(data: bytes, version: int) -> StateV1 | StateV3:
    return decode_document(data, StateV1) if version == 1 else decode_document(data, StateV3)


def _problems(part: StateV1 | StateV3, version: int, module: int) -> Iterator[Finding]:
    report = UpgradeReport()
    try:
        state = upgrade_v1(part, report) if isinstance(part, StateV1) else part
        upgrade_v3(upgrade_v2(state, report) if version <= 2 else state, report)
    except UpgradeFailed as failed:
        finding = failed.finding()
    except InvalidDocument as invalid:
        finding = invalid.finding()
    else:
        return
    at = finding.pointer
    yield with_fields(finding, pointer=f"/modules/{module}{at[len(_FIRST) :]}" if at.startswith(_FIRST) else at)


def member_at(pointer: str) -> tuple[str, ...]:
    """Return the member names in a pointer: `/resources/3/type` gives `("resources", "type")`.

    Omits positions in lists and names in maps. The names end at the limits of the format: at values that belong to
    providers, and at unknown members. "" gives ().
    """
    tokens = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    if not tokens or tokens[0] in StateV4.__struct_fields__:
        return _names(tokens, StateV4)
    return max(_names(tokens, StateV3), _names(tokens, StateV1), key=len)


def anchor(member: Sequence[str]) -> str:
    """Return the anchor of a member's section: `member-resources-type`; "" for the whole document."""
    return "-".join(("member", *member)) if member else ""


def _names(tokens: Sequence[str], document: type[FormatObject]) -> tuple[str, ...]:
    names: list[str] = []
    inside: Any = document
    for name in tokens:
        members, elements = _inside(inside)
        if name in members:
            names.append(name)
            inside = members[name]
        elif elements is not None:
            inside = elements
        else:
            break
    return tuple(names)


@cache
def _inside(given: Any) -> tuple[Mapping[str, Any], Any]:
    """Return the members of an object of the format with their types, and the element type of a list or map."""
    inner = container_type(given)
    if is_struct(inner):
        return member_types(inner), None
    return {}, None if inner is None else get_args(inner)[-1]
