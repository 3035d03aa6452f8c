"""Finds members that an object repeats: programs differ in which of them they read, and a rewrite keeps only one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, Final, get_args, get_origin

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json import RawItem, container_at, in_batches, members_at, skip_space, token
from statefmt.formats.reading import CURRENT_VERSION
from statefmt.formats.versions import ResourceV4, StateV4, container_type, is_struct, member_types
from statefmt.golang import fold_name
from statefmt.model.findings import Code, Finding
from statefmt.pieces import Span

# Parts that are decoded to see whether they repeat a member are no larger than this, to save memory, and no deeper in
# the file than the attributes of an object, so that no byte is decoded more often than that.
_LARGEST: Final = 4 << 20
_DEEPEST: Final = 8
_CONTAINERS: Final = (b"{", b"[")
# The configuration of a backend in version 3, which no upgrade keeps.
_DROPPED: Final = "/backend/config"
# What a provider or a configuration has the say in: Terraform decodes it with its type, and keeps the text.
_ATTRIBUTES: Final = frozenset({"attributes", "identity"})
_IN_ATTRIBUTES: Final = (
    "The file keeps all of them. Terraform and OpenTofu use the last one, other programs may use the first."
)
_IN_UNKNOWN: Final = "The file keeps all of them. Programs differ in which one they use."
_LOST: Final = "Only the last one counts; the others are lost when the file is written."


def duplicate_members(data: bytes, version: int, noticed: Iterable[Finding] = ()) -> Iterator[Finding]:
    """Yield a finding for each duplicate member in a state, at any depth. `data` must be valid JSON.

    Names of the format are the same in any case, all others only if they are equal. `noticed` is what reading found:
    members that the reader merges have a finding there already, together with those of the format within them.
    """
    if version == 4 and _repeats_nothing(data):
        return
    # Imported late: it knows the old formats, and nearly no state gets here.
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
                if name in seen and (effect != _LOST or not _is_within(place, merged)):
                    yield _finding(given, pointer, place, effect)
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


def _is_within(pointer: str, others: Collection[str]) -> bool:
    return any(pointer == other or pointer.startswith(f"{other}/") for other in others)


def _elements_of(type_: Any) -> Any:
    """Return the type of what is in a list or a map; None if the format says nothing about it."""
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
    """Yield the text and the type of what is in a member of a state."""
    start, end = member.value
    opening = data[start : start + 1]
    if member.name == "resources" and opening == b"[":
        for batch in in_batches(msgspec.json.decode(memoryview(data)[start:end], type=list[Raw])):
            yield b"[%b]" % b",".join(batch), list[ResourceV4 | None]
    elif opening in (b"{", b"["):
        yield b'{"%b":%b}' % (member.name.encode(), data[start:end]), StateV4


def _is_all_decoded(part: bytes, type_: Any) -> bool:
    """Return whether a part of the file certainly repeats no member; much faster than looking at each one.

    Each member has quotes, and decoding drops repeated members. The types of the format refuse names in another case.
    """
    try:
        if type_ is not None:
            msgspec.json.decode(part, type=type_)
        shortest = msgspec.json.encode(msgspec.json.decode(part))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError):
        # OverflowError: a number beyond 64 bits.
        return False
    # The escape of a quote becomes a quote, and could stand in for one that was dropped.
    return shortest.count(b'"') == part.count(b'"') and b"\\u0022" not in part


def _finding(name: str, parent: str, place: str, effect: str) -> Finding:
    return Code.DUPLICATE_MEMBER.notice(
        "Duplicate member in state",
        f'The member "{name}" occurs more than once in its object ({parent or "at the top level"}). {effect}',
        pointer=place,
        fix="Keep the correct one and remove the others, as with statetool edit.",
    )
