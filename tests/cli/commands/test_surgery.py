"""Commands of surgery: what they write, what they keep, what they say, and when they write nothing."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from statefmt.cli.run import system_context
from statefmt.store.local.transaction import open_state
from tests.cli.conftest import PROGRAM, Program, Statetool
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
NAME = "terraform.tfstate"


@pytest.fixture(autouse=True)
def written(folder: Path) -> None:
    (folder / NAME).write_bytes(REGIONS)


def _files(folder: Path) -> list[str]:
    """The files; the history is in a folder below."""
    return sorted(path.name for path in folder.iterdir() if path.is_file())


def _backups(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{NAME}.*.backup"))


def test_a_move_is_written_and_told(folder: Path, statetool: Statetool) -> None:
    done = statetool("mv", "aws_vpc.main", "aws_vpc.net")
    assert done.status == 0
    assert done.text.splitlines()[0] == "→ aws_vpc.main to aws_vpc.net (2 instances)"
    [backup] = _backups(folder)
    assert backup.read_bytes() == REGIONS
    assert f"{NAME}: written; the previous state is kept in" in done.err
    # The name, its serial, and where the name stands in dependencies; every other byte is as it was.
    expected = REGIONS.replace(b'"aws_vpc.main"', b'"aws_vpc.net"').replace(b'"serial": 58', b'"serial": 59')
    block = REGIONS.index(b'"type": "aws_vpc"')
    expected = expected[:block] + expected[block:].replace(b'"name": "main"', b'"name": "net"', 1)
    assert (folder / NAME).read_bytes() == expected
    assert _files(folder) == [NAME, backup.name]


def test_there_and_back_again(folder: Path, statetool: Statetool) -> None:
    assert statetool("mv", "module.database", "module.db").status == 0
    assert statetool("mv", "module.db", "module.database").status == 0
    assert (folder / NAME).read_bytes() == REGIONS.replace(b'"serial": 58', b'"serial": 60')


def test_a_dry_run_writes_nothing(folder: Path, statetool: Statetool) -> None:
    dry = statetool("mv", "--dry-run", "aws_vpc.main", "aws_vpc.net")
    assert (dry.status, _files(folder), (folder / NAME).read_bytes()) == (0, [NAME], REGIONS)
    assert f"{NAME}: dry run; nothing was written" in dry.err
    assert statetool("mv", "aws_vpc.main", "aws_vpc.net").out == dry.out


@pytest.mark.parametrize("name", ["terraform.tfstate", "-"])
def test_the_result_elsewhere(name: str, folder: Path, program: Program) -> None:
    line = f"statetool mv --state {name} --out new aws_vpc.main aws_vpc.net <{NAME}"
    assert program.in_shell(line).status == 0
    assert (folder / NAME).read_bytes() == REGIONS
    assert json.loads((folder / "new").read_bytes())["serial"] == 59
    assert oct((folder / "new").stat().st_mode) == oct(0o100600)


@pytest.mark.parametrize(("option", "backups"), [([], 1), (["--no-backup"], 0)])
def test_another_file_is_replaced(option: list[str], backups: int, folder: Path, statetool: Statetool) -> None:
    (folder / "new").write_bytes(b"old")
    arguments = ["mv", "aws_vpc.main", "aws_vpc.net", "--out", "new", *option]
    assert statetool(*arguments).status == 2
    assert (folder / "new").read_bytes() == b"old"
    done = statetool(*arguments, "--yes")
    assert json.loads((folder / "new").read_bytes())["serial"] == 59
    assert [path.read_bytes() for path in folder.glob("new.*.backup")] == [b"old"] * backups
    assert ("is kept in" in done.err) == bool(backups)


def test_from_standard_input_to_standard_output(program: Program) -> None:
    done = program("rm", "-y", "--state", "-", "aws_vpc.main", stdin=REGIONS)
    assert done.status == 0
    assert json.loads(done.out)["serial"] == 59
    assert '- aws_vpc.main["eu-west-1"]' in done.err


REFUSED = {
    "another serial": (["rm", "-y", "aws_vpc.main", "--expect-serial", "57"], "the serial is 58, not 57"),
    "other content": (["mv", "aws_vpc.main", "aws_vpc.x", "--expect-hash", "0" * 64], "differs from the expected one"),
    "nothing to forget": (["rm", "-y"], "no instances selected"),
    "no such instance": (["rm", "-y", "aws_vpc.none"], "no resource instance matches"),
    "taken": (["mv", "aws_vpc.main", "aws_vpc.main[0]"], "matches 2 instances, but aws_vpc.main[0] is only one"),
    "no terminal to ask on": (["rm", "aws_vpc.main"], "there is no terminal to ask on; nothing was written"),
    "a backup that is there": (["mv", "aws_vpc.main", "aws_vpc.x", "--backup", NAME], "the backup already exists"),
    "a backup of what is not written": (
        ["mv", "aws_vpc.main", "aws_vpc.x", "--backup", "old", "--out", "new"],
        "cannot be combined with --out",
    ),
    "no duration": (["mv", "aws_vpc.main", "aws_vpc.x", "--lock-timeout", "soon"], "'soon' is not a duration"),
    "another format": (["rm", "-y", "--state", str(SAMPLES / "v3-legacy.tfstate"), "**"], "format version 3"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, folder: Path, statetool: Statetool) -> None:
    arguments, message = REFUSED[case]
    done = statetool(*arguments)
    assert done.status == 2
    assert message in " ".join(done.err.split())
    assert (_files(folder), (folder / NAME).read_bytes()) == ([NAME], REGIONS)


def test_the_state_that_was_expected(statetool: Statetool) -> None:
    digest = hashlib.sha256(REGIONS).hexdigest()
    done = statetool("mv", "aws_vpc.main", "aws_vpc.x", "--expect-serial", "58", "--expect-hash", digest.upper())
    assert done.status == 0


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 2), ("", 2)])
def test_a_question(answer: str, status: int, folder: Path, program: Program) -> None:
    shown = on_terminal(program, "statetool rm aws_vpc.main", typed=f"{answer}\n")
    assert shown.status == status
    assert "Write this to terraform.tfstate? [y/N]" in shown.text
    assert (b"aws_vpc.main" in (folder / NAME).read_bytes()) == bool(status)


def test_locked_by_somebody_else(folder: Path, program: Program) -> None:
    path = folder / NAME
    with open_state(path, system_context().lock_info(path, "apply"), system_context().note):
        done = program("mv", "aws_vpc.main", "aws_vpc.x")
        assert done.status == 2
        assert "locked by" in done.err
        assert "(apply, since" in " ".join(done.err.split())
        assert program("list").status == 0
    assert path.read_bytes() == REGIONS


def test_many_at_once(folder: Path) -> None:
    """Each moves an instance of its own, and all of them succeed."""
    document = json.loads(REGIONS)
    vpc = next(resource for resource in document["resources"] if resource["type"] == "aws_vpc")
    first = vpc["instances"][0]
    vpc["instances"] = [{**first, "index_key": number, "attributes": {"id": f"v{number}"}} for number in range(32)]
    document["resources"] = [vpc]
    (folder / NAME).write_text(json.dumps(document), "utf-8")
    commands = [
        subprocess.Popen(
            [str(PROGRAM), "mv", "-y", "--lock-timeout", "110s", f"aws_vpc.main[{number}]", f"aws_vpc.new[{number}]"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )
        for number in range(32)
    ]  # fmt: skip
    assert [(command.communicate(timeout=120)[1][:0], command.returncode) for command in commands] == [(b"", 0)] * 32
    after = json.loads((folder / NAME).read_bytes())
    assert after["serial"] == document["serial"] + 32
    [resource] = after["resources"]
    assert (resource["name"], sorted(obj["index_key"] for obj in resource["instances"])) == ("new", list(range(32)))
