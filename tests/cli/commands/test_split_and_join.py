"""`statetool split` and `statetool join`: parts of a state in new states, and states put together."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from statefmt import read, write
from statefmt.model.snapshot import instances
from tests.adversary.runs import Forks
from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES
from tests.edit.transactions.three_states import objects, state
from tests.store.local.test_watched import NEEDS_STRACE

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
STATE = "app.tfstate"
BY_PROVIDER = ("split", STATE, "--by", "provider", "--into", "regions/{name}.tfstate")
NAMES = ["aws-by_region-eu-north-1", "aws-by_region-eu-west-1", "aws-by_region-us-west-2"]


@pytest.fixture(autouse=True)
def states(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    Path(STATE).write_bytes(REGIONS)


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*.tfstate")}


def addresses(data: bytes) -> list[str]:
    return sorted(str(one.addr) for one in instances(read(data).snapshot))


def there(path: str) -> list[str]:
    return addresses(Path(path).read_bytes())


def canonical(data: bytes) -> bytes:
    return write(replace(read(data).snapshot, serial=0))


def put(name: str, *names: str, **outputs: object) -> None:
    data: dict[str, Any] = json.loads(state(name, names))
    data["outputs"] = {key: {"value": value, "type": "string"} for key, value in outputs.items()}
    Path(f"{name}.tfstate").write_text(json.dumps(data, indent=2) + "\n")


def outputs(name: str) -> dict[str, object]:
    return {key: one["value"] for key, one in json.loads(Path(f"{name}.tfstate").read_bytes())["outputs"].items()}


def test_by_provider_and_back(statetool: Statetool) -> None:
    done = statetool(*BY_PROVIDER, "-y")
    assert (done.status, done.err) == (0, "".join(f"{one}: written\n" for one in [
        STATE, *(f"regions/{name}.tfstate" for name in NAMES)]))  # fmt: skip
    assert sorted(path.stem for path in Path("regions").iterdir() if path.suffix == ".tfstate") == NAMES
    assert there("regions/aws-by_region-us-west-2.tfstate") == [
        'aws_instance.web["us-west-2"]', 'aws_vpc.main["us-west-2"]',
        'module.database["us-west-2"].aws_db_instance.this',
    ]  # fmt: skip
    assert there(STATE) == ["aws_iam_role.app", "data.aws_caller_identity.current"]
    assert statetool("join", *(f"regions/{name}.tfstate" for name in NAMES), "--into", STATE, "-y").status == 0
    assert canonical(Path(STATE).read_bytes()) == canonical(REGIONS)
    assert all(there(f"regions/{name}.tfstate") == [] for name in NAMES)


def test_what_the_configurations_need_is_listed_once(statetool: Statetool) -> None:
    shown = statetool(*BY_PROVIDER, "--dry-run")
    assert shown.status == 0
    assert shown.text.count("aws-by_region-us-west-2 needs aws_iam_role.app in app") == 1
    assert "DEP002" not in shown.text
    assert list(contents()) == [STATE]


@pytest.mark.parametrize(
    ("by", "parts"),
    [
        ("module", {"database": ['module.database["eu-west-1"]', 'module.database["us-west-2"]']}),
        (
            "module-instance",
            {"database-eu-west-1": ['module.database["eu-west-1"]'], "database-us-west-2": [
                'module.database["us-west-2"]']},
        ),
    ],
)  # fmt: skip
def test_by_module(by: str, parts: dict[str, list[str]], statetool: Statetool) -> None:
    assert statetool("split", STATE, "--by", by, "--into", "{name}/terraform.tfstate", "-y").status == 0
    for name, modules in parts.items():
        assert there(f"{name}/terraform.tfstate") == [f"{one}.aws_db_instance.this" for one in modules]


def test_selected_parts_in_order(statetool: Statetool) -> None:
    """What the first part takes is gone for the next one."""
    selected = ("--select", 'aws_instance.web["eu-west-1"]=eu.tfstate', "--select", "aws_vpc.*=net.tfstate")
    done = statetool("split", STATE, *selected, "--select", "aws_instance.*=net.tfstate", "-y")
    assert done.status == 0, done.err
    assert there("eu.tfstate") == ['aws_instance.web["eu-west-1"]']
    assert there("net.tfstate") == [
        'aws_instance.web["us-west-2"]', 'aws_vpc.main["eu-west-1"]', 'aws_vpc.main["us-west-2"]',
    ]  # fmt: skip


def test_an_operations_file_instead(statetool: Statetool) -> None:
    """Its paths are relative to it, and it does the same."""
    Path("review").mkdir()
    written = statetool(*BY_PROVIDER, "--out", "review/x.stateops.hcl")
    assert written.status == 0
    assert list(contents()) == [STATE]
    assert 'path = "../app.tfstate"' in Path("review/x.stateops.hcl").read_text()
    assert statetool("apply", "-y", "review/x.stateops.hcl").status == 2
    # The states are outside of the folder of the file, so the advice allows them.
    advised = re.findall(r"`statetool (apply [^`]+)`", " ".join(written.err.split()))
    assert statetool(*shlex.split(advised[0]), "-y").status == 0
    of_file = {name: addresses(data) for name, data in contents().items()}
    shutil.rmtree("regions")
    Path(STATE).write_bytes(REGIONS)
    assert statetool(*BY_PROVIDER, "-y").status == 0
    assert {name: addresses(data) for name, data in contents().items()} == of_file


def test_dependencies_can_be_dropped(statetool: Statetool) -> None:
    assert statetool(*BY_PROVIDER, "--drop-dependencies", "-y").status == 0
    assert b"aws_iam_role.app" not in Path("regions/aws-by_region-us-west-2.tfstate").read_bytes()


def test_an_encrypted_state_has_encrypted_parts(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("new")))
    Path(STATE).write_bytes(encrypted(REGIONS, "new"))
    assert statetool("split", STATE, "--select", "aws_vpc.main=net.tfstate", "-y").status == 0
    assert b"encrypted_data" in Path("net.tfstate").read_bytes()
    assert "aws_vpc.main" in statetool("list", "--state", "net.tfstate").text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Give either --select or --by; --suggest shows good ways"),
        (("--by", "module", "--select", "a=b"), "Give either --select or --by; --suggest shows good ways"),
        (("--by", "module"), "--by and --into go together."),
        (("--by", "module", "--into", "x"), "Invalid value for --into: has no {name}"),
        (("--select", "aws_vpc.main"), "'aws_vpc.main' is not SELECTOR=NEW"),
        (("--select", "aws_vpc.other=x"), "no resource instance matches 'aws_vpc.other'"),
        (("--select", f"aws_vpc.main={STATE}"), f"{STATE}: there is a state already; nothing was written"),
        (("--select", "aws_vpc.main=other.tfstate"), "other.tfstate: there is a state already; nothing was written"),
    ],
)
def test_refused_splits(arguments: tuple[str, ...], message: str, statetool: Statetool) -> None:
    put("other", "own")
    old = contents()
    refused = statetool("split", STATE, *arguments, "-y")
    assert refused.status == 2
    assert message in refused.err
    assert contents() == old


def test_names_of_parts_must_differ(statetool: Statetool) -> None:
    data = REGIONS.replace(b"eu-west-1", b"us/west-2")
    Path(STATE).write_bytes(data)
    refused = statetool(*BY_PROVIDER, "-y")
    assert refused.status == 2
    assert "would both go to a state named aws-by_region-us-west-2; use --select to name the states" in refused.err


def test_a_key_names_no_other_folder(statetool: Statetool) -> None:
    Path(STATE).write_bytes(REGIONS.replace(b"eu-west-1", b"../../up"))
    assert statetool(*BY_PROVIDER, "-y").status == 0
    assert Path("regions/aws-by_region-up.tfstate").exists()


def test_joined_below_a_module(statetool: Statetool) -> None:
    put("net", "own", out="1")
    put("app", "own", out="2")
    join = ("join", "net.tfstate", "--into", STATE)
    refused = statetool(*join, "-y")
    assert refused.status == 2
    assert "different objects at these addresses; put one of the states into a module with --prefix" in refused.err
    assert statetool(*join, "--prefix", "net.tfstate=module.net", "-y").status == 0
    assert there(STATE) == ["module.net.terraform_data.own", "terraform_data.own"]
    assert (outputs("net"), outputs("app")) == ({"out": "1"}, {"out": "2"})


@pytest.mark.parametrize(
    ("chosen", "value"), [("net.tfstate", "net"), (STATE, "app"), ("far.tfstate", None), (None, None)]
)
def test_different_outputs(chosen: str | None, value: str | None, statetool: Statetool) -> None:
    put("net", "subnet", one="net", other="same")
    put("far", "far", third="3")
    put("app", "vpc", one="app", other="same")
    options = () if chosen is None else ("--outputs-from", chosen)
    done = statetool("join", "far.tfstate", "net.tfstate", "--into", STATE, *options, "-y")
    if value is None:
        assert done.status == 2
        assert (
            "different values of these outputs; choose those of one of the two states with --outputs-from" in done.err
        )
        return
    assert done.status == 0, done.err
    assert outputs("app") == {"one": value, "other": "same", "third": "3"}
    assert outputs("net") == outputs("far") == {}


def test_an_object_of_both_stays_once(statetool: Statetool) -> None:
    put("net", "subnet")
    data = json.loads(Path("net.tfstate").read_bytes())
    put("app", "vpc")
    app = json.loads(Path(STATE).read_bytes())
    app["resources"] += data["resources"]
    Path(STATE).write_text(json.dumps(app))
    assert statetool("join", "net.tfstate", "--into", STATE, "-y").status == 0
    assert objects(Path(STATE).read_bytes()) == {"terraform_data.vpc": "app-vpc", "terraform_data.subnet": "net-subnet"}
    assert there("net.tfstate") == []


def test_joined_into_a_new_state(statetool: Statetool) -> None:
    put("net", "own")
    refused = statetool("join", STATE, "net.tfstate", "--into", "all/x.tfstate", "-y")
    assert refused.status == 2
    assert "To create the state, use --create" in refused.err
    assert statetool("join", STATE, "net.tfstate", "--into", "all/x.tfstate", "--create", "-y").status == 0
    assert "terraform_data.own" in there("all/x.tfstate")
    assert len(there("all/x.tfstate")) == len(addresses(REGIONS)) + 1


@NEEDS_STRACE
@pytest.mark.parametrize("option", ["--resume", "--abort"])
@pytest.mark.parametrize(("call", "number"), [("ftruncate", 2), ("ftruncate", 4), ("renameat", 8), ("renameat", 9)])
def test_after_a_crash(option: str, call: str, number: int, statetool: Statetool, forked: Forks, folder: Path) -> None:
    """Also after the state that the parts were made from has been written: its content before is in its history."""
    kill = ["-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}"]
    environment = {"XDG_STATE_HOME": str(folder / "home"), "HOME": str(folder)}
    killed = forked(folder, *BY_PROVIDER, "-y", strace=kill, environment=environment)
    assert killed.status == -signal.SIGKILL
    assert statetool("rm", "-y", "--state", STATE, "aws_iam_role.app").status == 2
    ended = statetool(*BY_PROVIDER, option)
    assert ended.status == 0, ended.err
    if option == "--abort":
        assert contents() == {STATE: REGIONS}
    else:
        found = [address for path in contents() for address in there(path)]
        assert sorted(found) == addresses(REGIONS)
        assert len(contents()) == 4
    assert statetool("rm", "-y", "--state", STATE, "aws_iam_role.app").status == 0
