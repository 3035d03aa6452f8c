"""Renders the defects of a state as JSON."""

from __future__ import annotations

from statefmt.edit.repairs.decisions import decision_places
from statefmt.edit.repairs.defect import Defect
from statefmt.edit.repairs.find import is_fatal
from statefmt.edit.repairs.listed import FoundDefects
from statefmt.render.json_output import document


def defects_json(found: FoundDefects, name: str) -> bytes:
    """Render defects in file order (schema: `repair-output.schema.json`)."""
    places = decision_places(found.defects)
    listed = [_defect(found, defect, place) for defect, place in zip(found.defects, places, strict=True)]
    return document({"path": name, "defects": listed})


def _defect(found: FoundDefects, defect: Defect, place: str) -> dict[str, object]:
    finding, position = defect.finding, found.position(defect)
    return {
        "code": finding.code,
        "fatal": is_fatal(defect),
        "address": finding.address,
        "pointer": finding.pointer,
        "line": None if position is None else position.line,
        "column": None if position is None else position.column,
        "summary": finding.summary,
        "detail": finding.detail,
        "choices": [
            {
                "decision": f"{finding.code} {place} {choice.label}",
                "choice": choice.name,
                "value": choice.value or None,
                "text": choice.text,
            }
            for choice in defect.choices
        ],
    }
