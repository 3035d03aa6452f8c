"""`copy`: from any place to any other, byte for byte, and what it refuses."""

from __future__ import annotations

import json
import re
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest

import statefmt
from statefmt.cli.run import system_context
from tests.cli.conftest import PROGRAM, Program, Statetool
from tests.cli.encrypted import encrypted
from tests.cli.states import HAND_EDITED, INDENTED, LINEAGE, V3, resource, state
from tests.cli.test_json_output import _assert_valid
from tests.servers.http import Fault, StateServer, state_server

STATE = "terraform.tfstate"
OLDER = INDENTED.replace(b'"serial": 7', b'"serial": 6')
OTHER = OLDER.replace(LINEAGE.encode(), b"another-lineage")


def _names() -> list[str]:
    return sorted(path.name for path in Path().iterdir())


def _words(message: str) -> str:
    return " ".join(message.split())


@pytest.mark.parametrize("content", [INDENTED, HAND_EDITED, V3], ids=["canonical", "by hand", "version 3"])
def test_exact_bytes(content: bytes, statetool: Statetool) -> None:
    Path("from").write_bytes(content)
    result = statetool("copy", "from", "to")
    assert (result.status, result.err) == (0, "")
    assert Path("to").read_bytes() == Path("from").read_bytes() == content
    assert stat.S_IMODE(Path("to").stat().st_mode) == 0o600
    assert _names() == ["from", "to"]


def test_from_and_to_a_workspace(statetool: Statetool) -> None:
    Path(STATE).write_bytes(INDENTED)
    assert statetool("copy", ".", ".", "--to-workspace", "blue").status == 0
    assert Path("terraform.tfstate.d/blue", STATE).read_bytes() == INDENTED
    assert statetool("copy", ".", "out", "--from-workspace", "blue").status == 0
    assert Path("out").read_bytes() == INDENTED


def test_a_lower_serial_is_replaced_and_kept(statetool: Statetool) -> None:
    Path("from").write_bytes(INDENTED)
    Path("to").write_bytes(OLDER)
    result = statetool("copy", "from", "to", "--yes")
    assert result.status == 0
    assert Path("to").read_bytes() == INDENTED
    (backup,) = Path().glob("to.*.backup")
    assert backup.read_bytes() == OLDER
    assert str(backup) in result.err
    assert statetool("undo", "to", "--yes").status == 0


def test_json(statetool: Statetool) -> None:
    Path("from").write_bytes(INDENTED)
    Path("to").write_bytes(OLDER)
    for options, written in ((["--dry-run"], False), (["--yes"], True)):
        document = json.loads(statetool("copy", "from", "to", "--format", "json", *options).out)
        _assert_valid(document, "copy-output")
        (one,) = document["states"]
        assert (one["action"], one["serial"], one["replaced_serial"], one["written"]) == ("replace", 7, 6, written)
        assert one["sha256"] == sha256(INDENTED).hexdigest()
    assert Path(one["backup"]).read_bytes() == OLDER


def test_nothing_to_do(statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    for name in ("from", "to"):
        Path(name).write_bytes(INDENTED)
    before = tree()
    result = statetool("copy", "from", "to")
    assert (result.status, result.err) == (0, "")
    assert b"has the same content" in result.out
    assert tree() == before


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        (INDENTED, OTHER, "there is another state already, with the lineage another-lineage"),
        (OLDER, INDENTED, "its serial is 7, and that of from is 6: only a state with a lower serial is replaced"),
        (INDENTED, INDENTED.replace(b"zone", b"area"), "its serial is 7, and that of from is 7"),
        (INDENTED, OLDER.replace(LINEAGE.encode(), b""), "to has no lineage"),
        (INDENTED, b"no state", "to: this state cannot be used"),
        (b"no state", OLDER, "from: this state cannot be used"),
        (b"", OLDER, "from: there is no state to copy"),
        (None, OLDER, "from: there is no such file"),
    ],
)
@pytest.mark.parametrize("option", ["--dry-run", "--yes"])
def test_refused(
    source: bytes | None, target: bytes, reason: str, option: str, statetool: Statetool,
    tree: Callable[[], dict[str, bytes]],
) -> None:  # fmt: skip
    if source is not None:
        Path("from").write_bytes(source)
    Path("to").write_bytes(target)
    before = tree()
    result = statetool("copy", "from", "to", option)
    assert (result.status, result.out) == (2, b"")
    if source is not None or option == "--yes":
        assert reason in _words(result.err)
    assert tree() == before


@pytest.mark.parametrize("target", [None, OLDER], ids=["nothing there", "an older state there"])
def test_dry_run(target: bytes | None, statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    Path("from").write_bytes(INDENTED)
    if target is not None:
        Path("to").write_bytes(target)
    before = tree()
    result = statetool("copy", "from", "to", "--dry-run")
    assert (result.status, _words(result.err)) == (0, "dry run: nothing was written")
    assert (b"is created" if target is None else b"is replaced (serial 6)") in result.out
    assert tree() == before


def test_a_replacement_needs_an_answer(statetool: Statetool, tree: Callable[[], dict[str, bytes]]) -> None:
    Path("from").write_bytes(INDENTED)
    Path("to").write_bytes(OLDER)
    before = tree()
    result = statetool("copy", "from", "to")
    assert result.status == 2
    assert "needs confirmation, and there is no terminal to ask on; nothing was written" in _words(result.err)
    assert tree() == before


@pytest.mark.parametrize("other", ["from", "./from", "link", "hard"])
def test_onto_itself(other: str, statetool: Statetool) -> None:
    Path("from").write_bytes(INDENTED)
    Path("link").symlink_to("from")
    Path("hard").hardlink_to("from")
    result = statetool("copy", "from", other, "--yes")
    assert result.status == 2
    assert "this is both the source and the target" in _words(result.err)


def test_no_folder(statetool: Statetool) -> None:
    Path("from").write_bytes(INDENTED)
    result = statetool("copy", "from", "missing/to")
    assert (result.status, _names()) == (2, ["from"])
    assert "missing/to: there is no such file or folder" in _words(result.err)


@pytest.mark.parametrize("place", ["-", "git:HEAD:x"])
def test_no_place(place: str, statetool: Statetool) -> None:
    Path("from").write_bytes(INDENTED)
    result = statetool("copy", "from", place)
    assert result.status == 2
    assert "only a file or a state in a backend can be named here" in _words(result.err)


@pytest.mark.parametrize("locked", ["from", "to"])
def test_a_lock_on_either_side(locked: str, program: Program) -> None:
    """Whoever holds one of the two locks keeps a copy out, and nothing is left of it."""
    Path("from").write_bytes(INDENTED)
    Path("to").write_bytes(OLDER)
    context = system_context()
    with statefmt.open(locked, context=context).edit("hold") as edit:
        result = program("copy", "from", "to", "--yes")
        edit.cancel()
    assert (result.status, result.out) == (2, b"")
    assert f"{locked}: locked by" in _words(result.err)
    assert _names() == ["from", "to"]
    assert Path("to").read_bytes() == OLDER


def test_both_are_locked(program: Program) -> None:
    """While it asks, it holds both locks; a second process is shut out of each."""
    from statefmt.backends import LockStatus, PlaceName, Transfer, TransferTerms, lock_states, route, transferred

    Path("from").write_bytes(INDENTED)
    Path("to").write_bytes(OLDER)
    context = system_context()
    seen: list[LockStatus] = []

    def agreed(transfers: object) -> bool:
        seen.extend(state.status for state in lock_states(context, ["from", "to"]))
        for name in ("from", "to"):
            refused = program("set-serial", "50", "--yes", "--state", name)
            assert (refused.status, f"{name}: locked by" in _words(refused.err)) == (2, True)
        return False

    terms = TransferTerms("copy", "statetool copy from to", agreed=agreed)
    (one,) = transferred(context, [route(context, PlaceName("from"), PlaceName("to"))], terms)
    assert isinstance(one, Transfer)
    assert not one.is_written
    assert seen == [LockStatus.HELD] * 2
    assert Path("to").read_bytes() == OLDER


def test_encrypted_stays_encrypted(statetool: Statetool) -> None:
    content = encrypted(INDENTED, "new")
    Path("from").write_bytes(content)
    result = statetool("copy", "from", "to")
    assert result.status == 0
    assert "1 state copied as encrypted" in _words(result.err)
    assert Path("to").read_bytes() == content


def test_no_secret_is_shown(statetool: Statetool) -> None:
    secret = state(resource("a", "b", {"attributes": {"password": "canary-7f3a"}}))
    Path("from").write_bytes(secret)
    result = statetool("copy", "from", "to")
    assert result.status == 0
    assert b"canary" not in result.out + result.err.encode()


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


def test_through_a_backend(server: StateServer, statetool: Statetool) -> None:
    Path("from").write_bytes(INDENTED)
    where = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    result = statetool("copy", "from", where)
    assert result.status == 0, result.err
    assert (server.state, server.holder) == (INDENTED, None)
    assert statetool("copy", where, "to").status == 0
    assert Path("to").read_bytes() == INDENTED


def test_a_server_that_stores_something_else(server: StateServer, statetool: Statetool) -> None:
    Path("from").write_bytes(INDENTED)
    where = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    server.faults += [("POST", Fault(ignored=True))]
    result = statetool("copy", "from", where)
    assert (result.status, server.state, server.holder) == (2, None, None)


def test_in_a_program() -> None:
    """The library gives what the command shows."""
    from statefmt.backends import PlaceName, TransferAction, TransferTerms, route, transferred

    Path("from").write_bytes(INDENTED)
    context = system_context()
    routes = [route(context, PlaceName("from"), PlaceName("to"))]
    (one,) = transferred(context, routes, TransferTerms("copy", "a program"))
    assert (one.comparison.action, one.comparison.head.serial, one.size) == (TransferAction.CREATE, 7, len(INDENTED))
    assert one.is_written
    assert json.loads(Path("to").read_bytes())["serial"] == 7


def test_interrupted_while_it_waits(server: StateServer, program: Program, home: Path) -> None:
    """A copy that has locked one side, and waits for the other, gives its lock back."""
    Path("x").write_bytes(INDENTED)
    server.state = OLDER
    where = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    context = system_context()
    with statefmt.open("x", context=context).edit("hold") as edit:
        command = [str(PROGRAM), "copy", "x", where, "--yes", "--lock-timeout", "60s"]
        with subprocess.Popen(
            command, env={**program.environment, "XDG_STATE_HOME": str(home)}, stderr=subprocess.PIPE
        ) as waiting:
            while server.holder is None:
                assert waiting.poll() is None
                time.sleep(0.01)
            waiting.send_signal(signal.SIGINT)
            waiting.communicate(timeout=60)
        edit.cancel()
    assert waiting.returncode != 0
    assert [server.holder, server.state] == [None, OLDER]
    assert Path("x").read_bytes() == INDENTED


def test_killed_while_it_writes(server: StateServer, program: Program, statetool: Statetool, home: Path) -> None:
    """It leaves the lock that Terraform would leave; the next command names it, and goes on once it is removed."""
    Path("from").write_bytes(INDENTED)
    where = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    server.faults += [("POST", Fault(hangs=True, ignored=True))]
    with subprocess.Popen(
        [str(PROGRAM), "copy", "from", where], env={**program.environment, "XDG_STATE_HOME": str(home)}
    ) as writing:
        while "POST" not in server.methods:
            assert writing.poll() is None
            time.sleep(0.01)
        writing.kill()
    assert not server.state
    identity = (server.holder or {})["ID"]
    refused = statetool("copy", "from", where)
    assert (refused.status, identity in refused.err) == (2, True)
    assert statetool("unlock", identity, "--state", where, "--yes").status == 0
    assert statetool("copy", "from", where).status == 0
    assert [server.holder, server.state] == [None, INDENTED]


_EMPTY = b'{"version": 4, "terraform_version": "1.9.0", "serial": 2, "lineage": "empty", "outputs": {}}'


@pytest.mark.parametrize("command", ["copy from to", "restore from to --yes"])
@pytest.mark.parametrize(
    ("target", "lineage"),
    [
        (_EMPTY, "empty"),
        (OTHER, "another-lineage"),
        (INDENTED, LINEAGE),
        (INDENTED.replace(b"zone", b"area"), LINEAGE),
        (OLDER.replace(LINEAGE.encode(), b""), LINEAGE),
    ],
    ids=["an empty state", "another state", "a newer state", "a state as new", "a state without lineage"],
)
def test_the_way_in_is_named(command: str, target: bytes, lineage: str, statetool: Statetool) -> None:
    """A refusal names the commands that put the content there, and they do."""
    source = OLDER if target == INDENTED else INDENTED
    Path("from").write_bytes(source)
    Path("to").write_bytes(target)
    wanted = statetool("list", "--state", "from").text
    refused = statetool(*command.split(" "))
    if refused.status == 0:
        # A restore may replace it.
        assert command.startswith("restore")
        return
    if "move to away first" in refused.err.replace("\n  ", " "):
        Path("to").rename("away")
        assert statetool(*command.split(" ")).status == 0
        assert statetool("list", "--state", "to").text == wanted
        return
    lines = re.findall("`statetool ([^`]+)`", refused.err.replace("\n  ", " "))
    assert lines, refused.err
    assert Path("to").read_bytes() == target
    for line in lines:
        done = statetool(*line.split(" "), "--yes")
        assert done.status == 0, (line, done.err)
    assert statetool("list", "--state", "to").text == wanted
    assert json.loads(Path("to").read_bytes())["lineage"] == lineage


def test_nothing_is_offered_to_move_out_of_an_empty_state(statetool: Statetool) -> None:
    Path("from").write_bytes(_EMPTY)
    Path("to").write_bytes(INDENTED)
    assert "statetool" not in statetool("copy", "from", "to").err.removeprefix("statetool: ")
