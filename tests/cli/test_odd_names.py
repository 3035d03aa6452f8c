"""Names of files that are not UTF-8, or have control characters in them, in every command and format."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from tests.cli.conftest import Program
from tests.cli.states import HAND_EDITED, resource, state

ODD = b"odd-\xff.tfstate"
STATE = state(resource("aws_instance", "web", {"index_key": "a"}))
MOVE = ("aws_instance.web", "aws_instance.other")


@pytest.fixture(autouse=True)
def states(folder: Path) -> None:
    try:
        Path(os.fsdecode(ODD)).write_bytes(HAND_EDITED)
    except OSError:
        pytest.skip("this file system takes no such names")


def _is_sane(err: str) -> bool:
    return "Traceback" not in err and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", err)


def test_check_in_every_format(program: Program, folder: Path) -> None:
    for name in ("json", "sarif", "junit", "github", "text"):
        done = program("check", "--no-settings", "--format", name, ODD, b"missing-\xfe")
        assert done.status == 2
        assert _is_sane(done.err)
        assert done.out.decode()
    document = json.loads(program("check", "--format", "sarif", ODD).out)
    uri = document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote_to_bytes(uri) == ODD
    suite = ET.fromstring(program("check", "--format", "junit", ODD).out).find("testsuite")
    assert suite is not None
    assert suite.get("name") == "odd-\\udcff.tfstate"


def test_commands_in_messages_name_the_very_file(program: Program) -> None:
    """What `check` recommends can be pasted into a shell."""
    document = json.loads(program("check", "--format", "json", ODD).out)
    (fix,) = {finding["fix"] for finding in document["files"][0]["findings"]}
    assert "`statetool fmt --state $'odd-\\xff.tfstate'`" in fix


def test_baseline(program: Program, folder: Path) -> None:
    assert program("check", "--write-baseline", "baseline.json", ODD).status == 0
    assert list(json.loads((folder / "baseline.json").read_bytes())["states"]) == ["odd-\\udcff.tfstate"]
    assert program("check", "--fail-on", "info", ODD).status == 1
    known = program("check", "--baseline", "baseline.json", "--fail-on", "info", ODD)
    assert known.status == 0
    assert b"1 hidden" in known.out


@pytest.mark.parametrize(
    "line",
    [
        "list --state",
        "providers --format json",
        "outputs",
        "stats --format json",
        "graph",
        "grep x",
        "history",
        "fmt --check",
    ],
)
def test_reading(line: str, program: Program) -> None:
    done = program(*line.split(), ODD)
    assert done.status in (0, 1)
    assert _is_sane(done.err)


@pytest.mark.parametrize("line", ["mv --state FILE a.a a.b", "fmt FILE", "upgrade -i --style compact FILE"])
def test_writing_and_undo(line: str, program: Program, folder: Path) -> None:
    file = folder / os.fsdecode(ODD)
    file.write_bytes(HAND_EDITED if "mv" not in line else STATE)
    before = file.read_bytes()
    line = line.replace("a.a a.b", " ".join(MOVE))
    done = program(*(ODD if word == "FILE" else word for word in line.split()))
    assert done.status == 0
    assert _is_sane(done.err)
    (backup,) = (path for path in folder.iterdir() if path.name.endswith(".backup"))
    assert os.fsencode(backup.name).startswith(ODD)
    assert backup.read_bytes() == before
    (edit,) = json.loads(program("history", "--format", "json", ODD).out)["edits"]
    assert "$'odd-\\xff.tfstate'" in edit["command"]
    assert program("undo", ODD).status == 0
    assert len(json.loads(program("history", "--format", "json", ODD).out)["edits"]) == 2


def test_backup(program: Program, folder: Path) -> None:
    (folder / "state").write_bytes(STATE)
    done = program("mv", "--state", "state", *MOVE, "--backup", b"\xff.bak")
    assert done.status == 0
    assert _is_sane(done.err)
    assert (folder / os.fsdecode(b"\xff.bak")).read_bytes() == STATE
    assert program("undo", "state").status == 0


def test_another_file(program: Program, folder: Path, tree: Callable[[], dict[str, bytes]]) -> None:
    (folder / "state").write_bytes(STATE)
    before = tree()
    done = program("mv", "--state", "state", *MOVE, "-o", b"new-\xff")
    assert done == (0, done.out, "new-\\udcff: written\n")
    assert set(tree()) - set(before) == {"new-\udcff"}
    refused = program("mv", "--state", "state", *MOVE, "-o", b"new-\xff")
    assert refused.status == 2
    assert _is_sane(refused.err)


@pytest.mark.parametrize("name", ["TF_WORKSPACE", "TF_DATA_DIR", "TF_ENCRYPTION", "TF_CLI_CONFIG_FILE"])
@pytest.mark.parametrize("value", ["a\nFORGED", "\x1b[2Ja\x7f\x9b", "\u202e"], ids=repr)
def test_environment(name: str, value: str, program: Program) -> None:
    done = program("list", environment={name: value})
    assert done.status == 2
    assert _is_sane(done.err)
    assert "\u202e" not in done.err
    assert not re.search(r"^\s*FORGED", done.err, re.MULTILINE)
    if name == "TF_WORKSPACE":
        assert "contains control characters" in " ".join(done.err.split())


def test_newline_in_a_name(program: Program) -> None:
    """A name makes no line of its own in a message."""
    assert program("list", "--state", "a\nb") == (2, b"", "statetool: a b: there is no such file\n")


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
@pytest.mark.parametrize(
    "command",
    [
        "mv --state NAME aws_instance.web aws_instance.other",
        "mv --state in --yes -o NAME aws_instance.web aws_instance.other",
        "fmt --style compact NAME",
        "upgrade -i --style compact NAME",
    ],
)
def test_names_of_descriptors_are_not_written_to(name: str, command: str, program: Program, folder: Path) -> None:
    """The folder of such a name is none to keep a backup in."""
    if not Path("/dev/stdin").exists():
        pytest.skip("this system has no /dev/stdin")
    Path(os.fsdecode(ODD)).unlink()
    (folder / "in").write_bytes(STATE)
    done = program.in_shell(f"statetool {command.replace('NAME', name)} < in")
    assert done.status == 2
    assert name in done.err
    assert (folder / "in").read_bytes() == STATE
    assert [path.name for path in folder.iterdir()] == ["in"]
    assert not [path for path in Path("/dev").iterdir() if "statetool" in path.name or "backup" in path.name]


@pytest.mark.parametrize("name", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
def test_names_of_descriptors_can_be_read(name: str, program: Program, folder: Path) -> None:
    if not Path(name).exists():
        pytest.skip(f"this system has no {name}")
    (folder / "in").write_bytes(STATE)
    assert program.in_shell(f"statetool list --state {name} < in") == (0, b'aws_instance.web["a"]\n', "")
