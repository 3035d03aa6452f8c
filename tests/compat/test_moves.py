"""What `moves` writes for real plans: with it, the same plan has nothing to create and nothing to destroy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.read import read_operations_file
from tests.cli.conftest import Statetool
from tests.compat.program import Program

_INSIDE: Final = """
variable "name" {}
resource "terraform_data" "named" {
  input = "named ${var.name}"
}
resource "terraform_data" "one" {
  input = "same"
}
resource "terraform_data" "two" {
  input = "same"
}
resource "terraform_data" "empty" {
}
resource "terraform_data" "unknown" {
  input = { id = terraform_data.named.id, name = var.name }
}
"""
# A key that HCL takes for a template unless it is escaped.
_KEYS: Final = '["a", "$${b}\\"\\\\\\n", "%%{c}"]'
_MAIN: Final = """
resource "terraform_data" "$plain" {
  input = "plain"
}
resource "terraform_data" "$counted" {
  count = 3
  input = "counted"
}
resource "terraform_data" "$each" {
  for_each = toset($keys)
  input    = each.key
}
module "$single" {
  source = "./inside"
  name   = "single"
}
module "$repeated" {
  source   = "./inside"
  for_each = toset($keys)
  name     = each.key
}
"""
_PLACES: Final = ("plain", "counted", "each", "single", "repeated")


def _written(template: str, **values: str) -> str:
    for name, value in {**values, "keys": _KEYS}.items():
        template = template.replace(f"${name}", value)
    return template


def _done(real: Program, folder: Path, *arguments: str) -> str:
    output = real.run(folder, *arguments)
    assert output.status == 0, output.err
    return output.out


def _applied(real: Program, folder: Path) -> None:
    _done(real, folder, "init", "-input=false")
    _done(real, folder, "apply", "-auto-approve", "-input=false")


def _plan(real: Program, folder: Path) -> dict[str, Any]:
    """Plan, and write the plan as JSON beside it."""
    _done(real, folder, "init", "-input=false")
    _done(real, folder, "plan", "-out=plan.bin", "-input=false")
    shown = _done(real, folder, "show", "-json", "plan.bin")
    (folder / "plan.json").write_text(shown, encoding="utf-8")
    found: dict[str, Any] = json.loads(shown)
    return found


def _actions(plan: dict[str, Any]) -> set[str]:
    return {action for change in plan["resource_changes"] for action in change["change"]["actions"]}


def _moved(plan: dict[str, Any]) -> int:
    return sum("previous_address" in change for change in plan["resource_changes"])


def _module(folder: Path) -> None:
    (folder / "inside").mkdir(parents=True)
    (folder / "inside" / "main.tf").write_text(_INSIDE, encoding="utf-8")


def _renamed(real: Program, folder: Path) -> None:
    """Rename everything, and plan."""
    _module(folder)
    main = folder / "main.tf"
    main.write_text(_written(_MAIN, **{name: f"old_{name}" for name in _PLACES}), encoding="utf-8")
    _applied(real, folder)
    main.write_text(_written(_MAIN, **{name: f"new_{name}" for name in _PLACES}), encoding="utf-8")
    assert _actions(_plan(real, folder)) == {"create", "delete"}


def test_everything_renamed(real: Program, statetool: Statetool, folder: Path) -> None:
    _renamed(real, folder)
    written = statetool("moves", "plan.json")
    assert (written.status, written.text.count("moved {")) == (0, 5)
    (folder / "moved.tf").write_bytes(written.out)
    after = _plan(real, folder)
    assert (_actions(after), _moved(after)) == ({"no-op"}, 1 + 3 + 3 + 5 + 3 * 5)
    _done(real, folder, "apply", "-auto-approve", "-input=false")
    assert real.run(folder, "plan", "-detailed-exitcode", "-input=false").status == 0


def test_everything_renamed_in_the_state(real: Program, statetool: Statetool, folder: Path) -> None:
    _renamed(real, folder)
    written = statetool("moves", "plan.json", "--operations")
    assert (written.status, written.text.count("move {")) == (0, 5)
    _run(written.out, folder)
    plan = real.run(folder, "plan", "-detailed-exitcode", "-input=false")
    assert plan.status == 0, plan.out


def _run(operations: bytes, folder: Path) -> None:
    """Run an operations file over the states that it names."""
    file = read_operations_file("x.stateops.hcl", operations)
    states = {name: folder / state.path / "terraform.tfstate" for name, state in file.states.items()}
    edits = run(file, {name: statefmt.open(str(path)).snapshot for name, path in states.items()}).edits
    assert edits.keys() == states.keys()
    for name, edit in edits.items():
        states[name].write_bytes(statefmt.write(edit.snapshot))


@pytest.mark.parametrize(
    ("old", "new", "blocks"),
    [
        # Keys that come, go and change.
        ('resource "terraform_data" "a" {\n  input = "x"\n}', "count = 1", 0),
        ('resource "terraform_data" "a" {\n  input = "x"\n}', 'for_each = toset(["k"])', 1),
    ],
)
def test_keys_that_come(real: Program, statetool: Statetool, folder: Path, old: str, new: str, blocks: int) -> None:
    """Terraform itself moves what gets a count."""
    main = folder / "main.tf"
    main.write_text(old, encoding="utf-8")
    _applied(real, folder)
    main.write_text(old.replace("input", f"{new}\n  input"), encoding="utf-8")
    _plan(real, folder)
    written = statetool("moves", "plan.json")
    assert written.text.count("moved {") == blocks
    (folder / "moved.tf").write_bytes(written.out)
    after = _plan(real, folder)
    assert (_actions(after), _moved(after)) == ({"no-op"}, 1)


def test_keys_that_need_escapes(real: Program, statetool: Statetool, folder: Path) -> None:
    main = folder / "main.tf"
    each = 'resource "terraform_data" "a" {\n  for_each = toset($keys)\n  input = each.key\n}\n'
    main.write_text(_written(each), encoding="utf-8")
    _applied(real, folder)
    # Other keys, so that no block names the whole resource.
    main.write_text(_written(each.replace("toset($keys)", '{ for key in $keys : "new ${key}" => key }')
                             .replace("each.key", "each.value")), encoding="utf-8")  # fmt: skip
    _plan(real, folder)
    written = statetool("moves", "plan.json")
    assert written.text.count("moved {") == 3
    before = (folder / "terraform.tfstate").read_bytes()
    (folder / "moved.tf").write_bytes(written.out)
    after = _plan(real, folder)
    assert (_actions(after), _moved(after)) == ({"no-op"}, 3)

    (folder / "moved.tf").unlink()
    (folder / "terraform.tfstate").write_bytes(before)
    _plan(real, folder)
    _run(statetool("moves", "plan.json", "--operations").out, folder)
    assert real.run(folder, "plan", "-detailed-exitcode", "-input=false").status == 0


_CALLS: Final = 'module "{}" {{\n  source = "./inside"\n  name   = "{}"\n  {}\n}}\n'


@pytest.mark.parametrize(
    ("old", "new", "blocks"),
    [
        # Instances of a module that stays.
        (("a", 'for_each = toset(["x", "y"])'), [("a", 'for_each = toset(["x", "z"])')], 1),
        # A module that gets keys, loses them, or gets other ones.
        (("a", ""), [("a", 'for_each = toset(["x"])')], 1),
        (("a", 'for_each = toset(["x"])'), [("a", "")], 1),
        (("a", "count = 1"), [("a", 'for_each = toset(["x"])')], 1),
    ],
)
def test_instances_of_a_module(
    real: Program, statetool: Statetool, folder: Path, old: tuple[str, str], new: list[tuple[str, str]], blocks: int
) -> None:
    _module(folder)
    main = folder / "main.tf"
    main.write_text(_CALLS.format(old[0], "n", old[1]), encoding="utf-8")
    _applied(real, folder)
    main.write_text("".join(_CALLS.format(name, "n", argument) for name, argument in new), encoding="utf-8")
    _plan(real, folder)
    written = statetool("moves", "plan.json")
    assert written.text.count("moved {") == blocks, written.text
    (folder / "moved.tf").write_bytes(written.out)
    after = _plan(real, folder)
    assert (_actions(after), _moved(after)) == ({"no-op"}, 5)


def test_a_module_that_stays_without_resources(real: Program, statetool: Statetool, folder: Path) -> None:
    """A block of the module would be an error: it is still declared."""
    (folder / "inside").mkdir()
    inside, main = folder / "inside" / "main.tf", folder / "main.tf"
    inside.write_text('resource "terraform_data" "a" {\n  input = "x"\n}\n', encoding="utf-8")
    main.write_text('module "a" {\n  source = "./inside"\n}\n', encoding="utf-8")
    _applied(real, folder)
    main.write_text(main.read_text() + inside.read_text(), encoding="utf-8")
    inside.write_text('output "x" {\n  value = 1\n}\n', encoding="utf-8")
    _plan(real, folder)
    written = statetool("moves", "plan.json")
    assert "from = module.a.terraform_data.a\n" in written.text
    (folder / "moved.tf").write_bytes(written.out)
    after = _plan(real, folder)
    assert (_actions(after), _moved(after)) == ({"no-op"}, 1)


def test_between_two_states(real: Program, statetool: Statetool, folder: Path) -> None:
    app, net = folder / "app", folder / "net"
    for each in (app, net):
        _module(each)
        (each / "main.tf").write_text('resource "terraform_data" "own" {\n  input = "own"\n}\n', encoding="utf-8")
    call = 'module "vpc" {\n  source = "./inside"\n  name = "vpc"\n}\n'
    web = 'resource "terraform_data" "web" {\n  input = "web"\n}\n'
    own = (app / "main.tf").read_text()
    (app / "main.tf").write_text(own + call + web, encoding="utf-8")
    for each in (app, net):
        _applied(real, each)
    (app / "main.tf").write_text(own, encoding="utf-8")
    (net / "main.tf").write_text(own + call + web.replace('"web" {', '"frontend" {'), encoding="utf-8")
    for each in (app, net):
        _plan(real, each)

    written = statetool("moves", "app/plan.json", "net/plan.json")
    assert (written.status, written.text.count("move {")) == (0, 2)
    _run(written.out, folder)
    for each in (app, net):
        plan = real.run(each, "plan", "-detailed-exitcode", "-input=false")
        assert plan.status == 0, plan.out
