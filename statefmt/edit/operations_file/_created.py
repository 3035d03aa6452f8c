"""Finds the states that an operations file creates, and the states that objects move there from."""

from __future__ import annotations

from statefmt.edit.operations_file._addresses import named_state
from statefmt.edit.operations_file._model import JoinBlock, MoveBlock, OperationsFile


def created_states(file: OperationsFile) -> dict[str, tuple[str, ...]]:
    """Return the states that the file creates, each with those that objects move there from, in order.

    What moves through another state that is created counts as from where it comes.
    """
    direct: dict[str, dict[str, None]] = {name: {} for name in file.states}
    for operation in file.operations:
        block = operation.block
        if isinstance(block, MoveBlock | JoinBlock):
            target = named_state(block.to)
            sources = map(named_state, (block.from_,) if isinstance(block.from_, str) else block.from_)
            # An invalid address is refused where the operations run.
            if target in direct:
                direct[target].update((name, None) for name in sources if name in direct)
    return {name: tuple(_through(name, direct, file)) for name, block in file.states.items() if block.create}


def _through(name: str, direct: dict[str, dict[str, None]], file: OperationsFile) -> list[str]:
    """Return the existing states that objects come from, also through other states that are created."""
    found: list[str] = []
    seen, left = {name}, list(direct[name])
    while left:
        source = left.pop(0)
        if source in seen:
            continue
        seen.add(source)
        if file.states[source].create:
            left += direct[source]
        else:
            found.append(source)
    return found
