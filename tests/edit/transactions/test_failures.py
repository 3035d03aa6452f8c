"""Writes that fail, and others who write meanwhile: nothing of theirs is lost, and the way out is named."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest

from statefmt.cli.main import main
from statefmt.edit.changes import Ending
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.edit.pipeline import EditOptions
from statefmt.edit.transactions import applied
from statefmt.edit.transactions._ending import ended
from statefmt.edit.transactions.plan import Intent, Pin
from statefmt.edit.transactions.staging import staging
from statefmt.model.errors import ChangedError, LockedError, StoreError
from statefmt.schema_problems import schema_text
from statefmt.store.opening import RemoteStore
from statefmt.store.protocol import LockStatus
from tests.edit.transactions.three_states import CHAIN, CIRCLE, CREATION, Scene, objects, scene, state
from tests.store.remote.file_client import FileClient

FOREIGN = state("app", ("own",))


@pytest.fixture
def half_done(tmp_path: Path) -> Scene:
    """A change that stopped after its first write, since the answer to the second one was lost."""
    made = scene(tmp_path / "s", CIRCLE)
    (made.far / "write.before.lost").write_text("1 2 3")
    with pytest.raises(StoreError, match=r"the state still has its previous content.* The states stay locked\."):
        made.apply()
    (made.far / "write.before.lost").unlink()
    return made


def test_a_refused_write_is_taken_back(tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CIRCLE)
    old = made.contents
    (made.far / "write.before.broken").touch()
    with pytest.raises(StoreError, match=r"the service is down\. All other states are as they were before$"):
        made.apply()
    assert made.contents == old
    assert made.leftovers == set()


def test_what_somebody_else_has_written_is_left(tmp_path: Path) -> None:
    """Without a lock, somebody writes the second state while the first one is written."""
    made = scene(tmp_path / "s", CIRCLE)
    old = made.contents
    file = read_operations_file("x", made.file.read_bytes())

    def agreed(_: object) -> bool:
        (made.far / "state").write_bytes(FOREIGN)
        return True

    with pytest.raises(StoreError, match=r"changed\. All other states are as they were before$"):
        applied(made.context, made.participants, made.intent(), staging(file), agreed=agreed)
    assert made.contents == {**old, "far": FOREIGN}
    assert made.leftovers == set()


@pytest.mark.parametrize("back", [False, True])
def test_a_lost_answer(half_done: Scene, back: bool) -> None:
    old = {name: half_done.contents[name] for name in ("net", "far")}
    half_done.end(back=back)
    assert half_done.leftovers == set()
    assert ({name: half_done.contents[name] for name in old} == old) is back
    with pytest.raises(StoreError, match="there is no unfinished apply of this file on this machine"):
        half_done.end(back=back)


@pytest.mark.parametrize("name", ["app", "far"])
@pytest.mark.parametrize("back", [False, True])
def test_what_somebody_else_wrote_in_between_is_left(half_done: Scene, name: str, back: bool) -> None:
    path = half_done.far / "state" if name == "far" else half_done.folder / f"{name}.tfstate"
    path.write_bytes(FOREIGN)
    contents = half_done.contents
    located = "s3://bucket/far.tfstate" if name == "far" else str(path)
    with pytest.raises(StoreError, match=f"^{re.escape(located)}: something else has written since the change began"):
        half_done.end(back=back)
    assert half_done.contents == contents
    # All are still held.
    assert half_done.leftovers >= {".app.tfstate.statetool.hold", "journal.json", "lock"}
    half_done.leave()
    assert half_done.leftovers == set()
    assert half_done.contents == contents


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("name", ["app", "net", "far"])
def test_a_state_that_was_deleted_in_between_is_not_made_anew(half_done: Scene, name: str, back: bool) -> None:
    path = half_done.far / "state" if name == "far" else half_done.folder / f"{name}.tfstate"
    path.unlink()
    contents = half_done.contents
    with pytest.raises(StoreError, match=r": something else has deleted the state since the change began; .* --leave "):
        half_done.end(back=back)
    assert half_done.contents == contents
    half_done.leave()
    assert half_done.leftovers == set()
    assert half_done.contents == contents
    assert not path.exists()


def test_a_folder_that_was_deleted_in_between(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other states can be edited again."""
    made = scene(tmp_path / "s", CIRCLE)
    monkeypatch.setattr(Scene, "local", {"app": made.folder / "app.tfstate", "net": made.folder / "in/net.tfstate"})
    (made.folder / "in").mkdir()
    (made.folder / "net.tfstate").rename(made.folder / "in/net.tfstate")
    (made.far / "write.before.lost").write_text("1 2 3")
    with pytest.raises(StoreError, match=r"The states stay locked\."):
        made.apply()
    (made.far / "write.before.lost").unlink()
    shutil.rmtree(made.folder / "in")
    with pytest.raises(StoreError, match=r"net\.tfstate: there is no such file or folder.* --leave "):
        made.end(back=True)
    made.leave()
    assert made.leftovers == set()
    assert not (made.folder / "in").exists()


def test_what_was_created_before_a_failure_is_removed(tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CREATION)
    old = made.contents
    (made.far / "write.before.broken").touch()
    with pytest.raises(StoreError, match=r"the service is down\. All other states are as they were before$"):
        made.apply()
    assert made.contents == old
    assert made.leftovers == set()
    assert not made.local["fresh"].exists()


def test_a_created_state_that_cannot_be_deleted_is_emptied(tmp_path: Path) -> None:
    """Somebody writes the last state, without a lock, so that all others are taken back."""
    made = scene(tmp_path / "s", CREATION)
    old = made.contents
    (made.far / "delete.before.broken").touch()
    file = read_operations_file("x", made.file.read_bytes())

    def agreed(_: object) -> bool:
        made.local["app"].write_bytes(FOREIGN)
        return True

    with pytest.raises(StoreError, match=r"All other states are as they were before$"):
        applied(made.context, made.participants, made.intent(), staging(file), agreed=agreed)
    assert made.leftovers == set()
    assert not made.local["fresh"].exists()
    emptied = made.contents["far"]
    assert made.contents == {**old, "app": FOREIGN, "far": emptied}
    assert {"resources": [], "outputs": {}}.items() <= json.loads(emptied).items()
    [note] = [one for one in made.notes if "without any objects" in one]
    assert note == (
        "delete.before: the service is down. So the state is still there, without any objects; delete it yourself"
    )


def test_what_arrives_at_a_taken_address_has_another_name_until_then(half_done: Scene) -> None:
    assert objects(half_done.contents["app"]) == {
        "terraform_data.own": "app-own",
        "terraform_data.shared": "app-shared",
        "terraform_data.statetool_arriving_shared": "far-shared",
        "terraform_data.vpc": "app-vpc",
    }
    half_done.end(back=False)
    assert objects(half_done.contents["app"])["terraform_data.shared"] == "far-shared"
    assert b"statetool_arriving" not in half_done.contents["app"]


def test_statetool_keeps_out(half_done: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    """Also in states that are not written yet, and also without a lock."""
    for name in ("app", "net"):
        path = half_done.folder / f"{name}.tfstate"
        for command in (
            ["rm", "-y", "terraform_data.own"],
            ["rm", "--no-lock", "-y", "terraform_data.own"],
            ["taint", "terraform_data.own"],
        ):
            assert main([*command, "--state", str(path)]) == 2
            err = capsys.readouterr().err
            assert "and it is unfinished; nothing was written" in err
            assert f"`statetool apply --abort {half_done.file}` takes it back" in err
        assert main(["list", "--state", str(path)]) == 0
    with (
        pytest.raises(LockedError, match="locked by"),
        half_done.participants["far"].store.locked(half_done.context.lock_info("far", "mv"), 0),
    ):
        pass


def test_a_state_in_a_backend_has_a_marker_on_this_machine(half_done: Scene) -> None:
    """Its lock may end with the session, and its history must not be shortened: that takes the change back."""
    (half_done.far / "lock").unlink()
    store, info = half_done.participants["far"].store, half_done.context.lock_info("far", "mv")
    assert isinstance(store, RemoteStore)
    for timeout in (0, None):
        with (
            pytest.raises(LockedError, match=r"s3://bucket/far\.tfstate: .* and it is unfinished"),
            store.locked(info, timeout),
        ):
            pass
    assert not (half_done.far / "lock").exists()
    with pytest.raises(LockedError, match="and it is unfinished; nothing was written"):
        store.history.keep(1, info)
    with pytest.raises(LockedError, match="and it is unfinished; nothing was written"):
        store.history.prune(store.history.pruning(keep=1), None, info)
    half_done.end(back=True)
    store.history.keep(1, info)


@pytest.mark.parametrize("name", ["app", "net", "far"])
def test_locks_say_what_holds_a_state(half_done: Scene, name: str) -> None:
    found = half_done.participants[name].store.lock_state()
    assert found.status is LockStatus.HELD
    assert found.holder is not None
    assert found.change is not None
    assert found.change.ending == ("apply", str(half_done.file))
    half_done.end(back=True)
    assert half_done.participants[name].store.lock_state().status is LockStatus.FREE


def test_locks_of_files_name_the_ways_out(half_done: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(half_done.folder / "app.tfstate")
    assert main(["locks", path]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert f"{path}: locked until a change of several states has ended" in out
    assert f"`statetool apply --resume {half_done.file}` finishes the change" in out
    assert main(["locks", path, "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json.loads(schema_text("locks-output")))
    [found] = document["states"]
    assert found["change"]["abort"] == f"statetool apply --abort {half_done.file}"
    assert main(["unlock", "-y", "--state", path, found["lock"]["id"]]) == 2
    assert "and it is unfinished" in capsys.readouterr().err


def test_locks_with_a_damaged_marker(half_done: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    (half_done.folder / ".app.tfstate.statetool.hold").write_bytes(b"{")
    assert main(["locks", str(half_done.folder / "app.tfstate")]) == 1
    assert "`statetool apply --resume FILE` finishes the change" in " ".join(capsys.readouterr().out.split())


def test_no_other_change_begins(half_done: Scene) -> None:
    with pytest.raises(StoreError, match="an earlier apply of this file is unfinished; nothing was written"):
        half_done.apply()
    other = half_done.folder / "other.stateops.hcl"
    other.write_bytes(half_done.file.read_bytes())
    intent = Intent(str(other), "", EditOptions(command="apply"))
    with pytest.raises(LockedError, match=f"--resume {re.escape(str(half_done.file))}"):
        applied(
            half_done.context, half_done.participants, intent, staging(read_operations_file("x", other.read_bytes()))
        )


def test_another_file_than_it_began_with(half_done: Scene) -> None:
    half_done.file.write_text(half_done.file.read_text() + "\n")
    with pytest.raises(StoreError, match="the file was changed since its apply began; nothing was written"):
        half_done.end(back=False)
    half_done.end(back=True)
    assert half_done.leftovers == set()


def test_another_state_than_it_began_with(half_done: Scene) -> None:
    states = half_done.participants
    states["net"] = states["net"]._replace(identity="other")
    contents = half_done.contents
    with pytest.raises(StoreError, match=r"the state net was .*net\.tfstate when the apply of this file began"):
        ended(half_done.context, states, half_done.intent(), staging(read_operations_file("x", b"")), Ending.FINISH)
    assert half_done.contents == contents


def test_a_journal_has_hashes_and_no_values(half_done: Scene) -> None:
    [journal] = half_done.folder.glob("home/statetool/applies/*/journal.json")
    assert journal.stat().st_mode & 0o777 == 0o600
    assert b"own" not in journal.read_bytes()
    assert [write["state"] for write in json.loads(journal.read_bytes())["writes"]] == ["app", "far", "net", "app"]


def test_a_locked_state_stops_all(tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CHAIN)
    old = made.contents
    FileClient(made.far, "far").lock(made.context.lock_info("far", "plan"))
    with pytest.raises(LockedError, match=r"s3://bucket/far.tfstate: locked by"):
        made.apply()
    assert made.contents == old
    assert made.leftovers == {"lock"}


def test_pins(tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CHAIN)
    old = made.contents
    file = read_operations_file("x", made.file.read_bytes())
    for pin, message in (
        (Pin(lineage="other"), r"net.tfstate: the lineage is lineage-net, not other: this is another state"),
        (Pin(serial=6), r"net.tfstate: the serial is 7, not 6: the state was changed"),
        (Pin(hash="0" * 64), r"net.tfstate: the content was changed"),
        (Pin(result="0" * 64), r"net.tfstate: the operations have another result than before"),
    ):
        with pytest.raises(ChangedError, match=message):
            applied(made.context, made.participants, made.intent(), staging(file), pins={"net": pin})
    assert made.contents == old
    assert made.leftovers == set()


def test_without_a_history_a_state_could_not_be_taken_back(tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CHAIN)
    made.variables["STATETOOL_REMOTE_HISTORY"] = "off"
    with pytest.raises(StoreError, match="can be neither finished nor taken back after a crash; nothing was written"):
        made.apply()
    assert made.leftovers == set()
