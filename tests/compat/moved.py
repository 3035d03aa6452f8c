"""What a move took where, told by the state after it, and what becomes of the dependencies on it."""

from __future__ import annotations

import json
import re
from typing import Final

from tests.compat.content import Content, resource_address
from tests.compat.edits import without_keys


class Moved:
    """What went where, as the program did it: every object has an id of its own."""

    def __init__(self, before: Content, after: Content) -> None:
        was, now = _places(before), _places(after)
        assert was.keys() == now.keys()
        self.places: Final = {id_: (was[id_], now[id_]) for id_ in was}
        away = [place for place in self.places.values() if place[0] != place[1]]
        self._modules: Final = {json.loads(before.get((at, "module"), '""')) for at, _ in away}
        kept = {configured(after, at) for at in now.values()}
        self._targets: Final[dict[str, dict[str, None]]] = {}
        for one, other in away:
            source, target = configured(before, one), configured(after, other)
            targets = self._targets.setdefault(source, {source: None} if source in kept else {})
            targets[target] = None

    def reaches(self, source: str, dependencies: list[str]) -> bool:
        """Whether the program sees in one of these dependencies what it moved.

        It forgets them all then. Those into module instances with keys it does not find. Source: Terraform
        `internal/command/state_mv.go`, and `TargetContains` in `internal/addrs`.
        """
        if re.fullmatch(r'(module\.[^.\[]+(\[("[^"]*"|\d+)\])?\.?)+', source):
            return any(one.startswith(f"{module}.") for one in dependencies for module in self._modules)
        return not self._targets.keys().isdisjoint(dependencies)

    def followed(self, dependencies: list[str]) -> list[str]:
        """The dependencies after the move, each once, in the order of those before."""
        return list(dict.fromkeys(target for one in dependencies for target in self._targets.get(one, [one])))


def _places(state: Content) -> dict[str, str]:
    texts = {at: text for (at, member), text in state.items() if member in ("attributes", "attributes_flat")}
    return {json.loads(text)["id"]: at for at, text in texts.items()}


def configured(state: Content, at: str) -> str:
    """The resource of an object, as the configuration has it."""
    head = {name: json.loads(state.get((at, name), '""')) for name in ("module", "mode", "type", "name")}
    return without_keys(resource_address(head))


def dependencies_of(state: Content, at: str) -> list[str]:
    """The dependencies of an object."""
    found: list[str] = json.loads(state.get((at, "dependencies"), "[]"))
    return found
