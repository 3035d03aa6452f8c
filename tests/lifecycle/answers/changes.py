"""Answers proposed_new, planned_unknown, normalize_legacy and lifecycle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from statefmt.lifecycle.changes.normalize_legacy import normalize_legacy
from statefmt.lifecycle.changes.proposed_new import planned_unknown, proposed_new
from statefmt.lifecycle.schemas.block import SchemaBlock
from statefmt.lifecycle.schemas.implied_type import implied_type
from statefmt.model.cty import CtyValue, CtyValueError
from statefmt.model.cty.parts import null
from tests.lifecycle.values import decode, encode, schema_of


def _result(change: Callable[[SchemaBlock, dict[str, CtyValue]], CtyValue]) -> Callable[[dict[str, Any]], Any]:
    def answer(case: dict[str, Any]) -> dict[str, Any]:
        schema = schema_of(case)
        try:
            return {"result": encode(change(schema, _values(case, schema)))}
        except CtyValueError as error:
            return {"refused": error.detail}

    return answer


def _values(case: dict[str, Any], schema: SchemaBlock) -> dict[str, CtyValue]:
    names = ("prior", "config", "planned", "config_final", "planned_final", "applied", "value")
    return {name: decode(case[name]) or null(implied_type(schema)) for name in names if name in case}


ANSWERS: Final[Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "normalize_legacy": _result(lambda schema, given: normalize_legacy(schema, given["value"])),
    "planned_unknown": _result(lambda schema, given: planned_unknown(schema, given["config"])),
    "proposed_new": _result(lambda schema, given: proposed_new(schema, given["prior"], given["config"])),
}
