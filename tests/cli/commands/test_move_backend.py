"""`move-backend`: all workspaces from one backend to another, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import statefmt
from statefmt.cli.run import system_context
from tests.cli.conftest import Program, Statetool
from tests.cli.states import INDENTED, LINEAGE
from tests.cli.test_json_output import _assert_valid
from tests.servers.http import Fault, StateServer, state_server

STATE = "terraform.tfstate"
BLUE = INDENTED.replace(LINEAGE.encode(), b"blue")
OLDER = INDENTED.replace(b'"serial": 7', b'"serial": 6')
SECRET = "canary-7f3a"


@pytest.fixture
def old(folder: Path) -> Path:
    """A root module with two workspaces in local files, whose configuration names other ones by now."""
    path = folder / "old"
    _write(path / STATE, INDENTED)
    _write(path / "terraform.tfstate.d" / "blue" / STATE, BLUE)
    _write(path / "terraform.tfstate.d" / "empty" / "note", b"")
    _configure(path, 'backend "local" {\n    path          = "new/x"\n    workspace_dir = "new/w"\n  }')
    return path


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Histories and backups of states in backends are nobody else's."""
    path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("XDG_STATE_HOME", str(path))
    return path


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as server:
        yield server


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _configure(folder: Path, block: str) -> None:
    _write(folder / "main.tf", f"terraform {{\n  {block}\n}}\n".encode())


def _http(server: StateServer, *more: str) -> str:
    lines = [f'{name} = "{server.url}"' for name in ("address", "lock_address", "unlock_address")]
    return 'backend "http" {\n' + "\n".join([*lines, *more]) + "\n  }"


def _words(message: str) -> str:
    return " ".join(message.split())


def _moved(old: Path) -> None:
    assert (old / "new" / "x").read_bytes() == INDENTED
    assert (old / "new" / "w" / "blue" / STATE).read_bytes() == BLUE
    assert not (old / "new" / "w" / "empty").exists()


def test_all_workspaces(old: Path, statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    before = tree()
    result = statetool("move-backend", "old")
    assert result.status == 0, result.err
    _moved(old)
    # The sources are kept, and nothing else was written.
    after = tree()
    assert {name: after[name] for name in before} == before
    added = {"old/new", "old/new/x", "old/new/w", "old/new/w/blue", f"old/new/w/blue/{STATE}"}
    assert after.keys() - before.keys() == added
    assert "now run `tofu -chdir=old init -reconfigure`" in _words(result.err)
    block = 'terraform {\n  backend "local" {\n    path = "new/x"\n    workspace_dir = "new/w"\n  }\n}\n'
    assert result.text.endswith(f"\n\n{block}")


def test_dry_run(old: Path, statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    before = tree()
    result = statetool("move-backend", "old", "--dry-run", "--delete-source")
    assert result.status == 0
    assert tree() == before
    rows = [line.split()[0] for line in result.text.split("\n\n")[0].splitlines()]
    assert rows == ["workspace", "default", "blue"]


def test_json(old: Path, statetool: Statetool) -> None:
    result = statetool("move-backend", "old", "--format", "json", "--delete-source", "--yes")
    document = json.loads(result.out)
    _assert_valid(document, "move-backend-output")
    for one, content in zip(document["states"], (INDENTED, BLUE), strict=True):
        assert (one["action"], one["written"], one["deleted"]) == ("create", True, True)
        assert Path(one["deleted_backup"]).read_bytes() == content
    assert [one["workspace"] for one in document["states"]] == ["default", "blue"]


def test_a_name_that_no_workspace_has(old: Path, statetool: Statetool) -> None:
    _write(old / "terraform.tfstate.d" / "a b" / STATE, BLUE)
    result = statetool("move-backend", "old")
    assert (result.status, "'a b' is not the name of a workspace" in _words(result.err)) == (2, True)
    assert not (old / "new").exists()


def test_again(old: Path, statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    assert statetool("move-backend", "old").status == 0
    before = tree()
    result = statetool("move-backend", "old")
    assert result.status == 0
    assert result.text.count("has the same content") == 2
    assert tree() == before


def test_delete_source(old: Path, statetool: Statetool) -> None:
    unasked = statetool("move-backend", "old", "--delete-source")
    assert unasked.status == 2
    assert not (old / "new").exists()
    result = statetool("move-backend", "old", "--delete-source", "--yes")
    assert result.status == 0, result.err
    _moved(old)
    for folder, content in ((old, INDENTED), (old / "terraform.tfstate.d" / "blue", BLUE)):
        assert not (folder / STATE).exists()
        (backup,) = folder.glob(f"{STATE}.*.backup")
        assert backup.read_bytes() == content
    again = statetool("move-backend", "old")
    assert (again.status, "no workspace has a state" in _words(again.err)) == (2, True)


def test_one_refusal_stops_all(old: Path, statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    _write(old / "new" / "w" / "blue" / STATE, INDENTED)
    before = tree()
    result = statetool("move-backend", "old", "--yes")
    assert (result.status, result.out) == (2, b"")
    assert f"there is another state already, with the lineage {LINEAGE}, not blue" in _words(result.err)
    assert tree() == before


def test_all_refusals_are_named(old: Path, statetool: Statetool) -> None:
    _write(old / "new" / "x", BLUE)
    _write(old / "new" / "w" / "blue" / STATE, INDENTED)
    result = statetool("move-backend", "old", "--yes")
    assert "2 of 2 states cannot be copied:" in result.err
    assert "not blue" in _words(result.err)
    assert f"not {LINEAGE}" in _words(result.err)


def test_a_lock_stops_all(old: Path, program: Program) -> None:
    blue = old / "terraform.tfstate.d" / "blue" / STATE
    with statefmt.open(str(blue), context=system_context()).edit("hold") as edit:
        result = program("move-backend", "old")
        edit.cancel()
    assert result.status == 2
    assert "locked by" in result.err
    assert not (old / "new").exists()


def test_to_another_folder(old: Path, folder: Path, statetool: Statetool) -> None:
    """The target is what its configuration names, the source what the other folder uses."""
    (old / "main.tf").unlink()
    _configure(folder / "next", 'backend "local" {\n    path = "p"\n  }')
    result = statetool("move-backend", "old", "next", "--backend-config", "path=q")
    assert result.status == 0, result.err
    assert (folder / "next" / "q").read_bytes() == INDENTED
    assert (folder / "next" / "terraform.tfstate.d" / "blue" / STATE).read_bytes() == BLUE
    assert "now run `tofu -chdir=next init -reconfigure`" in _words(result.err)


def test_what_init_recorded(old: Path, statetool: Statetool) -> None:
    """Within one folder, the source is what init recorded, not what the configuration says."""
    record = {"version": 3, "backend": {"type": "local", "config": {"path": "p", "workspace_dir": None}, "hash": 1}}
    _write(old / ".terraform" / STATE, json.dumps(record).encode())
    _write(old / "p", OLDER)
    assert statetool("move-backend", "old").status == 0
    assert (old / "new" / "x").read_bytes() == OLDER


def test_to_itself(old: Path, statetool: Statetool) -> None:
    (old / "main.tf").unlink()
    result = statetool("move-backend", "old")
    assert (result.status, "this is both the source and the target" in _words(result.err)) == (2, True)


def test_a_backend_without_workspaces(old: Path, server: StateServer, statetool: Statetool) -> None:
    _configure(old, _http(server))
    result = statetool("move-backend", "old")
    assert result.status == 2
    assert "the backend 'http' has only the workspace default, not 'blue'" in _words(result.err)
    assert "POST" not in server.methods


def test_a_backend_that_is_not_supported(old: Path, statetool: Statetool) -> None:
    _configure(old, 'backend "consul" {\n    path = "p"\n  }')
    assert statetool("move-backend", "old").status == 2


def test_no_secrets(old: Path, server: StateServer, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    (old / "terraform.tfstate.d" / "blue" / STATE).unlink()
    server.checks_user = False
    monkeypatch.setenv("TF_HTTP_RETRY_MAX", "0")
    _configure(old, _http(server, 'username = "u"', f'password = "{SECRET}"'))
    result = statetool("move-backend", "old", "--allow-host", "127.0.0.1", "--debug")
    assert result.status == 0, result.err
    assert server.state == INDENTED
    assert server.holder is None
    assert SECRET not in result.text + result.err
    assert "# password: a secret; set it with -backend-config or in the environment" in result.text
    assert "# retry_max: set TF_HTTP_RETRY_MAX in the environment" in result.text
    assert f'address = "{server.url}"' in result.text


def test_from_a_backend(old: Path, server: StateServer, statetool: Statetool) -> None:
    """The state is deleted in the version that was copied, and the answer is awaited under the lock."""
    record = {"address": server.url, "lock_address": server.url, "unlock_address": server.url}
    text = json.dumps({"version": 3, "backend": {"type": "http", "config": record, "hash": 1}})
    _write(old / ".terraform" / STATE, text.encode())
    server.state = BLUE
    result = statetool("move-backend", "old", "--delete-source", "--yes")
    assert result.status == 0, result.err
    assert [server.state, server.holder] == [None, None]
    assert (old / "new" / "x").read_bytes() == BLUE


def test_goes_on_after_a_failure(old: Path, server: StateServer, statetool: Statetool) -> None:
    (old / "terraform.tfstate.d" / "blue" / STATE).unlink()
    _configure(old, _http(server))
    server.faults += [("POST", Fault(status=403))]
    failed = statetool("move-backend", "old", "--delete-source", "--yes")
    assert (failed.status, server.state, server.holder) == (2, None, None)
    assert (old / STATE).read_bytes() == INDENTED
    assert statetool("move-backend", "old", "--delete-source", "--yes").status == 0
    assert server.state == INDENTED


def test_the_block_means_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is to be pasted has the same settings as the block that was read, but for the secrets."""
    from statefmt.locations import found_state
    from statefmt.render.stores import backend_block

    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    lines = (
        'bucket = "b"', r'key = "a \"b\" $${c} %%{d} é\n"', "use_lockfile = true", f'secret_key = "{SECRET}"',
        'endpoints = { s3 = "https://s3.example", sts = "https://sts.example" }', "max_retries = 7",
        'allowed_account_ids = ["1", "2"]', f'http_proxy = "http://u:{SECRET}@proxy.example"',
    )  # fmt: skip
    _configure(folder / "a", 'backend "s3" {\n' + "\n".join(lines) + "\n  }")
    first = found_state(system_context(), "a")
    text = backend_block(first)
    _write(folder / "b" / "main.tf", text.encode())
    second = found_state(system_context(), "b")
    assert {name: value for name, value in first.values.items() if SECRET not in str(value)} == second.values
    assert first.values["key"] == 'a "b" ${c} %{d} é\n'
    assert SECRET not in text
    assert "# region: set AWS_REGION in the environment" in text
    assert "# http_proxy: a secret;" in text
