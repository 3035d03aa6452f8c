"""Models what the operations of a file make of its states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations.transfer import CrossingDependency
from statefmt.edit.operations_file._kept import KeptDependency
from statefmt.model.addrs import AbsResourceInstance, ConfigProviderConfig


class StateCrossing(NamedTuple):
    """A dependency whose ends are in two states, and these: what moved went from `source` to `target`."""

    source: str
    target: str
    dependency: CrossingDependency


class FileEdits(NamedTuple):
    """What the operations make of the states, by name: an edit for each one that has operations.

    `crossing` are the dependencies that were dropped, and `kept` those that lead from one state to another now.
    `new_providers` are provider configurations that moves bring to states that had none of them. `arrived` are the
    instances that came from other states, by their state and their address there, each with the state that it came
    from. `joined` are pairs of states: the outputs of the first went to the second.
    """

    edits: Mapping[str, Edit]
    crossing: tuple[StateCrossing, ...] = ()
    new_providers: Mapping[str, tuple[ConfigProviderConfig, ...]] = {}
    arrived: Mapping[str, Mapping[AbsResourceInstance, str]] = {}
    joined: frozenset[tuple[str, str]] = frozenset()
    kept: tuple[KeptDependency, ...] = ()
