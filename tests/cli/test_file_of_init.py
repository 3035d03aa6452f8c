"""No command writes a state into the file in which `init` records the backend, and none takes one there for granted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from tests.cli.conftest import Statetool

_RECORD: Final = "global/.terraform/terraform.tfstate"


def _resource(name: str) -> dict[str, Any]:
    instance = {"schema_version": 0, "attributes": {"id": name, "input": None, "output": None}}
    resource = {"mode": "managed", "type": "terraform_data", "name": name, "instances": [instance]}
    return {**resource, "provider": 'provider["terraform.io/builtin/terraform"]'}


def _state(lineage: str, *names: str) -> bytes:
    document = {"version": 4, "terraform_version": "1.9.0", "serial": 3, "lineage": lineage, "outputs": {}}
    return json.dumps({**document, "resources": [*map(_resource, names)], "check_results": None}).encode()


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "global" / ".terraform").mkdir(parents=True)
    (folder / "data").mkdir()
    (folder / "a.tfstate").write_bytes(_state("a", "x", "y"))
    (folder / "b.tfstate").write_bytes(_state("b", "z"))
    (folder / "old.tfstate").write_text('{"version": 3, "serial": 1, "lineage": "o", "modules": []}', encoding="utf-8")
    operations = f'state "a" {{ path = "a.tfstate" }}\nstate "b" {{\n  path = "{_RECORD}"\n  create = true\n}}\n'
    operations += "move {\n  from = state.a.terraform_data.x\n  to = state.b.terraform_data.x\n}\n"
    (folder / "one.stateops.hcl").write_text(operations, encoding="utf-8")


_MV: Final = ("mv", "terraform_data.x")
_WRITES: Final = [
    (*_MV, "--state", "a.tfstate", "--to-state", _RECORD, "--create", "--yes"),
    (*_MV, "terraform_data.q", "--state", "a.tfstate", "--out", _RECORD),
    (*_MV, "terraform_data.q", "--state", "a.tfstate", "--backup", _RECORD, "--yes"),
    ("rm", "terraform_data.x", "--state", "a.tfstate", "--out", f"global/../{_RECORD}", "--yes"),
    ("copy", "a.tfstate", _RECORD),
    ("split", "a.tfstate", "--select", f"terraform_data.x={_RECORD}", "--yes"),
    ("join", "a.tfstate", "b.tfstate", "--into", _RECORD, "--yes"),
    ("apply", "one.stateops.hcl", "--yes"),
    ("upgrade", "old.tfstate", "-o", _RECORD),
    ("downgrade", "--for", "1.8", "a.tfstate", "-o", _RECORD),
    ("salvage", "a.tfstate", "-o", _RECORD, "--yes"),
    ("upgrade", "old.tfstate", "-o", "link.tfstate"),
]


@pytest.mark.parametrize("command", _WRITES, ids=" ".join)
def test_no_state_is_written_there(statetool: Statetool, command: tuple[str, ...], folder: Path) -> None:
    Path("link.tfstate").symlink_to(_RECORD)
    before = {name: (folder / name).read_bytes() for name in ("a.tfstate", "b.tfstate", "old.tfstate")}
    result = statetool(*command)
    assert result.status == 2
    assert "init records the backend in this file" in result.err
    assert "global, whose state is then found" in result.err
    assert not Path(_RECORD).exists()
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.mark.parametrize("command", [
    (*_MV, "terraform_data.q", "--state", _RECORD, "--yes"),
    (*_MV, "--state", _RECORD, "--to-state", "new.tfstate", "--create", "--yes"),
    ("join", _RECORD, "--into", "b.tfstate", "--yes"),
    ("copy", "b.tfstate", _RECORD),
    ("upgrade", "old.tfstate", "-o", _RECORD, "--yes"),
], ids=" ".join)  # fmt: skip
def test_a_state_that_lies_there_is_not_edited(statetool: Statetool, command: tuple[str, ...]) -> None:
    shutil.copy("a.tfstate", _RECORD)
    before = Path(_RECORD).read_bytes(), Path("b.tfstate").read_bytes()
    assert statetool(*command).status == 2
    assert (Path(_RECORD).read_bytes(), Path("b.tfstate").read_bytes()) == before
    assert not Path("new.tfstate").exists()


@pytest.mark.parametrize("command", _WRITES[1:6], ids=" ".join)
def test_the_data_directory_may_be_another(
    statetool: Statetool, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_DATA_DIR", "data")
    other = [word.replace(_RECORD, "data/terraform.tfstate").replace("global/../", "") for word in command]
    result = statetool(*other)
    assert result.status == 2
    assert "init records the backend in this file" in result.err
    assert not Path("data/terraform.tfstate").exists()


def test_the_library_writes_none(folder: Path) -> None:
    shutil.copy("a.tfstate", _RECORD)
    state = statefmt.open(_RECORD)
    with pytest.raises(statefmt.StoreError, match="init records the backend in this file"), state.edit("x") as edit:
        edit.remove("terraform_data.x")
    assert Path(_RECORD).read_bytes() == _state("a", "x", "y")


def test_the_way_out(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command that looks at the folder says what is wrong; what it advises works."""
    shutil.copy("a.tfstate", _RECORD)
    monkeypatch.chdir("global")
    advice = "`statetool copy .terraform/terraform.tfstate .`, delete the file, and run init"
    for command in (("where",), ("list",), ("check",)):
        result = statetool(*command)
        said = f"{result.text}{result.err}"
        assert advice in said
        assert "unsupported backend state version 4" in said
    assert statetool("copy", ".terraform/terraform.tfstate", ".").status == 0
    Path(".terraform/terraform.tfstate").unlink()
    result = statetool("list")
    assert (result.status, result.err) == (0, "")
    assert result.text.split() == ["terraform_data.x", "terraform_data.y"]


def test_a_backend_with_that_path(statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    main = 'terraform {\n  backend "local" {\n    path = ".terraform/terraform.tfstate"\n  }\n}\n'
    Path("global/main.tf").write_text(main, encoding="utf-8")
    assert (
        "The path of this backend is the file in which init records the backend." in statetool("where", "global").text
    )
    result = statetool("check", "--config", "global", "--no-state")
    assert result.status == 1
    assert "CFG016" in result.text


def test_what_terragrunt_decides(statetool: Statetool) -> None:
    """The file beside it is another state, or an old one."""
    Path("global/terragrunt.hcl").touch()
    shutil.copy("a.tfstate", "global/terraform.tfstate")
    result = statetool("where", "global")
    assert result.status == 0
    assert "terragrunt.hcl: this folder is a Terragrunt unit" in result.text.replace("\n", " ")
    assert "backend    local" not in result.text
    result = statetool("mv", "terraform_data.x", "terraform_data.q", "--state", "global", "--yes")
    assert result.status == 2
    assert "terragrunt --working-dir global state pull | statetool mv --state - … --dry-run" in result.err
    assert Path("global/terraform.tfstate").read_bytes() == _state("a", "x", "y")
    result = statetool("list", "--state", "global")
    assert "terragrunt --working-dir global state pull | statetool list --state -" in result.err
