"""Operations files (`*.stateops.hcl`, `*.stateops.json`): many operations on many states, all or none of them.

    >>> from statefmt import operations_files, run_context
    >>> planned = operations_files.planned_operations(run_context(), "samples/many-states/network.stateops.hcl")
    >>> for name, outcome in planned.outcome.outcomes.items():
    ...     print(name, planned.plan.states[name].serial, outcome.serial)
    app 6 7
    net 1 2

`planned_operations` shows what a file does, `applied_operations` does it, and `ended_operations` ends an apply that was
interrupted: it finishes it, or takes it back. For a command that makes the file in memory, `planned_in_memory`,
`applied_in_memory` and `ended_in_memory` do the same. `undo_together` undoes either in all its states, and `end_undo`
ends such an undo that was interrupted. `converted_migration` makes an operations file of a migration of tfmigrate.
`split_parts` finds the parts into which a state can be split.
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.analysis.diff.passages import Passages
    from statefmt.edit.ending import Ending
    from statefmt.edit.operations_file import (
        Expect,
        FileEdits,
        ForgetBlock,
        JoinBlock,
        KeptDependency,
        MoveBlock,
        StateBlock,
        StateCrossing,
        fit_name,
        folder_names,
        operations_text,
    )
    from statefmt.edit.requests.split import SplitBy, split_parts
    from statefmt.edit.surgical import EditOutcome
    from statefmt.edit.tfmigrate import ConvertedMigration, converted_migration
    from statefmt.edit.transactions import Agreed, FileOutcome, OperationsPlan, PlannedFile, PlannedState
    from statefmt.edit.transactions.begun import begun_text
    from statefmt.edit.transactions.by_file import (
        PlannedOperations,
        applied_operations,
        ended_operations,
        is_plan_file,
        paths_to_allow,
        planned_operations,
        write_plan,
    )
    from statefmt.edit.transactions.by_history import end_undo, undo_together
    from statefmt.edit.transactions.in_memory import (
        CommandOperations,
        applied_in_memory,
        ended_in_memory,
        planned_in_memory,
        write_operations,
    )

__all__ = [
    "Agreed",
    "CommandOperations",
    "ConvertedMigration",
    "EditOutcome",
    "Ending",
    "Expect",
    "FileEdits",
    "FileOutcome",
    "ForgetBlock",
    "JoinBlock",
    "KeptDependency",
    "MoveBlock",
    "OperationsPlan",
    "Passages",
    "PlannedFile",
    "PlannedOperations",
    "PlannedState",
    "SplitBy",
    "StateBlock",
    "StateCrossing",
    "applied_in_memory",
    "applied_operations",
    "begun_text",
    "converted_migration",
    "end_undo",
    "ended_in_memory",
    "ended_operations",
    "fit_name",
    "folder_names",
    "is_plan_file",
    "operations_text",
    "paths_to_allow",
    "planned_in_memory",
    "planned_operations",
    "split_parts",
    "undo_together",
    "write_operations",
    "write_plan",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Expect": "statefmt.edit.operations_file",
        "ForgetBlock": "statefmt.edit.operations_file",
        "JoinBlock": "statefmt.edit.operations_file",
        "KeptDependency": "statefmt.edit.operations_file",
        "MoveBlock": "statefmt.edit.operations_file",
        "StateBlock": "statefmt.edit.operations_file",
        "StateCrossing": "statefmt.edit.operations_file",
        "fit_name": "statefmt.edit.operations_file",
        "folder_names": "statefmt.edit.operations_file",
        "operations_text": "statefmt.edit.operations_file",
        "SplitBy": "statefmt.edit.requests.split",
        "split_parts": "statefmt.edit.requests.split",
        "EditOutcome": "statefmt.edit.surgical",
        "ConvertedMigration": "statefmt.edit.tfmigrate",
        "converted_migration": "statefmt.edit.tfmigrate",
        "Ending": "statefmt.edit.ending",
        "FileEdits": "statefmt.edit.operations_file",
        "FileOutcome": "statefmt.edit.transactions",
        "OperationsPlan": "statefmt.edit.transactions",
        "Passages": "statefmt.analysis.diff.passages",
        "PlannedFile": "statefmt.edit.transactions",
        "PlannedOperations": "statefmt.edit.transactions.by_file",
        "PlannedState": "statefmt.edit.transactions",
        "Agreed": "statefmt.edit.transactions",
        "CommandOperations": "statefmt.edit.transactions.in_memory",
        "applied_in_memory": "statefmt.edit.transactions.in_memory",
        "ended_in_memory": "statefmt.edit.transactions.in_memory",
        "planned_in_memory": "statefmt.edit.transactions.in_memory",
        "write_operations": "statefmt.edit.transactions.in_memory",
        "begun_text": "statefmt.edit.transactions.begun",
        "applied_operations": "statefmt.edit.transactions.by_file",
        "end_undo": "statefmt.edit.transactions.by_history",
        "ended_operations": "statefmt.edit.transactions.by_file",
        "is_plan_file": "statefmt.edit.transactions.by_file",
        "paths_to_allow": "statefmt.edit.transactions.by_file",
        "planned_operations": "statefmt.edit.transactions.by_file",
        "undo_together": "statefmt.edit.transactions.by_history",
        "write_plan": "statefmt.edit.transactions.by_file",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
