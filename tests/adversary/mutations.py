"""Mutations of states: of what they say, member by member, and of their bytes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

CANARY: Final = "s3cr3t-c4n4ry"
_DEEPEST_JSON: Final = 3000


class Literal(str):
    """A number, as it stands in the text."""

    __slots__ = ()


# A document, as Python's JSON has it but for numbers and objects.
Node: TypeAlias = Any


class Members(list[list[Node]]):
    """The members of an object, in their order and as often as they are there: pairs of name and value."""


class _Slot(NamedTuple):
    """A place in a document: an element of a list, or the name (0) or the value (1) of a member."""

    holder: list[Node]
    place: int


_STRINGS: Final = (
    "", "\0", "\x1b[31mred\x1b[0m", "\u202e", "\ud800", "\udfff\ud800", "é", "e\u0301", "\u2028", "\x7f", "\x9b31m",
    "a" * 3000, "a\nb", "a\r\nb", "${x}", "%{if}", "$${", '"', "\\", "<script>", "=1+1", "::error::x", "|", "`",
    "../../etc/passwd", "-", "module.a", "module.a[0].aws_x.y", 'aws_x.y["k"]', "aws_x.y[0]", "data.aws_x.y",
    "provider.aws", "provider.aws.west", 'provider["registry.opentofu.org/hashicorp/aws"]',
    'provider["registry.opentofu.org/hashicorp/aws"].x["é"]', 'module.m.provider["a.b/c/d"]', "provider[",
    "managed", "data", "root", "0", "1", "true", "string", "tainted", "1.0.0", "999999999999.0.0", "v1", "\ufeff",
    "\uff0e", "xn--a", "\U0001f600", "\u017f", "\u0131", "K", "list", "9" * 400,
)  # fmt: skip
_NUMBERS: Final = (
    "0", "-0", "1", "-1", "1.0", "1e0", "1e400", "-1e400", "1e-400", "1e999999999", "9" * 400, "-" + "9" * 400,
    "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616",
    "-9223372036854775809", "0.1", "1e19", "4294967296", "2.5",
)  # fmt: skip
_NAMES: Final = (
    "version", "serial", "lineage", "outputs", "resources", "modules", "instances", "attributes", "attributes_flat",
    "provider", "index_key", "deposed", "status", "schema_version", "sensitive_attributes", "private",
    "dependencies", "mode", "type", "name", "module", "each", "check_results", "value", "sensitive", "path",
    "primary", "meta", "tainted", "depends_on", "id", "%", "#", "terraform_version", "identity",
    "identity_schema_version", "create_before_destroy", "encrypted_data", "encryption_version", "remote", "backend",
    "config", "key_provider", "objects", "object_kind", "config_addr", "zz_unknown", "constructor", "__proto__",
)  # fmt: skip


def parsed(data: bytes) -> Node:
    """The document in some bytes. Raises ValueError, or RecursionError, where there is none."""
    document: Node = json.loads(
        data,
        object_pairs_hook=lambda pairs: Members(list(pair) for pair in pairs),
        parse_int=Literal,
        parse_float=Literal,
        parse_constant=Literal,
    )
    return document


def rendered(node: Node) -> str:
    """The text of a document."""
    if isinstance(node, Members):
        return "{" + ",".join(f"{json.dumps(name)}:{rendered(value)}" for name, value in node) + "}"
    if isinstance(node, list):
        return "[" + ",".join(map(rendered, node)) + "]"
    return str(node) if isinstance(node, Literal) else json.dumps(node)


def mutated(random: Random, data: bytes, others: tuple[tuple[str, bytes], ...]) -> tuple[bytes, bool]:
    """A state that was changed in a few places, and whether a canary could be planted where all know it is secret."""
    if random.random() < 0.25:
        for _ in range(random.choice((1, 1, 2, 5))):
            data = random.choice(_OF_BYTES)(random, data, random.choice(others)[1])
        return data, False
    try:
        document, other = parsed(data), parsed(random.choice(others)[1])
    except (ValueError, RecursionError):
        return _flipped(random, data, b""), False
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 8))):
        slots = list(_slots(document))
        if slots:
            random.choice(_OF_DOCUMENTS)(random, random.choice(slots), slots, other)
    planted = _plant(document)
    text = rendered(document)
    if random.random() < 0.03:
        depth = random.choice((100, 600, _DEEPEST_JSON))
        text = text.replace("{}", '{"a":' * depth + "1" + "}" * depth, 1)
    if random.random() < 0.3:
        text = json.dumps(json.loads(text), indent=2) if _is_plain(text) else text
    return text.encode("utf-8", "surrogatepass"), planted


def planted(data: bytes) -> bytes | None:
    """A state with the canary in it; None where there is no place for it."""
    try:
        document = parsed(data)
    except (ValueError, RecursionError):
        return None
    return rendered(document).encode() if _plant(document) else None


def _is_plain(text: str) -> bool:
    """Whether Python's JSON gives back what it reads: each name once, and numbers as they were."""
    try:
        return rendered(parsed(json.dumps(json.loads(text)).encode())) == text
    except (ValueError, RecursionError):
        return False


def _plant(document: Node) -> bool:
    """Put a canary into a resource and an output that are beyond doubt."""
    if not isinstance(document, Members):
        return False
    # The last of each name counts, and other letter cases count too.
    members = {str(name): value for name, value in document}
    if len({str(name).casefold() for name, _ in document}) != len(document):
        return False
    resources = members.get("resources")
    outputs = members.get("outputs")
    if members.get("version") != Literal("4") or not isinstance(resources, list) or isinstance(resources, Members):
        return False
    resources.append(
        parsed(
            b'{"mode":"managed","type":"canary_x","name":"canary","provider":"provider[\\"example.org/a/canary\\"]","instances":'
            b'[{"schema_version":0,"attributes":{"id":"c","password":"%(c)s","list":[{"k":"%(c)s"}]},"sensitive_attributes":'
            b'[[{"type":"get_attr","value":"password"}],[{"type":"get_attr","value":"list"}]],"private":"czNjcjN0LWM0bjRyeQ=="}]}'
            % {b"c": CANARY.encode()}
        )
    )
    if isinstance(outputs, Members):
        outputs.append(["canary", parsed(b'{"value":"%s","type":"string","sensitive":true}' % CANARY.encode())])
    return True


def _slots(node: Node) -> Iterator[_Slot]:
    if isinstance(node, Members):
        for pair in node:
            yield _Slot(pair, 0)
            yield _Slot(pair, 1)
            yield from _slots(pair[1])
    elif isinstance(node, list):
        for place, value in enumerate(node):
            yield _Slot(node, place)
            yield from _slots(value)


def _odd(random: Random) -> Node:
    return random.choice(
        (
            None, True, False, random.choice(_STRINGS), Literal(random.choice(_NUMBERS)), [], Members(),
            [None], [random.choice(_STRINGS)], Members([[random.choice(_NAMES), random.choice(_STRINGS)]]),
        )
    )  # fmt: skip


def _replace(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    slot.holder[slot.place] = random.choice(_STRINGS + _NAMES) if _is_name(slot, slots) else _odd(random)


def _odd_text(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    old = slot.holder[slot.place]
    if isinstance(old, str) and not isinstance(old, Literal):
        place = random.randint(0, len(old))
        slot.holder[slot.place] = old[:place] + random.choice(_STRINGS) + old[place:]
    elif isinstance(old, Literal):
        slot.holder[slot.place] = Literal(random.choice(_NUMBERS))


def _recase(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    old = slot.holder[slot.place]
    if isinstance(old, str) and not isinstance(old, Literal):
        slot.holder[slot.place] = random.choice((old.upper(), old.swapcase(), old.title(), old.replace("s", "\u017f")))


def _remove(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    holder = _holder_of_members(random, slots)
    if holder:
        del holder[random.randrange(len(holder))]


def _duplicate(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    holder = _holder_of_members(random, slots)
    if holder:
        again = random.choice(holder)
        if isinstance(holder, Members) and isinstance(again, list):
            again = [again[0], random.choice((again[1], _odd(random)))]
        holder.insert(random.randint(0, len(holder)), again)


def _shuffle(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    holder = _holder_of_members(random, slots)
    if holder:
        random.shuffle(holder)


def _swap(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    twin = random.choice(slots)
    if not _is_name(slot, slots) and not _is_name(twin, slots):
        here, there = rendered(slot.holder[slot.place]), rendered(twin.holder[twin.place])
        slot.holder[slot.place], twin.holder[twin.place] = parsed(there.encode()), parsed(here.encode())


def _graft(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    """A value of another state in its place, where there is one of the same name."""
    theirs = [one for one in _slots(other) if one.place == 1]
    name = slot.holder[0] if slot.place == 1 else None
    same = [one for one in theirs if one.holder[0] == name] or theirs
    if same and not _is_name(slot, slots):
        chosen = random.choice(same)
        slot.holder[slot.place] = parsed(rendered(chosen.holder[chosen.place]).encode())


def _wrong_version(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    for one in slots:
        if one.place == 1 and one.holder[0] in ("version", "schema_version", "serial", "terraform_version"):
            if random.random() < 0.5:
                continue
            one.holder[1] = random.choice((Literal(random.choice(("1", "2", "3", "4", "5", *_NUMBERS))), _odd(random)))
            return


def _unknown_member(random: Random, slot: _Slot, slots: list[_Slot], other: Node) -> None:
    holder = _holder_of_members(random, slots)
    if isinstance(holder, Members):
        holder.append([random.choice(_NAMES + _STRINGS), _odd(random)])


def _is_name(slot: _Slot, slots: list[_Slot]) -> bool:
    """Whether a slot is the name of a member, which must be a string."""
    return (
        slot.place == 0 and any(one.holder is slot.holder and one.place == 1 for one in slots) and len(slot.holder) == 2
    )


def _holder_of_members(random: Random, slots: list[_Slot]) -> list[Node] | None:
    values = [one.holder[one.place] for one in slots]
    holders = [value for value in values if isinstance(value, list) and value]
    return random.choice(holders) if holders else None


_Mutation: TypeAlias = Callable[[Random, _Slot, list[_Slot], Node], None]
_OF_DOCUMENTS: Final[tuple[_Mutation, ...]] = (
    _replace, _replace, _odd_text, _odd_text, _recase, _remove, _duplicate, _shuffle, _swap, _graft, _graft,
    _wrong_version, _unknown_member,
)  # fmt: skip


def _flipped(random: Random, data: bytes, other: bytes) -> bytes:
    place = random.randrange(len(data) or 1)
    return data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]


def _truncated(random: Random, data: bytes, other: bytes) -> bytes:
    return data[: random.randint(0, len(data))]


def _not_utf8(random: Random, data: bytes, other: bytes) -> bytes:
    places = [place for place, byte in enumerate(data) if byte == ord('"')] or [0]
    place = random.choice(places) + 1
    bad = random.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"))
    return data[:place] + bad + data[place:]


def _spliced(random: Random, data: bytes, other: bytes) -> bytes:
    return data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]


def _cut(random: Random, data: bytes, other: bytes) -> bytes:
    start = random.randint(0, len(data))
    return data[:start] + data[start + random.choice((1, 2, 10, 100)) :]


def _repeated(random: Random, data: bytes, other: bytes) -> bytes:
    start = random.randint(0, len(data))
    end = start + random.choice((1, 2, 20, 200))
    return data[:end] + data[start:]


def _framed(random: Random, data: bytes, other: bytes) -> bytes:
    as_utf16 = data.decode("latin-1").encode("utf-16")
    return random.choice(
        (b"\xef\xbb\xbf" + data, data + b"\0", data + data, b"\n\t " + data, b"[" + data + b"]", as_utf16)
    )


_OF_BYTES: Final = (_flipped, _flipped, _flipped, _truncated, _not_utf8, _spliced, _cut, _repeated, _framed)
