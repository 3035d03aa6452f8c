"""Looks up what the sensitive paths of an object mark in its attributes.

Attributes are JSON without types, so some cases are ambiguous: an array may be a list or a set, and
`{"value": …, "type": …}` an object or the encoding of a dynamically typed value. Ambiguous paths get the benefit of the
doubt: this decides what is reported, never what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from statefmt.model.cty import Path
from statefmt.redaction.path_text import step_key

# Names and positions in JSON.
SecretSteps: TypeAlias = tuple[str | int, ...]


class Covered:
    """What paths mark as sensitive, as a tree of steps, so that lookups stay fast with many paths."""

    def __init__(self, paths: Sequence[Path], place: int = 0) -> None:
        self._paths = paths
        self._place = place
        self._all = any(len(path) == place for path in paths)

    def __contains__(self, steps: Sequence[str | int]) -> bool:
        """Whether a path marks the value at `steps` (names and indexes in the JSON), or a value that contains it."""
        return self._covers(steps, 0, past_value=False)

    def _covers(self, steps: Sequence[str | int], at: int, *, past_value: bool) -> bool:
        # `past_value`: a step "value" before this one belonged to the encoding of a dynamically typed value.
        if self._all:
            return True
        if at == len(steps) or not self._paths:
            return False
        step = steps[at]
        if isinstance(step, int):
            # Paths identify an element of a set by its value, not by its index.
            below = (self._by_key.get(step), self._by_other_name if past_value else self._by_name)
            return any(part is not None and part._covers(steps, at + 1, past_value=False) for part in below)
        found = None if past_value and step == "value" else self._by_key.get(step)
        if found is not None and found._covers(steps, at + 1, past_value=False):
            return True
        # This may be the encoding of a dynamically typed value.
        return step == "value" and self._covers(steps, at + 1, past_value=True)

    @cached_property
    def _by_key(self) -> Mapping[str | int, Covered]:
        """The rest of the paths, by their key at this step."""
        found: dict[str | int, list[Path]] = {}
        for path in self._paths:
            key = step_key(path[self._place])
            if isinstance(key, (str, int)):
                found.setdefault(key, []).append(path)
        return {key: Covered(paths, self._place + 1) for key, paths in found.items()}

    @cached_property
    def _by_name(self) -> Covered:
        """The rest of the paths whose key at this step is not an index."""
        paths = [path for path in self._paths if not isinstance(step_key(path[self._place]), int)]
        return Covered(paths, self._place + 1)

    @cached_property
    def _by_other_name(self) -> Covered:
        """Like `_by_name`, without the key "value"."""
        return Covered(
            [path for path in self._by_name._paths if step_key(path[self._place]) != "value"], self._place + 1
        )
