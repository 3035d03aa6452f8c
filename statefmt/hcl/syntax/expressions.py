"""The syntax tree of expressions, with source ranges.

Source: HCL `hclsyntax/expression.go`, `expression_template.go`, `spec.md`. As in HCL's own tree, parentheses and
templates of a single interpolation have nodes of their own.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.hcl.value import UnknownKind
from statefmt.model.cty import Number


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
    """A quoted string of a single interpolation, `"${x}"`: its value is that of `x`, of any type."""

    inner: Expression
    range: Range


class TemplateJoin(msgspec.Struct, frozen=True):
    """`%{ for … }`: its value is the concatenation of the elements of a `ForExpression`."""

    loop: ForExpression
    range: Range


class Bad(msgspec.Struct, frozen=True):
    """An expression that could not be read; the problem is among those of the file."""

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
