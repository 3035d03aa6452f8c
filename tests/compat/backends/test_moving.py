"""Moved states are those of the real program: after `init -reconfigure`, its plan has no changes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.compat.backends.s3_folder import KEY, S3Folder
from tests.compat.holding import HOLDING
from tests.compat.program import Executable, Output, Program
from tests.servers.http import StateServer, state_server
from tests.servers.pg import PASSWORD, PgServer
from tests.servers.s3 import S3Server

_APPLY: Final = ("apply", "-input=false", "-auto-approve", "-no-color")
_PLAN: Final = ("plan", "-input=false", "-no-color")
_RESOURCES: Final = 'resource "terraform_data" "a" { input = "<&> é ${terraform.workspace}" }\n'
_WORKSPACES: Final = ("default", "blue")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Histories and backups of the tests are nobody else's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("home")))


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as server:
        yield server


def _configure(folder: Path, type_: str, resources: str = _RESOURCES, **arguments: str) -> None:
    lines = "".join(f"    {name} = {json.dumps(value)}\n" for name, value in arguments.items())
    (folder / "main.tf").write_text(f'terraform {{\n  backend "{type_}" {{\n{lines}  }}\n}}\n{resources}')


def _done(output: Output) -> Output:
    assert output.status == 0, output.err or output.out
    return output


def _moves(real: Program, folder: Path, statetool: Statetool, *options: str) -> str:
    """Move the states, and return the output; the program goes on with the new backend and has nothing to change."""
    result = statetool("move-backend", "--yes", *options)
    assert result.status == 0, result.err
    assert PASSWORD not in result.text + result.err
    _done(real.run(folder, "init", "-input=false", "-reconfigure"))
    return result.text


def _unchanged(real: Program, folder: Path, *workspaces: str) -> None:
    for workspace in workspaces:
        _done(real.run(folder, "workspace", "select", workspace))
        assert "No changes" in _done(real.run(folder, *_PLAN)).out


def test_every_workspace_to_files_and_to_a_database_and_back(
    real: Program, folder: Path, statetool: Statetool, pg: PgServer, database: str
) -> None:
    # Where the program does not look unless it is told to.
    _configure(folder, "local", path="first", workspace_dir="d")
    _done(real.run(folder, "init", "-input=false"))
    _done(real.run(folder, *_APPLY))
    _done(real.run(folder, "workspace", "new", "blue"))
    _done(real.run(folder, *_APPLY))
    serials = _serials(statetool)

    _configure(folder, "local", path="states/x", workspace_dir="states/w")
    _moves(real, folder, statetool)
    _unchanged(real, folder, *_WORKSPACES)

    _configure(folder, "pg", conn_str=pg.url(database))
    _moves(real, folder, statetool, "--delete-source")
    assert not (folder / "states" / "x").exists()
    _unchanged(real, folder, *_WORKSPACES)
    assert _serials(statetool) == serials

    _configure(folder, "local", path="back", workspace_dir="e")
    _moves(real, folder, statetool, "--delete-source")
    _unchanged(real, folder, *_WORKSPACES)
    with pg.connect(database) as rows:
        assert rows.execute("SELECT count(*) FROM terraform_remote_state.states").fetchall() == [(0,)]


@pytest.mark.parametrize("lock_file", [True, False], ids=["lock-file", "dynamodb"])
def test_every_workspace_to_a_bucket_and_back(
    lock_file: bool, real: Program, folder: Path, statetool: Statetool, moto: S3Server
) -> None:
    _configure(folder, "local", path="first", workspace_dir="d")
    _done(real.run(folder, "init", "-input=false"))
    _done(real.run(folder, *_APPLY))
    _done(real.run(folder, "workspace", "new", "blue"))
    _done(real.run(folder, *_APPLY))
    content = (folder / "first").read_bytes()

    bucket = S3Folder(folder, moto, moto.new_bucket(versioned=True), lock_file, "" if lock_file else moto.new_table())
    bucket.configure(_RESOURCES)
    _moves(real, folder, statetool, "--delete-source", "--allow-host", "127.0.0.1")
    assert (bucket.content(KEY), bucket.locks()) == (content, [])
    _unchanged(real, folder, *_WORKSPACES)

    _configure(folder, "local", path="back", workspace_dir="e")
    _moves(real, folder, statetool, "--delete-source")
    _unchanged(real, folder, *_WORKSPACES)
    held = bucket.held()
    assert (held["objects"], held.get("dynamodb_items", [])) == ([], [])


def _serials(statetool: Statetool) -> list[int]:
    return [json.loads(statetool("pull", "--workspace", workspace).out)["serial"] for workspace in _WORKSPACES]


def test_through_http(
    real: Program, folder: Path, statetool: Statetool, pg: PgServer, database: str, server: StateServer
) -> None:
    """From files to http, from there to PostgreSQL, and back to files: the same bytes."""
    _configure(folder, "local")
    _done(real.run(folder, "init", "-input=false"))
    _done(real.run(folder, *_APPLY))
    content = (folder / "terraform.tfstate").read_bytes()

    _configure(folder, "http", address=server.url, lock_address=server.url, unlock_address=server.url)
    _moves(real, folder, statetool)
    assert (server.state, server.holder) == (content, None)
    assert "No changes" in _done(real.run(folder, *_PLAN)).out

    _configure(folder, "pg", conn_str=pg.url(database))
    _moves(real, folder, statetool, "--delete-source")
    assert (server.state, server.holder) == (None, None)
    assert "No changes" in _done(real.run(folder, *_PLAN)).out
    copied = statetool("copy", ".", "copy")
    assert copied.status == 0, copied.err
    assert (folder / "copy").read_bytes() == content


def test_the_program_holds_a_lock(
    real: Program, folder: Path, statetool: Statetool, pg: PgServer, database: str
) -> None:
    """A move is shut out, and shows who holds the lock; nothing can remove it, since it is of a session."""
    if not isinstance(real, Executable):
        pytest.skip("it is no process of its own")
    _configure(folder, "pg", _RESOURCES + HOLDING, conn_str=pg.url(database))
    _done(real.run(folder, "init", "-input=false"))
    _done(real.run(folder, "apply", "-target=terraform_data.a", "-input=false", "-auto-approve", "-no-color"))
    with real.start(folder, *_APPLY) as holder:
        while not (folder / "held").exists():
            assert holder.poll() is None
            time.sleep(0.01)
        shown = statetool("locks", "--format", "json")
        (lock,) = json.loads(shown.out)["states"]
        assert (shown.status, lock["status"]) == (1, "held")
        refused = statetool("copy", ".", "copy")
        assert (refused.status, "locked by" in refused.err) == (2, True)
        unlocked = statetool("unlock", lock["lock"]["id"])
        assert (unlocked.status, "its program may still write" in " ".join(unlocked.err.split())) == (2, True)
        (folder / "release").touch()
        assert holder.wait() == 0
    assert statetool("locks").status == 0
    for one in (shown, refused, unlocked):
        assert PASSWORD not in one.text + one.err


@pytest.mark.parametrize("type_", ["local", "http"])
def test_a_lock_that_a_dead_program_left(
    type_: str, real: Program, folder: Path, statetool: Statetool, server: StateServer
) -> None:
    """In a file, the lock ends with the process, and its information stays; at a server, the lock stays."""
    if not isinstance(real, Executable):
        pytest.skip("it is no process of its own")
    places = dict.fromkeys(("address", "lock_address", "unlock_address"), server.url)
    _configure(folder, type_, _RESOURCES + HOLDING, **(places if type_ == "http" else {}))
    _done(real.run(folder, "init", "-input=false"))
    with real.start(folder, *_APPLY) as holder:
        while not (folder / "held").exists():
            assert holder.poll() is None
            time.sleep(0.01)
        assert statetool("locks").status == (1 if type_ == "local" else 0)
        holder.kill()
    (folder / "release").touch()
    if type_ == "local":
        (lock,) = json.loads(statetool("locks", "--format", "json").out)["states"]
        assert (lock["status"], lock["lock"]["operation"]) == ("left", "OperationTypeApply")
        identity = lock["lock"]["id"]
    else:
        assert server.holder is not None
        identity = server.holder["ID"]
        refused = statetool("set-serial", "9", "--yes")
        assert (refused.status, identity in refused.err) == (2, True)
    removed = statetool("force-unlock", "-force", identity)
    assert removed.status == 0, removed.err
    assert server.holder is None
    assert not (folder / ".terraform.tfstate.lock.info").exists()
    _configure(folder, type_, **(places if type_ == "http" else {}))
    _done(real.run(folder, *_APPLY))
