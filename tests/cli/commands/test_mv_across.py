"""`statetool mv --to-state`: between two states, all or nothing."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.adversary.runs import Forks
from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.edit.transactions.three_states import BEFORE, objects, owners, state
from tests.store.local.test_watched import NEEDS_STRACE

AWS = 'provider["registry.terraform.io/hashicorp/aws"]'
EU = f"{AWS}.eu"
ACROSS = ("mv", "--from-state", "app.tfstate", "--to-state", "net.tfstate")


@pytest.fixture(autouse=True)
def states(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    for name, resources in BEFORE.items():
        Path(f"{name}.tfstate").write_bytes(state(name, resources))


def contents() -> dict[str, bytes]:
    return {name: Path(f"{name}.tfstate").read_bytes() for name in BEFORE}


def resource(type_: str, name: str, provider: str = AWS, **instance: Any) -> dict[str, Any]:
    one = {"schema_version": 0, "attributes": {"id": name}, **instance}
    return {"mode": "managed", "type": type_, "name": name, "provider": provider, "instances": [one]}


def put(name: str, *resources: dict[str, Any]) -> None:
    data = json.loads(state(name, ()))
    Path(f"{name}.tfstate").write_text(json.dumps(data | {"resources": resources}, indent=2) + "\n")


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    "command",
    [
        ("mv", "--from-state", "app.tfstate", "--to-state", "net.tfstate"),
        ("mv", "--state", "app.tfstate", "--to-state", "net.tfstate"),
        ("mv", "-state=app.tfstate", "-state-out=net.tfstate"),
        ("state", "mv", "-state=app.tfstate", "-state-out", "net.tfstate"),
    ],
)
def test_spellings(command: tuple[str, ...], statetool: Statetool) -> None:
    old = contents()
    done = statetool(*command, "terraform_data.vpc", "terraform_data.main")
    assert (done.status, done.err) == (0, "app.tfstate: written\nnet.tfstate: written\n")
    new = contents()
    assert objects(new["net"])["terraform_data.main"] == "app-vpc"
    assert owners(new)["app-vpc"] == ["net"]
    assert new["far"] == old["far"]
    assert [json.loads(new[name])["serial"] for name in ("app", "net")] == [8, 8]


def test_an_address_stays_by_default(statetool: Statetool) -> None:
    assert statetool(*ACROSS, "terraform_data.[vw]*").status == 2
    assert statetool(*ACROSS, "terraform_data.v*").status == 0
    assert objects(contents()["net"])["terraform_data.vpc"] == "app-vpc"


def test_from_the_current_folder(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("infra").mkdir()
    Path("app.tfstate").rename("infra/terraform.tfstate")
    monkeypatch.chdir("infra")
    assert statetool("mv", "--to-state", "../net.tfstate", "terraform_data.vpc").status == 0
    assert objects(Path("../net.tfstate").read_bytes())["terraform_data.vpc"] == "app-vpc"


def test_the_history_names_both(statetool: Statetool, folder: Path) -> None:
    assert statetool(*ACROSS, "terraform_data.vpc").status == 0
    edits = [json.loads(statetool("history", "--format", "json", f"{name}.tfstate").out)["edits"] for name in BEFORE]
    assert [len(edit) for edit in edits] == [1, 1, 0]
    assert edits[0][0]["joint"]["states"] == [str(folder / f"{name}.tfstate") for name in ("app", "net")]
    assert "mv --from-state app.tfstate --to-state net.tfstate terraform_data.vpc (2 states)" in " ".join(
        statetool("history", "net.tfstate").text.split()
    )


def test_all_of_an_instance_goes_along(statetool: Statetool) -> None:
    """Deposed objects, taints, private data and identities, as they are in the file."""
    instances = [
        {
            "status": "tainted",
            "schema_version": 3,
            "attributes": {"id": "i-1", "tags": {"b": 1, "a": 1.50}},
            "sensitive_attributes": [[{"type": "get_attr", "value": "tags"}]],
            "identity_schema_version": 1,
            "identity": {"account": "1", "id": "i-1"},
            "private": "bnVsbA==",
            "create_before_destroy": True,
        },
        {
            "deposed": "0123abcd",
            "schema_version": 3,
            "attributes": {"id": "i-0"},
            "sensitive_attributes": [],
            "private": "e30=",
        },
    ]
    put("app", {**resource("aws_instance", "web"), "instances": instances}, resource("aws_vpc", "main"))
    put("net", resource("aws_vpc", "other"))
    # As no program of ours would write it.
    Path("app.tfstate").write_text(Path("app.tfstate").read_text().replace('"a": 1.5', '"a": 1.50'))
    before = json.loads(Path("app.tfstate").read_bytes())["resources"]
    assert statetool(*ACROSS, "aws_instance.web").status == 0
    after = json.loads(Path("net.tfstate").read_bytes())["resources"]
    assert [one for one in after if one["type"] == "aws_instance"] == [
        one for one in before if one["type"] == "aws_instance"
    ]
    assert "1.50" in Path("net.tfstate").read_text()


def test_dependencies_that_would_cross(statetool: Statetool) -> None:
    put(
        "app",
        resource("aws_vpc", "main"),
        resource("aws_subnet", "a", dependencies=["aws_vpc.main"]),
        resource("aws_instance", "one", dependencies=["aws_subnet.a", "aws_vpc.main"]),
        resource("aws_instance", "two", dependencies=["aws_subnet.a"]),
    )
    put("net", resource("aws_vpc", "other"))
    old = contents()
    refused = statetool(*ACROSS, "aws_subnet.a", "aws_subnet.main")
    assert refused.status == 2
    assert "mv needs confirmation, and there is no terminal to ask on; nothing was written" in refused.err
    assert contents() == old
    done = statetool(*ACROSS, "-y", "aws_subnet.a", "aws_subnet.main")
    assert done.status == 0
    listed = done.text.partition("Dependencies that would lead from one state to another are dropped:\n")[2]
    assert listed.splitlines()[:2] == [
        "  app needs aws_subnet.main in net, for aws_instance.one and 1 more",
        "  net needs aws_vpc.main in app, for aws_subnet.main",
    ]
    assert "needs an output for what the other one reads of it" in words(listed)
    assert "terraform_remote_state" in listed
    kept = json.loads(contents()["app"])["resources"]
    assert [one["instances"][0].get("dependencies") for one in kept] == [None, ["aws_vpc.main"], None]


def test_dependencies_between_what_moves_follow(statetool: Statetool) -> None:
    module = {"module": "module.vpc"}
    put(
        "app",
        {**module, **resource("aws_vpc", "main")},
        {**module, **resource("aws_subnet", "a", dependencies=["module.vpc.aws_vpc.main"])},
    )
    put("net", resource("aws_vpc", "other"))
    done = statetool(*ACROSS, "module.vpc", "module.network")
    assert done.status == 0
    assert "Dependencies" not in done.text
    moved = json.loads(contents()["net"])["resources"]
    assert [one["instances"][0].get("dependencies") for one in moved if one["type"] == "aws_subnet"] == [
        ["module.network.aws_vpc.main"]
    ]


def test_provider_configurations_that_the_state_lacks(statetool: Statetool) -> None:
    put("app", resource("aws_vpc", "main"), resource("aws_vpc", "eu", EU))
    put("net", resource("aws_vpc", "other"))
    warning = "Warning: the state net had no objects of these provider configurations"
    assert warning not in statetool(*ACROSS, "--dry-run", "aws_vpc.main").text
    done = statetool(*ACROSS, "--dry-run", "aws_vpc.eu")
    assert f"{warning}, so its configuration may lack blocks for them: {EU}" in words(done.text)


def test_provider_configurations_that_the_configuration_lacks(statetool: Statetool) -> None:
    put("app", resource("aws_vpc", "main"), resource("aws_vpc", "eu", EU))
    put("net", resource("aws_vpc", "other"))
    Path("net").mkdir()
    block = 'provider "aws" {\n  alias = "%s"\n}\n'
    for alias, warned in (("us", True), ("eu", False)):
        Path("net/main.tf").write_text(block % alias)
        done = statetool(*ACROSS, "--dry-run", "--config", "net", "aws_vpc.eu")
        assert done.status == 0
        lacks = f"Warning: the configuration of net has no blocks for these provider configurations: {EU}"
        assert (lacks in words(done.text)) is warned


def test_a_taken_address(statetool: Statetool) -> None:
    old = contents()
    refused = statetool(*ACROSS, "terraform_data.own")
    assert refused.status == 2
    assert (
        "terraform_data.own cannot become terraform_data.own: the other state has this instance already" in refused.err
    )
    assert contents() == old


def test_a_dry_run_writes_nothing(statetool: Statetool) -> None:
    old = contents()
    done = statetool(*ACROSS, "--dry-run", "terraform_data.vpc")
    assert (done.status, done.err) == (0, "mv: dry run; nothing was written\n")
    assert '→ terraform_data.vpc from app (id "app-vpc")' in done.text
    assert contents() == old


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*ACROSS, "--out", "x", "terraform_data.vpc"), "--out: is for one state, and cannot be combined"),
        ((*ACROSS, "--expect-serial", "7", "terraform_data.vpc"), "--expect-serial: is for one state"),
        ((*ACROSS, "--state", "far.tfstate", "terraform_data.vpc"), "--from-state: cannot be combined with --state"),
        (
            (*ACROSS, "--resume", "--dry-run", "terraform_data.vpc"),
            "the end of an interrupted change has no dry run; nothing was written",
        ),
        (("mv", "--create", "a.b", "a.c"), "--create: requires --to-state"),
        (("mv", "--resume", "a.b", "a.c"), "--resume, --abort and --leave require --to-state"),
        (("mv", "a.b"), "Missing argument 'DESTINATION'"),
        (
            ("mv", "--state", "app.tfstate", "--to-state", "app.tfstate", "terraform_data.vpc"),
            "two of the named states are this one",
        ),
    ],
)
def test_what_does_not_go_together(arguments: tuple[str, ...], message: str, statetool: Statetool) -> None:
    old = contents()
    refused = statetool(*arguments)
    assert refused.status == 2
    assert message in refused.err
    assert contents() == old


def test_a_state_that_does_not_exist(statetool: Statetool, folder: Path) -> None:
    command = ("mv", "--from-state", "app.tfstate", "--to-state", "new.tfstate")
    refused = statetool(*command, "terraform_data.vpc")
    assert refused.status == 2
    assert "nothing was written. To create the state, use --create" in refused.err
    assert not Path("new.tfstate").exists()
    assert statetool(*command, "--create", "terraform_data.vpc").status == 0
    assert objects(Path("new.tfstate").read_bytes()) == {"terraform_data.vpc": "app-vpc"}
    again = statetool(*command, "--create", "terraform_data.own")
    assert again.status == 2
    assert "there is a state already" in again.err


def test_from_an_encrypted_state_to_a_plain_one(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new", "plain")))
    Path("app.tfstate").write_bytes(encrypted(Path("app.tfstate").read_bytes(), "new"))
    old = contents()
    refused = statetool(*ACROSS, "terraform_data.vpc")
    assert refused.status == 2
    assert "use --allow-plain" in refused.err
    assert contents() == old
    assert statetool(*ACROSS, "--allow-plain", "terraform_data.vpc").status == 0
    assert objects(contents()["net"])["terraform_data.vpc"] == "app-vpc"
    assert b"terraform_data" not in contents()["app"]


@NEEDS_STRACE
@pytest.mark.parametrize("option", ["--resume", "--abort"])
def test_after_a_crash(
    option: str, statetool: Statetool, forked: Forks, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The messages name the command that ends the move, also from another folder."""
    old = contents()
    kill = ["-o", "/dev/null", "-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=SIGKILL:when=2"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    killed = forked(folder, *ACROSS, "-y", "terraform_data.vpc", strace=kill, environment=environment)
    assert killed.status == -signal.SIGKILL
    assert objects(contents()["net"])["terraform_data.vpc"] == "app-vpc"
    way = f"statetool mv {option} --from-state {folder}/app.tfstate --to-state {folder}/net.tfstate terraform_data.vpc"
    for command in (("rm", "-y", "--state", "app.tfstate", "terraform_data.own"), (*ACROSS, "terraform_data.vpc")):
        refused = statetool(*command)
        assert refused.status == 2
        assert f"`{way}`" in refused.err
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    ended = statetool(*way.split()[1:])
    assert ended.status == 0, ended.err
    monkeypatch.chdir("..")
    assert owners(contents())["app-vpc"] == (["net"] if option == "--resume" else ["app"])
    assert (contents() == old) is (option == "--abort")
    assert list(Path().glob(".*.hold")) == []
    assert statetool("rm", "-y", "--state", "app.tfstate", "terraform_data.own").status == 0
