"""Answers plan_valid, object_compatible and value_compatible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from statefmt.lifecycle.schema import SchemaBlock
from statefmt.lifecycle.stored import ValueProblem
from statefmt.model.cty import DYNAMIC, CtyValueError
from statefmt.model.cty.data import CtyValue
from tests.lifecycle.opentofu.compatible import object_compatible, value_compatible
from tests.lifecycle.opentofu.members import problem_text
from tests.lifecycle.opentofu.plan_valid import plan_valid
from tests.lifecycle.values import decode, encode_problem, schema_of

Case = dict[str, Any]


def _plan_valid(case: Case) -> Case:
    schema = schema_of(case)
    prior, config, planned = (_value(case[name]) for name in ("prior", "config", "planned"))
    return _verdict(lambda: plan_valid(schema, prior, config, planned))


def _object_compatible(case: Case) -> Case:
    schema: SchemaBlock = schema_of(case)
    return _verdict(lambda: object_compatible(schema, _value(case["planned"]), _value(case["actual"])))


def _value_compatible(case: Case) -> Case:
    return _verdict(lambda: value_compatible(_value(case["planned"]), _value(case["actual"])))


def _verdict(check: Callable[[], tuple[ValueProblem, ...]]) -> Case:
    try:
        problems = check()
    except CtyValueError as error:
        return {"valid": False, "error": str(error)}
    errors = [{**encode_problem(each), "text": problem_text(each)} for each in problems]
    return {"valid": not errors, "errors": sorted(errors, key=lambda error: str(error["text"]))}


def _value(encoded: Any) -> CtyValue:
    return decode(encoded) or CtyValue(DYNAMIC, None)


ANSWERS: Final[Mapping[str, Callable[[Case], Case]]] = {
    "plan_valid": _plan_valid,
    "object_compatible": _object_compatible,
    "value_compatible": _value_compatible,
}
