"""What is wrong with a state that can be parsed but not loaded, the choices that mend it, and decisions on them.

    >>> from pathlib import Path
    >>> from statefmt import open, repairs
    >>> path = "samples/broken/duplicate-instance.tfstate"
    >>> for defect in repairs.defects(Path(path).read_bytes()):
    ...     print(defect.finding.code, defect.place, [choice.label for choice in defect.choices][:2])
    ADR002 aws_s3_bucket.logs["us-west-2"] ['keep=first', 'keep=last']
    >>> decision = repairs.parse_decision("ADR002 * keep=first")
    >>> result = open(path, read=False).repair([decision], dry_run=True)
    >>> result.forgotten
    ('aws_s3_bucket.logs["us-west-2"] (id logs-us-west-2-copy)',)

`State.defects()` and `State.repair()` work on stored states, encrypted or not.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.edit.repairs.decisions import (
        Decided,
        Decision,
        check_choice,
        decision_for,
        decision_places,
        keep_decision,
        parse_decision,
        parse_decisions,
    )
    from statefmt.edit.repairs.defect import Choice, Defect
    from statefmt.edit.repairs.find import can_mend, defects, is_fatal
    from statefmt.edit.repairs.listed import FoundDefects
    from statefmt.edit.repairs.repair import MendedDefect
    from statefmt.edit.repairs.state import RepairResult

__all__ = [
    "Choice",
    "Decided",
    "Decision",
    "Defect",
    "FoundDefects",
    "MendedDefect",
    "RepairResult",
    "can_mend",
    "check_choice",
    "decision_for",
    "decision_places",
    "defects",
    "is_fatal",
    "keep_decision",
    "parse_decision",
    "parse_decisions",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Choice": "statefmt.edit.repairs.defect",
        "Decided": "statefmt.edit.repairs.decisions",
        "Decision": "statefmt.edit.repairs.decisions",
        "Defect": "statefmt.edit.repairs.defect",
        "FoundDefects": "statefmt.edit.repairs.listed",
        "MendedDefect": "statefmt.edit.repairs.repair",
        "RepairResult": "statefmt.edit.repairs.state",
        "can_mend": "statefmt.edit.repairs.find",
        "check_choice": "statefmt.edit.repairs.decisions",
        "decision_places": "statefmt.edit.repairs.decisions",
        "decision_for": "statefmt.edit.repairs.decisions",
        "defects": "statefmt.edit.repairs.find",
        "is_fatal": "statefmt.edit.repairs.find",
        "keep_decision": "statefmt.edit.repairs.decisions",
        "parse_decision": "statefmt.edit.repairs.decisions",
        "parse_decisions": "statefmt.edit.repairs.decisions",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
