"""`statetool plan` and `statetool apply`: what was reviewed is what is written, in all states or in none."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from statefmt.schema_problems import schema_text
from tests.adversary.runs import Forks
from tests.cli.commands.three_files import FILE, LOCAL, contents, write_files
from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.edit.transactions.three_states import BEFORE, CHAIN, objects, owners
from tests.servers.http import StateServer, state_server
from tests.store.local.test_watched import NEEDS_STRACE


@pytest.fixture(autouse=True)
def states(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    write_files(CHAIN)


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        yield running


def test_what_was_planned_is_applied(statetool: Statetool) -> None:
    old = contents()
    planned = statetool("plan", FILE, "-o", "p.json")
    assert (planned.status, planned.err) == (0, "p.json: written\n")
    assert contents() == old
    assert Path("p.json").stat().st_mode & 0o777 == 0o600
    plan = json.loads(Path("p.json").read_bytes())
    jsonschema.validate(plan, json.loads(schema_text("operations-plan")))
    assert [one["location"] for one in plan["states"].values()] == ["app.tfstate", "net.tfstate", "far.tfstate"]
    applied = statetool("apply", "p.json")
    assert (applied.status, applied.out) == (0, planned.out)
    assert owners(contents())["app-vpc"] == ["far"]
    assert list(Path().glob(".*.hold")) == []


def test_apply_shows_one_comparison_for_each_state(statetool: Statetool) -> None:
    out = statetool("apply", "-y", FILE).text
    assert [line for line in out.splitlines() if line.startswith(("State ", "+ ", "- ", "→ "))] == [
        "State app: app.tfstate",
        '→ terraform_data.subnet from net (id "net-subnet")',
        '→ terraform_data.vpc to far (id "app-vpc")',
        "State net: net.tfstate",
        '→ terraform_data.subnet to app (id "net-subnet")',
        "State far: far.tfstate",
        '→ terraform_data.vpc from app (id "app-vpc")',
    ]


def test_a_plan_of_other_states_is_refused(statetool: Statetool) -> None:
    statetool("plan", FILE, "-o", "p.json")
    assert statetool("taint", "--state", "net.tfstate", "terraform_data.own").status == 0
    old = contents()
    refused = statetool("apply", "p.json")
    assert (refused.status, refused.out) == (2, b"")
    assert "net.tfstate: the serial is 8, not 7: the state was changed; nothing was written" in refused.err
    assert contents() == old


def test_a_plan_of_another_file_is_refused(statetool: Statetool) -> None:
    statetool("plan", FILE, "-o", "p.json")
    Path(FILE).write_text(LOCAL)
    refused = statetool("apply", "p.json")
    assert refused.status == 2
    assert f"{FILE}: the file was changed since it was planned; nothing was written. Plan again" in refused.err


def test_a_file_that_was_not_planned_is_asked_about(statetool: Statetool) -> None:
    old = contents()
    refused = statetool("apply", FILE)
    assert refused.status == 2
    assert "needs confirmation, and there is no terminal to ask on; nothing was written" in refused.err
    assert contents() == old


def test_each_note_is_shown_once(statetool: Statetool) -> None:
    """With the lines that it lists."""
    taint = "taint {\n  of = state.net.terraform_data.own\n}\n"
    Path(FILE).write_text(LOCAL + 3 * taint)
    assert statetool("apply", "-y", FILE).text.count("\nalready tainted:\n  terraform_data.own\n") == 1


def test_expectations(statetool: Statetool) -> None:
    Path(FILE).write_text(LOCAL + CHAIN + "expect {\n  serial = { net = 6 }\n}\n")
    for command in (["plan"], ["apply", "-y"]):
        refused = statetool(*command, FILE)
        assert refused.status == 2
        assert "net.tfstate: the serial is 7, not 6" in refused.err


def test_operations_that_do_not_apply(statetool: Statetool) -> None:
    old = contents()
    Path(FILE).write_text(LOCAL + CHAIN + "move {\n  from = state.far.a.b\n  to = state.far.a.c\n}\n")
    refused = statetool("apply", "-y", FILE)
    assert refused.status == 2
    assert refused.err.startswith(f"statetool: {FILE}:12,1-5: ")
    assert contents() == old


def test_one_state_twice(statetool: Statetool) -> None:
    Path("other.tfstate").hardlink_to("net.tfstate")
    Path(FILE).write_text(LOCAL.replace("app.tfstate", "other.tfstate") + CHAIN)
    refused = statetool("plan", FILE)
    assert refused.status == 2
    assert "the states app and net are the same; name it once" in refused.err


def test_a_plan_without_changes(statetool: Statetool) -> None:
    Path(FILE).write_text(LOCAL)
    planned = statetool("plan", FILE)
    assert (planned.status, planned.out, planned.err) == (0, b"", f"{FILE}: no changes\n")


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_what_is_no_operations_file(command: str, statetool: Statetool) -> None:
    assert "app.tfstate: this is a state, not an operations file" in statetool(command, "app.tfstate").err
    Path("app").mkdir()
    Path("app.tfstate").rename("app/terraform.tfstate")
    assert statetool(command, "app").err == "statetool: app: this is a folder, not an operations file\n"


def test_paths_are_relative_to_the_file(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder stands for the state that its backend keeps, also in another workspace."""
    Path("infra/terraform.tfstate.d/prod").mkdir(parents=True)
    Path("net.tfstate").rename("infra/terraform.tfstate")
    Path("far.tfstate").rename("infra/terraform.tfstate.d/prod/terraform.tfstate")
    prod = LOCAL.replace("net.tfstate", "infra").replace('"far.tfstate"', '"infra"\n  workspace = "prod"\n')
    Path(FILE).write_text(prod.replace('{ path = "infra"\n', '{\n  path = "infra"\n') + CHAIN)
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert statetool("apply", "-y", f"../{FILE}").status == 0
    assert "terraform_data.subnet" not in objects(Path("../infra/terraform.tfstate").read_bytes())
    assert "terraform_data.vpc" in objects(Path("../infra/terraform.tfstate.d/prod/terraform.tfstate").read_bytes())


def test_a_state_on_a_server(statetool: Statetool, server: StateServer) -> None:
    server.state = Path("far.tfstate").read_bytes()
    url = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    Path(FILE).write_text(LOCAL.replace("far.tfstate", url) + CHAIN)
    assert statetool("plan", FILE, "-o", "p.json").status == 0
    assert statetool("apply", "p.json").status == 0
    assert objects(server.state)["terraform_data.vpc"] == "app-vpc"
    assert server.holder is None
    assert url not in Path("p.json").read_text()


def test_secrets_do_not_become_plain(statetool: Statetool, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "plain")))
    old = {name: Path(f"{name}.tfstate").read_bytes() for name in ("app", "net")}
    for name in ("app", "net"):
        Path(f"{name}.tfstate").write_bytes(encrypted(old[name], "new"))
    refused = statetool("apply", "-y", FILE)
    assert refused.status == 2
    assert "the state app is encrypted and far is not, so what moves there would be written in plain" in refused.err
    Path("far.tfstate").write_bytes(encrypted(Path("far.tfstate").read_bytes(), "new"))
    assert statetool("apply", "-y", FILE).status == 0
    for path in folder.rglob("*"):
        assert path.is_dir() or b"app-vpc" not in path.read_bytes(), path


def test_the_history_names_the_other_states(statetool: Statetool, folder: Path) -> None:
    assert statetool("apply", "-y", FILE).status == 0
    edits = [json.loads(statetool("history", "--format", "json", f"{name}.tfstate").out)["edits"] for name in BEFORE]
    joint = edits[0][0]["joint"]
    assert joint["file"] == str(folder / FILE)
    assert joint["states"] == [str(folder / f"{name}.tfstate") for name in sorted(BEFORE)]
    assert [[one["joint"] for one in of_state] for of_state in edits] == [[joint]] * 3
    assert "apply -y x.stateops.hcl (3 states)" in statetool("history", "net.tfstate").text


def test_undo_of_one_state_is_asked_about(statetool: Statetool) -> None:
    """It gives back an object that another state has by now."""
    old = contents()
    assert statetool("apply", "-y", FILE).status == 0
    refused = statetool("undo", "--only", "net.tfstate")
    assert refused.status == 2
    assert "this undo is in one of several states, and leaves objects\nin two states:\n" in refused.err
    assert "  terraform_data.subnet in net.tfstate and app.tfstate\n" in refused.err
    assert contents() != old
    for name in BEFORE:
        assert statetool("undo", "--only", "-y", f"{name}.tfstate").status == 0
    assert [owners(contents())] == [owners(old)]


@NEEDS_STRACE
@pytest.mark.parametrize("encrypts", [False, True])
@pytest.mark.parametrize("option", ["--resume", "--abort"])
def test_after_a_crash(
    option: str, encrypts: bool, statetool: Statetool, forked: Forks, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the second and the third state, so that one of them is new."""
    old = contents()
    if encrypts:
        monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
        for name in BEFORE:
            Path(f"{name}.tfstate").write_bytes(encrypted(old[name], "new"))
    before = contents()
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    if encrypts:
        environment["TF_ENCRYPTION"] = json.dumps(configuration("new"))
    assert forked(folder, "apply", "-y", FILE, strace=kill, environment=environment).status == -signal.SIGKILL
    refused = statetool("rm", "-y", "--state", "net.tfstate", "terraform_data.own")
    assert refused.status == 2
    assert f"`statetool apply --resume {folder / FILE}` finishes it" in refused.err
    ended = statetool("apply", option, FILE)
    assert ended.status == 0, ended.err
    assert (contents() == before) is (option == "--abort")
    what = "as it was before" if option == "--abort" else "written"
    said = sorted(line for line in ended.err.splitlines() if "interrupted" not in line)
    assert said == [f"{name}.tfstate: {what}" for name in sorted(BEFORE)]
    assert list(Path().glob(".*.hold")) == []
    if option == "--resume":
        assert statetool("list", "--state", "far.tfstate").text.count("terraform_data.vpc") == 1
        assert statetool("list", "--state", "app.tfstate").text.count("terraform_data.vpc") == 0
    assert statetool("rm", "-y", "--state", "net.tfstate", "terraform_data.own").status == 0


def test_only_what_changes_is_written(statetool: Statetool) -> None:
    move = "move {\n  from = state.app.terraform_data.vpc\n  to = state.net.terraform_data.main\n}\n"
    Path(FILE).write_text(LOCAL + move)
    far = contents()["far"]
    applied = statetool("apply", "-y", FILE)
    assert (applied.status, sorted(applied.err.splitlines())) == (0, ["app.tfstate: written", "net.tfstate: written"])
    assert contents()["far"] == far
    Path(FILE).write_text(LOCAL + "taint {\n  of = state.net.terraform_data.main\n}\n")
    assert statetool("apply", "-y", FILE).err == "net.tfstate: written\n"
    again, known = contents(), statetool("apply", "-y", FILE)
    assert (known.status, known.err) == (0, f"{FILE}: no changes; nothing was written\n")
    assert contents() == again


@NEEDS_STRACE
@pytest.mark.parametrize("option", ["--resume", "--abort"])
def test_a_lock_on_a_server_outlives_a_crash(
    option: str, statetool: Statetool, server: StateServer, forked: Forks, folder: Path
) -> None:
    server.state = old = Path("far.tfstate").read_bytes()
    url = f"{server.url}?lock_address={server.url}&unlock_address={server.url}"
    Path(FILE).write_text(LOCAL.replace("far.tfstate", url) + CHAIN)
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=1"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    assert forked(folder, "apply", "-y", FILE, strace=kill, environment=environment).status == -signal.SIGKILL
    # The state on the server was written first.
    assert server.state != old
    lock_id = server.lock_id
    refused = statetool("rm", "-y", "--state", url, "terraform_data.own")
    assert refused.status == 2
    assert lock_id
    assert lock_id in refused.err
    assert statetool("apply", option, FILE).status == 0
    assert server.lock_id == ""
    assert (server.state == old) is (option == "--abort")


@NEEDS_STRACE
def test_no_value_is_kept_outside_of_the_states(statetool: Statetool, forked: Forks, folder: Path) -> None:
    Path(FILE).write_text(
        LOCAL + CHAIN + 'set {\n  of = state.far.terraform_data.own\n  values = { id = "s3cr3t" }\n}\n'
    )
    assert statetool("plan", FILE, "-o", "p.json").status == 0
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    assert forked(folder, "apply", "p.json", strace=kill, environment=environment).status == -signal.SIGKILL
    kept = [Path("p.json"), *Path().glob(".*.hold"), *(path for path in Path("home").rglob("*") if path.is_file())]
    assert len(kept) >= 5
    assert [path for path in kept if b"s3cr3t" in path.read_bytes()] == []
    assert statetool("apply", "--resume", "p.json").status == 0
    assert b"s3cr3t" in Path("far.tfstate").read_bytes()


def test_what_changes_on_the_way_is_shown(statetool: Statetool) -> None:
    move = "move {\n  from = state.app.terraform_data.vpc\n  to = state.net.terraform_data.main\n}\n"
    Path(FILE).write_text(LOCAL + move + "taint {\n  of = state.net.terraform_data.main\n}\n")
    lines = statetool("plan", FILE).text.splitlines()
    assert '→ terraform_data.vpc to terraform_data.main in net (id "app-vpc")' in lines
    place = lines.index('→ terraform_data.main from terraform_data.vpc in app (id "app-vpc", tainted)')
    assert lines[place + 1] == "    + tainted"
    assert "1 moved from app; serial 7 → 8" in lines


def give_a_dependency(name: str) -> None:
    """terraform_data.own needs terraform_data.shared."""
    data = json.loads(Path(name).read_text())
    [own] = [one for one in data["resources"] if one["name"] == "own"]
    own["instances"][0]["dependencies"] = ["terraform_data.shared"]
    Path(name).write_text(json.dumps(data, indent=2) + "\n")


def test_ends_that_move_apart(statetool: Statetool) -> None:
    give_a_dependency("app.tfstate")
    move = "move {{\n  from = state.app.terraform_data.{}\n  to = state.far.terraform_data.{}\n}}\n"
    Path(FILE).write_text(LOCAL + move.format("own", "one") + move.format("shared", "other"))
    out = statetool("plan", FILE).text
    assert "Dependencies within a state are dropped" in out
    assert "  terraform_data.one needs terraform_data.other in far\n" in out
    assert "from one state to another" not in out


def test_a_need_is_told_where_it_is_in_the_end(statetool: Statetool) -> None:
    give_a_dependency("app.tfstate")
    move = "move {{\n  from = state.app.terraform_data.{}\n  to = state.{}.terraform_data.{}\n}}\n"
    Path(FILE).write_text(LOCAL + move.format("own", "far", "one") + move.format("shared", "net", "other"))
    out = statetool("plan", FILE).text
    assert "  far needs terraform_data.other in net, for terraform_data.one\n" in out
