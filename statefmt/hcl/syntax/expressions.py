"""Expressions of the configuration language as they are written, with the place of each.

Source: HCL `hclsyntax/expression.go`, `expression_template.go`, `spec.md`. What HCL's parser folds away (parentheses,
a template that is one interpolation) stands here as there.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.hcl.value import UnknownKind
from statefmt.model.cty import Number


class AttributeAccess(msgspec.Struct, frozen=True, gc=False):
    """One step by name: `.name`. `range` has the dot with it."""

    name: str
    range: Range


class IndexAccess(msgspec.Struct, frozen=True, gc=False):
    """One step by a literal key: `["name"]`, `[0]`, or `.0` (which is `legacy`). `range` has the brackets with it."""

    key: str | Number
    range: Range
    legacy: bool = False


Access: TypeAlias = AttributeAccess | IndexAccess


class Literal(msgspec.Struct, frozen=True, gc=False):
    """`null`, `true`, `false`, a number, or a text of a template or a quoted string without interpolations."""

    value: bool | Number | str | None
    range: Range


class Traversal(msgspec.Struct, frozen=True):
    """A reference with all of its literal steps: `var.a`, `aws_vpc.main["x"].id`; `range` is all of it."""

    root: str
    root_range: Range
    steps: tuple[Access, ...]
    range: Range


class RelativeTraversal(msgspec.Struct, frozen=True):
    """Literal steps into the value of another expression: `f().a[0]`, and `null.x`, which may be a reference."""

    source: Expression
    steps: tuple[Access, ...]
    range: Range


class IndexExpression(msgspec.Struct, frozen=True):
    """`collection[key]` with a key that is no literal."""

    collection: Expression
    key: Expression
    range: Range


class Splat(msgspec.Struct, frozen=True):
    """`source[*].each` and `source.*.each`; `each` is an expression over the `SplatItem` that stands in it."""

    source: Expression
    each: Expression
    item: SplatItem
    range: Range


class SplatItem(msgspec.Struct, frozen=True, gc=False, eq=False):
    """Stands for the element in the part of a splat that is done with each; known by identity."""

    range: Range


class TupleExpression(msgspec.Struct, frozen=True):
    """`[a, b]`."""

    items: tuple[Expression, ...]
    range: Range


class ObjectItem(msgspec.Struct, frozen=True):
    """`key = value`. With `bare` the key is a word that stands for itself, and no reference."""

    key: Expression
    value: Expression
    bare: bool


class ObjectExpression(msgspec.Struct, frozen=True):
    """`{ a = b }`."""

    items: tuple[ObjectItem, ...]
    range: Range


class ForExpression(msgspec.Struct, frozen=True):
    """`[for k, v in collection : value if condition]`; with `key` it makes an object, with `group` lists in it."""

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
    """`name(arguments)`; with `expand` the last argument is followed by `...`."""

    name: str
    name_range: Range
    arguments: tuple[Expression, ...]
    expand: bool
    range: Range


class Template(msgspec.Struct, frozen=True):
    """A quoted string or a heredoc with interpolations; the result is the text of all parts together."""

    parts: tuple[Expression, ...]
    range: Range


class TemplateWrap(msgspec.Struct, frozen=True):
    """A quoted string that is one interpolation, `"${x}"`: the result is that value, of whatever type."""

    inner: Expression
    range: Range


class TemplateJoin(msgspec.Struct, frozen=True):
    """`%{ for … }`: the texts of a `ForExpression`, one after the other."""

    loop: ForExpression
    range: Range


class Bad(msgspec.Struct, frozen=True):
    """What could not be read; the problem is among those of the file."""

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
