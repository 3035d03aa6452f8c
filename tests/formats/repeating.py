"""Generates states that repeat members in one spelling or several, at every level of format version 4."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final, TypeAlias

# How many members are repeated, on average, for each that a state has.
_SHARE: Final = 0.08
_LISTS: Final = frozenset({"resources", "instances", "objects", "failure_messages", "dependencies", "check_results"})
# An object: its members in order.
_Members: TypeAlias = tuple[tuple[str, Any], ...]
_PROVIDER: Final = 'provider["terraform.io/builtin/terraform"]'
_ADDRESSES: Final = ("terraform_data.a", "terraform_data.b", "module.m.terraform_data.c", "data.terraform_data.d")


def repeating_state(seed: int) -> bytes:
    """Return a state with repeated members; equal seeds give equal states."""
    return _text(_State(Random(seed)).state()).encode()


def _text(value: Any) -> str:
    """Encode a value; members of an object are a tuple of pairs."""
    if isinstance(value, tuple):
        return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{_text(part)}" for name, part in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_text, value)) + "]"
    return json.dumps(value)


class _State:
    """The parts of one state. Each method returns a new value of the kind that its name says."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def state(self) -> _Members:
        members: dict[str, Callable[[], Any]] = {
            "terraform_version": lambda: "1.11.4",
            "serial": self._number,
            "lineage": lambda: self._random.choice(["one", "two"]),
            "outputs": self._outputs,
            "resources": lambda: self._list(self._resource, 3),
            "check_results": lambda: self._list(self._check_result, 2),
        }
        return (("version", 4), *self._object(members, everything=True))

    def _object(self, members: dict[str, Callable[[], Any]], *, everything: bool = False) -> _Members:
        """Return an object with some of these members, some of them repeated."""
        found = [(name, make()) for name, make in members.items() if everything or self._random.random() < 0.85]
        for name, make in members.items():
            while self._random.random() < _SHARE:
                kind = self._random.randrange(6)
                again = None if kind == 0 else [] if kind == 1 and name in _LISTS else make()
                found.insert(self._random.randrange(len(found) + 1), (self._spelled(name), again))
        return tuple(found)

    def _spelled(self, name: str) -> str:
        spellings = [name, name, name.upper(), name.title(), name.capitalize(), name.swapcase()]
        spellings += [name.replace("s", "\u017f", 1), name.upper().replace("K", "\u212a")]
        return self._random.choice(spellings)

    def _list(self, make: Callable[[], Any], most: int) -> list[Any]:
        return [None if self._random.random() < 0.02 else make() for _ in range(self._random.randint(0, most))]

    def _number(self) -> int:
        return self._random.choice([0, 1, 7, 2**63, 2**64 - 1])

    def _outputs(self) -> Any:
        names = [self._random.choice("abcdAB") for _ in range(self._random.randint(0, 3))]
        return tuple((name, self._output()) for name in names)

    def _output(self) -> Any:
        # The type and the value must fit, whatever is merged: a string.
        members: dict[str, Callable[[], Any]] = {
            "value": lambda: self._random.choice(["x", "y", "z"]),
            "type": lambda: "string",
            "sensitive": lambda: self._random.choice([True, False]),
        }
        return self._object(members, everything=True)

    def _resource(self) -> Any:
        members: dict[str, Callable[[], Any]] = {
            "module": lambda: self._random.choice(["module.m", 'module.n["k"]', ""]),
            "mode": lambda: self._random.choice(["managed", "managed", "data"]),
            "type": lambda: "terraform_data",
            "name": lambda: self._random.choice("abcdefghij"),
            "provider": lambda: _PROVIDER,
            "instances": lambda: self._list(self._instance, 3),
        }
        return self._object(members, everything=True)

    def _instance(self) -> Any:
        members: dict[str, Callable[[], Any]] = {
            "index_key": lambda: self._random.choice([*range(6), *"klmnop"]),
            "status": lambda: self._random.choice(["tainted", ""]),
            "schema_version": lambda: self._random.choice([0, 1, 2]),
            "attributes": lambda: (("id", self._random.choice("xyz")), ("input", None)),
            "sensitive_attributes": self._paths,
            "private": lambda: self._random.choice(["AAEC", "", "Aw==", [1, 2], []]),
            "dependencies": lambda: self._list(lambda: self._random.choice(_ADDRESSES), 3),
            "create_before_destroy": lambda: self._random.choice([True, False]),
        }
        return self._object(members)

    def _paths(self) -> Any:
        members: dict[str, Callable[[], Any]] = {
            "type": lambda: "get_attr",
            "value": lambda: self._random.choice(["id", "input"]),
        }
        return [[self._object(members, everything=True)] for _ in range(self._random.randint(0, 2))]

    def _check_result(self) -> Any:
        members: dict[str, Callable[[], Any]] = {
            "object_kind": lambda: "resource",
            "config_addr": lambda: self._random.choice(["terraform_data.a", "terraform_data.b"]),
            "status": lambda: self._random.choice(["pass", "fail"]),
            "objects": lambda: self._list(self._checked_object, 2),
        }
        return self._object(members, everything=True)

    def _checked_object(self) -> Any:
        members: dict[str, Callable[[], Any]] = {
            "object_addr": lambda: self._random.choice(["terraform_data.a", "terraform_data.b"]),
            "status": lambda: self._random.choice(["pass", "fail"]),
            "failure_messages": lambda: self._list(lambda: self._random.choice(["p", "q"]), 2),
        }
        return self._object(members, everything=True)
