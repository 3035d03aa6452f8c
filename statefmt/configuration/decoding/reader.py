"""Reads arguments that must be literals or references, and reports those that are not."""

from __future__ import annotations

import re

import msgspec

from statefmt.golang import loads_exact
from statefmt.hcl.source.position import Range, SourceText
from statefmt.hcl.source.problem import Problem, ProblemKind, error, warning
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
    """Reads the arguments of one file, with access to its source and its list of problems."""

    def __init__(self, source: SourceText, problems: list[Problem], *, json: bool) -> None:
        self.source = source
        self.problems = problems
        self.json = json

    def complain(self, summary: str, detail: str, place: Range | None, kind: ProblemKind = ProblemKind.BLOCK) -> None:
        self.problems.append(error(kind, summary, detail, place))

    def written(self, expression: Expression) -> str:
        """Return the source text of an expression, in native syntax."""
        text = self.source.text(expression.range.start, expression.range.stop)
        if self.json and isinstance(expression, TemplateWrap):
            # An interpolation in a JSON string. JSON objects are valid native syntax already.
            return str(loads_exact(f'"{text}"'.encode()))[2:-1].strip()
        return text

    def warn(self, summary: str, detail: str, place: Range | None) -> None:
        self.problems.append(warning(ProblemKind.BLOCK, summary, detail, place))

    def without_quotes(self, expression: Expression) -> Expression:
        """Return a reference without quotes, which JSON requires; warn about them in the native syntax."""
        found = self.unquoted(expression)
        if self.json or found is expression:
            return found
        if as_traversal(found) is None:
            # In a quoted reference, an instance key must be a literal.
            return expression
        detail = "Write the reference without quotes. A future version of OpenTofu will refuse quoted references."
        self.warn("Quoted references are deprecated", detail, expression.range)
        return found

    def unquoted(self, expression: Expression) -> Expression:
        """Parse a quoted reference, as in JSON and old configurations; return any other expression unchanged."""
        value = expression.value if isinstance(expression, Literal) else None
        return self._read(expression) if isinstance(value, str) and _REFERENCE.match(value) else expression

    def _read(self, expression: Expression) -> Expression:
        """Parse the content of a string as an expression; return the string itself if it is not one."""
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
        """Return a type expression, which JSON requires in quotes, and the native syntax without."""
        if argument is None or not self.json:
            return None if argument is None else argument.expression
        return self._read(argument.expression)

    def reference(self, argument: Argument | None) -> Argument | None:
        """Return an argument that is a reference, without quotes."""
        if argument is None:
            return None
        return msgspec.structs.replace(argument, expression=self.unquoted(argument.expression))

    def truth(self, block: Block, name: str, default: bool) -> bool:
        """Return the value of an argument that must be `true` or `false`."""
        argument = block.body.attribute(name)
        if argument is None:
            return default
        expression = argument.expression
        if isinstance(expression, Literal) and expression.value in (True, False, "true", "false"):
            return expression.value in (True, "true")
        detail = f'The argument "{name}" must be a literal true or false.'
        self.complain("Unsuitable value type", detail, expression.range)
        return default

    def text(self, argument: Argument | None) -> str | None:
        """Return the value of an argument that must be a string without interpolations; None if it is not."""
        if argument is None:
            return None
        expression = argument.expression
        if isinstance(expression, Literal) and isinstance(expression.value, str):
            return expression.value
        if not isinstance(expression, Bad):
            detail = f'The argument "{argument.name}" must be a literal string. References are not allowed here.'
            self.complain("Variables not allowed", detail, expression.range)
        return None

    def items(self, expression: Expression, summary: str, detail: str) -> tuple[ObjectItem, ...]:
        """Return the items of an expression that must be a literal object."""
        if isinstance(expression, ObjectExpression):
            return expression.items
        if not isinstance(expression, Bad):
            self.complain(summary, detail, expression.range)
        return ()

    def elements(self, expression: Expression) -> tuple[Expression, ...]:
        """Return the elements of an expression that must be a literal list."""
        if isinstance(expression, TupleExpression):
            return expression.items
        if not isinstance(expression, Bad):
            detail = "A static list expression is required."
            self.complain("Invalid expression", detail, expression.range)
        return ()

    def name(self, summary: str, text: str, place: Range) -> None:
        """Complain if a name is not a valid identifier."""
        if not is_identifier(text):
            detail = (
                "A name must start with a letter or underscore, followed by letters, digits, underscores, and dashes."
            )
            self.complain(summary, detail, place)


def keyword(expression: Expression) -> str | None:
    """Return the word of a bare key or keyword, such as `source` or `aws`, or of a literal string."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return expression.value
    return as_keyword(expression)
