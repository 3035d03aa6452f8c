"""Reading attributes that have to be literals or references, with the problems of those that are not."""

from __future__ import annotations

import re

import msgspec

from statefmt.golang import loads_exact
from statefmt.hcl.source.position import Range, SourceText
from statefmt.hcl.source.problem import (
    Problem,
    ProblemKind,
    error,
    warning,
)
from statefmt.hcl.syntax.body import Argument, Block
from statefmt.hcl.syntax.expressions import (
    Bad,
    Expression,
    Literal,
    ObjectExpression,
    ObjectItem,
    TemplateWrap,
    TupleExpression,
)
from statefmt.hcl.syntax.native.files import read_expression
from statefmt.hcl.syntax.references import as_keyword, as_traversal
from statefmt.model.addrs import is_identifier

_REFERENCE = re.compile(r"\s*[\w-]+\s*(?:[.\[]|$)")


class FileReader:
    """What the blocks of one file are read with: its source and its problems."""

    def __init__(self, source: SourceText, problems: list[Problem], *, json: bool) -> None:
        self.source = source
        self.problems = problems
        self.json = json

    def complain(self, summary: str, detail: str, place: Range | None, kind: ProblemKind = ProblemKind.BLOCK) -> None:
        self.problems.append(error(kind, summary, detail, place))

    def written(self, expression: Expression) -> str:
        """The text of an expression of this file, as the native syntax has it."""
        text = self.source.text(expression.range.start, expression.range.stop)
        if self.json and isinstance(expression, TemplateWrap):
            # An interpolation, in a string. Objects of JSON are expressions of the native syntax as they are.
            return str(loads_exact(f'"{text}"'.encode()))[2:-1].strip()
        return text

    def warn(self, summary: str, detail: str, place: Range | None) -> None:
        self.problems.append(warning(ProblemKind.BLOCK, summary, detail, place))

    def without_quotes(self, expression: Expression) -> Expression:
        """A reference out of its quotes, which JSON needs, and which are deprecated in the native syntax."""
        found = self.unquoted(expression)
        if self.json or found is expression:
            return found
        if as_traversal(found) is None:
            # The key of an instance in quotes must be a literal one.
            return expression
        detail = "References are expected without quotes, which a future version of OpenTofu will refuse."
        self.warn("Quoted references are deprecated", detail, expression.range)
        return found

    def unquoted(self, expression: Expression) -> Expression:
        """A reference that is written in quotes, as JSON has to and old configurations do, as the reference it is."""
        value = expression.value if isinstance(expression, Literal) else None
        return self._read(expression) if isinstance(value, str) and _REFERENCE.match(value) else expression

    def _read(self, expression: Expression) -> Expression:
        """What stands in a text, as an expression; the text itself if that is none."""
        if not isinstance(expression, Literal) or not isinstance(expression.value, str):
            return expression
        place = expression.range
        quoted = self.source.content[place.start : place.stop]
        exact = quoted == b'"' + expression.value.encode() + b'"'
        found, problems = read_expression(
            self.source, place.start + exact, place.stop - exact, expression.value, exact=exact
        )
        return expression if problems or isinstance(found, Bad) else found

    def type_expression(self, argument: Argument | None) -> Expression | None:
        """A type, which JSON has to put into quotes, and the native syntax must not."""
        if argument is None or not self.json:
            return None if argument is None else argument.expression
        return self._read(argument.expression)

    def reference(self, argument: Argument | None) -> Argument | None:
        """An argument that is a reference, taken out of quotes."""
        if argument is None:
            return None
        return msgspec.structs.replace(argument, expression=self.unquoted(argument.expression))

    def truth(self, block: Block, name: str, default: bool) -> bool:
        """An argument that has to be `true` or `false`."""
        argument = block.body.attribute(name)
        if argument is None:
            return default
        expression = argument.expression
        if isinstance(expression, Literal) and expression.value in (True, False, "true", "false"):
            return expression.value in (True, "true")
        detail = f'The argument "{name}" must be true or false, and no other expression.'
        self.complain("Unsuitable value type", detail, expression.range)
        return default

    def text(self, argument: Argument | None) -> str | None:
        """An argument that has to be a text without interpolations; None where it is not."""
        if argument is None:
            return None
        expression = argument.expression
        if isinstance(expression, Literal) and isinstance(expression.value, str):
            return expression.value
        if not isinstance(expression, Bad):
            detail = f'The argument "{argument.name}" must be a literal string here: nothing may be referred to.'
            self.complain("Variables not allowed", detail, expression.range)
        return None

    def items(self, expression: Expression, summary: str, detail: str) -> tuple[ObjectItem, ...]:
        """The items of an object that has to be written out."""
        if isinstance(expression, ObjectExpression):
            return expression.items
        if not isinstance(expression, Bad):
            self.complain(summary, detail, expression.range)
        return ()

    def elements(self, expression: Expression) -> tuple[Expression, ...]:
        """The elements of a list that has to be written out."""
        if isinstance(expression, TupleExpression):
            return expression.items
        if not isinstance(expression, Bad):
            detail = "A static list expression is required."
            self.complain("Invalid expression", detail, expression.range)
        return ()

    def name(self, summary: str, text: str, place: Range) -> None:
        """Complain where a name is not one."""
        if not is_identifier(text):
            detail = (
                "A name must start with a letter or underscore, followed by letters, digits, underscores, and dashes."
            )
            self.complain(summary, detail, place)


def keyword(expression: Expression) -> str | None:
    """The word that a bare key or a keyword is: `source`, `aws`; a literal text counts, too."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return expression.value
    return as_keyword(expression)
