"""Reads an operations file, in HCL or JSON, and says where it is invalid."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from statefmt.edit.hcl_file import invalid, read_hcl_file, refuse_problems
from statefmt.edit.operations_file._model import BLOCKS, Expect, FileOperation, OperationsFile, StateBlock
from statefmt.edit.operations_file._values import argument_value
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem
from statefmt.hcl.syntax.body import Block, Body
from statefmt.text.pattern import pattern

T = TypeVar("T", bound=Struct)

_STATE, _EXPECT = "state", "expect"
# More than any block has; they matter only for the place of an unknown block.
_MOST_LABELS: Final = 4
_NAME: Final = pattern(r"[a-zA-Z_][a-zA-Z0-9_-]*")
# What msgspec calls types, and what the messages call them.
_TYPES: Final = {
    "object": "map",
    "str": "string",
    "array": "list",
    "int": "whole number",
    "decimal": "number",
    "bool": "true or false",
}
_TYPE: Final = pattern(r"[a-z]+")
# How msgspec ends the message about a value in a member.
_AT: Final = " - at `$."
_MEMBER: Final = pattern(r"[a-z_]+")


def read_operations_file(name: str, content: bytes) -> OperationsFile:
    """Read an operations file. Content that starts with a brace is JSON, as are files whose names end in `.json`.

    Raises SettingsError with the position of the first problem.
    """
    is_json = name.endswith(".json") or content.removeprefix(BOM_UTF8).lstrip().startswith(b"{")

    def file(body: Body, problems: list[Problem]) -> OperationsFile:
        if is_json and {"lineage", "serial", "terraform_version"}.issubset(body.names()):
            raise invalid(None, f"{name}: this is a state, not an operations file")
        _refuse_others(body, is_json=is_json)
        return _file(body, problems)

    return read_hcl_file(name, content, file, is_json=is_json)


def _refuse_others(body: Body, *, is_json: bool) -> None:
    """Raise SettingsError for a member of the file that is not one of its blocks."""
    known = (_STATE, _EXPECT, *BLOCKS)
    for name in body.names():
        if name in known and is_json:
            continue
        argument = body.attribute(name)
        what = f"{name!r} is a block: write {name} {{ … }}" if name in known else _unknown(name, known)
        raise invalid(argument.range if argument else None, what)
    for name in body.block_types():
        if name not in known:
            found = (block for labels in range(_MOST_LABELS) for block in body.blocks(name, labels))
            raise invalid(next((block.range for block in found), None), _unknown(name, known))


def _unknown(name: str, known: Sequence[str]) -> str:
    return f"unknown block {name!r}; blocks are {', '.join(known)}"


def _file(body: Body, problems: list[Problem]) -> OperationsFile:
    states: dict[str, StateBlock] = {}
    for block in body.blocks(_STATE, 1):
        [label] = block.labels
        if not _NAME.fullmatch(label):
            raise invalid(block.range, f"{label!r} is not a name: use letters, digits, - and _")
        if label in states:
            raise invalid(block.range, f"the state {label!r} is named twice")
        states[label] = _decoded(block, StateBlock)
    operations = [
        FileOperation(_decoded(block, of), block.range) for kind, of in BLOCKS.items() for block in body.blocks(kind)
    ]
    expectations = body.blocks(_EXPECT)
    refuse_problems(problems)
    if len(expectations) > 1:
        raise invalid(expectations[1].range, "there is another `expect` block already")
    expected = _expected(expectations[0], states) if expectations else Expect()
    # JSON has the blocks of each type together; their order is that of the text.
    ordered = sorted(operations, key=lambda one: one.range.start)
    return OperationsFile(states, tuple(ordered), expected)


def _expected(block: Block, states: Mapping[str, StateBlock]) -> Expect:
    found = _decoded(block, Expect)
    for member, names in (("serial", found.serial), ("lineage", found.lineage), ("hash", found.hash)):
        for name in names:
            if name not in states:
                argument = block.body.attribute(member)
                place = argument.range if argument else block.range
                raise invalid(place, f"expect: {member}: the file names no state {name!r}")
    return found


def _decoded(block: Block, of: type[T]) -> T:
    places, values = _arguments(block)
    try:
        return msgspec.convert(values, of)
    except msgspec.ValidationError as error:
        text, at, path = str(error).partition(_AT)
        member = _MEMBER.match(path) if at else None
        name = member[0] if member else ""
        where = f"{name}: " if name else ""
        raise invalid(places.get(name, block.range), f"{block.type}: {where}{_plain(text)}") from None


def _arguments(block: Block) -> tuple[dict[str, Range], dict[str, object]]:
    places: dict[str, Range] = {}
    values: dict[str, object] = {}
    for name, place, value in _members(block.body):
        places[name], values[name] = place, value
    for type_ in block.body.block_types():
        raise invalid(block.range, f"{block.type}: unexpected block {type_!r}")
    return places, values


def _members(body: Body) -> Iterator[tuple[str, Range, object]]:
    for name in body.names():
        argument = body.attribute(name)
        if argument is not None:
            yield name, argument.range, argument_value(argument)


def _plain(text: str) -> str:
    """Return a message of msgspec in the terms of the file."""
    missing = text.removeprefix("Object missing required field ")
    if missing != text:
        return f"the argument {missing.replace('`', '')} is missing"
    unknown = text.removeprefix("Object contains unknown field ")
    if unknown != text:
        return f"there is no argument {unknown.replace('`', '')}"
    if text.endswith("of length >= 1"):
        return "it must not be empty"
    if "matching regex" in text:
        return "write a SHA-256: 64 hexadecimal digits in lower case"
    return _TYPE.sub(lambda found: _TYPES.get(found[0], found[0]), text.replace("`", ""))
