"""Which state a command works on: the one named, standard input, or that of the current workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import HAND_EDITED, INDENTED, V3, resource, state

# Each way to name a state, with a state in which only the resource `here` is found.
HERE = state(resource("aws_instance", "here"))
ELSEWHERE = state(resource("aws_instance", "elsewhere"))
FOUND = (0, b"aws_instance.here\n", "")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


# What it shows, the environment, where a workspace is recorded, and the state's file.
DEFAULTS: list[tuple[str, dict[str, str], dict[str, bytes], str]] = [
    ("nothing set", {}, {}, "terraform.tfstate"),
    ("TF_WORKSPACE", {"TF_WORKSPACE": "dev"}, {}, "terraform.tfstate.d/dev/terraform.tfstate"),
    ("TF_WORKSPACE=default", {"TF_WORKSPACE": "default"}, {}, "terraform.tfstate"),
    ("environment", {}, {".terraform/environment": b"dev"}, "terraform.tfstate.d/dev/terraform.tfstate"),
    (
        "TF_WORKSPACE wins",
        {"TF_WORKSPACE": "dev"},
        {".terraform/environment": b"prod"},
        "terraform.tfstate.d/dev/terraform.tfstate",
    ),
    (
        "TF_DATA_DIR",
        {"TF_DATA_DIR": "data"},
        {"data/environment": b"dev", ".terraform/environment": b"prod"},
        "terraform.tfstate.d/dev/terraform.tfstate",
    ),
    ("local backend", {}, {".terraform/terraform.tfstate": b'{"backend":{"type":"local"}}'}, "terraform.tfstate"),
]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("terraform.tfstate", b'{"backend":{"type":"local","config":{"path":"../other/terraform.tfstate"}}}'),
        ("terraform.tfstate", b'{"backend":{"type":"local","config":{"path":"ABOVE/other/terraform.tfstate"}}}'),
        ("environment", b"../../other"),
    ],
)
def test_a_repository_does_not_say_which_file_outside_of_it_is_written(
    name: str, content: bytes, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder / "other" / "terraform.tfstate"
    _write(other, HERE)
    _write(folder / "clone" / ".terraform" / name, content.replace(b"ABOVE", str(folder).encode()))
    monkeypatch.chdir(folder / "clone")
    result = statetool("rm", "aws_instance.here", "-y")
    assert result.status == 2
    assert "name it with --state" in " ".join(result.err.split())
    assert other.read_bytes() == HERE


@pytest.mark.parametrize(
    ("environment", "records", "file"), [case[1:] for case in DEFAULTS], ids=[case[0] for case in DEFAULTS]
)
def test_default(
    environment: dict[str, str],
    records: dict[str, bytes],
    file: str,
    statetool: Statetool,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("terraform.tfstate", "dev", "prod"):
        _write(folder / (name if "." in name else f"terraform.tfstate.d/{name}/terraform.tfstate"), ELSEWHERE)
    for name, content in records.items():
        _write(folder / name, content)
    _write(folder / file, HERE)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert statetool("list") == FOUND


@pytest.mark.parametrize("command", ["check", "fmt", "list", "upgrade", "upgrade --in-place"])
def test_default_is_refused_with_the_recipe(command: str, statetool: Statetool, folder: Path) -> None:
    """`init` recorded that the state is elsewhere; a file that still lies around is not it."""
    _write(folder / ".terraform" / "terraform.tfstate", b'{"version":3,"backend":{"type":"gcs","config":{}}}')
    (folder / "terraform.tfstate").write_bytes(HAND_EDITED)
    result = statetool(*command.split())
    assert (result.status, result.out) == (2, b"")
    assert "the backend 'gcs'" in result.err
    assert "tofu state pull" in result.err
    assert "push" not in result.err
    assert (folder / "terraform.tfstate").read_bytes() == HAND_EDITED


def test_recipe(program: Program) -> None:
    """What the recipe does, with files in place of the backend."""
    Path("pulled").write_bytes(V3)
    line = "cat pulled | statetool upgrade --state - 2>report | cat >pushed; statetool check pushed"
    assert program.in_shell(line) == (0, b"1 state checked: no findings\n", "")
    assert Path("report").read_text("utf-8").startswith("<standard input>: format version 3 → 4\n")


@pytest.mark.parametrize("command", ["fmt", "list", "upgrade"])
def test_no_state_in_this_folder(command: str, statetool: Statetool) -> None:
    assert statetool(command) == (2, b"", "statetool: terraform.tfstate: there is no such file\n")


NAMED = ["fmt --stdout state", "fmt --stdout --state state", "upgrade state", "upgrade --state state"]


@pytest.mark.parametrize("line", NAMED)
def test_named(line: str, statetool: Statetool, folder: Path) -> None:
    (folder / "state").write_bytes(HAND_EDITED)
    (folder / "terraform.tfstate").write_bytes(ELSEWHERE)
    assert statetool(*line.split()).out == INDENTED


@pytest.mark.parametrize("line", ["check state", "check --state state"])
def test_named_to_check(line: str, statetool: Statetool, folder: Path) -> None:
    (folder / "state").write_bytes(INDENTED)
    assert statetool(*line.split()) == (0, b"1 state checked: no findings\n", "")


STANDARD_INPUT = [
    ("check -", b"1 state checked: no findings\n"),
    ("check --state -", b"1 state checked: no findings\n"),
    ("fmt -", INDENTED),
    ("fmt --state -", INDENTED),
    ("fmt --stdout -", INDENTED),
    ("fmt --check -", b""),
    ("upgrade -", INDENTED),
    ("upgrade --state -", INDENTED),
    ("list --state -", b""),
]


@pytest.mark.parametrize(("line", "out"), STANDARD_INPUT, ids=[case[0] for case in STANDARD_INPUT])
def test_standard_input(line: str, out: bytes, program: Program, folder: Path) -> None:
    result = program(*line.split(), stdin=INDENTED)
    assert (result.status, result.out) == (0, out), result.err
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("line", ["list prod.tfstate", "show aws_vpc.a prod.tfstate", "list ./prod.tfstate"])
def test_a_state_among_the_selectors(line: str, statetool: Statetool, folder: Path) -> None:
    """Not a word about the default state, which was not meant."""
    (folder / "prod.tfstate").write_bytes(INDENTED)
    result = statetool(*line.split())
    assert (result.status, result.out) == (2, b"")
    assert "it is a file; use --state" in " ".join(result.err.split())


def test_a_resource_called_like_a_state(statetool: Statetool, folder: Path) -> None:
    (folder / "terraform.tfstate").write_bytes(state(resource("prod", "tfstate")))
    assert statetool("list", "prod.tfstate").out == b"prod.tfstate\n"


def test_standard_input_in_messages(program: Program) -> None:
    assert program("list", "--state", "-", stdin=b"{").err.startswith("statetool: <standard input>: this state ")
    assert program("check", "-", stdin=b"{").out.startswith(b"error   STA001  <standard input>")


def test_file_that_is_called_like_standard_input(statetool: Statetool, folder: Path) -> None:
    (folder / "-").write_bytes(INDENTED)
    assert statetool("check", "./-") == (0, b"1 state checked: no findings\n", "")
