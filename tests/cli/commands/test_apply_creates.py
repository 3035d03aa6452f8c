"""`create = true` in operations files: states that are not there yet, as the destinations of moves."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from statefmt import read, write
from tests.adversary.runs import Forks
from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.edit.transactions.three_states import objects, owners, state
from tests.servers.http import Fault, StateServer, state_server
from tests.store.local.test_watched import NEEDS_STRACE

FILE = "x.stateops.hcl"
FRESH = "eu/fresh.tfstate"
STATES = 'state "app" { path = "app.tfstate" }\nstate "net" { path = "net.tfstate" }\n'
CREATED = f'state "fresh" {{\n  path   = "{FRESH}"\n  create = true\n}}\n'
MOVES = """move {
  from = state.app.terraform_data.vpc
  to   = state.fresh.terraform_data.vpc
}
move {
  from = state.net.terraform_data.subnet
  to   = state.fresh.terraform_data.subnet
}
"""
OLD_RELEASE = b"1.5.7"


@pytest.fixture(autouse=True)
def states(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    Path("app.tfstate").write_bytes(state("app", ("vpc", "own")).replace(b"1.11.0", OLD_RELEASE))
    Path("net.tfstate").write_bytes(state("net", ("subnet", "own")))
    Path(FILE).write_text(STATES + CREATED + MOVES)


def given(folder: Path, monkeypatch: pytest.MonkeyPatch, *, encrypts: bool) -> dict[str, str]:
    """Encrypt the states if asked; return the environment of a program that edits them."""
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    if encrypts:
        environment["TF_ENCRYPTION"] = json.dumps(configuration("new"))
        monkeypatch.setenv("TF_ENCRYPTION", environment["TF_ENCRYPTION"])
        for name in ("app", "net"):
            Path(f"{name}.tfstate").write_bytes(encrypted(Path(f"{name}.tfstate").read_bytes(), "new"))
    return environment


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        yield running


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*.tfstate")}


def test_a_state_is_created_as_it_was_planned(statetool: Statetool) -> None:
    """It has the release and the layout of the first state that objects come from, and serial 1."""
    shown = statetool("plan", FILE, "-o", "p.json")
    assert [line for line in shown.text.splitlines() if line.startswith("State ")] == [
        "State app: app.tfstate",
        "State net: net.tfstate",
        f"State fresh: {FRESH} (new)",
    ]
    assert not Path(FRESH).exists()
    planned = json.loads(Path("p.json").read_bytes())["states"]["fresh"]
    done = statetool("apply", "p.json")
    assert (done.status, done.err) == (0, "app.tfstate: written\neu/fresh.tfstate: written\nnet.tfstate: written\n")
    created = Path(FRESH).read_bytes()
    assert objects(created) == {"terraform_data.vpc": "app-vpc", "terraform_data.subnet": "net-subnet"}
    assert {**json.loads(created), "resources": 0} == {
        "version": 4, "terraform_version": "1.5.7", "serial": 1, "lineage": planned["lineage"], "outputs": {},
        "resources": 0, "check_results": None,
    }  # fmt: skip
    assert str(UUID(planned["lineage"])) == planned["lineage"]
    assert write(read(created).snapshot) == created
    assert Path(FRESH).stat().st_mode & 0o777 == 0o600
    assert all(len(places) == 1 for places in owners(contents()).values())


def test_the_lineage_differs_with_what_the_change_begins_with(statetool: Statetool) -> None:
    lineages: list[str] = []
    for number, change in enumerate(("", "app", "file")):
        if change == "app":
            assert statetool("taint", "--state", "app.tfstate", "terraform_data.own").status == 0
        if change == "file":
            Path(FILE).write_text(Path(FILE).read_text() + "\n")
        assert statetool("plan", FILE, "-o", f"{number}.json").status == 0
        lineages.append(json.loads(Path(f"{number}.json").read_bytes())["states"]["fresh"]["lineage"])
    assert len(set(lineages)) == 3


@pytest.mark.parametrize("command", [["plan"], ["apply", "-y"]])
def test_a_missing_state_is_not_created_unasked(statetool: Statetool, command: list[str]) -> None:
    Path(FILE).write_text(STATES + CREATED.replace("true", "false") + MOVES)
    old = contents()
    refused = statetool(*command, FILE)
    assert refused.status == 2
    assert f"{FRESH}: there is no such file" in refused.err
    assert "To create the state, add create = true to its block" in refused.err
    assert contents() == old


@pytest.mark.parametrize("command", [["plan"], ["apply", "-y"]])
def test_a_state_that_is_there_is_not_replaced(statetool: Statetool, command: list[str]) -> None:
    Path("eu").mkdir()
    Path(FRESH).write_bytes(state("fresh", ("own",)))
    old = contents()
    refused = statetool(*command, FILE)
    assert refused.status == 2
    assert f"{FRESH}: there is a state already; nothing was written. Remove create = true" in refused.err
    assert contents() == old


@pytest.mark.parametrize("content", [b"", state("fresh", ())], ids=["no bytes", "no objects"])
def test_a_state_that_is_empty_is_taken_as_new(content: bytes, statetool: Statetool) -> None:
    Path("eu").mkdir()
    Path(FRESH).write_bytes(content)
    assert statetool("plan", FILE, "-o", "p.json").status == 0
    assert statetool("apply", "p.json").status == 0
    created = json.loads(Path(FRESH).read_bytes())
    assert objects(Path(FRESH).read_bytes()) == {"terraform_data.vpc": "app-vpc", "terraform_data.subnet": "net-subnet"}
    assert (created["serial"], created["lineage"] == "lineage-fresh") == ((8, True) if content else (1, False))
    assert statetool("undo", "-y", "--state", "app.tfstate").status == 0
    assert statetool("apply", "-y", FILE).status == 0
    assert owners(contents())["app-vpc"] == [FRESH]


@pytest.mark.parametrize("what", ["outputs", "check_results"])
def test_a_state_without_resources_may_have_something(what: str, statetool: Statetool) -> None:
    document = json.loads(state("fresh", ()))
    output = {"out": {"value": "1", "type": "string"}}
    check = {"object_kind": "check", "config_addr": "check.a", "status": "pass", "objects": None}
    Path("eu").mkdir()
    Path(FRESH).write_text(json.dumps(document | {what: output if what == "outputs" else [check]}))
    refused = statetool("apply", "-y", FILE)
    assert refused.status == 2
    assert "there is a state already; nothing was written" in refused.err


def test_a_plan_is_refused_once_the_state_is_there(statetool: Statetool) -> None:
    assert statetool("plan", FILE, "-o", "p.json").status == 0
    Path("eu").mkdir()
    Path(FRESH).write_bytes(state("fresh", ("own",)))
    old = contents()
    assert statetool("apply", "p.json").status == 2
    assert contents() == old


def test_nothing_is_created_if_the_user_does_not_agree(statetool: Statetool) -> None:
    old = contents()
    assert statetool("apply", FILE).status == 2
    assert contents() == old


def test_all_states_cannot_be_new(statetool: Statetool) -> None:
    Path(FILE).write_text(CREATED)
    refused = statetool("plan", FILE)
    assert refused.status == 2
    assert "no other state is named that its objects could come from" in refused.err


def test_two_states_cannot_be_created_at_once_in_postgresql(statetool: Statetool) -> None:
    """One session would wait for the other; nothing is asked of the server."""
    places = [f"pg://127.0.0.1:1/db?schema={name}" for name in ("a", "b")]
    Path(FILE).write_text(
        STATES + "".join(f'state "s{n}" {{\n  path = "{url}"\n  create = true\n}}\n' for n, url in enumerate(places))
    )
    refused = statetool("apply", "-y", FILE)
    assert refused.status == 2
    assert "in PostgreSQL, only one state can be created at a time" in refused.err


def test_what_leaves_a_new_state_again_creates_nothing(statetool: Statetool) -> None:
    back = "move {\n  from = state.fresh.terraform_data.vpc\n  to = state.net.terraform_data.vpc\n}\n"
    Path(FILE).write_text(STATES + CREATED + MOVES[: MOVES.index("move", 4)] + back)
    assert statetool("apply", "-y", FILE).text
    assert not Path(FRESH).exists()
    assert owners(contents())["app-vpc"] == ["net.tfstate"]


def test_an_encrypted_state_begets_an_encrypted_one(
    statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
    for name in ("app", "net"):
        Path(f"{name}.tfstate").write_bytes(encrypted(Path(f"{name}.tfstate").read_bytes(), "new"))
    assert statetool("plan", FILE, "-o", "p.json").status == 0
    assert statetool("apply", "p.json").status == 0
    assert "terraform_data.vpc" in statetool("list", "--state", FRESH).text
    assert b"encrypted_data" in Path(FRESH).read_bytes()
    for path in folder.rglob("*"):
        assert path.is_dir() or b"app-vpc" not in path.read_bytes(), path


def test_mixed_encryption_is_refused_unless_the_file_allows_it(
    statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new state is encrypted since one of the two that its objects come from is."""
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "plain")))
    Path("net.tfstate").write_bytes(encrypted(Path("net.tfstate").read_bytes(), "new"))
    refused = statetool("apply", "-y", FILE)
    assert refused.status == 2
    assert "the state fresh is encrypted and app is not, so what moves there stays in plain in the backups" in (
        refused.err
    )
    assert "write allow_plain = true in the block of the state fresh" in refused.err
    Path(FILE).write_text(STATES + CREATED.replace("create", "allow_plain = true\n  create") + MOVES)
    assert statetool("apply", "-y", FILE).status == 0
    assert b"encrypted_data" in Path(FRESH).read_bytes()


def test_a_state_is_created_on_a_server(statetool: Statetool, server: StateServer) -> None:
    url = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    Path(FILE).write_text(STATES + CREATED.replace(FRESH, url) + MOVES)
    assert statetool("apply", "-y", FILE).status == 0
    assert objects(server.state or b"")["terraform_data.vpc"] == "app-vpc"
    assert server.lock_id == ""


@NEEDS_STRACE
@pytest.mark.parametrize("encrypts", [False, True])
def test_a_server_that_deletes_nothing_keeps_an_empty_state(
    encrypts: bool,
    statetool: Statetool,
    server: StateServer,
    forked: Forks,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The next apply takes it as the new state."""
    environment = given(folder, monkeypatch, encrypts=encrypts)
    old = contents()
    url = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    Path(FILE).write_text(STATES + CREATED.replace(FRESH, url) + MOVES)
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    assert forked(folder, "apply", "-y", FILE, strace=kill, environment=environment).status == -signal.SIGKILL
    server.faults = [("DELETE", Fault(status=405))]
    taken_back = statetool("apply", "--abort", FILE)
    assert taken_back.status == 0, taken_back.err
    assert "So the state is still there, without any objects; delete it yourself" in taken_back.err
    assert contents() == old
    assert server.lock_id == ""
    assert statetool("list", "--state", url).out == b""
    assert (b"encrypted_data" in (server.state or b"")) is encrypts
    lineage = "" if encrypts else json.loads(server.state or b"")["lineage"]
    assert statetool("apply", "-y", FILE).status == 0
    assert lineage.encode() in (server.state or b"")
    assert "terraform_data.vpc" in statetool("list", "--state", url).text


@NEEDS_STRACE
@pytest.mark.parametrize("encrypts", [False, True])
@pytest.mark.parametrize("option", ["--resume", "--abort"])
def test_after_a_crash(
    option: str, encrypts: bool, statetool: Statetool, forked: Forks, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the new state and the first of the others were written."""
    environment = given(folder, monkeypatch, encrypts=encrypts)
    old = contents()
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    assert forked(folder, "apply", "-y", FILE, strace=kill, environment=environment).status == -signal.SIGKILL
    created = Path(FRESH).read_bytes()
    assert created
    planned = statetool("plan", FILE)
    assert (planned.status, planned.out) == (2, b"")
    assert f"{FILE}: an earlier apply of this file is unfinished; nothing was written. `statetool apply --resume" in (
        planned.err
    )
    ended = statetool("apply", option, FILE)
    assert ended.status == 0, ended.err
    if option == "--abort":
        assert contents() == old
        assert list(Path("eu").iterdir()) == []
    else:
        assert Path(FRESH).read_bytes() == created
        assert "terraform_data.vpc" not in statetool("list", "--state", "app.tfstate").text


@NEEDS_STRACE
def test_a_created_state_that_was_changed_is_not_removed(statetool: Statetool, forked: Forks, folder: Path) -> None:
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    assert forked(folder, "apply", "-y", FILE, strace=kill, environment=environment).status == -signal.SIGKILL
    foreign = Path(FRESH).read_bytes().replace(b'"serial": 1', b'"serial": 2')
    Path(FRESH).write_bytes(foreign)
    refused = statetool("apply", "--abort", FILE)
    assert refused.status == 2
    assert f"{FRESH}: something else has written since the change began" in refused.err
    assert Path(FRESH).read_bytes() == foreign


def test_what_may_be_plain(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the state that objects come to allows it."""
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "plain")))
    Path("app.tfstate").write_bytes(encrypted(Path("app.tfstate").read_bytes(), "new"))
    move = "move {\n  from = state.app.terraform_data.vpc\n  to = state.net.terraform_data.vpc\n}\n"
    app, net = STATES.splitlines(keepends=True)
    for states, status in ((_allowing_plain(app) + net, 2), (app + _allowing_plain(net), 0)):
        Path(FILE).write_text(states + move)
        assert statetool("apply", "-y", FILE).status == status
    assert objects(Path("net.tfstate").read_bytes())["terraform_data.vpc"] == "app-vpc"
    assert b"encrypted_data" in Path("app.tfstate").read_bytes()


def _allowing_plain(block: str) -> str:
    return block.replace("{", "{\n ").replace(" }", "\n  allow_plain = true\n}")
