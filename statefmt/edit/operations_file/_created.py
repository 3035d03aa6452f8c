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
        if isinstance(operation.block, (MoveBlock, JoinBlock)):
            came = operation.block.from_
            for text in (came,) if isinstance(came, str) else came:
                source, target = named_state(text), named_state(operation.block.to)
                # An invalid name is refused where the operations run.
                if source in direct and target in direct:
                    direct[target][source] = None
    existing = [name for name, block in file.states.items() if not block.create]
    return {name: tuple(_through(name, direct, existing)) for name, block in file.states.items() if block.create}


def _through(name: str, direct: dict[str, dict[str, None]], existing: list[str]) -> list[str]:
    """Return the existing states that objects come from, also through other states that are created."""
    found: list[str] = []
    seen, left = {name}, list(direct[name])
    while left:
        source = left.pop(0)
        if source in seen:
            continue
        seen.add(source)
        if source in existing:
            found.append(source)
        else:
            left += direct[source]
    return found
