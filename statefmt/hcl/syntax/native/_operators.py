"""Groups operators by precedence. Source: HCL `hclsyntax/expression_ops.go`, `parser.go` (parseTernaryConditional)."""

from __future__ import annotations

from typing import Final

from statefmt.hcl.syntax.expressions import Binary, Conditional, Expression

_LEVELS: Final = (("||",), ("&&",), ("==", "!="), (">", ">=", "<", "<="), ("+", "-"), ("*", "/", "%"))
_BINDING: Final = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}


def group_binary(operands: list[Expression], operators: list[str]) -> Expression:
    """Group `a + b * c …`, given as a flat list: tighter operators first, those of one level from the left."""
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


def group_conditionals(row: list[Expression]) -> Expression:
    """Group `a ? b : c ? d : e`, given as a flat list: the last alternative is itself a conditional."""
    result = row[-1]
    for place in range(len(row) - 3, -1, -2):
        condition, yes = row[place], row[place + 1]
        result = Conditional(condition, yes, result, condition.range.to(result.range))
    return result
