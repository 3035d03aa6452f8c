"""Evaluates `condition ? yes : no`: both sides get one type, and an error in the side not taken does not matter.

Source: HCL `hclsyntax/expression.go` (ConditionalExpr).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from statefmt.hcl.syntax.expressions import Conditional, Expression
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.hcl.values.construct import first_unknown, marked, retyped
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.hcl.values.refusal import Refusal
from statefmt.model.cty import BOOL, DYNAMIC, NUMBER, TupleType, Type
from statefmt.model.cty.type_names import type_name
from statefmt.model.cty.types import DynamicType
from statefmt.model.cty.unify import has_dynamic, unify

if TYPE_CHECKING:
    from statefmt.hcl.values.evaluator import Evaluator


def choose(evaluation: Evaluator, expression: Conditional) -> Part:
    """Evaluate a conditional. Raises Refusal."""
    yes, no = _try(evaluation, expression.yes), _try(evaluation, expression.no)
    common = _common_type(expression, yes, no)
    condition = evaluation.value(expression.condition)
    if isinstance(condition, Value) and condition.data is None:
        detail = "The condition value is null. Conditions must either be true or false."
        raise Refusal("Null condition", detail, expression.condition.range)
    sensitive = any(part.sensitive for part in (condition, yes, no) if not isinstance(part, Refusal))
    try:
        condition = convert(condition, BOOL)
    except ConversionError:
        detail = "The condition expression must be of type bool."
        raise Refusal("Incorrect condition type", detail, expression.condition.range) from None
    if isinstance(condition, Unknown):
        if all(isinstance(part, Value) and part.data is None for part in (yes, no)):
            return marked(Value(common, None), sensitive)
        return marked(retyped(condition, common), sensitive)
    taken, which = (yes, "true") if condition.data else (no, "false")
    if isinstance(taken, Refusal):
        raise taken.of_type(common)
    other = no if condition.data else yes
    if isinstance(other, Unknown) and _may_change(taken, other):
        reason = f"its type depends on the other side of the conditional, and {other.reason}"
        return Unknown(reason, other.range, sensitive=sensitive)
    try:
        return marked(convert(taken, common), sensitive)
    except ConversionError as error:
        place = (expression.yes if which == "true" else expression.no).range
        detail = f"The {which} result value has the wrong type: {error}."
        raise Refusal("Inconsistent conditional result types", detail, place) from None


def _try(evaluation: Evaluator, expression: Expression) -> Part | Refusal:
    try:
        return evaluation.value(expression)
    except Refusal as refusal:
        return refusal


def _common_type(expression: Conditional, yes: Part | Refusal, no: Part | Refusal) -> Type:
    if _is_bare_null(yes):
        return no.type
    if _is_bare_null(no):
        return yes.type
    if isinstance(yes.type, DynamicType) or isinstance(no.type, DynamicType):
        return DYNAMIC
    found = unify((yes.type, no.type))
    if found is not None:
        return found
    if _knows_less(yes) or _knows_less(no):
        # OpenTofu may know these types from the schemas of providers.
        return DYNAMIC
    detail = (
        "The true and false result expressions must have consistent types. "
        f"The 'true' value is {type_name(yes.type)}, but the 'false' value is {type_name(no.type)}."
    )
    place = expression.yes.range.to(expression.no.range)
    raise Refusal("Inconsistent conditional result types", detail, place)


def _knows_less(part: Part | Refusal) -> bool:
    return has_dynamic(part.type) and (isinstance(part, Refusal) or first_unknown((part,)) is not None)


def _may_change(taken: Part, other: Unknown) -> bool:
    """Return whether the type of the other side, which OpenTofu may know, could change the value of the side taken.

    A string stays a string, and collections keep their keys; but a number may become a string, and a tuple a set.
    """
    unsettled = other.problem is None and isinstance(other.type, DynamicType)
    return (
        unsettled and isinstance(taken, Value) and (taken.type in (NUMBER, BOOL) or isinstance(taken.type, TupleType))
    )


def _is_bare_null(part: Part | Refusal) -> bool:
    return isinstance(part, Value) and part.data is None and isinstance(part.type, DynamicType)
