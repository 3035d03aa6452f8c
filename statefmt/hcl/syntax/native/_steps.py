"""Reads the steps after a term: `.name`, `.0`, `[key]`, `[*]` and `.*`.

Source: HCL `hclsyntax/parser.go` (parseExpressionTraversals). All steps after `[*]` apply to each element; after `.*`
only names and legacy indexes do, and later steps apply to the resulting list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from statefmt.hcl.source.position import Range
from statefmt.hcl.syntax.expressions import (
    Access,
    AttributeAccess,
    Bad,
    Expression,
    IndexAccess,
    IndexExpression,
    Literal,
    RelativeTraversal,
    Splat,
    SplatItem,
    Traversal,
)
from statefmt.hcl.syntax.native._tree import parts
from statefmt.model.cty import Number, parse_number
from statefmt.text.pattern import pattern

if TYPE_CHECKING:
    from tree_sitter import Node

    from statefmt.hcl.syntax.native._reader import Reader


_EXPONENT: Final = pattern(r"[eE][0-9]*")

# A step by name or literal key, (key, range) for any other index, or (marker, range) for a splat.
_Move: TypeAlias = "Access | tuple[Expression, Range] | tuple[str, Range]"


def attach_steps(reader: Reader, term: Expression, nodes: list[Node]) -> Expression:
    """Return the expression of a term and the steps that follow it."""
    return _attach(term, list(_moves(reader, nodes))) if nodes else term


def _moves(reader: Reader, nodes: list[Node]) -> Iterator[_Move]:
    for node in nodes:
        place = reader.range(node)
        inside = parts(node)
        if node.type == "get_attr":
            yield AttributeAccess(reader.text(inside[-1]), place)
        elif node.type == "index":
            yield from _index(reader, inside[0], place)
        elif node.type == "splat":
            mark, *rest = parts(inside[0])
            yield ("[*]" if inside[0].type == "full_splat" else ".*"), reader.range(mark)
            yield from _moves(reader, rest)
        else:
            yield Bad("the expression could not be read", place), place


def _index(reader: Reader, node: Node, place: Range) -> Iterator[_Move]:
    if node.type == "legacy_index":
        # `.0.1` is two steps, but the scanner reads one number.
        for digits in reader.text(node).replace(" ", "").strip(".").split("."):
            number = parse_number(digits)
            yield (
                IndexAccess(number, place, legacy=True)
                if number is not None
                else (Bad("the index is not a number", place), place)
            )
        return
    inside = parts(node)
    key = reader.expression(inside[1]) if len(inside) > 2 else Bad("the index could not be read", place)
    if isinstance(key, Literal) and isinstance(key.value, (str, Number)):
        yield IndexAccess(key.value, place)
    else:
        yield key, place


def _attach(source: Expression, moves: list[_Move]) -> Expression:
    for at, move in enumerate(moves):
        if (
            isinstance(move, IndexAccess)
            and move.legacy
            and at
            and isinstance(before := moves[at - 1], IndexAccess)
            and before.legacy
        ):
            return Bad("two legacy indexes cannot follow each other", source.range.to(move.range))
        if isinstance(move, (AttributeAccess, IndexAccess)):
            source = _literal_step(source, move)
            continue
        what, place = move
        if what == "[*]":
            item = SplatItem(place)
            each = _attach(item, moves[at + 1 :])
            return Splat(source, each, item, source.range.to(each.range if each is not item else place))
        if what == ".*":
            end = at + 1
            while end < len(moves) and _belongs_to_attribute_splat(moves[end]):
                end += 1
            item = SplatItem(place)
            each = _attach(item, moves[at + 1 : end])
            splat = Splat(source, each, item, source.range.to(each.range if each is not item else place))
            return _attach(splat, moves[end:])
        assert not isinstance(what, str)
        source = IndexExpression(source, what, source.range.to(place))
    return source


def _belongs_to_attribute_splat(move: _Move) -> bool:
    return isinstance(move, AttributeAccess) or (isinstance(move, IndexAccess) and move.legacy)


def _literal_step(source: Expression, step: Access) -> Expression:
    place = source.range.to(step.range)
    is_number = isinstance(source, Literal) and isinstance(source.value, Number)
    if is_number and isinstance(step, AttributeAccess) and _EXPONENT.fullmatch(step.name):
        # In the number `1.e5`, the rest looks like a name.
        return Bad("numbers like 1.e5 are not supported", place)
    if isinstance(source, Traversal):
        return Traversal(source.root, source.root_range, (*source.steps, step), place)
    if isinstance(source, RelativeTraversal):
        return RelativeTraversal(source.source, (*source.steps, step), place)
    return RelativeTraversal(source, (step,), place)
