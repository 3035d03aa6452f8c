"""`--where`: part of every selection, in commands that look and in commands that edit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES, resource, state

REGIONS = str(SAMPLES / "v4-regions.tfstate")
SENSITIVE = str(SAMPLES / "v4-sensitive.tfstate")
WEB = 'aws_instance.web["{}"]'


def test_list(statetool: Statetool) -> None:
    """B15: no search by value."""
    assert (
        statetool("list", "--state", REGIONS, "--where", "public_ip=192.0.2.8*").text == WEB.format("us-west-2") + "\n"
    )
    result = statetool("list", "--state", REGIONS, "--where", "tags.Name=web", "--where", "id=~^i-0e", "aws_instance.*")
    assert result.text == WEB.format("eu-west-1") + "\n"
    assert (result.status, result.err) == (0, "")


def test_nothing_met(statetool: Statetool) -> None:
    result = statetool("list", "--state", REGIONS, "--where", "tags.Name=wep")
    assert (result.status, result.out) == (2, b"")
    assert result.err == "statetool: no resource instance has tags.Name=wep\n"


def test_show(statetool: Statetool) -> None:
    result = statetool(
        "show", "--state", REGIONS, "--where", "tags.Name=web", "--where", "id=i-0a*", "--attr", "id", "--raw"
    )
    assert result.out == b"i-0a99b88c77d66e55f"


@pytest.mark.parametrize(
    "command", ["rm --yes", "taint", "rebind aws --whole-resource", "forget-deposed --yes", "rekey --by id"]
)
def test_surgery(command: str, statetool: Statetool, folder: Path) -> None:
    """A selection is a selection: with a condition that nothing meets, nothing is edited."""
    shutil.copy(REGIONS, folder / "terraform.tfstate")
    result = statetool(*command.split(), "--where", "tags.Name=wep")
    assert (result.status, (folder / "terraform.tfstate").read_bytes()) == (2, Path(REGIONS).read_bytes())
    assert "no resource instance has tags.Name=wep" in " ".join(result.err.split())


def test_taint_what_meets_it(statetool: Statetool, folder: Path) -> None:
    shutil.copy(REGIONS, folder / "terraform.tfstate")
    assert statetool("taint", "--where", "public_ip=192.0.2.10").status == 0
    assert statetool("list", "--tainted").text == WEB.format("eu-west-1") + "\n"


def test_sensitive(statetool: Statetool) -> None:
    """The note does not depend on the value, and no message contains it."""
    hidden = statetool("list", "--state", SENSITIVE, "--where", "password=*")
    assert (hidden.status, hidden.out) == (2, b"")
    assert "1 instance not compared, because password is sensitive there" in " ".join(hidden.err.split())
    shown = statetool("list", "--state", SENSITIVE, "--where", "password=*", "--show-sensitive")
    assert (shown.status, shown.text, shown.err) == (0, "aws_db_instance.main\n", "")


def test_no_secret_in_the_history(statetool: Statetool, folder: Path) -> None:
    """Values that are compared with secrets may be secrets."""
    shutil.copy(SENSITIVE, folder / "terraform.tfstate")
    for option in ("--where password!=hunter2", "--where=password!=hunter2"):
        assert statetool("taint", *option.split(), "--show-sensitive").status == 0
        assert statetool("undo").status == 0
    assert statetool("taint", "--where", "parameters[*].value=ddl").status == 0
    shown = statetool("history", "terraform.tfstate", "--format", "json").text
    assert "hunter2" not in shown
    assert shown.count("password!=…") == 2
    assert "parameters[*].value=ddl" in shown


@pytest.mark.parametrize("option", ["--where id=x", "--tainted", "--type t"])
def test_resource_without_instances_meets_no_condition(option: str, statetool: Statetool, folder: Path) -> None:
    document = state({**resource("t", "a"), "instances": []}, resource("t", "b", {"attributes": {"id": "y"}}))
    (folder / "terraform.tfstate").write_bytes(document)
    assert statetool("rm", "--yes", "t.a", *option.split()).status == 2
    assert (folder / "terraform.tfstate").read_bytes() == document
    assert statetool("rm", "--yes", "t.a").status == 0
