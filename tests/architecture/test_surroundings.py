"""Nothing below the command line touches the surroundings of the process by itself, and no module keeps state."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2] / "statefmt"
FILES: Final = sorted(ROOT.rglob("*.py"))
# What only the run context gives; the monotonic clock only measures how long something waits.
SURROUNDINGS: Final = {
    "sys.stdin", "sys.stdout", "sys.stderr", "os.environ", "os.getenv", "time.time", "datetime.now", "datetime.today",
    "date.today", "getpass.getuser", "socket.gethostname", "input", "print", "exit", "sys.exit",
}  # fmt: skip
# The clock and the user of programs that give none to the library.
DEFAULTS: Final = {"library/state.py": ["datetime.now", "socket.gethostname"]}
STATEFUL: Final = {
    "ContextVar",
    "local",
    "deque",
    "defaultdict",
    "bytearray",
    "WeakKeyDictionary",
    "WeakValueDictionary",
}
CONTAINERS: Final = {"list", "dict", "set", *STATEFUL}
CHANGES: Final = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft", "remove",
    "setdefault", "update", "set",
}  # fmt: skip
# Tables that decorators fill while modules are imported, and that nothing changes then.
FILLED_BY_IMPORTS: Final = {("hcl/functions/registry.py", "FUNCTIONS")}
# typer passes its context to commands only: the run of a process, which `running` sets and takes back.
RUNS: Final = {("cli/run.py", "_RUN")}
# Keys that were derived are remembered, since each takes half a second: what is derived depends on nothing else.
REMEMBERED: Final = {("encryption/key_providers.py", "_derived")}


def _relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def used_surroundings(tree: ast.AST) -> list[str]:
    """The names of what a module takes from the process by itself, with the lines."""
    imported = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    found: list[str] = []
    for node in ast.walk(tree):
        name = ""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            name = imported.get(node.id, node.id)
        if name in SURROUNDINGS:
            found.append(f"line {node.lineno}: {name}")  # type: ignore[attr-defined] # expressions have lines
    return found


def module_state(tree: ast.Module) -> dict[str, int]:
    """The names of a module that stand for something that changes while the program runs, with their lines."""
    found: dict[str, int] = {}
    containers: set[str] = set()
    for name, value in _assigned(tree):
        call = value.func if isinstance(value, ast.Call) else None
        made_by = call.id if isinstance(call, ast.Name) else call.attr if isinstance(call, ast.Attribute) else ""
        if made_by in STATEFUL:
            found[name] = value.lineno
        if made_by in CONTAINERS or isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)):
            containers.add(name)
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            found |= dict.fromkeys(node.names, node.lineno)
        changed: ast.expr | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            changed = node.func.value
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            changed = node.value
        if isinstance(changed, ast.Name) and changed.id in containers:
            found[changed.id] = changed.lineno
    return found


def _assigned(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        if isinstance(node, ast.Assign):
            yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            yield node.target.id, node.value


def test_all_below_the_command_line_take_their_surroundings_from_the_context() -> None:
    below = [path for path in FILES if _relative(path).split("/")[0] != "cli"]
    found = {_relative(path): used_surroundings(ast.parse(path.read_bytes())) for path in below}
    assert len(found) > 100
    used = {path: [name.partition(": ")[2] for name in names] for path, names in found.items() if names}
    assert used == DEFAULTS


def test_no_module_keeps_state() -> None:
    found = {(_relative(path), name) for path in FILES for name in module_state(ast.parse(path.read_bytes()))}
    assert found - FILLED_BY_IMPORTS - REMEMBERED - RUNS == set()


def test_exceptions_are_still_there() -> None:
    for file, name in FILLED_BY_IMPORTS | REMEMBERED | RUNS:
        assert name in module_state(ast.parse((ROOT / file).read_bytes()))


@pytest.mark.parametrize(
    "text",
    [
        "print('x')", "import sys\nsys.stdout.write('x')", "from os import environ\nenviron['A']",
        "from datetime import datetime\ndatetime.now()", "def f(say=print): pass",
    ],
)  # fmt: skip
def test_surroundings_are_found(text: str) -> None:
    assert used_surroundings(ast.parse(text)) != []


@pytest.mark.parametrize(
    "text",
    [
        "_x = ContextVar('x')", "_x: Final = deque(maxlen=4)", "_x = {}\ndef f(): _x['a'] = 1",
        "_x = []\ndef f(): _x.append(1)", "_x = 1\ndef f():\n    global _x\n    _x = 2",
    ],
)  # fmt: skip
def test_state_is_found(text: str) -> None:
    assert list(module_state(ast.parse(text))) == ["_x"]
