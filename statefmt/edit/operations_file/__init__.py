"""Reads operations files (`*.stateops.hcl`, `*.stateops.json`) and runs their operations over several states.

    file = read_operations_file(name, content)           # states, operations, expectations, with their positions
    changed = run(file, {"net": snapshot, "app": other})  # an Edit for each state that changes
    text = operations_text(states, operations)            # an operations file

All are pure. An operation calls the same function as the command of its name.
"""

from __future__ import annotations

from statefmt.edit.operations_file._created import created_states as created_states
from statefmt.edit.operations_file._kept import KeptDependency as KeptDependency
from statefmt.edit.operations_file._model import (
    Expect as Expect,
    FileOperation as FileOperation,
    ForgetBlock as ForgetBlock,
    JoinBlock as JoinBlock,
    MoveBlock as MoveBlock,
    OperationBlock as OperationBlock,
    OperationsFile as OperationsFile,
    ReplaceProviderBlock as ReplaceProviderBlock,
    StateBlock as StateBlock,
)
from statefmt.edit.operations_file._names import fit_name as fit_name, folder_names as folder_names
from statefmt.edit.operations_file._read import (
    LARGEST_OPERATIONS as LARGEST_OPERATIONS,
    read_operations_file as read_operations_file,
)
from statefmt.edit.operations_file._results import FileEdits as FileEdits, StateCrossing as StateCrossing
from statefmt.edit.operations_file._write import operations_text as operations_text
from statefmt.edit.operations_file.run import run as run
