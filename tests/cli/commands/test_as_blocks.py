"""--as-blocks prints configuration, and writes nothing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Statetool
from tests.cli.states import SAMPLES
from tests.edit.transactions.three_states import BEFORE, CHAIN, state

NAME = "terraform.tfstate"
MOVED = "moved {\n  from = module.database\n  to   = module.postgres\n}\n"


@pytest.fixture(autouse=True)
def written(folder: Path) -> None:
    (folder / NAME).write_bytes((SAMPLES / "v4-regions.tfstate").read_bytes())


@pytest.mark.parametrize(
    ("command", "first"),
    [
        (("mv", "module.database", "module.postgres"), MOVED),
        (("rm", "aws_cloudwatch_metric_alarm.budget"), "removed {\n  from = aws_cloudwatch_metric_alarm.budget\n"),
        (
            ("rekey", "aws_vpc.main", "--map", "eu-west-1=eu,us-west-2=us"),
            'moved {\n  from = aws_vpc.main["eu-west-1"]',
        ),
    ],
)
def test_nothing_is_written(command: tuple[str, ...], first: str, folder: Path, statetool: Statetool) -> None:
    old = (folder / NAME).read_bytes()
    done = statetool(*command, "--as-blocks")
    assert done.status == 0
    assert done.text.startswith(first)
    assert done.err == (
        "nothing was written; change the configuration to the new addresses, paste the blocks, and plan\n"
    )
    assert (folder / NAME).read_bytes() == old
    assert [path.name for path in folder.iterdir() if path.is_file()] == [NAME]


def test_another_type_has_two_ways(folder: Path, statetool: Statetool) -> None:
    """What no state may have is printed as blocks, also of instances with keys. The refusal names the option."""
    old = (folder / NAME).read_bytes()
    refused = statetool("mv", "aws_vpc.main", "acme_vpc.main")
    assert refused.status == 2
    assert "the resource types differ; nothing was written. --as-blocks prints" in refused.err.replace("\n  ", " ")
    done = statetool("mv", "aws_vpc.main", "acme_vpc.main", "--as-blocks")
    assert done.status == 0
    assert done.text == (
        "# 1. If the provider can move them to the other type, as its documentation says:\n\n"
        "moved {\n  from = aws_vpc.main\n  to   = acme_vpc.main\n}\n\n"
        "# 2. If not, forget the objects, and import them by their ids:\n\n"
        "removed {\n  from = aws_vpc.main\n\n  lifecycle {\n    destroy = false\n  }\n}\n\n"
        'import {\n  to = acme_vpc.main["eu-west-1"]\n  id = "vpc-01a2b3c4d5e6f7081"\n}\n\n'
        'import {\n  to = acme_vpc.main["us-west-2"]\n  id = "vpc-02b3c4d5e6f708192"\n}\n'
    )
    assert "paste the blocks of one of the two ways, and plan" in done.err.replace("\n  ", " ")
    assert (folder / NAME).read_bytes() == old


def test_what_blocks_do_not_do_is_said(statetool: Statetool) -> None:
    done = statetool("rm", "data.aws_caller_identity.current", "--as-blocks")
    assert (done.status, done.out, done.err) == (0, b"", "no block is needed; nothing was written\n")
    Path("swap.stateops.hcl").write_text(
        f'state "s" {{ path = "{NAME}" }}\n'
        "move {\n  from = aws_vpc.main\n  to = aws_vpc.spare\n}\n"
        "move {\n  from = aws_instance.web\n  to = aws_instance.main\n}\n"
        'taint { of = "aws_iam_role.app" }\n'
    )
    swapped = statetool("plan", "swap.stateops.hcl", "--as-blocks")
    assert swapped.status == 1
    assert swapped.text.startswith(f"# For the configuration of the state s: {NAME}\n\nmoved {{")
    assert swapped.text.endswith("no block taints; plan with -replace=ADDRESS instead\n#   aws_iam_role.app\n")
    assert swapped.err == "statetool: warning: blocks do not do all of it: see 1 comment; nothing was written\n"


def test_a_result_is_no_state(statetool: Statetool) -> None:
    for command in (("mv", "aws_vpc.main", "aws_vpc.b", "-o", "x"), ("plan", "x.stateops.hcl", "-o", "x")):
        done = statetool(*command, "--as-blocks")
        assert (done.status, "cannot be combined with --out" in done.err) == (2, True)
        assert not Path("x").exists()


def test_of_standard_input(folder: Path) -> None:
    content = (folder / NAME).read_bytes()
    line = [str(PROGRAM), "mv", "--state", "-", "module.database", "module.postgres", "--as-blocks"]
    done = subprocess.run(line, input=content, capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode()) == (0, MOVED)


def test_several_states(statetool: Statetool) -> None:
    for name, resources in BEFORE.items():
        Path(f"{name}.tfstate").write_bytes(state(name, resources))
    states = "".join(f'state "{name}" {{ path = "{name}.tfstate" }}\n' for name in BEFORE)
    Path("x.stateops.hcl").write_text(states + CHAIN)
    old = {name: Path(f"{name}.tfstate").read_bytes() for name in BEFORE}
    done = statetool("plan", "x.stateops.hcl", "--as-blocks")
    for name in BEFORE:
        assert f"# For the configuration of the state {name}: {name}.tfstate\n" in done.text
    assert {name: Path(f"{name}.tfstate").read_bytes() for name in BEFORE} == old
    assert json.loads(old["app"])["lineage"]


def test_to_another_state_without_a_file(statetool: Statetool) -> None:
    Path("net.tfstate").write_bytes(state("net", ()))
    old = [Path(name).read_bytes() for name in (NAME, "net.tfstate")]
    done = statetool("mv", "--state", NAME, "--to-state", "net.tfstate", "module.database", "module.db", "--as-blocks")
    assert done.status == 0
    source, target = done.text.split("# For the configuration of the state net: net.tfstate\n\n")
    head, _, source = source.partition("\n\n")
    assert head.startswith("# For the configuration of the state ")
    assert head.endswith(f": {NAME}")
    assert target.startswith("import {")
    assert target.count("import {") == 2
    assert source.startswith("removed {")
    assert [Path(name).read_bytes() for name in (NAME, "net.tfstate")] == old
