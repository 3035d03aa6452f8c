"""Every command on hostile folders does only what a row of SECURITY.md allows, and each row names tests that exist."""

from __future__ import annotations

import ast
from pathlib import Path
from random import Random

import pytest

from statefmt.cli.names import COMMANDS as PROGRAM
from statefmt.cli.program import command_named
from tests.adversary.runs import Ended
from tests.strangers.allowances import ROOT, SUBJECTS, Row, allowances, is_allowed, named_tests, tables
from tests.strangers.commands import COMMANDS, GIVEN
from tests.strangers.folders import BACKENDS, whole_folder
from tests.strangers.recorder import Event, is_below
from tests.strangers.scene import STATE, User, canaries, events_of, write_clone
from tests.strangers.traced import OPTIONS, traced

_TABLES = ("Inputs", "Outputs", "Files, programs and hosts")


def test_every_command_is_tried() -> None:
    assert GIVEN.keys() <= PROGRAM.keys()
    needing = {name for name in PROGRAM if any(one.required for one in command_named(name).params)}
    assert needing - GIVEN.keys() == set(), "add their arguments to tests/strangers/commands.py"


@pytest.mark.parametrize("heading", _TABLES)
def test_every_row_names_tests_that_exist(heading: str) -> None:
    rows = tables()[heading]
    named = list(named_tests(rows))
    assert len({row for row, _ in named}) == len(rows)
    for row, name in named:
        path, _, function = name.partition("::")
        file = ROOT / path
        assert file.is_file(), (row, name)
        names = {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)}
        assert function in names if function else any(one.startswith("test_") for one in names), (row, name)


def test_every_row_is_understood() -> None:
    for row in allowances():
        assert row.commands, row
        assert row.subject in SUBJECTS, row


def test_every_command_does_only_what_is_allowed(user: User, random: Random) -> None:
    """The folder with a local state, and one of the others for each command."""
    others = [name for name in BACKENDS if name != "none"]
    runs = [(name, words) for name, forms in COMMANDS.items() for words in forms]
    _try(user, [("none", *run) for run in runs] + [(random.choice(others), *run) for run in runs])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_every_command_in_every_folder(backend: str, user: User) -> None:
    _try(user, [(backend, name, words) for name, forms in COMMANDS.items() for words in forms])


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_libraries_do_only_what_is_allowed(backend: str, user: User, tmp_path: Path) -> None:
    """What the system sees: also what libraries do that tell Python nothing, and programs that run."""
    rows, failures, log, seen = allowances(), list[str](), tmp_path / "log", set[str]()
    for name, forms in COMMANDS.items():
        for words in forms:
            user.prepare()
            write_clone(user.clone, whole_folder(user, backend, STATE).files)
            ended = user.run(*name.split(), *words, recorded=False, strace=("-o", str(log), *OPTIONS))
            events = [event for event in traced(log, user.clone) if _matters(event, user)]
            assert not ended.timed_out
            seen |= {event.kind for event in events}
            failures += [
                f"backend {backend}: statetool {name} {' '.join(words)}: no row of SECURITY.md allows: {event}"
                for event in events
                if not is_allowed(event, name, rows, user)
            ]
    assert {"read", "write", "run"} <= seen
    assert not failures, "\n".join(failures)


def _matters(event: Event, user: User) -> bool:
    """Whether a program that does only that could do harm: the system itself reads libraries and resolves names."""
    if event.kind == "read":
        return is_below(event.subject, user.root)
    if event.kind == "connect":
        return not event.subject.endswith(":53") and not event.subject.startswith("/")
    return event.subject != "/dev/null"


def _try(user: User, runs: list[tuple[str, str, tuple[str, ...]]]) -> None:
    rows, before, failures = allowances(), user.belongings(), list[str]()
    for backend, name, words in runs:
        user.prepare()
        write_clone(user.clone, whole_folder(user, backend, STATE).files)
        ended = user.run(*name.split(), *words)
        case = f"backend {backend}: statetool {name} {' '.join(words)}: exit {ended.status}"
        failures += [f"{case}: {fault}" for fault in _faults(user, ended, name, rows)]
        if user.belongings() != before:
            failures.append(f"{case}: changed {sorted(dict(user.belongings().items() ^ before.items()))}")
            before = user.belongings()
    assert not failures, "\n".join(failures)


def _faults(user: User, ended: Ended, command: str, rows: list[Row]) -> list[str]:
    found = [
        f"no row of SECURITY.md allows: {kind} {subject}"
        for kind, subject in events_of(ended)
        if not is_allowed(Event(kind, subject), command, rows, user)
    ]
    if ended.timed_out or "Traceback" in ended.err:
        found.append(f"ended badly: {ended.err[-500:]}")
    if (user.victim / "made").exists():
        (user.victim / "made").unlink()
        found.append("a program of the folder ran")
    shown: list[str | bytes] = [ended.out + ended.err, *user.listener.taken()]
    return found + [f"shows {canaries(text)}: {text[:300]!r}" for text in shown if canaries(text)]
