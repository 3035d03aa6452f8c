"""Commands and options as people know them from `tofu` and `terraform`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES
from tests.tables import each_row

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()

# A habit, and what it means.
SAME = [
    ("state list -state=S", "list --state S"),
    ("state list -state S -id=vpc-01a2b3c4d5e6f7081", "list --state S --id vpc-01a2b3c4d5e6f7081"),
    ("state show -state=S aws_iam_role.app", "show --state S aws_iam_role.app"),
    ("show -json -state=S", "show --format json --state S"),
    ("show --json --state=S", "show --format json --state S"),
    ("output -json -state=S", "outputs --format json --state S"),
    ("outputs -state S -raw vpc_ids", "outputs --state S --raw vpc_ids"),
    ("output -state=S addresses", "outputs --state S addresses"),
    ("ls -state=S", "list --state S"),
    ("state pull -state=S", "pull --state S"),
    ("state mv -state=S -dry-run aws_vpc.main aws_vpc.net", "mv --state S --dry-run aws_vpc.main aws_vpc.net"),
    (
        "mv -state=S -dry-run=true -lock=false aws_vpc.main aws_vpc.net",
        "mv --state S --dry-run aws_vpc.main aws_vpc.net",
    ),
    ("mv -state=S -state-out=- aws_vpc.main aws_vpc.net", "mv --state S --out - aws_vpc.main aws_vpc.net"),
    ("state rm -state=S -dry-run aws_vpc.main", "rm --state S --dry-run aws_vpc.main"),
    (
        "state replace-provider -auto-approve -state=S -dry-run hashicorp/aws registry.terraform.io/hashicorp/aws",
        "replace-provider --yes --state S --dry-run hashicorp/aws registry.terraform.io/hashicorp/aws",
    ),
    ("list -state=S -no-color", "--color never list --state S"),
    ("list --state S --long --color always", "--color always list --state S --long"),
    ("-no-color list -state=S", "list --state S"),
    ("help state mv", "mv --help"),
    ("help ls", "list --help"),
    ("help", "--help"),
    ("version", "--version"),
]


@each_row(("habit", "meaning"), SAME, ids=[habit for habit, _ in SAME])
def test_the_same(habit: str, meaning: str, statetool: Statetool, folder: Path) -> None:
    (folder / "S").write_bytes(REGIONS)
    expected = statetool(*meaning.split(" "))
    assert statetool(*habit.split(" ")) == expected
    assert expected.status == 0 or "raw" in habit


def test_writes_with_tofu_options(statetool: Statetool, folder: Path) -> None:
    (folder / "S").write_bytes(REGIONS)
    line = "state mv -state=S -backup=B -lock-timeout=10s aws_vpc.main aws_vpc.net"
    assert statetool(*line.split(" ")).status == 0
    assert (folder / "B").read_bytes() == REGIONS
    assert statetool("list", "-state=S", "aws_vpc.net").status == 0


def test_false_flag_is_not_given(statetool: Statetool, folder: Path) -> None:
    (folder / "S").write_bytes(REGIONS)
    assert statetool("mv", "-state=S", "-dry-run=false", "aws_vpc.main", "aws_vpc.net").status == 0
    assert (folder / "S").read_bytes() != REGIONS


@pytest.mark.parametrize("option", ["-var", "--var"])
@pytest.mark.parametrize("form", ["{} token=secret", "{}=token=secret"])
def test_variables_are_hidden_in_either_spelling(option: str, form: str, statetool: Statetool, folder: Path) -> None:
    """The history records the command line, without values of variables."""
    (folder / "S").write_bytes(REGIONS)
    (folder / "main.tf").write_text('variable "token" {}\n')
    arguments = [
        "mv",
        "--state",
        "S",
        *form.format(option).split(" "),
        "--encryption-config",
        ".",
        "aws_vpc.main",
        "aws_vpc.net",
    ]
    result = statetool(*arguments)
    assert result.status == 0, result.err
    shown = statetool("history", "S").text
    assert "token=…" in shown
    assert "secret" not in shown


def test_pull_decrypts(statetool: Statetool, folder: Path) -> None:
    (folder / "S").write_bytes(encrypted(REGIONS, "new"))
    (folder / "encryption.json").write_text(json.dumps(configuration("new")))
    result = statetool("pull", "--encryption", "encryption.json", "S")
    assert (result.status, result.out) == (0, REGIONS)


def test_version_as_json(statetool: Statetool) -> None:
    document = json.loads(statetool("version", "-json").out)
    assert f"statetool {document['version']}\n" == statetool("--version").text


def test_topics(statetool: Statetool) -> None:
    listed = [line.split()[0] for line in statetool("help", "topics").text.splitlines()[1:]]
    assert {"selectors", "exit-status", "backends"} <= set(listed)
    for name in listed:
        text = statetool("help", name).text
        assert max(map(len, text.splitlines())) < 80
        assert len(text.splitlines()) < 40


def test_output_of_the_current_workspace(statetool: Statetool, folder: Path) -> None:
    """The name of an output, as in `tofu output NAME`; `outputs` takes a state there."""
    (folder / "terraform.tfstate").write_bytes(REGIONS)
    expected = statetool("outputs", "--state", "terraform.tfstate", "addresses")
    assert statetool("output", "addresses") == expected
    assert expected.status == 0
    assert statetool("outputs", "addresses").status == 2


@pytest.mark.parametrize(
    ("positional", "option"),
    [
        ("new-lineage S --dry-run", "new-lineage --state S --dry-run"),
        ("set-serial 99 S --dry-run", "set-serial 99 --state S --dry-run"),
        ("restore B S --dry-run", "restore B --state S --dry-run"),
        ("undo S --dry-run", "undo --state S --dry-run"),
        ("history S", "history --state S"),
        ("stats S", "stats --state S"),
    ],
)
def test_commands_without_addresses_take_a_state(
    positional: str, option: str, statetool: Statetool, folder: Path
) -> None:
    (folder / "S").write_bytes(REGIONS)
    assert statetool("mv", "--state", "S", "--backup", "B", "aws_vpc.main", "aws_vpc.net").status == 0
    expected = statetool(*option.split(" "))
    found = statetool(*positional.split(" "))
    assert expected.status == found.status == 0
    # Each run draws another lineage.
    assert found.err == expected.err
    assert len(found.out) == len(expected.out)
