"""What statetool answers when a shell completes a command line."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from statefmt.cli.completion import Typed, bash_text, candidates, typed_words
from statefmt.cli.names import COMMANDS
from statefmt.cli.program import SHELLS, script
from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES

REGIONS = str(SAMPLES / "v4-regions.tfstate")


def _values(words: str, incomplete: str) -> list[str]:
    return [str(item.value) for item in candidates(words.split(), incomplete)]


def test_commands_of_two_words() -> None:
    assert "fleet" in _values("", "f")
    assert _values("", "fleet ") == []
    assert set(_values("fleet", "")) == {name.removeprefix("fleet ") for name in COMMANDS if name.startswith("fleet ")}
    assert _values("fleet", "di") == ["diff"]
    assert _values("fleet diff", "l") == ["latest"]
    assert _values("fleet diff first", "p") == ["previous"]
    assert _values("fleet query --saved", "larg") == ["largest"]
    assert "--saved" in _values("fleet query", "--s")


def _state(folder: Path, *resources: tuple[str, str, Sequence[object]]) -> str:
    """Write a state with resources: module, name and instance keys; all of type aws_vpc."""
    written = [
        {
            **({"module": module} if module else {}),
            "mode": "managed",
            "type": "aws_vpc",
            "name": name,
            "provider": 'provider["registry.opentofu.org/hashicorp/aws"]',
            "instances": [
                {"schema_version": 0, "attributes": {}, **({} if key is None else {"index_key": key})} for key in keys
            ],
        }
        for module, name, keys in resources
    ]
    document = {"version": 4, "terraform_version": "1.9.0", "serial": 1, "lineage": "l", "outputs": {}}
    (folder / "s.tfstate").write_text(json.dumps({**document, "resources": written}))
    return str(folder / "s.tfstate")


def test_commands() -> None:
    assert set(_values("", "")) == {*(name.partition(" ")[0] for name in COMMANDS), "state"}
    assert set(_values("state", "")) == {"list", "show", "mv", "rm", "replace-provider", "pull"}
    assert _values("frobnicate", "") == []


@pytest.mark.parametrize("option", ["--dry-run", "--lock-timeout", "--encryption", "--color"])
def test_options(option: str) -> None:
    assert _values("mv", option[:-2])[0] == option


def test_addresses_of_another_state() -> None:
    state = f"--state {REGIONS}"
    assert _values(f"show {state}", "aws_iam") == ["aws_iam_role.app"]
    assert _values(f"show {state}", 'module.database["eu-west-1"].') == [
        'module.database["eu-west-1"].aws_db_instance.this'
    ]
    assert _values(f"mv {state} aws_iam_role.app", "aws_i") == _values(f"list {state}", "aws_i")


def test_releases_and_rules() -> None:
    assert _values("downgrade --for", "terraform-1.0") == ["terraform-1.0"]
    assert _values("rule", "CHK") == ["CHK001"]
    assert _values("check --ignore", "ADR001,ADR00")[:2] == ["ADR001,ADR001", "ADR001,ADR002"]


def test_decisions_of_a_state_that_cannot_be_read() -> None:
    state = str(SAMPLES / "broken" / "duplicate-instance.tfstate")
    kept = 'ADR002 aws_s3_bucket.logs["us-west-2"] keep='
    assert _values(f"repair --state {state} --choose", "ADR002 aws_s3_bucket")[:2] == [f"{kept}first", f"{kept}last"]
    assert _values(f"repair --state {state} --choose", f"{kept}i") == [f"{kept}id="]
    assert _values(f"repair --state {state} --choose", "PRV") == []
    assert _values("repair --keep", "") == ["first", "last", "newest", "id="]


def test_workspaces(folder: Path) -> None:
    (folder / "m" / "terraform.tfstate.d" / "dev").mkdir(parents=True)
    (folder / "terraform.tfstate.d" / "prod").mkdir(parents=True)
    assert _values("list --workspace", "") == ["default", "prod"]
    assert _values("list --state m --workspace", "d") == ["default", "dev"]


def test_many_addresses_step_by_step(folder: Path) -> None:
    """As shells complete paths: modules first, then what is in one of them."""
    resources = [(f'module.m["{number}"]', f"r{one}", ["a", "b"]) for number in range(60) for one in range(3)]
    state = _state(folder, ("", "root", [None]), *resources)
    first = candidates(["show", "--state", state], "")
    assert {str(item.value): item.type for item in first} == {
        "aws_vpc.root": "plain",
        **{f'module.m["{number}"]': "part" for number in range(60)},
    }
    assert _values(f"show --state {state}", 'module.m["7"].aws_vpc.r1') == [
        'module.m["7"].aws_vpc.r1',
        'module.m["7"].aws_vpc.r1["a"]',
        'module.m["7"].aws_vpc.r1["b"]',
    ]


def test_many_instances(folder: Path) -> None:
    state = _state(folder, ("", "a", list(range(200))), ("", "b", [None]))
    assert _values(f"show --state {state}", "aws_vpc.") == ["aws_vpc.a", "aws_vpc.b"]
    assert len(_values(f"show --state {state}", "aws_vpc.a[")) == 200


@pytest.mark.parametrize("name", ["-", "missing", "", "fifo"])
def test_nothing_to_read(name: str, folder: Path) -> None:
    """Completion does not wait for standard input or for the writer of a pipe."""
    os.mkfifo(folder / "fifo")
    path = str(folder / name) if name not in ("-", "") else name
    assert candidates(["show", "--state", path], "aws") == []


def test_no_control_characters(folder: Path) -> None:
    state = _state(folder, ("", "a", ["\x1b[2J", "fine"]))
    assert all(value.isprintable() for value in _values(f"show --state {state}", "aws_vpc.a["))


def test_nothing_is_written(folder: Path, program: Program) -> None:
    """An interrupted write is left to the next command."""
    _state(folder, ("", "a", [None]))
    (folder / ".s.tfstate.statetool").mkdir()
    (folder / ".s.tfstate.statetool" / "journal").write_bytes(b"half")
    before = {path.name: path.stat().st_mtime_ns for path in folder.rglob("*")}
    result = program("show", "--state", "s.tfstate", "aws", environment={"STATETOOL_COMPLETE": "zsh"})
    assert result.text == "plain\taws_vpc.a\t\n"
    assert {path.name: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("statetool ", [Typed("")]),
        ("statetool li", [Typed("li", "", "li")]),
        ("statetool show 'a[\"b", [Typed("show", "", "show"), Typed('a["b', "'", "'a[\"b")]),
        ('statetool show "a[\\"b', [Typed("show", "", "show"), Typed('a["b', '"', '"a[\\"b')]),
        ("statetool a\\ b ", [Typed("a b", "", "a\\ b"), Typed("")]),
        ("statetool ''", [Typed("", "", "''")]),
    ],
)
def test_words_of_a_line(line: str, words: list[Typed]) -> None:
    assert typed_words(line) == words


def test_words_for_bash() -> None:
    assert bash_text(["list"], Typed("li", "", "li")) == ["list"]
    assert bash_text(["a.b", "a.b[0]"], Typed("a", "", "a")) == ["'a.b'", "'a.b[0]'"]
    assert bash_text(['a["b"]'], Typed("a", '"', '"a')) == ['a[\\"b\\"]']
    assert bash_text(["x"], Typed("--state=", "", "--state=")) == ["x"]


@pytest.mark.parametrize("shell", SHELLS)
def test_install(shell: str, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    result = statetool("--install-completion")
    assert (result.status, result.err) == (0, "")
    (path,) = [path for path in folder.rglob("*") if path.is_file()]
    assert path.read_text() == script(shell) == statetool("--show-completion", shell).text
    assert str(path) in result.text
    assert statetool("--install-completion", shell).status == 0


def test_unknown_shell(statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    result = statetool("--install-completion")
    assert result.status == 2
    assert "does not name one of bash, zsh, fish" in " ".join(result.err.split())
    assert not [*folder.rglob("*")]
