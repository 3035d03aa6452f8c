"""Writes states whose objects are known: the address and the bytes of each, from its maker and not from a reader."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

Members: TypeAlias = dict[str, Any]
LINEAGE: Final = "3f1c2a77-6b0e-4f2b-8c55-0e4d6f7a8b9c"
_PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
_TYPES: Final = ("aws_eip", "aws_iam_policy", "aws_instance", "random_password")
# Strings that look like something else to a reader that is not strict.
_ODD_TEXT: Final = (
    *(
        '{"version": 4, "resources": [{"mode": "managed"}]}',
        "</pre>&quot;&amp;",
        "\u00e9\u4e16\U0001f600",
        "<<<<<<< HEAD",
    ),
    *("a{", "}]", '\\"', "a\nb\tc", "\x00\x1b[0m", ", ", ":", "[{", ""),
)


class Address(NamedTuple):
    """Names an object: `key` is the instance key as JSON, "" if there is none."""

    module: str
    mode: str
    type: str
    name: str
    key: str
    deposed: str


class Original(NamedTuple):
    """An object as it was written: `raw` is at `start` in the state, in bytes."""

    address: Address
    raw: bytes
    start: int

    @property
    def end(self) -> int:
        """The offset behind the object."""
        return self.start + len(self.raw)


@dataclass(frozen=True)
class Written:
    """A state and its objects, in order."""

    data: bytes
    objects: tuple[Original, ...]


@dataclass(frozen=True)
class Block:
    """A resource: its members without `instances`, and the members of each instance."""

    head: Members
    instances: tuple[Members, ...]


@dataclass(frozen=True)
class Plan:
    """What a state says, before it is written in a layout."""

    serial: int
    blocks: tuple[Block, ...]
    outputs: Members


class Layout(NamedTuple):
    """How a state is written: indented by `indent`, on one line if None; with or without members that are optional."""

    indent: str | None
    separators: tuple[str, str]
    line: str = "\n"
    ascii: bool = False


LAYOUTS: Final[dict[str, Layout]] = {
    "indented": Layout("  ", (",", ": ")),
    "compact": Layout(None, (",", ":")),
    "spaced": Layout(None, (" , ", " : ")),
    "tabs": Layout("\t", (",", ":"), "\r\n"),
    "ascii": Layout("    ", (",", ": "), ascii=True),
}


def plan(chance: Random, size: int, serial: int = 7) -> Plan:
    """Return a state of about `size` bytes in the indented layout."""
    blocks: list[Block] = []
    written = 0
    width = chance.choice((1, 3, 12))
    while written < size:
        blocks.append(_block(chance, len(blocks), width))
        written += len(json.dumps([blocks[-1].head, blocks[-1].instances], indent=2)) + 60 * len(blocks[-1].instances)
    outputs = {f"o{n}": {"value": _value(chance, 2), "type": "dynamic"} for n in range(chance.randrange(4))}
    return Plan(serial, tuple(blocks), outputs)


def changed(chance: Random, new: Plan) -> Plan:
    """Return the version before: some objects differ, with as many bytes or not, some are gone and some are back."""
    blocks: list[Block] = []
    rate = chance.choice((0.02, 0.2, 0.8))
    for block in new.blocks:
        if chance.random() < rate * 0.3:
            continue
        instances = [_changed_instance(chance, one) if chance.random() < rate else one for one in block.instances]
        blocks.append(Block(block.head, tuple(instances)))
        if chance.random() < rate * 0.3:
            head = {**block.head, "name": f"{block.head['name']}_old"}
            blocks.append(Block(head, tuple(_changed_instance(chance, one) for one in block.instances)))
    outputs = dict(new.outputs)
    if chance.random() < 0.5:
        outputs["gone"] = {"value": _value(chance, 3), "type": "dynamic"}
    return Plan(new.serial - 1, tuple(blocks), outputs)


def write(made: Plan, layout: Layout) -> Written:
    """Write a state in a layout and record where each object is."""
    objects: list[Original] = []
    pieces: list[bytes] = []
    position = 0

    def put(text: str) -> None:
        nonlocal position
        pieces.append(text.encode())
        position += len(pieces[-1])

    def line(depth: int) -> str:
        return "" if layout.indent is None else layout.line + layout.indent * depth

    def value(what: object, depth: int) -> str:
        text = json.dumps(what, indent=layout.indent, separators=layout.separators, ensure_ascii=layout.ascii)
        return text.replace("\n", line(depth)) if layout.indent is not None else text

    comma, colon = layout.separators
    head = {"version": 4, "terraform_version": "1.9.0", "serial": made.serial, "lineage": LINEAGE}
    put("{")
    for name, member in {**head, "outputs": made.outputs}.items():
        put(f'{line(1)}"{name}"{colon}{value(member, 1)}{comma}')
    put(f'{line(1)}"resources"{colon}[')
    for number, block in enumerate(made.blocks):
        put((comma if number else "") + line(2) + "{")
        for name, member in block.head.items():
            put(f'{line(3)}"{name}"{colon}{value(member, 3)}{comma}')
        put(f'{line(3)}"instances"{colon}[')
        for place, instance in enumerate(block.instances):
            put((comma if place else "") + line(4))
            start = position
            put(value(instance, 4))
            objects.append(Original(_address(block.head, instance), pieces[-1], start))
        put(line(3) + "]" + line(2) + "}")
    put(f'{line(1)}]{comma}{line(1)}"check_results"{colon}null{line(0)}}}{layout.line}')
    return Written(b"".join(pieces), tuple(objects))


def _address(head: Members, instance: Members) -> Address:
    key = json.dumps(instance["index_key"]) if "index_key" in instance else ""
    module = head.get("module", "")
    return Address(module, head["mode"], head["type"], head["name"], key, instance.get("deposed", ""))


def _block(chance: Random, number: int, width: int) -> Block:
    kind = chance.choice(_TYPES)
    head: Members = {"module": f"module.m{number // 9:04}"} if chance.random() < 0.7 else {}
    head |= {"mode": chance.choice(("managed", "managed", "data")), "type": kind, "name": f"r{number:05}"}
    head["provider"] = _PROVIDER
    count = chance.randint(1, width)
    keys: Sequence[Members] = ({},)
    if count > 1 or chance.random() < 0.3:
        by_number = chance.random() < 0.5
        keys = [{"index_key": n if by_number else f'k"{n}'} for n in range(count)]
    return Block(head, tuple(_instances(chance, keys)))


def _instances(chance: Random, keys: Sequence[Members]) -> Iterator[Members]:
    for key in keys:
        yield {**key, **_object(chance)}
        if chance.random() < 0.05:
            yield {**key, "deposed": f"{chance.getrandbits(32):08x}", **_object(chance)}


def _object(chance: Random) -> Members:
    attributes: Members = {"arn": f"arn:aws:{chance.getrandbits(40)}", "id": f"i-{chance.getrandbits(64):016x}"}
    attributes |= {f"a{n}": _value(chance, 3) for n in range(chance.randrange(8))}
    made: Members = {"schema_version": chance.randrange(3), "attributes": attributes, "sensitive_attributes": []}
    if chance.random() < 0.5:
        made["private"] = f"{chance.getrandbits(192):048x}"
    if chance.random() < 0.5:
        made["dependencies"] = ["aws_eip.a", "module.m.aws_instance.b"]
    return made


def _changed_instance(chance: Random, instance: Members) -> Members:
    if chance.random() < 0.3:
        return {**{k: instance[k] for k in ("index_key", "deposed") if k in instance}, **_object(chance)}
    attributes = {**instance["attributes"], "id": f"i-{chance.getrandbits(64):016x}"}
    return {**instance, "attributes": attributes}


def _value(chance: Random, depth: int) -> object:
    scalars: tuple[Callable[[], object], ...] = (
        lambda: "x" * chance.choice((3, 30, 300)),
        lambda: chance.choice(_ODD_TEXT),
        lambda: chance.randrange(10 ** chance.randint(1, 18)),
        lambda: chance.choice((True, False, None, -1.5e-7, 0)),
    )
    if depth and chance.random() < 0.5:
        inner = [_value(chance, depth - 1) for _ in range(chance.randrange(4))]
        if chance.random() < 0.5:
            return inner
        # Members of the format, too: as the names of attributes they mean nothing.
        names = chance.choice((("status", "private", "provider"), ("mode", "type", "name"), ("x", "y{", "z")))
        return dict(zip(names, inner, strict=False))
    return chance.choice(scalars)()
