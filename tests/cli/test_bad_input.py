"""Bad input of every kind, for every command: one message that says what and where, status 2, every file unchanged."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Result, Statetool
from tests.cli.states import INDENTED, SAMPLES
from tests.tables import each_row

COMMANDS = [
    "check",
    "graph",
    "outputs --state",
    "providers --tree",
    "stats",
    "fmt",
    "fmt --check",
    "fmt --stdout",
    "list --state",
    "show --state",
    "upgrade",
    "upgrade --in-place",
    "upgrade -o new",
    "downgrade --for 1.8",
    "downgrade --for terraform-1.5 --drop-lossy --in-place",
    "grep x",
]
V4 = b'{"version":4,"serial":1,"lineage":"","outputs":{},"resources":[%s]}'

# What is wrong, the bytes, and words of the message that say what and where.
CONTENTS = [
    ("empty", b"", "The file is empty."),
    ("blank", b" \n\t\n", "not JSON: unexpected end of file at line 3, column 1 (byte 4)."),
    ("truncated", INDENTED[:60], "not JSON: unexpected end of file at line 4, column 10 (byte 60)."),
    ("truncated in a word", INDENTED[:-4], "not JSON: unexpected end of file"),
    ("two states in a row", INDENTED * 2, "not JSON: trailing characters at line 15, column "),
    ("byte order mark", b"\xef\xbb\xbf" + INDENTED, "a byte order mark, which JSON does not allow, at line 1"),
    ("UTF-16", INDENTED.decode().encode("utf-16"), "a UTF-16 byte order mark, where JSON must be UTF-8,"),
    ("not UTF-8", INDENTED.replace(b"zone", b"z\xffne"), "a byte that is not UTF-8 at line 7, column 7 (byte 140)"),
    ("NaN", b'{"version": 4,\n "serial": NaN}', "not JSON: invalid character at line 2, column 12 (byte 26)."),
    ("text", b"hello\n", "not JSON: invalid character at line 1, column 1 (byte 0)."),
    ("zeros", bytes(5000), "not JSON: invalid character at line 1, column 1 (byte 0)."),
    (
        "1,000,000 levels of lists",
        b'{"version":4,"x":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}",
        "nested too deeply to be a state",
    ),
    ("1,000,000 levels of objects", b'{"x":' * 1_000_000 + b"4" + b"}" * 1_000_000, "nested too deeply to be a state"),
    ("a list", b"[4]", 'JSON, but not an object; a state is an object with a member "version".'),
    ("a number", b"4", "JSON, but not an object"),
    ("null", b"null", "JSON, but not an object"),
    ("no version", b'{"serial": 1}', 'no member "version", which every state has.'),
    ("version in quotes", b'{"version": "4"}', 'The member "version" is "4". A positive whole number is required.'),
    ("version 0", b'{"version": 0}', "There never was a JSON state format 0"),
    ("version 5", b'{"version": 5, "terraform_version": "9.9"}', "version 5; versions 1 to 4 can be read."),
    ("binary format", b"tfstate\x01", "the binary format that Terraform wrote before version 0.7."),
    ("output of show -json", b'{"format_version":"1.0","values":{}}', "looks like the JSON output of `tofu show`"),
]
# The same for what parses as a state but has members of wrong types; to check, these are findings.
TYPES = [
    ("resources", b'{"version":4,"resources":{}}', "The member /resources is not valid: expected array"),
    ("serial", b'{"version":4,"serial":"1"}', "The member /serial is not valid: expected int"),
    ("resource", V4 % b"7", "The member /resources/0 is not valid: expected object"),
    ("instances", V4 % b'{"instances":{}}', "The member /resources/0/instances is not valid"),
    ("v3 modules", b'{"version":3,"modules":7}', "The member /modules is not valid"),
]
SAMPLE_FILES = [
    ("backend configuration", "broken/backend-configuration.tfstate", ".terraform/terraform.tfstate, not a state"),
    ("encrypted", "encrypted.tfstate", "This state is encrypted (serial "),
]


def _words(result: Result) -> str:
    return " ".join((result.text + result.err).split())


def _assert_refused(command: str, result: Result, message: str) -> None:
    assert result.status == 2
    assert " ".join(message.split()) in _words(result)
    assert len(re.findall(r"^ *error +[A-Z]{3}[0-9]{3}\b", result.text + result.err, re.MULTILINE)) == 1
    if command == "check":
        # What is wrong with a file that can be read is what check was asked for.
        assert re.search(r"^error +[A-Z]{3}[0-9]{3}  state\b", result.text, re.MULTILINE)
        assert result.err == ""
    else:
        assert result.err.startswith("statetool: state: this state cannot be used\n")
        assert result.out == b""


@each_row("command", COMMANDS, sample=120)
@each_row(("content", "message"), [case[1:] for case in CONTENTS], ids=[case[0] for case in CONTENTS])
def test_content(
    content: bytes, message: str, command: str, statetool: Statetool, tree: Callable[[], dict[str, bytes]]
) -> None:
    Path("state").write_bytes(content)
    _assert_refused(command, statetool(*command.split(), "state"), message)
    assert tree() == {"state": content}


@each_row("command", COMMANDS)
@each_row(("file", "message"), [case[1:] for case in SAMPLE_FILES], ids=[case[0] for case in SAMPLE_FILES])
def test_sample(
    file: str, message: str, command: str, statetool: Statetool, tree: Callable[[], dict[str, bytes]]
) -> None:
    shutil.copy(SAMPLES / file, "state")
    _assert_refused(command, statetool(*command.split(), "state"), message)
    assert tree() == {"state": (SAMPLES / file).read_bytes()}


@each_row("command", COMMANDS)
@each_row(("content", "message"), [case[1:] for case in TYPES], ids=[case[0] for case in TYPES])
def test_types(
    content: bytes, message: str, command: str, statetool: Statetool, tree: Callable[[], dict[str, bytes]]
) -> None:
    Path("state").write_bytes(content)
    result = statetool(*command.split(), "state")
    assert result.status == (1 if command == "check" else 2)
    assert message in _words(result)
    assert (result.err == "") == (command == "check")
    assert (result.out == b"") == (command != "check")
    assert tree() == {"state": content}


@each_row("levels", range(900, 1010, 9), sample=16)
@each_row("member", ["attributes", "private", "sensitive_attributes", "unknown"])
def test_about_as_deep_as_can_be_read(member: str, levels: int, statetool: Statetool) -> None:
    """Wherever the limit is, what lies beyond it is refused in words."""
    deep = b"[" * levels + b"]" * levels
    Path("state").write_bytes(
        V4 % (b'{"mode":"managed","type":"a","name":"b","instances":[{"%s":%s}]}' % (member.encode(), deep))
    )
    for command in COMMANDS[:10]:
        assert statetool(*command.split(), "state").status in (1, 2)


# What stands under the name, and a pattern of the message.
PLACES: list[tuple[str, Callable[[Path], object], str]] = [
    ("missing", lambda path: None, "there is no such file"),
    ("folder", Path.mkdir, "terraform.tfstate: there is no such file|no state file .* in this folder"),
    ("null device", lambda path: path.symlink_to("/dev/null"), "this is a device or socket, not a state file"),
    ("endless device", lambda path: path.symlink_to("/dev/zero"), "this is a device or socket, not a state file"),
    ("link to itself", lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
]


@each_row("command", COMMANDS)
@each_row(("make", "message"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES])
def test_place(
    make: Callable[[Path], object],
    message: str,
    command: str,
    statetool: Statetool,
    tree: Callable[[], dict[str, bytes]],
) -> None:
    make(Path("state"))
    before = tree()
    result = statetool(*command.split(), "state")
    assert (result.status, result.out) == (2, b"")
    assert re.match("statetool: state[:/]", result.err)
    assert re.search(message, result.err)
    assert result.err.count("\n") == 1
    assert tree() == before


@pytest.mark.parametrize(
    "command", ["check", "fmt", "graph", "list --state", "outputs", "providers", "show --state", "stats", "upgrade"]
)
def test_pipe_that_nobody_writes_to(command: str, program: Program, folder: Path) -> None:
    """A program that waited for a writer would wait forever."""
    os.mkfifo("state")
    expected = "statetool: state: this is a pipe without a writer\n"
    assert program(*command.split(), "state") == (2, b"", expected)
    assert [path.name for path in folder.iterdir()] == ["state"]


@pytest.mark.parametrize(
    "command",
    [
        "check -",
        "fmt -",
        "graph -",
        "list --state -",
        "outputs -",
        "providers -",
        "show --state -",
        "stats -",
        "upgrade -",
        "downgrade --for 1.8 -",
    ],
)
def test_standard_input(command: str, program: Program) -> None:
    result = program(*command.split(), stdin=b"")
    assert result.status == 2
    assert "The file is empty." in result.text + result.err
    assert "<standard input>" in result.text + result.err


def test_check_says_it_in_json_too(statetool: Statetool) -> None:
    Path("state").write_bytes(b"{")
    result = statetool("check", "--format", "json", "state")
    (file,) = json.loads(result.out)["files"]
    assert (result.status, result.err) == (2, "")
    assert [(finding["code"], finding["severity"]) for finding in file["findings"]] == [("STA001", "error")]


def test_module_path_of_a_thousand_steps(statetool: Statetool, tmp_path: Path) -> None:
    """`show` nests modules in its JSON, as deep as they are."""
    state = json.loads((SAMPLES / "v4-regions.tfstate").read_bytes())
    state["resources"][0]["module"] = ".".join(f"module.m{number}" for number in range(1000))
    (tmp_path / "deep").write_text(json.dumps(state))
    result = statetool("show", "--format", "json", "--state", str(tmp_path / "deep"))
    assert (result.status, result.out) == (2, b"")
    assert "nested too deeply" in result.err
