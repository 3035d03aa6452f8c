"""Functions read no files outside of the repository of a configuration, unless the user allows it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from statefmt.configuration import LoadOptions, load, root_scope
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.value import Unknown, Value

# Each would show what is in the file, or that it is there.
_OUTSIDE: Final = (
    'file("../../home/secret")', 'file("~/secret")', 'filebase64("../../home/secret")', 'file("linked")',
    'filesha256("../../home/secret")',
    'templatefile("../../home/secret", {})', 'file("HOME/secret")', 'fileexists("../../home/secret")',
    'fileset("../../home", "*")', 'fileset(".", "../../home/*")', 'fileset("/", "HOME/*")',
    'file("./linked-folder/secret")', 'fileset(".", "linked-folder/*")', 'upper(file("../../home/secret"))',
    'templatefile("inside.tftpl", { path = "../../home/secret" })', 'try(file("../../home/secret"), "no")',
    'core::file("../../home/secret")',
)  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder `root` of a clone, with the folder `shared` beside it, and a home directory elsewhere."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "secret").write_text("hidden")
    root = tmp_path / "clone" / "root"
    root.mkdir(parents=True)
    (root.parent / ".git").mkdir()
    (root.parent / "shared").write_text("seen")
    (root / "linked").symlink_to(tmp_path / "home" / "secret")
    (root / "linked-folder").symlink_to(tmp_path / "home")
    (root / "inside.tftpl").write_text("${file(path)}")
    return root


def _value(root: Path, expression: str, *allowed: str, environment: dict[str, str] | None = None) -> object:
    home = str(root.parents[1] / "home")
    (root / "main.tf").write_text(f"locals {{\n  value = {expression.replace('HOME', home)}\n}}\n")
    configuration = load(root, LoadOptions(environment={"HOME": home, **(environment or {})}, allowed_paths=allowed))
    found = evaluate(configuration.root.declarations.locals["value"].expression, root_scope(configuration))
    if isinstance(found, Unknown):
        return found
    assert isinstance(found, Value)
    return found.data


@pytest.mark.parametrize("expression", _OUTSIDE)
def test_nothing_outside_has_a_value(expression: str, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(root.parents[1] / "home"))
    found = _value(root, expression)
    assert isinstance(found, Unknown)
    assert "is outside of the repository of the configuration" in found.reason


@pytest.mark.parametrize("expression", ['file("../shared")', 'file("${path.module}/../shared")'])
def test_the_repository_is_read(expression: str, root: Path) -> None:
    assert _value(root, expression) == "seen"


def test_what_the_user_allows_is_read(root: Path) -> None:
    home = str(root.parents[1] / "home")
    assert _value(root, 'file("../../home/secret")', home) == "hidden"
    assert (
        _value(root, 'file("../../home/secret")', environment={"STATETOOL_ALLOW_PATH": f"/nowhere:{home}"}) == "hidden"
    )


def test_a_repository_around_the_home_directory_does_not_count(root: Path) -> None:
    """Some keep their settings in one, and unpack a stranger's archive below it."""
    (root.parents[1] / ".git").mkdir()
    (root.parent / ".git").rmdir()
    assert isinstance(_value(root, 'file("../../home/secret")'), Unknown)
    assert isinstance(_value(root, 'file("../shared")'), Unknown)


@pytest.mark.parametrize(("place", "is_read"), [("home", False), ("clone", True)])
def test_variables_are_read_through_links_in_the_repository_only(place: str, is_read: bool, root: Path) -> None:
    (root.parents[1] / place / "values.tfvars").write_text('name = "linked"\n')
    (root / "some.auto.tfvars").symlink_to(root.parents[1] / place / "values.tfvars")
    (root / "main.tf").write_text('variable "name" {}\n')
    assert ("name" in load(root, LoadOptions(allowed_paths=())).inputs) is is_read


def test_a_program_reads_all_files(root: Path) -> None:
    (root / "main.tf").write_text('locals {\n  value = file("../../home/secret")\n}\n')
    configuration = load(root)
    found = evaluate(configuration.root.declarations.locals["value"].expression, root_scope(configuration))
    assert isinstance(found, Value)
    assert found.data == "hidden"
