"""Defines the syntax tree that both parsers produce (bodies and expressions), and finds the references in it.

Source of the references: HCL `traversal_for_expr.go`, `hclsyntax/variables.go`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

import msgspec

from statefmt.hcl.source import Range
from statefmt.hcl.value import UnknownKind
from statefmt.model.addrs import hcl_quote
from statefmt.model.cty.number import Number


class Argument(msgspec.Struct, frozen=True):
    """`name = expression`, with the range of the name and of the whole."""

    name: str
    expression: Expression
    name_range: Range
    range: Range


class Block(msgspec.Struct, frozen=True):
    """`type "label" … { body }`. `range` is the header; `body_range` goes from brace to brace."""

    type: str
    labels: tuple[str, ...]
    type_range: Range
    label_ranges: tuple[Range, ...]
    range: Range
    body_range: Range
    body: Body


class Body(Protocol):
    """The content of a block or a file. In JSON, only the caller's request distinguishes attributes from blocks."""

    def names(self) -> Sequence[str]:
        """Return the names of all attributes (in JSON: of all members) in source order."""
        ...

    def attribute(self, name: str, *, literal: bool = False) -> Argument | None:
        """Return the attribute, if any. With `literal`, JSON strings are not parsed as templates."""
        ...

    def block_types(self) -> Mapping[str, Range]:
        """Return the types of all blocks, each with its position; none in JSON, where any member may be a block."""
        ...

    def blocks(self, type_: str, labels: int = 0) -> Sequence[Block]:
        """Return the blocks of this type with the given number of labels; report and omit others."""
        ...

    def functions(self) -> Iterator[tuple[str, Range]]:
        """Yield the name and range of each function call in the body and all blocks in it."""
        ...


def attributes(body: Body, *, literal: bool = False) -> Iterator[Argument]:
    """Yield all attributes of a body in source order, as Body.attribute() reads them."""
    for name in body.names():
        argument = body.attribute(name, literal=literal)
        if argument is not None:
            yield argument


class MergedBody:
    """A body with overrides: attributes and blocks of `over` replace those of the same name or type in `base`."""

    def __init__(self, base: Body, over: Body, keep: frozenset[str] = frozenset()) -> None:
        self._base = base
        self._over = over
        self._keep = keep  # attributes that `over` cannot change

    def names(self) -> Sequence[str]:
        return tuple(dict.fromkeys((*self._base.names(), *self._over.names())))

    def attribute(self, name: str, *, literal: bool = False) -> Argument | None:
        if name in self._keep:
            return self._base.attribute(name, literal=literal)
        return self._over.attribute(name, literal=literal) or self._base.attribute(name, literal=literal)

    def block_types(self) -> Mapping[str, Range]:
        return {**self._base.block_types(), **self._over.block_types()}

    def blocks(self, type_: str, labels: int = 0) -> Sequence[Block]:
        return self._over.blocks(type_, labels) or self._base.blocks(type_, labels)

    def functions(self) -> Iterator[tuple[str, Range]]:
        yield from self._base.functions()
        yield from self._over.functions()


class AttributeAccess(msgspec.Struct, frozen=True, gc=False):
    """A step by name: `.name`. `range` includes the dot."""

    name: str
    range: Range


class IndexAccess(msgspec.Struct, frozen=True, gc=False):
    """A step by a literal key: `["name"]`, `[0]`, or `.0` (`legacy`). `range` includes the brackets."""

    key: str | Number
    range: Range
    legacy: bool = False


Access: TypeAlias = AttributeAccess | IndexAccess


class Literal(msgspec.Struct, frozen=True, gc=False):
    """`null`, `true`, `false`, a number, a quoted string without interpolations, or the literal part of a template."""

    value: bool | Number | str | None
    range: Range


class Traversal(msgspec.Struct, frozen=True):
    """A reference with all its literal steps: `var.a`, `aws_vpc.main["x"].id`."""

    root: str
    root_range: Range
    steps: tuple[Access, ...]
    range: Range


class RelativeTraversal(msgspec.Struct, frozen=True):
    """Literal steps into the value of another expression: `f().a[0]`, or `null.x`, which may be a reference."""

    source: Expression
    steps: tuple[Access, ...]
    range: Range


class IndexExpression(msgspec.Struct, frozen=True):
    """`collection[key]` with a key that is not a literal."""

    collection: Expression
    key: Expression
    range: Range


class Splat(msgspec.Struct, frozen=True):
    """`source[*].each` or `source.*.each`; `each` is an expression over the `SplatItem` in it."""

    source: Expression
    each: Expression
    item: SplatItem
    range: Range


class SplatItem(msgspec.Struct, frozen=True, gc=False, eq=False):
    """A placeholder for the current element in `Splat.each`, compared by identity."""

    range: Range


class TupleExpression(msgspec.Struct, frozen=True):
    """`[a, b]`."""

    items: tuple[Expression, ...]
    range: Range


class ObjectItem(msgspec.Struct, frozen=True):
    """`key = value`. A `bare` key is a name that stands for itself, not a reference."""

    key: Expression
    value: Expression
    bare: bool


class ObjectExpression(msgspec.Struct, frozen=True):
    """`{ a = b }`."""

    items: tuple[ObjectItem, ...]
    range: Range


class ForExpression(msgspec.Struct, frozen=True):
    """`[for k, v in collection : value if condition]`; with `key` it builds an object, with `group` of lists."""

    key_name: str
    value_name: str
    collection: Expression
    key: Expression | None
    value: Expression
    condition: Expression | None
    group: bool
    range: Range


class Conditional(msgspec.Struct, frozen=True):
    """`condition ? yes : no`."""

    condition: Expression
    yes: Expression
    no: Expression
    range: Range


class Binary(msgspec.Struct, frozen=True):
    """`left operator right`."""

    operator: str
    left: Expression
    right: Expression
    range: Range


class Unary(msgspec.Struct, frozen=True):
    """`-operand`, `!operand`."""

    operator: str
    operand: Expression
    range: Range


class Parentheses(msgspec.Struct, frozen=True):
    """`(inner)`."""

    inner: Expression
    range: Range


class Call(msgspec.Struct, frozen=True):
    """`name(arguments)`; `expand` if the last argument is followed by `...`."""

    name: str
    name_range: Range
    arguments: tuple[Expression, ...]
    expand: bool
    range: Range


class Template(msgspec.Struct, frozen=True):
    """A quoted string or a heredoc with interpolations; its value is the concatenation of all parts."""

    parts: tuple[Expression, ...]
    range: Range


class TemplateWrap(msgspec.Struct, frozen=True):
    """A quoted string of a single interpolation, `"${x}"`: its value is the value of `x`, of any type."""

    inner: Expression
    range: Range


class TemplateJoin(msgspec.Struct, frozen=True):
    """`%{ for … }`: its value is the concatenation of the elements of a `ForExpression`."""

    loop: ForExpression
    range: Range


class Bad(msgspec.Struct, frozen=True):
    """An expression that could not be read; the problem is one of the file's problems."""

    reason: str
    range: Range
    kind: UnknownKind = UnknownKind.OTHER


Expression: TypeAlias = (
    Literal
    | Traversal
    | RelativeTraversal
    | IndexExpression
    | Splat
    | SplatItem
    | TupleExpression
    | ObjectExpression
    | ForExpression
    | Conditional
    | Binary
    | Unary
    | Parentheses
    | Call
    | Template
    | TemplateWrap
    | TemplateJoin
    | Bad
)


_KEYWORDS = {None: "null", True: "true", False: "false"}


def as_traversal(expression: Expression) -> Traversal | None:
    """Return the expression as a reference with literal steps; None if it is not one (`aws[local.x]`, a quoted string).

    Keywords are names here, as in HCL: `null.x` is the alias `x` of a provider called `null`.
    """
    if isinstance(expression, Traversal):
        return expression
    if isinstance(expression, Literal) and (expression.value is None or isinstance(expression.value, bool)):
        return Traversal(_KEYWORDS[expression.value], expression.range, (), expression.range)
    if isinstance(expression, RelativeTraversal):
        source = as_traversal(expression.source)
        if source is None:
            return None
        return Traversal(source.root, source.root_range, source.steps + expression.steps, expression.range)
    return None


def reference_text(root: str, steps: Iterable[Access]) -> str:
    """Return a reference as HCL: `each.value["region"]`."""
    return "".join([root, *map(_step_text, steps)])


def _step_text(step: Access) -> str:
    if isinstance(step, AttributeAccess):
        return f".{step.name}"
    return f"[{hcl_quote(step.key) if isinstance(step.key, str) else step.key.small_integer()}]"


def as_keyword(expression: Expression) -> str | None:
    """Return the name if the expression is a single name: `string`, `aws`, `null`; else None."""
    found = as_traversal(expression)
    return found.root if found is not None and not found.steps else None


def references(expression: Expression) -> Iterator[Traversal]:
    """Yield every reference in source order, except to names that a `for` in the expression declares."""
    yield from _walk(expression, frozenset())


def calls(expression: Expression) -> Iterator[Call]:
    """Yield every function call in an expression, outer calls first."""
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Call):
            yield part
        if isinstance(part, TemplateJoin):
            waiting.append(part.loop)
        elif isinstance(part, ForExpression):
            found = (part.condition, part.value, part.key, part.collection)
            waiting += [each for each in found if each is not None]
        elif not isinstance(part, Traversal):
            waiting += reversed(_parts(part))


def _walk(expression: Expression, bound: frozenset[str]) -> Iterator[Traversal]:
    if isinstance(expression, Traversal):
        if expression.root not in bound:
            yield expression
    elif isinstance(expression, TemplateJoin):
        yield from _walk(expression.loop, bound)
    elif isinstance(expression, ForExpression):
        yield from _walk(expression.collection, bound)
        inside = bound | {expression.key_name, expression.value_name} - {""}
        for part in (expression.key, expression.value, expression.condition):
            if part is not None:
                yield from _walk(part, inside)
    else:
        for part in _parts(expression):
            yield from _walk(part, bound)


def _parts(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case RelativeTraversal(source=source):
            return (source,)
        case IndexExpression(collection=collection, key=key):
            return collection, key
        case Splat(source=source, each=each):
            return source, each
        case TupleExpression(items=items):
            return items
        case ObjectExpression(items=items):
            # A bare key is a name, not a reference.
            return tuple(part for item in items for part in ((item.value,) if item.bare else (item.key, item.value)))
        case Conditional(condition=condition, yes=yes, no=no):
            return condition, yes, no
        case Binary(left=left, right=right):
            return left, right
        case Unary(operand=operand):
            return (operand,)
        case Parentheses(inner=inner) | TemplateWrap(inner=inner):
            return (inner,)
        # Its second argument is a type, whose names refer to nothing.
        case Call(name="convert" | "core::convert", arguments=arguments):
            return arguments[:1]
        case Call(arguments=arguments):
            return arguments
        case Template(parts=parts):
            return parts
        case _:
            assert isinstance(expression, (Literal, SplatItem, Bad))
            return ()


_LINES: Final = "\t\n\v\f\r\x85\u2028\u2029"
_WIDE: Final = "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u3000"
SPACE: Final = f"{_LINES} \xa0\u1680\u202f\u205f{_WIDE}"
