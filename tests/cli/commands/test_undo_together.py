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
from statefmt.schema_files import schema_text
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
    way = refused.err.split("`")[1]
    assert way == f"statetool undo --only --state {folder}/net.tfstate"
    assert statetool(*way.split()[1:], "-y").status == 0
    assert contents() | {"net": b""} == new | {"net": b""}
    assert found()["net"] == OLD["net"]


def test_later_edits_of_the_named_state(statetool: Statetool) -> None:
    """With --to, they are undone, too; those of others are not."""
    statetool("apply", "-y", FILE)
    statetool("taint", "--state", "net.tfstate", "terraform_data.own")
    assert statetool("undo", "-y", "--to", "1", "app.tfstate").status == 2
    assert statetool("undo", "-y", "--to", "1", "net.tfstate").status == 0
    assert found() == OLD


def test_further_back_than_the_change(statetool: Statetool) -> None:
    statetool("taint", "--state", "net.tfstate", "terraform_data.own")
    statetool("apply", "-y", FILE)
    new = contents()
    refused = statetool("undo", "-y", "--to", "1", "net.tfstate")
    assert refused.status == 2
    assert "include an edit of several states, which cannot be undone together with other edits" in refused.err
    assert contents() == new
    # Undone, it does not stand in the way.
    assert statetool("undo", "-y", "app.tfstate").status == 0
    assert statetool("undo", "-y", "--to", "1", "net.tfstate").status == 0
    assert found() == OLD
    assert b"tainted" not in contents()["net"]


def test_a_copy_of_a_state_is_not_one_of_them(statetool: Statetool) -> None:
    statetool("apply", "-y", FILE)
    shutil.copytree(".net.tfstate.statetool", "copy/.net.tfstate.statetool")
    shutil.copy("net.tfstate", "copy/net.tfstate")
    new = contents()
    refused = statetool("undo", "-y", "copy/net.tfstate")
    assert refused.status == 2
    assert "the edit was made when this state was one of" in refused.err
    assert contents() == new


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
    outcome = operations_files.undo_together(context, "net.tfstate", dry_run=True)
    assert len(outcome.outcomes) == 3
    operations_files.undo_together(context, "net.tfstate")
    assert found() == OLD
    assert opened.undo(only=True).written
