"""Converts tree-sitter's nodes of HCL's native syntax to expressions.

tree-sitter's grammar groups some constructs differently (a chain of conditionals to the left, an index after `.*` into
the splat), so operators and steps are regrouped here. All steps after `[*]` apply to each element; after `.*` only
names and legacy indexes do, and later steps apply to the resulting list.
Source: HCL `hclsyntax/parser.go` (parseExpressionTraversals, parseTernaryConditional), `expression_ops.go`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from statefmt.hcl.source import Problem, Range, SourceText
from statefmt.hcl.syntax import (
    Access,
    AttributeAccess,
    Bad,
    Binary,
    Call,
    Conditional,
    Expression,
    ForExpression,
    IndexAccess,
    IndexExpression,
    Literal,
    ObjectExpression,
    ObjectItem,
    Parentheses,
    RelativeTraversal,
    Splat,
    SplatItem,
    Template,
    TemplateWrap,
    Traversal,
    TupleExpression,
    Unary,
)
from statefmt.hcl.syntax.native._templates import read_template
from statefmt.hcl.syntax.native._tree import parts
from statefmt.hcl.value import UnknownKind
from statefmt.model.cty.number import Number, parse_number
from statefmt.text import pattern

if TYPE_CHECKING:
    from tree_sitter import Node

    from statefmt.hcl.syntax.native._templates import Reader


_OPERATORS: Final = frozenset({"+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"})
_UNREADABLE: Final = "the expression could not be read"


class ExpressionReader:
    """A converter of the nodes of one source; adds errors beyond the grammar to `problems`."""

    def __init__(self, source: SourceText, problems: list[Problem]) -> None:
        self.source = source
        self.problems = problems

    def read(self, node: Node) -> Expression:
        """Return the expression of a node; `Bad` if it is nested too deeply."""
        try:
            return self.expression(node)
        except RecursionError:
            return Bad("the expression is nested too deeply", self.range(node), UnknownKind.NESTING)

    def range(self, node: Node) -> Range:
        return self.source.range(node.start_byte, node.end_byte)

    def text(self, node: Node) -> str:
        return self.source.text(node.start_byte, node.end_byte)

    def expression(self, node: Node) -> Expression:
        """Return the expression of an `expression` node or of a node inside one."""
        return self._sequence(parts(node) if node.type == "expression" else [node])

    def _sequence(self, nodes: list[Node]) -> Expression:
        """Read a term and the steps after it, which are siblings in tree-sitter's tree."""
        if not nodes or any(node.is_error or node.is_missing for node in nodes):
            return self._bad(nodes)
        first = nodes[0]
        if first.type == "(":
            if len(nodes) < 3:
                return self._bad(nodes)
            place = self.source.range(first.start_byte, nodes[2].end_byte)
            return attach_steps(self, Parentheses(self.expression(nodes[1]), place), nodes[3:])
        return attach_steps(self, self._term(first), nodes[1:])

    def _bad(self, nodes: list[Node]) -> Bad:
        place = self.source.range(nodes[0].start_byte, nodes[-1].end_byte) if nodes else self.source.range(0, 0)
        return Bad(_UNREADABLE, place)

    def _term(self, node: Node) -> Expression:
        match node.type:
            case "expression":
                return self.expression(node)
            case "literal_value":
                return self._literal(parts(node)[0])
            case "variable_expr":
                place, name = self.range(node), self.text(node)
                return (
                    Bad("this is the name of a function", place) if ":" in name else Traversal(name, place, (), place)
                )
            case "template_expr":
                return self.template(parts(node)[0])
            case "collection_value":
                return self._collection(parts(node)[0])
            case "for_expr":
                return self._for(parts(node)[0])
            case "function_call":
                return self._call(node)
            case "operation":
                return self._operation(parts(node)[0])
            case "conditional":
                return self._conditional(node)
            case _:
                return Bad(_UNREADABLE, self.range(node))

    def _literal(self, node: Node) -> Expression:
        place = self.range(node)
        match node.type:
            case "null_lit":
                return Literal(None, place)
            case "bool_lit":
                return Literal(self.text(node) == "true", place)
            case "numeric_lit":
                number = parse_number(self.text(node))
                return Bad("the number is invalid", place) if number is None else Literal(number, place)
            case "string_lit":
                return self.template(node)
            case _:
                return Bad(_UNREADABLE, place)

    def template(self, node: Node, *, bare: bool = False) -> Expression:
        """Read a template; `bare` as in read_template()."""
        pieces, passed_through = read_template(self, node, bare=bare)
        place = self.range(node)
        if passed_through:
            return TemplateWrap(pieces[0], place)
        if len(pieces) == 1 and isinstance(pieces[0], Literal):
            return Literal(pieces[0].value, place)
        return Template(pieces, place)

    def _collection(self, node: Node) -> Expression:
        place = self.range(node)
        inside = parts(node)
        if any(part.is_error for part in inside):
            return Bad(_UNREADABLE, place)
        if node.type == "tuple":
            return TupleExpression(tuple(self.expression(part) for part in inside if part.type == "expression"), place)
        return ObjectExpression(tuple(self._item(part) for part in inside if part.type == "object_elem"), place)

    def _item(self, node: Node) -> ObjectItem:
        inside = [part for part in parts(node) if part.type == "expression"]
        if len(inside) != 2:
            bad = Bad(_UNREADABLE, self.range(node))
            return ObjectItem(bad, bad, False)
        key = self.expression(inside[0])
        word = isinstance(key, Traversal) and not key.steps
        word = word or (isinstance(key, Literal) and (key.value is None or isinstance(key.value, bool)))
        return ObjectItem(key, self.expression(inside[1]), word)

    def _for(self, node: Node) -> Expression:
        place = self.range(node)
        inside = parts(node)
        if any(part.is_error or part.is_missing for part in inside):
            return Bad(_UNREADABLE, place)
        names, collection = self.for_intro(next(part for part in inside if part.type == "for_intro"))
        values = [self.expression(part) for part in inside if part.type == "expression"]
        conditions = [parts(part)[-1] for part in inside if part.type == "for_cond"]
        return ForExpression(
            key_name=names[0] if len(names) > 1 else "",
            value_name=names[-1],
            collection=collection,
            key=values[0] if len(values) > 1 else None,
            value=values[-1],
            condition=self.expression(conditions[0]) if conditions else None,
            group=any(part.type == "ellipsis" for part in inside),
            range=place,
        )

    def for_intro(self, node: Node) -> tuple[list[str], Expression]:
        """Return the names that `for a, b in c` declares, and the collection."""
        inside = parts(node)
        names = [self.text(part) for part in inside if part.type == "identifier"]
        collection = next((self.expression(part) for part in inside if part.type == "expression"), None)
        return names or [""], Bad(_UNREADABLE, self.range(node)) if collection is None else collection

    def _call(self, node: Node) -> Expression:
        inside = parts(node)
        name = inside[0]
        arguments: tuple[Expression, ...] = ()
        expand = False
        for part in inside:
            if part.is_error or part.is_missing:
                return Bad(_UNREADABLE, self.range(node))
            if part.type == "function_arguments":
                given = parts(part)
                arguments = tuple(self.expression(each) for each in given if each.type == "expression")
                expand = given[-1].type == "ellipsis"
        return Call("".join(self.text(name).split()), self.range(name), arguments, expand, self.range(node))

    def _operation(self, node: Node) -> Expression:
        inside = parts(node)
        if node.type == "unary_operation":
            return Unary(self.text(inside[0]), self._sequence(inside[1:]), self.range(node))
        operands: list[Expression] = []
        operators: list[str] = []
        self._flatten(inside, operands, operators)
        return group_binary(operands, operators)

    def _flatten(self, nodes: list[Node], operands: list[Expression], operators: list[str]) -> None:
        """Flatten a chain of operators, however the grammar grouped it."""
        at = next((place for place, node in enumerate(nodes) if place and node.type in _OPERATORS), None)
        if at is None:
            inner = parts(nodes[0])[0] if len(nodes) == 1 and nodes[0].type == "operation" else None
            if inner is not None and inner.type == "binary_operation":
                self._flatten(parts(inner), operands, operators)
            else:
                operands.append(self._sequence(nodes))
            return
        self._flatten(nodes[:at], operands, operators)
        operators.append(self.text(nodes[at]))
        self._flatten(nodes[at + 1 :], operands, operators)

    def _conditional(self, node: Node) -> Expression:
        """Read `a ? b : c ? d : e`, which tree-sitter groups to the left and HCL to the right."""
        chain: list[Expression] = []
        while True:
            inside = [part for part in parts(node) if part.type == "expression"]
            if len(inside) != 3:
                return Bad(_UNREADABLE, self.range(node))
            chain[:0] = [self.expression(inside[1]), self.expression(inside[2])]
            condition = parts(inside[0])
            if len(condition) != 1 or condition[0].type != "conditional":
                break
            node = condition[0]
        chain.insert(0, self.expression(inside[0]))
        result = chain[-1]
        for place in range(len(chain) - 3, -1, -2):
            first, yes = chain[place], chain[place + 1]
            result = Conditional(first, yes, result, first.range.to(result.range))
        return result


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
            # Only names and legacy indexes belong to the splat.
            while end < len(moves) and (
                isinstance(after := moves[end], AttributeAccess) or (isinstance(after, IndexAccess) and after.legacy)
            ):
                end += 1
            item = SplatItem(place)
            each = _attach(item, moves[at + 1 : end])
            splat = Splat(source, each, item, source.range.to(each.range if each is not item else place))
            return _attach(splat, moves[end:])
        assert not isinstance(what, str)
        source = IndexExpression(source, what, source.range.to(place))
    return source


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


_LEVELS: Final = (("||",), ("&&",), ("==", "!="), (">", ">=", "<", "<="), ("+", "-"), ("*", "/", "%"))
_BINDING: Final = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}


def group_binary(operands: list[Expression], operators: list[str]) -> Expression:
    """Group `a + b * c …`, given as a flat list: tighter operators first, operators of one level from the left."""
    waiting: list[Expression] = [operands[0]]
    pending: list[str] = []

    def reduce() -> None:
        right, left = waiting.pop(), waiting.pop()
        waiting.append(Binary(pending.pop(), left, right, left.range.to(right.range)))

    for operator, operand in zip(operators, operands[1:], strict=True):
        while pending and _BINDING[pending[-1]] >= _BINDING[operator]:
            reduce()
        pending.append(operator)
        waiting.append(operand)
    while pending:
        reduce()
    return waiting[0]
