"""A set of paths into a value as a tree, so that looking one up takes only as long as the path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from statefmt.lifecycle.verification._difference import Decoded, PathSteps

# True at the end of a path; otherwise what follows by the next step. ANY stands for each position of a list.
_Node: TypeAlias = "bool | dict[str | int, _Node]"
ANY: Final = -1


class MarkedPaths:
    """Paths; one that leads into another is no path of its own.

    Unless `exact`, the positions in lists do not count: elements of a set have others in the state than in the plan.
    """

    def __init__(self, *, exact: bool = False) -> None:
        self._exact = exact
        self._root: _Node = {}

    def __bool__(self) -> bool:
        return self._root is True or bool(self._root)

    def add(self, path: Iterable[str | int]) -> None:
        """Add a path."""
        self._root = self._merged(self._root, [self._step(step) for step in path])

    def add_mask(self, mask: Decoded) -> None:
        """Add the paths at which a mask is true. Raises RecursionError if it is nested too deeply."""
        self._root = self._with_mask(self._root, mask)

    def covers(self, path: PathSteps) -> bool:
        """Return whether the path is in the tree, or leads into a path of the tree."""
        return self._reached(path)[0] is True

    def overlaps(self, path: PathSteps) -> bool:
        """Return whether the path is in the tree, or one of the two leads into the other."""
        return bool(self._reached(path)[0])

    def depth(self, path: PathSteps) -> int | None:
        """Return how many steps lead to a path of the tree, or to something around some; None if they miss all.

        Where the steps do not fit the paths of the tree, names instead of positions, the place counts as a path.
        """
        node, depth = self._reached(path)
        return depth if node else None

    def _reached(self, path: PathSteps) -> tuple[_Node, int]:
        node = self._root
        for depth, step in enumerate(path):
            if isinstance(node, bool):
                return node, depth
            below = node.get(self._step(step))
            if below is None:
                misfit = any(isinstance(other, int) is not isinstance(step, int) for other in node)
                return misfit, depth
            node = below
        return node, len(path)

    def _step(self, step: str | int) -> str | int:
        return step if self._exact or isinstance(step, str) else ANY

    @staticmethod
    def _merged(root: _Node, path: list[str | int]) -> _Node:
        if not path:
            return True
        node = root
        for step in path[:-1]:
            if isinstance(node, bool):
                return root
            node = node.setdefault(step, {})
        if not isinstance(node, bool):
            node[path[-1]] = True
        return root

    def _with_mask(self, node: _Node, mask: Decoded) -> _Node:
        if mask is True or node is True:
            return True
        assert isinstance(node, dict)
        parts: Iterable[tuple[str | int, Decoded]] = ()
        if isinstance(mask, dict):
            parts = mask.items()
        elif isinstance(mask, list):
            parts = enumerate(mask)
        for name, part in parts:
            step = self._step(name)
            found = self._with_mask(node.get(step, {}), part)
            if found:
                node[step] = found
        return node
