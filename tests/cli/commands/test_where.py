"""`where` and `workspaces`, and the options that choose the state of a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import resource, state
from tests.cli.test_json_output import _assert_valid
from tests.tables import each_row

HERE = state(resource("aws_instance", "here"))
ELSEWHERE = state(resource("aws_instance", "elsewhere"))
LISTED = (0, b"aws_instance.here\n", "")


def _write(path: Path, content: bytes | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def _local(*arguments: str) -> str:
    return 'terraform {\n  backend "local" {\n' + "\n".join(arguments) + "\n  }\n}\n"


def test_text(statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder / "main.tf", _local('path = "a.tfstate"'))
    monkeypatch.setenv("TF_WORKSPACE", "dev")
    assert (
        statetool("where").text
        == """\
terraform.tfstate.d/dev/terraform.tfstate

  backend    local, from main.tf:2
  workspace  dev, from TF_WORKSPACE
  lock       lock of the open file

setting        value                from
path           a.tfstate            main.tf:3
workspace_dir  terraform.tfstate.d  default
"""
    )


def test_json(statetool: Statetool) -> None:
    document = json.loads(statetool("where", "--format", "json").out)
    _assert_valid(document, "where-output")
    assert document["file"] == {"path": "terraform.tfstate", "outside": False}
    assert (document["backend"]["source"], document["programs"]) == ("default", ["tofu", "terraform"])


@pytest.mark.parametrize("argument", ["file", "missing", "-"])
def test_only_folders(argument: str, statetool: Statetool, folder: Path) -> None:
    _write(folder / "file", HERE)
    assert (statetool("where", argument).status, statetool("workspaces", argument).status) == (2, 2)


def test_workspaces(statetool: Statetool, folder: Path) -> None:
    (folder / "m" / "terraform.tfstate.d" / "dev").mkdir(parents=True)
    _write(folder / "m" / ".terraform" / "environment", "new")
    assert statetool("workspaces", "m").text == "  default\n  dev\n* new (it has no state yet)\n"
    document = json.loads(statetool("workspaces", "m", "--format", "json").out)
    _assert_valid(document, "workspaces-output")
    assert document["current"] == "new"
    assert [one["current"] for one in document["workspaces"]] == [False, False]


def test_a_folder_stands_for_its_state(statetool: Statetool, folder: Path) -> None:
    """To commands that look, and to those that write."""
    _write(folder / "terraform.tfstate", ELSEWHERE)
    _write(folder / "m" / "main.tf", _local('path = "own/s.tfstate"'))
    own = _write(folder / "m" / "own" / "s.tfstate", HERE)
    assert statetool("list", "--state", "m") == LISTED
    assert statetool("stats", "m").status == 0
    assert statetool("rm", "--state", "m", "aws_instance.here", "-y").status == 0
    assert b"here" not in own.read_bytes()
    assert statetool("undo", "--state", "m", "-y").status == 0
    assert statetool("list", "--state", "m") == LISTED
    assert (folder / "terraform.tfstate").read_bytes() == ELSEWHERE


def test_workspace_option(statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_WORKSPACE", "prod")
    _write(folder / "terraform.tfstate.d" / "dev" / "terraform.tfstate", HERE)
    assert statetool("list", "--workspace", "dev") == LISTED
    assert statetool("mv", "--workspace", "dev", "aws_instance.here", "aws_instance.there").status == 0
    assert statetool("list", "--workspace=dev").text == "aws_instance.there\n"


@pytest.mark.parametrize("option", ["--backend-config {}", "--backend-config={}", "-backend-config={}"])
def test_no_setting_is_recorded(option: str, statetool: Statetool, folder: Path) -> None:
    """The history has files by name, but of KEY=VALUE only the name."""
    _write(folder / "main.tf", _local())
    _write(folder / "hunter2", HERE)
    _write(folder / "x.tfbackend", 'workspace_dir = "w"')
    options = [*option.format("path=hunter2").split(), *option.format("x.tfbackend").split()]
    assert statetool("taint", *options, "aws_instance.here").status == 0
    history = statetool("history", "--state", "hunter2", "--format", "json").text
    assert "path=…" in history.replace("\\u2026", "…")
    assert "x.tfbackend" in history
    assert "path=hunter2" not in history


@pytest.mark.parametrize(
    "line",
    [
        "list --workspace dev --state file",
        "list --backend-config path=x --state file",
        "list --workspace dev --state -",
        "check --workspace dev file",
        "diff --workspace dev file file",
        "stats --workspace dev file",
        "list --workspace=",
        "list --workspace=a/b",
        "list --backend-config path=x",
    ],
)
def test_options_are_not_ignored(line: str, statetool: Statetool, folder: Path) -> None:
    _write(folder / "file", HERE)
    done = statetool(*line.split())
    assert (done.status, done.out) == (2, b"")
    assert "--workspace" in done.err or "--backend-config" in done.err


@pytest.mark.parametrize("path", ["../other.tfstate", "ABOVE/other.tfstate"])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_state_outside_is_neither_read_nor_written(
    path: str, recorded: bool, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = _write(folder / "other.tfstate", HERE)
    path = path.replace("ABOVE", str(folder))
    if recorded:
        record = {"version": 3, "backend": {"type": "local", "config": {"path": path}}}
        _write(folder / "clone" / ".terraform" / "terraform.tfstate", json.dumps(record))
    else:
        _write(folder / "clone" / "main.tf", _local(f'path = "{path}"'))
    for arguments in ([], ["--state", "clone"]):
        monkeypatch.chdir(folder if arguments else folder / "clone")
        assert statetool("list", *arguments, "--allow-path", str(folder)) == LISTED
        assert "The file is outside of this folder" in statetool("where", *arguments).text
        for command in ("list", "check", "rm aws_instance.here -y", "taint aws_instance.here", "undo -y"):
            done = statetool(*command.split(), *arguments)
            assert done.status == 2
            assert f"name it with --state, or use --allow-path {other}" in " ".join(done.err.split())
    assert other.read_bytes() == HERE
    assert statetool("taint", "aws_instance.here", "--state", "clone", "--allow-path", str(other)).status == 0


def test_the_user_may_place_a_state_outside(statetool: Statetool, folder: Path) -> None:
    """An argument of --backend-config is the user's."""
    _write(folder / "other.tfstate", HERE)
    _write(folder / "clone" / "main.tf", _local(""))
    named = ("--state", "clone", "--backend-config", "path=../other.tfstate")
    assert statetool("list", *named) == LISTED
    assert statetool("list", "--state", "clone").status == 2


RECORDS = [
    b"{",
    b"[]",
    b"1",
    b'"text"',
    b'{"backend": []}',
    b'{"backend": {"type": 1}}',
    b'{"backend": {}}',
    b'{"backend": {"type": "local", "config": []}}',
    b'{"backend": {"type": "local", "config": {"path": []}}}',
    b'{"backend": {"type": "local", "config": {"path": ""}}}',
    b'{"backend": {"type": "local", "config": {"pth": "a"}}}',
    b'{"backend": {"type": "local", "config": {"path": "a\\u0000b"}}}',
    b'{"backend": {"type": "local", "config": {"path": "\\u001b[2J"}}}',
    b'{"backend": {"type": "local", "config": {"path": "\\ud800"}}}',
    b'{"backend": {"type": "\\u001b[2J", "config": {}}}',
    b'{"backend": {"type": "s3", "config": {"endpoints": [[]]}}}',
    b'{"backend": {"type": "s3", "config": {"endpoints": {"\\u001b[2J": 1}}}}',
    b'{"backend": {"type": "s3", "config": {"bucket": "\\u001b[2J", "key": "\\u202e"}}}',
    b'{"backend": {"type": "s3", "config": {"max_retries": 1e999}}}',
    b'{"backend": {"type": "s3", "config": {"profile": {"a": ' + b"[" * 5000 + b"]" * 5000 + b"}}}}",
    b"\xff\xfe",
]


@each_row("content", RECORDS, ids=[str(number) for number in range(len(RECORDS))])
@each_row("command", ["where", "where --format json", "list", "workspaces", "rm a.b -y"])
def test_odd_records(content: bytes, command: str, statetool: Statetool, folder: Path) -> None:
    """A message or a result, without control characters; never the file that would be used by default."""
    _write(folder / ".terraform" / "terraform.tfstate", content)
    usual = _write(folder / "terraform.tfstate", HERE)
    done = statetool(*command.split())
    assert b"aws_instance" not in done.out
    assert done.status == 2 or command.startswith(("where", "workspaces"))
    for text in (done.text, done.err):
        assert not [char for char in text if char != "\n" and not char.isprintable()]
    assert "Traceback" not in done.err
    assert usual.read_bytes() == HERE
