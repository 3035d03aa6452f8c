"""statetool and the real program take turns with a state in PostgreSQL, and keep each other out of it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

import statefmt
from statefmt.cli.run import system_context
from statefmt.locations import current_state
from tests.cli.conftest import Statetool
from tests.compat.holding import HOLDING, program_holds
from tests.compat.program import Executable, Output, Program
from tests.servers.pg import PASSWORD, PgServer

_APPLY: Final = ("apply", "-input=false", "-auto-approve", "-no-color")
_RESOURCES: Final = """
resource "terraform_data" "a" { input = "<&> é" }
resource "terraform_data" "b" {}
"""
_CONTENDED: Final = r"(Workspace is already locked|already locked for workspace creation): default"


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories and backups of the tests are nobody else's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def module(real: Program, folder: Path, pg: PgServer, database: str) -> Path:
    """A root module with a state in the database, which has been initialised."""
    _configure(folder, pg, database, _RESOURCES)
    _done(real.run(folder, "init", "-input=false"))
    return folder


@pytest.fixture
def rows(module: Path, pg: PgServer, database: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A connection to look at the table."""
    with pg.connect(database) as connection:
        yield connection


def _configure(folder: Path, pg: PgServer, database: str, resources: str) -> None:
    backend = f'terraform {{\n  backend "pg" {{\n    conn_str = {json.dumps(pg.url(database))}\n  }}\n}}\n'
    (folder / "main.tf").write_text(backend + resources)


def _done(output: Output) -> Output:
    assert output.status == 0, output.err or output.out
    return output


def _words(message: str) -> str:
    return " ".join(re.sub(r"\x1b\[\d*m|[│╷╵]", " ", message).split())


def _state(rows: psycopg.Connection[tuple[Any, ...]]) -> dict[str, Any]:
    """The state in the only row."""
    ((name, data),) = rows.execute("SELECT name, data FROM terraform_remote_state.states").fetchall()
    assert name == "default"
    state: dict[str, Any] = json.loads(data)
    return state


def _names(state: dict[str, Any]) -> list[str]:
    return sorted(resource["name"] for resource in state["resources"])


@contextmanager
def _program_holds(real: Program, folder: Path, pg: PgServer, database: str) -> Iterator[None]:
    """The real program is in the middle of an apply, which ends with the context."""
    _configure(folder, pg, database, _RESOURCES + HOLDING)
    with program_holds(real, folder):
        yield


def test_plan_after_surgery(
    real: Program, module: Path, pg: PgServer, database: str, rows: psycopg.Connection[Any], statetool: Statetool
) -> None:
    _done(real.run(module, *_APPLY))
    ((before,),) = rows.execute("SELECT data FROM terraform_remote_state.states").fetchall()
    moved = statetool("mv", "terraform_data.a", "terraform_data.c")
    assert moved.status == 0, moved.err
    ((after,),) = rows.execute("SELECT data FROM terraform_remote_state.states").fetchall()
    # As the program writes it: the same bytes but for the name and the serial.
    expected = before.replace('"name": "a"', '"name": "c"').replace('"serial": 1,', '"serial": 2,')
    assert sorted(after.splitlines()) == sorted(expected.splitlines())
    _configure(module, pg, database, _RESOURCES.replace('"a"', '"c"'))
    assert "No changes" in _done(real.run(module, "plan", "-input=false", "-no-color")).out
    removed = statetool("rm", "--yes", "terraform_data.b")
    assert removed.status == 0, removed.err
    _configure(module, pg, database, _RESOURCES.replace('"a"', '"c"').splitlines()[1])
    assert "No changes" in _done(real.run(module, "plan", "-input=false", "-no-color")).out
    assert (_names(_state(rows)), _state(rows)["serial"]) == (["c"], 3)
    undone = statetool("undo", "--yes")
    assert undone.status == 0, undone.err
    _configure(module, pg, database, _RESOURCES.replace('"a"', '"c"'))
    assert "No changes" in _done(real.run(module, "plan", "-input=false", "-no-color")).out
    assert (_names(_state(rows)), _state(rows)["serial"]) == (["b", "c"], 4)
    for message in (moved, removed, undone):
        assert PASSWORD not in message.err + message.text


def test_statetool_keeps_the_program_out(
    real: Program, module: Path, pg: PgServer, database: str, rows: psycopg.Connection[Any], statetool: Statetool
) -> None:
    _done(real.run(module, *_APPLY))
    _configure(module, pg, database, _RESOURCES.replace('"a"', '"c"'))
    context = system_context()
    with statefmt.open(current_state(context), context=context).edit("rename", lock_timeout=0) as edit:
        edit.move("terraform_data.a", "terraform_data.c")
        refused = real.run(module, "plan", "-input=false", "-no-color")
    assert refused.status == 1
    assert re.search(_CONTENDED, _words(refused.err)), refused.err
    assert "No changes" in _done(real.run(module, "plan", "-input=false", "-no-color")).out


def test_the_program_keeps_statetool_out(
    real: Program, module: Path, pg: PgServer, database: str, rows: psycopg.Connection[Any], statetool: Statetool
) -> None:
    _done(real.run(module, *_APPLY))
    with _program_holds(real, module, pg, database):
        refused = statetool("mv", "terraform_data.a", "terraform_data.c")
        assert (refused.status, refused.out) == (2, b"")
        assert re.search(r"locked by tf@127\.0\.0\.1 \(pid \d+\)", _words(refused.err)), refused.err
    assert _names(_state(rows)) == ["a", "b", "holder"]


def test_the_program_keeps_statetool_out_of_a_new_state(
    real: Program, module: Path, pg: PgServer, database: str, rows: psycopg.Connection[Any], statetool: Statetool
) -> None:
    """There is no row yet, so that only the creation is locked."""
    with _program_holds(real, module, pg, database):
        refused = statetool("mv", "terraform_data.a", "terraform_data.c")
        assert (refused.status, refused.out) == (2, b"")
        assert re.search(r"locked by tf@127\.0\.0\.1 \(pid \d+\)", _words(refused.err)), refused.err
    assert _names(_state(rows)) == ["a", "b", "holder"]


def test_a_program_that_died_keeps_nobody_out(
    real: Program, module: Path, pg: PgServer, database: str, rows: psycopg.Connection[Any], statetool: Statetool
) -> None:
    if not isinstance(real, Executable):
        pytest.skip("it is no process of its own")
    _done(real.run(module, *_APPLY))
    _configure(module, pg, database, _RESOURCES + HOLDING)
    with real.start(module, *_APPLY) as holder:
        while not (module / "held").exists():
            assert holder.poll() is None
            time.sleep(0.01)
        holder.kill()
    # The shell that it started outlives it.
    (module / "release").touch()
    # The server ends the session once it sees that the connection is closed.
    assert statetool("mv", "--lock-timeout", "60s", "terraform_data.a", "terraform_data.c").status == 0
    assert "c" in _names(_state(rows))


def _alternate(edits: int, real: Program, module: Path, rows: psycopg.Connection[Any], statetool: Statetool) -> None:
    _done(real.run(module, *_APPLY))
    ways = (
        lambda source, target: real.run(module, "state", "mv", source, target).status,
        lambda source, target: statetool("mv", source, target).status,
    )
    for number in range(edits):
        source, target = (f"terraform_data.{name}" for name in ("ac" if number % 2 == 0 else "ca"))
        assert ways[number % 2](source, target) == 0
        source, target = (f"terraform_data.{name}" for name in ("bd" if number % 2 == 0 else "db"))
        assert ways[1 - number % 2](source, target) == 0
        state = _state(rows)
        assert state["serial"] == 1 + 2 * (number + 1)
        assert _names(state) == (["c", "d"] if number % 2 == 0 else ["a", "b"])


def test_alternating_edits(real: Program, module: Path, rows: psycopg.Connection[Any], statetool: Statetool) -> None:
    _alternate(5, real, module, rows, statetool)


@pytest.mark.slow
def test_many_alternating_edits(
    real: Program, module: Path, rows: psycopg.Connection[Any], statetool: Statetool
) -> None:
    _alternate(25, real, module, rows, statetool)
