"""The work of an operation grows with what it concerns, not with the state or the operations before; it is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.model.snapshot import Snapshot
from tests.edit.operations.build import snapshot_with
from tests.instructions import instructions
from tests.tables import each_row

_PROVIDER: Final = 'provider["registry.opentofu.org/acme/t"]'
_SMALL, _LARGE = 60, 240
# Four times the state, or twice the operations before, and the same work, give or take.
_HIGHEST_STEP: Final = 1.25

# A block for each number; every resource has two instances, and something that depends on it.
KINDS: Final[dict[str, Callable[[int], str]]] = {
    "move": lambda n: f"move {{\n  from = state.a.t.r{n}\n  to = state.a.module.new.t.r{n}\n}}\n",
    "move with captures": lambda n: f'move {{\n  from = "state.a.t.r{n}[*]"\n  to = "state.a.t.new{n}[$1]"\n}}\n',
    "move a module": lambda n: f"move {{\n  from = state.a.module.m{n}\n  to = state.a.module.n{n}\n}}\n",
    "move to another state": lambda n: f"move {{\n  from = state.a.t.r{n}\n  to = state.b.t.r{n}\n}}\n",
    "forget": lambda n: f"forget {{\n  of = state.a.t.r{n}\n}}\n",
    "forget an instance": lambda n: f"forget {{\n  of = state.a.t.r{n}[1]\n}}\n",
    "rekey": lambda n: f'rekey {{\n  of = state.a.t.r{n}\n  keys = {{ 0 = "a", 1 = "b" }}\n}}\n',
    "rekey a module": lambda n: f'rekey {{\n  of = state.a.module.m{n}\n  keys = {{ "" = 0 }}\n}}\n',
    "rebind": lambda n: f'rebind {{\n  of = state.a.t.r{n}\n  provider = "{_quoted(_PROVIDER)}.west"\n}}\n',
    "replace_provider": lambda n: (
        f'replace_provider {{\n  of = state.a.t.r{n}\n  old = "acme/t"\n  new = "acme/u"\n  new_provider = true\n}}\n'
    ),
    "taint": lambda n: f"taint {{\n  of = state.a.t.r{n}[0]\n}}\n",
    "set": lambda n: f'set {{\n  of = state.a.t.r{n}\n  values = {{ id = "new" }}\n}}\n',
    "unset": lambda n: f'unset {{\n  of = state.a.t.r{n}\n  paths = "id"\n}}\n',
}


@each_row("kind", KINDS, sample=4)
def test_an_operation_does_not_look_at_the_whole_state(kind: str) -> None:
    small, large = (_work(kind, size, 20) - _work(kind, size, 10) for size in (_SMALL, _LARGE))
    assert large < _HIGHEST_STEP * small


@each_row("kind", KINDS, sample=5)
def test_operations_are_linear(kind: str) -> None:
    works = [_work(kind, _SMALL, count) for count in (10, 20, 40)]
    assert works[2] - works[1] < 2 * _HIGHEST_STEP * (works[1] - works[0]), works


def _state(size: int) -> Snapshot:
    """Resources in the root module and in modules of their own, each with one that depends on it."""
    names = [("", f"r{n}") for n in range(size)] + [(f"module.m{n}", "r") for n in range(size)]
    resources = [_resource(module, name, []) for module, name in names]
    return snapshot_with(
        [
            *resources,
            *(_resource("", f"d{n}", [f"{module}.t.{name}".strip(".")]) for n, (module, name) in enumerate(names)),
            {**_resource("", "west", []), "provider": f"{_PROVIDER}.west"},
        ]
    )


def _resource(module: str, name: str, dependencies: list[str]) -> dict[str, object]:
    instances = [
        {
            "index_key": key,
            "schema_version": 0,
            "attributes": {"id": "x"},
            "sensitive_attributes": [],
            "dependencies": dependencies,
        }
        for key in range(2)
    ]
    head = {"module": module} if module else {}
    return {**head, "mode": "managed", "type": "t", "name": name, "provider": _PROVIDER, "instances": instances}


def _quoted(text: str) -> str:
    return text.replace('"', '\\"')


def _work(kind: str, size: int, operations: int) -> int:
    """The number of instructions that run, of Python's own, for some operations on a state of some size."""
    head = 'state "a" { path = "a" }\nstate "b" { path = "b" }\n'
    file = read_operations_file("x", (head + "".join(map(KINDS[kind], range(operations)))).encode())
    states = {"a": _state(size), "b": _state(0)}
    return instructions(lambda: run(file, states))
