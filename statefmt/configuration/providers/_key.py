"""Evaluates the keys of provider instances.

Source: OpenTofu `internal/tofu/eval_provider.go`, resolveProviderInstance.
"""

from __future__ import annotations

from typing import Final

from statefmt.configuration.scopes.scope import Scope
from statefmt.hcl.expressions.evaluate import evaluate
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import ProblemKind, error
from statefmt.hcl.syntax.expressions import Expression
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import InstanceKey, StringKey
from statefmt.model.cty import Number

_KEY_SUMMARY: Final = "Invalid provider instance key"


def evaluated_key(expression: Expression, scope: Scope) -> InstanceKey | Unknown:
    """Evaluate a key as OpenTofu does: numbers and booleans become strings. Adds a problem to refused values."""
    value = evaluate(expression, scope)
    if isinstance(value, Unknown):
        return value
    if value.sensitive:
        return _refused("A provider instance key must not be derived from a sensitive value.", expression.range)
    data = value.data
    if data is None:
        return _refused("A provider instance key must not be null.", expression.range)
    if isinstance(data, str):
        return StringKey(data)
    if isinstance(data, bool):
        return StringKey("true" if data else "false")
    if isinstance(data, Number):
        whole = data.small_integer()
        if whole is None:
            return Unknown("the key is not a whole number", expression.range)
        return StringKey(str(whole))
    return _refused("The given instance key is unsuitable: string required.", expression.range)


def _refused(detail: str, range_: Range) -> Unknown:
    return Unknown(
        detail[0].lower() + detail[1:].rstrip("."),
        range_,
        problem=error(ProblemKind.EVALUATION, _KEY_SUMMARY, detail, range_),
    )
