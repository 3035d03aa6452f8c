"""Operations files (`*.stateops.hcl`, `*.stateops.json`): many operations on many states, all or none of them.

    >>> from statefmt import operations_files, run_context
    >>> planned = operations_files.planned_operations(run_context(), "samples/many-states/network.stateops.hcl")
    >>> for name, outcome in planned.outcome.outcomes.items():
    ...     print(name, planned.plan.states[name].serial, outcome.serial)
    app 6 7
    net 1 2

`planned_operations` shows the changes of a file, `applied_operations` makes them, and `ended_operations` finishes or
reverts an interrupted apply. For a file in memory, `planned_in_memory`, `applied_in_memory` and `ended_in_memory` do
the same. `undo_together` undoes either in all its states, and `end_undo` ends such an undo that was interrupted.
`converted_migration` makes an operations file of a migration of tfmigrate. `split_parts` finds the parts into which a
state can be split.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.diff import Passages as Passages
    from statefmt.edit.changes import Ending as Ending
    from statefmt.edit.operations.split import SplitBy as SplitBy, split_parts as split_parts
    from statefmt.edit.operations_file.model import (
        Expect as Expect,
        ForgetBlock as ForgetBlock,
        JoinBlock as JoinBlock,
        MoveBlock as MoveBlock,
        StateBlock as StateBlock,
        fit_name as fit_name,
        folder_names as folder_names,
        operations_text as operations_text,
    )
    from statefmt.edit.operations_file.working_states import (
        FileEdits as FileEdits,
        KeptDependency as KeptDependency,
        StateCrossing as StateCrossing,
    )
    from statefmt.edit.pipeline import EditOptions as EditOptions, EditOutcome as EditOutcome
    from statefmt.edit.tfmigrate import (
        ConvertedMigration as ConvertedMigration,
        converted_migration as converted_migration,
    )
    from statefmt.edit.transactions.by_history import end_undo as end_undo, undo_together as undo_together
    from statefmt.edit.transactions.operations import (
        CommandOperations as CommandOperations,
        PlannedOperations as PlannedOperations,
        applied_in_memory as applied_in_memory,
        applied_operations as applied_operations,
        begun_text as begun_text,
        ended_in_memory as ended_in_memory,
        ended_operations as ended_operations,
        is_plan_file as is_plan_file,
        paths_to_allow as paths_to_allow,
        planned_in_memory as planned_in_memory,
        planned_operations as planned_operations,
        write_operations as write_operations,
        write_plan as write_plan,
    )
    from statefmt.edit.transactions.plan import (
        OperationsPlan as OperationsPlan,
        PlannedFile as PlannedFile,
        PlannedState as PlannedState,
    )
    from statefmt.edit.transactions.staging import Agreed as Agreed, FileOutcome as FileOutcome
