"""`undo` of a change of several states: from any of them, in all of them or in none."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

import statefmt
from statefmt import StoreError, operations_files
from statefmt.schema_problems import schema_text
from tests.adversary.runs import Forks
from tests.cli.commands.three_files import FILE, LOCAL, contents, write_files
from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.edit.transactions.three_states import BEFORE, CIRCLE, objects, owners, state
from tests.servers.http import StateServer, state_server
from tests.store.local.test_watched import NEEDS_STRACE

OLD = {name: {f"terraform_data.{one}": f"{name}-{one}" for one in resources} for name, resources in BEFORE.items()}


@pytest.fixture(autouse=True)
def states(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    write_files(CIRCLE)


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        yield running


def found() -> dict[str, dict[str, str]]:
    return {name: objects(content) for name, content in contents().items()}


@pytest.mark.parametrize("name", BEFORE)
def test_from_any_of_the_states(name: str, statetool: Statetool) -> None:
    statetool("apply", "-y", FILE)
    new = found()
    undone = statetool("undo", "-y", f"{name}.tfstate")
    assert undone.status == 0
    assert found() == OLD
    assert undone.out.count(b"serial 8 \xe2\x86\x92 9") == 3
    for other in BEFORE:
        # A redo, and an undo of that.
        assert statetool("undo", "-y", f"{other}.tfstate").status == 0
        assert found() in (OLD, new)
    assert found() == new
    assert list(Path().glob(".*.hold")) == []


def test_histories_name_the_others(statetool: Statetool, folder: Path) -> None:
    statetool("apply", "-y", FILE)
    statetool("undo", "-y", "net.tfstate")
    shown = json.loads(statetool("history", "--format", "json", "far.tfstate").out)
    jsonschema.validate(shown, json.loads(schema_text("history-output")))
    undo, apply = (edit["joint"] for edit in shown["edits"])
    assert undo["undoes"] == apply["id"]
    assert undo["states"] == apply["states"] == [str(folder / f"{name}.tfstate") for name in sorted(BEFORE)]
    assert undo["writes"] == apply["writes"][::-1]
    text = statetool("history", "far.tfstate").text
    assert f"Edited together with this state in edits 2, 1:\n  {folder}/app.tfstate\n  {folder}/net.tfstate\n" in text


def test_it_is_asked_about_and_shown_first(statetool: Statetool) -> None:
    statetool("apply", "-y", FILE)
    new = contents()
    refused = statetool("undo", "app.tfstate")
    assert refused.status == 2
    assert "needs confirmation" in refused.err
    assert refused.err.count("State ") >= 3
    shown = statetool("undo", "--dry-run", "app.tfstate")
    assert shown.status == 0
    assert '→ terraform_data.subnet from far.tfstate (id "net-subnet")' in shown.text
    assert contents() == new


@pytest.mark.parametrize(
    "option",
    [("--out", "x"), ("--backup", "x"), ("--expect-serial", "8"), ("--discard-changes",), ("--expect-hash", "0")],
)
def test_options_of_one_state(option: tuple[str, ...], statetool: Statetool) -> None:
    statetool("apply", "-y", FILE)
    new = contents()
    refused = statetool("undo", "-y", "app.tfstate", *option)
    assert refused.status == 2
    assert "add --only for this state only" in " ".join(refused.err.split())
    assert contents() == new


@pytest.mark.parametrize("by", ["statetool", "others"])
def test_a_state_that_was_changed_since_stops_all(by: str, statetool: Statetool, folder: Path) -> None:
    statetool("apply", "-y", FILE)
    if by == "statetool":
        statetool("taint", "--state", "far.tfstate", "terraform_data.own")
        what = "edit 2 (taint --state far.tfstate terraform_data.own) came after the change"
    else:
        path = Path("far.tfstate")
        path.write_bytes(path.read_bytes().replace(b"far-own", b"far-new"))
        what = f"something else has changed the state since edit 1 (apply -y {FILE})"
    new = contents()
    refused = statetool("undo", "-y", "net.tfstate")
    assert refused.status == 2
    assert f"far.tfstate: {what}, so the edit of several states cannot be undone in all of them" in refused.err
    assert contents() == new
    # An undo in one state would leave objects in two states and in none.
    assert "--only" not in refused.err
    if by == "others":
        assert (
            "Move the objects back instead: `statetool mv --from-state STATE --to-state STATE ADDRESS`" in refused.err
        )
        return
    way = refused.err.split("`")[1]
    assert way == f"statetool undo --to 2 --state {folder}/far.tfstate"
    assert statetool(*way.split()[1:], "-y").status == 0
    assert statetool("undo", "-y", "net.tfstate").status == 0
    assert found() == OLD


def test_later_edits_of_the_named_state(statetool: Statetool) -> None:
    """With --to, they are undone, too; those of others are not."""
    statetool("apply", "-y", FILE)
    statetool("taint", "--state", "net.tfstate", "terraform_data.own")
    assert statetool("undo", "-y", "--to", "1", "app.tfstate").status == 2
    assert statetool("undo", "-y", "--to", "1", "net.tfstate").status == 0
    assert found() == OLD


@pytest.mark.parametrize("undone_before", [False, True])
def test_further_back_than_the_change(undone_before: bool, statetool: Statetool) -> None:
    statetool("taint", "--state", "net.tfstate", "terraform_data.own")
    statetool("apply", "-y", FILE)
    if undone_before:
        assert statetool("undo", "-y", "app.tfstate").status == 0
    assert statetool("undo", "-y", "--to", "1", "net.tfstate").status == 0
    assert found() == OLD
    assert b"tainted" not in contents()["net"]
    # All of it is made again.
    assert statetool("undo", "-y", "net.tfstate").status == 0
    assert b"tainted" in contents()["net"]
    assert (found() == OLD) is undone_before


def test_a_copy_of_a_state_is_not_one_of_them(statetool: Statetool) -> None:
    statetool("apply", "-y", FILE)
    shutil.copytree(".net.tfstate.statetool", "copy/.net.tfstate.statetool")
    shutil.copy("net.tfstate", "copy/net.tfstate")
    new = contents()
    refused = statetool("undo", "-y", "copy/net.tfstate")
    assert refused.status == 2
    assert "the edit was made when this state was one of" in refused.err
    assert contents() == new


def test_a_folder_that_was_moved(statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On another machine, the states are below another folder."""
    statetool("apply", "-y", FILE)
    applied = found()
    (folder / "there/deep").mkdir(parents=True)
    for path in [path for path in folder.iterdir() if "tfstate" in path.name]:
        shutil.copytree(path, f"there/deep/{path.name}") if path.is_dir() else shutil.copy(path, "there/deep")
    monkeypatch.chdir(folder / "there/deep")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "other"))
    assert statetool("undo", "-y", "net.tfstate").status == 0
    assert found() == OLD
    # Those that were copied stay as they are.
    monkeypatch.chdir(folder)
    assert found() == applied


@pytest.mark.parametrize("place", ["/etc/passwd", "https://example.invalid/state", "missing.tfstate", "net.tfstate"])
def test_a_history_alone_decides_nothing(
    place: str, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder may come with one, from anybody: the other states must have the change, too."""
    statetool("taint", "--state", "net.tfstate", "terraform_data.own")
    statetool("apply", "-y", FILE)
    path = Path(".app.tfstate.statetool/history.json")
    named = place if "/" in place else str(folder / place)
    path.write_text(path.read_text().replace(str(folder / "far.tfstate"), named))
    if place == "net.tfstate":
        # A place that no state has.
        path.write_text(path.read_text().replace('"writes": [\n          0,', '"writes": [\n          99,'))
    # The change was made elsewhere.
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "other"))
    new = contents()
    refused = statetool("undo", "-y", "app.tfstate")
    assert refused.status == 2
    assert "nothing was written" in refused.err
    assert contents() == new


def test_on_another_machine(statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The histories of files are beside them."""
    statetool("apply", "-y", FILE)
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "other"))
    assert statetool("undo", "-y", "app.tfstate").status == 0
    assert found() == OLD


@pytest.mark.parametrize("named", ["net.tfstate", "server"])
def test_a_state_on_a_server(
    named: str, statetool: Statetool, server: StateServer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.state = Path("far.tfstate").read_bytes()
    url = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    Path(FILE).write_text(LOCAL.replace("far.tfstate", url) + CIRCLE)
    assert statetool("apply", "-y", FILE).status == 0
    assert objects(server.state) != OLD["far"]
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "other"))
    refused = statetool("undo", "-y", "net.tfstate")
    assert refused.status == 2
    assert "how the state was named is not recorded on this machine" in refused.err
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    done = statetool("undo", "-y", url if named == "server" else named)
    assert done.status == 0, done.err
    assert found() | {"far": objects(server.state)} == OLD
    assert server.holder is None


def test_states_of_folders_and_workspaces(
    statetool: Statetool, server: StateServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("infra/terraform.tfstate.d/prod").mkdir(parents=True)
    for name, place in (("app", "infra"), ("net", "infra/terraform.tfstate.d/prod")):
        shutil.move(f"{name}.tfstate", f"{place}/terraform.tfstate")
    server.state = Path("far.tfstate").read_bytes()
    Path("far").mkdir()
    Path("far/main.tf").write_text(
        f'terraform {{\n  backend "http" {{\n    address = "{server.url}"\n    lock_address = "{server.url}"\n'
        f'    unlock_address = "{server.url}"\n  }}\n}}\n'
    )
    net = 'state "net" {\n  path = "infra"\n  workspace = "prod"\n}\n'
    Path(FILE).write_text(f'state "app" {{ path = "infra" }}\n{net}state "far" {{ path = "far" }}\n{CIRCLE}')
    applied = statetool("apply", "-y", FILE)
    assert applied.status == 0, applied.err
    monkeypatch.chdir("infra")
    assert statetool("undo", "-y", "--workspace", "prod").status == 0
    assert objects(Path("terraform.tfstate").read_bytes()) == OLD["app"]
    assert objects(Path("terraform.tfstate.d/prod/terraform.tfstate").read_bytes()) == OLD["net"]
    assert objects(server.state) == OLD["far"]
    assert statetool("undo", "-y", "../far").status == 0
    assert objects(server.state) != OLD["far"]


def test_encrypted_states(statetool: Statetool, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
    for name, content in contents().items():
        Path(f"{name}.tfstate").write_bytes(encrypted(content, "new"))
    assert statetool("apply", "-y", FILE).status == 0
    assert statetool("undo", "-y", "net.tfstate").status == 0
    for path in folder.rglob("*"):
        assert path.is_dir() or b"app-vpc" not in path.read_bytes(), path
    for name in BEFORE:
        listed = statetool("list", "--state", f"{name}.tfstate").text.split()
        assert sorted(listed) == sorted(OLD[name])
    # The change is undone, and then the undo.
    assert statetool("undo", "-y", "far.tfstate").status == 0
    assert "terraform_data.from_app" in statetool("list", "--state", "net.tfstate").text


@NEEDS_STRACE
@pytest.mark.parametrize("name", BEFORE)
@pytest.mark.parametrize("option", ["--resume", "--abort"])
def test_after_a_crash(option: str, name: str, statetool: Statetool, forked: Forks, folder: Path) -> None:
    """Killed in its second write; any of the states names the undo."""
    statetool("apply", "-y", FILE)
    new = contents()
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    assert forked(folder, "undo", "-y", "far.tfstate", strace=kill, environment=environment).status == -signal.SIGKILL
    assert contents() != new
    refused = statetool("undo", "-y", f"{name}.tfstate")
    assert refused.status == 2
    assert "an earlier undo is unfinished; nothing was written" in refused.err
    ended = statetool("undo", option, f"{name}.tfstate")
    assert ended.status == 0, ended.err
    what = "as it was before" if option == "--abort" else "written"
    said = sorted(line for line in ended.err.splitlines() if "interrupted" not in line)
    assert said == [f"{one}.tfstate: {what}" for one in sorted(BEFORE)]
    assert found() == (OLD if option == "--resume" else {one: objects(content) for one, content in new.items()})
    assert (contents() == new) is (option == "--abort")
    again = statetool("undo", option, f"{name}.tfstate")
    assert again.status == 2
    assert "its history has no unfinished undo of several states on this machine" in again.err
    # What was taken back does not matter.
    assert statetool("undo", "-y", "app.tfstate").status == 0
    assert len(owners(contents())) == sum(map(len, BEFORE.values()))
    assert (found() == OLD) is (option == "--abort")


@NEEDS_STRACE
def test_an_apply_that_was_taken_back_is_no_edit(statetool: Statetool, forked: Forks, folder: Path) -> None:
    statetool("taint", "--state", "app.tfstate", "terraform_data.own")
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    assert forked(folder, "apply", "-y", FILE, strace=kill, environment=environment).status == -signal.SIGKILL
    refused = statetool("undo", "-y", "app.tfstate")
    assert refused.status == 2
    assert f"the apply is unfinished; nothing was written. `statetool apply --resume {folder / FILE}`" in refused.err
    assert statetool("apply", "--abort", FILE).status == 0
    assert b"tainted" in contents()["app"]
    assert statetool("undo", "app.tfstate").status == 0
    assert b"tainted" not in contents()["app"]
    assert found() == OLD


def test_states_that_were_created(statetool: Statetool) -> None:
    Path("far.tfstate").unlink()
    move = "move {\n  from = state.app.terraform_data.vpc\n  to = state.far.terraform_data.vpc\n}\n"
    block = 'state "far" {\n  path = "far.tfstate"\n  create = true\n}\n'
    Path(FILE).write_text('state "app" { path = "app.tfstate" }\n' + block + move)
    assert statetool("apply", "-y", FILE).status == 0
    # Its own history begins with the undo.
    assert statetool("undo", "-y", "far.tfstate").status == 0
    assert found() == {"app": OLD["app"], "net": OLD["net"], "far": {}}
    assert statetool("undo", "-y", "app.tfstate").status == 0
    assert found()["far"] == {"terraform_data.vpc": "app-vpc"}
    assert statetool("undo", "-y", "far.tfstate").status == 0
    Path("far.tfstate").write_bytes(state("far", ("own",)))
    assert statetool("undo", "-y", "app.tfstate").status == 2


def test_in_a_program(statetool: Statetool, folder: Path) -> None:
    statetool("apply", "-y", FILE)
    opened = statefmt.open("net.tfstate")
    with pytest.raises(StoreError, match=r"changed 3 states; nothing was written\. statefmt\.operations_files\.undo_"):
        opened.undo()
    context = statefmt.run_context(environment={"XDG_STATE_HOME": str(folder / "home")})
    outcome = operations_files.undo_together(context, "net.tfstate", options=operations_files.EditOptions(dry_run=True))
    assert len(outcome.outcomes) == 3
    operations_files.undo_together(context, "net.tfstate")
    assert found() == OLD
    assert opened.undo(only=True).written


def test_options_in_a_program(folder: Path) -> None:
    """A dry run writes nothing, and what is for one state is not ignored."""
    context = statefmt.run_context(environment={"XDG_STATE_HOME": str(folder / "home")})
    dry_run = operations_files.EditOptions(dry_run=True)
    assert len(operations_files.applied_operations(context, FILE, dry_run).outcomes) == 3
    with pytest.raises(StoreError, match="has no dry run; nothing was written"):
        operations_files.ended_operations(context, FILE, operations_files.Ending.FINISH, dry_run)
    with pytest.raises(StoreError, match="expect_hash: this option is for an edit of one state"):
        operations_files.applied_operations(context, FILE, operations_files.EditOptions(expect_hash="0" * 64))
    assert found() == OLD


def _move(statetool: Statetool, name: str, source: str, target: str, *options: str) -> None:
    move = ("mv", "-y", "--from-state", f"{source}.tfstate", "--to-state", f"{target}.tfstate", *options)
    assert statetool(*move, f"terraform_data.{name}").status == 0


def test_two_edits_one_after_the_other(statetool: Statetool) -> None:
    """Each of them can be undone, also once the other one is, and all can be made again."""
    _move(statetool, "vpc", "app", "far")
    first = found()
    _move(statetool, "subnet", "net", "far")
    both = found()
    done = statetool("undo", "-y", "far.tfstate")
    assert (done.status, found()) == (0, first)
    way = done.err.strip().split("; ")[-1].split("`")[1]
    assert way == "statetool undo --to 1 --state far.tfstate"
    assert statetool(*way.split()[1:], "-y").status == 0
    assert found() == OLD
    # An undo of each undo, from another state each time.
    assert statetool("undo", "-y", "app.tfstate").status == 0
    assert found() == first
    assert statetool("undo", "-y", "--to", "2", "net.tfstate").status == 0
    assert found() == both


def test_both_at_once_and_back_to_between_them(statetool: Statetool) -> None:
    _move(statetool, "vpc", "app", "far")
    first = found()
    _move(statetool, "subnet", "net", "far")
    both = found()
    assert statetool("undo", "-y", "--to", "1", "far.tfstate").status == 0
    assert found() == OLD
    # The content before edit 2 is as after edit 1, which is made again in both of its states.
    assert statetool("undo", "-y", "--to", "2", "far.tfstate").status == 0
    assert found() == first
    assert statetool("undo", "-y", "far.tfstate").status == 0
    assert found() == OLD
    assert statetool("undo", "-y", "--to", "3", "far.tfstate").status == 0
    assert found() == both


def test_what_one_state_got_from_a_third_one_is_undone_first(statetool: Statetool, folder: Path) -> None:
    _move(statetool, "vpc", "app", "net")
    _move(statetool, "vpc", "net", "far")
    new = contents()
    refused = statetool("undo", "-y", "app.tfstate")
    assert (refused.status, contents()) == (2, new)
    assert "net.tfstate: edit 2 (mv -y --from-state net.tfstate" in refused.err
    way = refused.err.split("`")[1]
    assert way == f"statetool undo --to 2 --state {folder}/net.tfstate"
    assert statetool(*way.split()[1:], "-y").status == 0
    assert statetool("undo", "-y", "app.tfstate").status == 0
    assert found() == OLD


def test_an_undo_in_one_state_says_what_it_leaves(statetool: Statetool) -> None:
    _move(statetool, "vpc", "app", "far")
    new = contents()
    for name, told in (
        ("app", "in two states:\n  terraform_data.vpc in app.tfstate and far.tfstate\n"),
        ("far", "in no state:\n  terraform_data.vpc, once in far.tfstate\n"),
    ):
        refused = statetool("undo", "--only", f"{name}.tfstate")
        assert (refused.status, contents()) == (2, new)
        assert told in refused.err
        dry = statetool("undo", "--only", "--dry-run", f"{name}.tfstate")
        assert (dry.status, contents()) == (0, new)
        assert told in dry.text
        assert dry.err == f"{name}.tfstate: dry run; nothing was written\n"
    # The other state follows, and loses nothing of its own.
    assert statetool("undo", "--only", "-y", "app.tfstate").status == 0
    followed = statetool("undo", "-y", "far.tfstate")
    assert (followed.status, found()) == (0, OLD)
    assert "app.tfstate: written" not in followed.err
    assert statetool("undo", "-y", "--to", "1", "app.tfstate").status == 0
    assert found() == OLD


@pytest.mark.parametrize("lineage", ["the same", "another"])
def test_a_state_that_was_deleted_and_made_again(lineage: str, statetool: Statetool) -> None:
    """It does not inherit the edits of the state that was in its place."""
    _move(statetool, "vpc", "app", "far")
    statetool("mv", "-y", "--state", "far.tfstate", "terraform_data.vpc", "terraform_data.main")
    old = state("far", ("own",))
    Path("far.tfstate").write_bytes(old if lineage == "the same" else old.replace(b"lineage-far", b"lineage-new"))
    new = contents()
    refused = statetool("undo", "-y", "app.tfstate")
    assert (refused.status, contents()) == (2, new)
    _move(statetool, "shared", "app", "far")
    assert statetool("undo", "-y", "far.tfstate").status == 0
    assert {name: objects(content) for name, content in new.items()} == found()
    if lineage == "another":
        refused = statetool("undo", "-y", "--to", "2", "far.tfstate")
        assert refused.status == 2
        assert "edit 2 is of another state that was in this place" in refused.err


@pytest.mark.parametrize("edits", [False, True])
def test_a_state_that_a_split_made_again(edits: bool, statetool: Statetool) -> None:
    app = Path("app.tfstate").read_bytes()
    split = ("split", "app.tfstate", "--select", "terraform_data.vpc=new.tfstate", "-y")
    for _ in range(2):
        Path("app.tfstate").write_bytes(app)
        Path("new.tfstate").unlink(missing_ok=True)
        assert statetool(*split).status == 0
        if edits:
            statetool("mv", "-y", "--state", "new.tfstate", "terraform_data.vpc", "terraform_data.main")
    if edits:
        assert statetool("undo", "-y", "new.tfstate").status == 0
        assert statetool("undo", "-y", "--to", "2", "new.tfstate").status == 2
    assert statetool("undo", "-y", "--to", "3" if edits else "2", "new.tfstate").status == 0
    assert (found(), objects(Path("new.tfstate").read_bytes())) == (OLD, {})


def test_a_state_that_is_empty_already_is_undone_too(statetool: Statetool) -> None:
    """Its history must have the undo: otherwise the split would still be in effect there."""
    assert statetool("split", "app.tfstate", "--select", "terraform_data.vpc=new.tfstate", "-y").status == 0
    split = found()
    assert statetool("join", "new.tfstate", "--into", "net.tfstate", "-y").status == 0
    assert statetool("undo", "-y", "--to", "1", "new.tfstate").status == 0
    assert (found(), objects(Path("new.tfstate").read_bytes())) == (OLD, {})
    assert statetool("undo", "-y", "--to", "2", "new.tfstate").status == 0
    assert (found(), objects(Path("new.tfstate").read_bytes())) == (split, {"terraform_data.vpc": "app-vpc"})


def test_a_state_that_is_gone(statetool: Statetool, folder: Path) -> None:
    """Its objects went with it, or are elsewhere: the advice leaves each of them in one state."""
    _move(statetool, "vpc", "app", "far")
    _move(statetool, "subnet", "net", "app")
    Path("far.tfstate").unlink()
    refused = statetool("undo", "-y", "--to", "1", "app.tfstate")
    assert refused.status == 2
    assert "far.tfstate: there is no such state any more" in refused.err
    way = refused.err.split("`")[1]
    assert way == f"statetool undo --to 2 --state {folder}/app.tfstate"
    assert statetool(*way.split()[1:], "-y").status == 0
    refused = statetool("undo", "-y", "--to", "1", "app.tfstate")
    way = refused.err.split("`")[1]
    assert way == f"statetool undo --only --to 1 --state {folder}/app.tfstate"
    assert statetool(*way.split()[1:], "-y").status == 0
    assert objects(Path("app.tfstate").read_bytes()) == OLD["app"]
    # The other way round, its objects are here: an undo in this state would leave them nowhere.
    assert statetool("mv", "-y", "--state", "app.tfstate", "terraform_data.own", "terraform_data.mine").status == 0
    _move(statetool, "own", "net", "app")
    Path("net.tfstate").unlink()
    new = Path("app.tfstate").read_bytes()
    refused = statetool("undo", "-y", "app.tfstate")
    assert (refused.status, Path("app.tfstate").read_bytes()) == (2, new)
    way = refused.err.split("`")[1]
    move = f"statetool mv --from-state {folder}/app.tfstate --to-state {folder}/net.tfstate --create"
    assert way == f"{move} terraform_data.own"
    assert statetool(*way.split()[1:], "-y").status == 0


def test_what_something_else_wrote_between_two_edits_stays(statetool: Statetool) -> None:
    _move(statetool, "vpc", "app", "far")
    data = json.loads(Path("far.tfstate").read_bytes())
    data["resources"] += json.loads(state("far", ("made",)))["resources"]
    Path("far.tfstate").write_text(json.dumps(data | {"serial": data["serial"] + 1}))
    between = found()
    _move(statetool, "subnet", "net", "far")
    new = contents()
    for name in ("far", "app"):
        refused = statetool("undo", "-y", "--to", "1", f"{name}.tfstate")
        assert (refused.status, contents()) == (2, new)
        assert "something else" in refused.err
        assert "--discard-changes" not in refused.err
    assert statetool("undo", "-y", "net.tfstate").status == 0
    assert found() == between


@NEEDS_STRACE
@pytest.mark.parametrize("command", ["mv", "undo"])
def test_the_end_of_a_crash_in_another_history_folder(
    command: str, statetool: Statetool, forked: Forks, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the folder that has the journal, and what to do if that is lost."""
    move = ("mv", "-y", "--from-state", "app.tfstate", "--to-state", "far.tfstate", "terraform_data.vpc")
    if command == "undo":
        assert statetool(*move).status == 0
    words = move if command == "mv" else ("undo", "-y", "app.tfstate")
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    assert forked(folder, *words, strace=kill, environment=environment).status == -signal.SIGKILL
    half = contents()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "other"))
    named = ("undo", "app.tfstate") if command == "undo" else move
    for option in ("--resume", "--abort", "--leave"):
        refused = statetool(named[0], option, *(word for word in named[1:] if word != "-y"))
        assert (refused.status, contents()) == (2, half)
        said = " ".join(refused.err.split())
        assert f"can end it with XDG_STATE_HOME={folder}/home: the journal is in {folder}/home/statetool" in said
        assert "If that journal is lost, compare the states with their histories" in said
    held = " ".join(statetool("rm", "-y", "--state", "far.tfstate", "terraform_data.own").err.split())
    assert f"with the journal in {folder}/home/statetool" in held
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    assert statetool(named[0], "--abort", *(word for word in named[1:] if word != "-y")).status == 0
    assert (found() == OLD) is (command == "mv")


@NEEDS_STRACE
def test_what_leave_leaves_is_said(statetool: Statetool, forked: Forks, folder: Path) -> None:
    move = ("mv", "-y", "--from-state", "app.tfstate", "--to-state", "far.tfstate", "terraform_data.vpc")
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    assert forked(folder, *move, strace=kill, environment=environment).status == -signal.SIGKILL
    settled = statetool("list", "--state", "app.tfstate")
    assert settled.status == 0
    path = Path("far.tfstate")
    path.write_bytes(path.read_bytes().replace(b"far-own", b"far-new"))
    new = contents()
    words = [word for word in move if word != "-y"]
    for option in ("--resume", "--abort"):
        refused = statetool("mv", option, *words[1:])
        assert (refused.status, contents()) == (2, new)
        assert "something else has written since the change began" in refused.err
    left = statetool("mv", "--leave", *words[1:])
    assert (left.status, contents()) == (0, new)
    assert "the change has ended; no state was written" in left.err


@pytest.mark.parametrize("words", [("undo",), ("undo", "--to", "1"), ("undo", "--only"), ("undo", "--version", "1")])
def test_nothing_to_undo(words: tuple[str, ...], statetool: Statetool) -> None:
    before = contents()
    refused = statetool(*words, "-y", "app.tfstate")
    assert (refused.status, refused.out, contents()) == (2, b"", before)
    assert "versions" in refused.err or "nothing to undo: no edits by statetool are recorded" in refused.err
