"""Reads an operations file, in HCL or JSON, and reports the positions of errors."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import Struct

from statefmt.edit.operations_file.model import BLOCKS, Expect, FileOperation, OperationsFile, StateBlock
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.operations import NoNames
from statefmt.hcl.source import Problem, Range, SourceText
from statefmt.hcl.syntax import (
    AttributeAccess,
    Block,
    Body,
    Expression,
    Literal,
    ObjectExpression,
    Parentheses,
    Splat,
    Template,
    TemplateWrap,
    Traversal,
    TupleExpression,
    Unary,
)
from statefmt.hcl.syntax.json import read_json_file
from statefmt.hcl.syntax.native import read_file
from statefmt.hcl.value import Value, first_unknown, to_plain
from statefmt.model.addrs import IntKey, StringKey
from statefmt.model.cty import CtyEncodeError
from statefmt.model.cty.number import Number, format_shortest
from statefmt.model.errors import SettingsError
from statefmt.text import pattern

if TYPE_CHECKING:
    # Needed only for blocks that do not decode.
    pass


B = TypeVar("B", bound=Struct)

_STATE, _EXPECT = "state", "expect"
# More labels than any block has; they matter only for the position of an unknown block.
_MOST_LABELS: Final = 4
_NAME: Final = pattern(r"[a-zA-Z_][a-zA-Z0-9_-]*")
# What messages call the types of JSON, and a member of an object: the names of HCL.
_WORDS: Final = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "member": "argument",
    "null": "null",
    "number": "a number",
    "object": "a map",
    "string": "a string",
}

# In bytes.
LARGEST_OPERATIONS: Final = 16 << 20


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
    places: dict[str, Range] = {}
    for block in body.blocks(_STATE, 1):
        [label] = block.labels
        if not _NAME.fullmatch(label):
            raise invalid(block.range, f"{label!r} is not a name: use letters, digits, - and _")
        if label in states:
            raise invalid(block.range, f"the state {label!r} is named twice")
        states[label] = _decoded(block, StateBlock)
        path = block.body.attribute("path")
        places[label] = path.range if path else block.range
    operations = [
        FileOperation(_decoded(block, of), block.range) for kind, of in BLOCKS.items() for block in body.blocks(kind)
    ]
    expectations = body.blocks(_EXPECT)
    refuse_problems(problems)
    if len(expectations) > 1:
        raise invalid(expectations[1].range, "there is another `expect` block already")
    expected = _expected(expectations[0], states) if expectations else Expect()
    # JSON groups the blocks by type; their order is the order in the text.
    ordered = sorted(operations, key=lambda one: one.range.start)
    return OperationsFile(states, tuple(ordered), expected, places=places)


def _expected(block: Block, states: Mapping[str, StateBlock]) -> Expect:
    found = _decoded(block, Expect)
    for member, names in (("serial", found.serial), ("lineage", found.lineage), ("hash", found.hash)):
        for name in names:
            if name not in states:
                argument = block.body.attribute(member)
                place = argument.range if argument else block.range
                raise invalid(place, f"expect: {member}: the file names no state {name!r}")
    return found


def _decoded(block: Block, of: type[B]) -> B:
    places, values = _arguments(block)
    try:
        return msgspec.convert(values, of)
    except msgspec.ValidationError as error:
        raise _invalid_block(block, places, values, str(error)) from None


def _invalid_block(
    block: Block, places: Mapping[str, Range], values: Mapping[str, object], otherwise: str
) -> SettingsError:
    """Return the error with every problem that the schema finds in a block, at the place of the first one."""
    # Imported late: only blocks that do not decode get here.
    from statefmt.schema_problems import schema_problems

    found = schema_problems("operations-file", values, block.type, _WORDS)
    if not found:
        return invalid(block.range, f"{block.type}: {otherwise.replace('`', '')}")
    first = found[0].path[:1]
    place = places.get(str(first[0]), block.range) if first else block.range
    paths = ("".join([f".{one}" if isinstance(one, str) else f"[{one}]" for one in each.path]) for each in found)
    described = [
        f"{path.removeprefix('.')}: {problem.message}" if path else problem.message
        for path, problem in zip(paths, found, strict=True)
    ]
    return invalid(place, f"{block.type}: {'; '.join(described)}")


def _arguments(block: Block) -> tuple[dict[str, Range], dict[str, object]]:
    places: dict[str, Range] = {}
    values: dict[str, object] = {}
    for name in block.body.names():
        argument = block.body.attribute(name)
        if argument is not None:
            places[name], values[name] = argument.range, _value(argument.expression)
    for type_ in block.body.block_types():
        raise invalid(block.range, f"{block.type}: unexpected block {type_!r}")
    return places, values


def _value(expression: Expression) -> object:
    """Return an address for a reference such as `state.app.module.vpc`, else a constant. Raises SettingsError."""
    if isinstance(expression, Traversal):
        return _address(expression)
    if isinstance(expression, Splat):
        raise SettingsError(f"{expression.range}: write an address with wildcards as a string")
    if isinstance(expression, TupleExpression):
        return [_value(item) for item in expression.items]
    found = evaluate(expression, NoNames()) if _is_constant(expression) else None
    if not isinstance(found, Value) or first_unknown((found,)) is not None:
        raise SettingsError(f"{expression.range}: only constants and addresses can be used here")
    try:
        return _plain(to_plain(found))
    except CtyEncodeError as error:
        raise SettingsError(f"{expression.range}: {error.detail}") from error


def _is_constant(expression: Expression) -> bool:
    """Return whether a value is a literal. A loop in a short file might make a huge value."""
    match expression:
        case Literal():
            return True
        case TupleExpression(items=parts) | Template(parts=parts):
            return all(map(_is_constant, parts))
        case ObjectExpression(items=items):
            return all((item.bare or _is_constant(item.key)) and _is_constant(item.value) for item in items)
        case Parentheses(inner=inner) | TemplateWrap(inner=inner) | Unary(operand=inner):
            return _is_constant(inner)
        case _:
            return False


def _address(reference: Traversal) -> str:
    """Return a reference as an address."""
    parts = [reference.root]
    for step in reference.steps:
        if isinstance(step, AttributeAccess):
            parts.append(f".{step.name}")
        elif isinstance(step.key, str):
            parts.append(str(StringKey(step.key)))
        else:
            number = _plain(step.key)
            if not isinstance(number, int):
                raise SettingsError(f"{step.range}: an instance key is a whole number or a string")
            parts.append(str(IntKey(number)))
    return "".join(parts)


def _plain(data: object) -> object:
    if isinstance(data, Number):
        number = Decimal(format_shortest(data))
        return int(number) if number == number.to_integral_value() else number
    if isinstance(data, tuple):
        return [_plain(item) for item in data]
    if isinstance(data, Mapping):
        return {name: _plain(item) for name, item in data.items()}
    return data


T = TypeVar("T")


def read_hcl_file(name: str, content: bytes, read: Callable[[Body, list[Problem]], T], *, is_json: bool) -> T:
    """Read the body of a file with `read`, which adds later problems to its second argument.

    Raises SettingsError with the position of the first problem, and the errors of `read`.
    """
    source = SourceText(name, content.removeprefix(BOM_UTF8))
    try:
        source.content.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = source.place(error.start)
        raise SettingsError(f"{name}:{line},{column}: this is not UTF-8") from None
    problems: list[Problem] = []
    try:
        body: Body = read_json_file(source, problems) if is_json else read_file(source, problems, LARGEST_OPERATIONS)
        refuse_problems(problems)
        return read(body, problems)
    except RecursionError:
        raise SettingsError(f"{name}: the file is nested too deeply") from None


def refuse_problems(problems: list[Problem]) -> None:
    """Raise SettingsError for the first problem, if there is one."""
    for problem in problems:
        raise invalid(problem.range, f"{problem.summary}. {problem.detail}")


def invalid(place: Range | None, text: str) -> SettingsError:
    """Return the error for a part of a file."""
    return SettingsError(text if place is None else f"{place}: {text}")
