"""Operations files (`*.stateops.hcl`, `*.stateops.json`): many operations on many states, all or none of them.

`planned_operations` shows what a file does, `applied_operations` does it, and `ended_operations` ends an apply that was
interrupted: it finishes it, or takes it back. `undo_together` undoes an apply in all its states, and `end_undo` ends an
undo that was interrupted.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.edit.operations_file import FileEdits, StateCrossing
    from statefmt.edit.surgical import EditOutcome
    from statefmt.edit.transactions import Ending, FileOutcome, OperationsPlan, PlannedFile, PlannedState
    from statefmt.edit.transactions.by_file import (
        PlannedOperations,
        applied_operations,
        ended_operations,
        is_plan_file,
        planned_operations,
        write_plan,
    )
    from statefmt.edit.transactions.by_history import UndoneChange, end_undo, undo_together

__all__ = [
    "EditOutcome",
    "Ending",
    "FileEdits",
    "FileOutcome",
    "OperationsPlan",
    "PlannedFile",
    "PlannedOperations",
    "PlannedState",
    "StateCrossing",
    "UndoneChange",
    "applied_operations",
    "end_undo",
    "ended_operations",
    "is_plan_file",
    "planned_operations",
    "undo_together",
    "write_plan",
]

__getattr__ = lazy_names(
    __name__,
    {
        "StateCrossing": "statefmt.edit.operations_file",
        "EditOutcome": "statefmt.edit.surgical",
        "Ending": "statefmt.edit.transactions",
        "FileEdits": "statefmt.edit.operations_file",
        "FileOutcome": "statefmt.edit.transactions",
        "OperationsPlan": "statefmt.edit.transactions",
        "PlannedFile": "statefmt.edit.transactions",
        "PlannedOperations": "statefmt.edit.transactions.by_file",
        "PlannedState": "statefmt.edit.transactions",
        "UndoneChange": "statefmt.edit.transactions.by_history",
        "applied_operations": "statefmt.edit.transactions.by_file",
        "end_undo": "statefmt.edit.transactions.by_history",
        "ended_operations": "statefmt.edit.transactions.by_file",
        "is_plan_file": "statefmt.edit.transactions.by_file",
        "planned_operations": "statefmt.edit.transactions.by_file",
        "undo_together": "statefmt.edit.transactions.by_history",
        "write_plan": "statefmt.edit.transactions.by_file",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
