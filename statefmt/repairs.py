"""Defects of a state that can be parsed but not loaded, the choices that repair them, and decisions.

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

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.edit.repairs import (
        Decided as Decided,
        Decision as Decision,
        MendedDefect as MendedDefect,
        RepairResult as RepairResult,
        check_choice as check_choice,
        decision_for as decision_for,
        decision_places as decision_places,
        keep_decision as keep_decision,
        parse_decision as parse_decision,
        parse_decisions as parse_decisions,
    )
    from statefmt.edit.repairs.find import (
        FoundDefects as FoundDefects,
        can_mend as can_mend,
        defects as defects,
        is_fatal as is_fatal,
    )
    from statefmt.edit.repairs.member_choices import Choice as Choice, Defect as Defect
