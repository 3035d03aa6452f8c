"""What --as-blocks prints, pasted into a configuration: the real program moves and forgets, and destroys nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Program

_INSIDE: Final = 'resource "terraform_data" "x" {\n  count = 2\n}\nresource "terraform_data" "y" {}\n'
_BEFORE: Final = """
resource "terraform_data" "web" {
  count = 3
}
resource "terraform_data" "each" {
  for_each = toset(["a", "$${b}\\"\\\\"])
}
resource "terraform_data" "single" {}
module "m" {
  source = "./inside"
  count  = 2
}
"""
# The command, its exit status, what is replaced in the configuration, and what the plan then does, besides nothing.
CASES: Final = {
    "a module renamed": (("mv", "module.m", "module.n"), 'module "m"', 'module "n"', {"moved": 6}),
    "a resource renamed": (("mv", "terraform_data.web", "terraform_data.app"), '"web"', '"app"', {"moved": 3}),
    "keys for a count": (
        ("rekey", "terraform_data.web", "--map", '0=a,1=b,2=${c}'),
        'resource "terraform_data" "web" {\n  count = 3',
        'resource "terraform_data" "web" {\n  for_each = toset(["a", "b", "$${c}"])',
        {"moved": 3},
    ),
    "a resource forgotten": (
        ("rm", "terraform_data.single"), 'resource "terraform_data" "single" {}\n', "", {"forget": 1},
    ),
    "an instance forgotten": (("rm", "terraform_data.web[2]"), "count = 3", "count = 2", {"forget": 1, "moved": 1}),
    "an instance with an odd key forgotten": (
        ("rm", 'terraform_data.each["$${b}\\"\\\\"]'), '["a", "$${b}\\"\\\\"]', '["a"]', {"forget": 1, "moved": 1},
    ),
    "a module instance forgotten": (("rm", "module.m[1]"), "count  = 2", "count  = 1", {"forget": 3, "moved": 3}),
    "a module forgotten": (
        ("rm", "module.m"), 'module "m" {\n  source = "./inside"\n  count  = 2\n}\n', "", {"forget": 6},
    ),
}  # fmt: skip


def _done(real: Program, folder: Path, *arguments: str) -> str:
    output = real.run(folder, *arguments)
    assert output.status == 0, output.out + output.err
    return output.out


def _planned(real: Program, folder: Path) -> dict[str, int]:
    """Plan, and count what the plan does."""
    _done(real, folder, "init", "-input=false")
    _done(real, folder, "plan", "-out=plan.bin", "-input=false")
    found: dict[str, int] = {}
    changes: list[dict[str, Any]] = json.loads(_done(real, folder, "show", "-json", "plan.bin"))["resource_changes"]
    for change in changes:
        [action] = change["change"]["actions"]
        kinds = {action} - {"no-op"}
        kinds |= {"moved"} if "previous_address" in change else set()
        kinds |= {"import"} if change["change"].get("importing") else set()
        for kind in kinds:
            found[kind] = found.get(kind, 0) + 1
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_plan_does_the_same(name: str, real: Program, statetool: Statetool, folder: Path) -> None:
    command, old, new, expected = CASES[name]
    if real.minor < {"terraform": (1, 7), "opentofu": (1, 10)}[real.engine]:
        pytest.skip(f"{real.release} knows no removed blocks with a lifecycle")
    (folder / "inside").mkdir()
    (folder / "inside/main.tf").write_text(_INSIDE)
    main = folder / "main.tf"
    main.write_text(_BEFORE)
    _done(real, folder, "init", "-input=false")
    _done(real, folder, "apply", "-auto-approve", "-input=false")
    state = (folder / "terraform.tfstate").read_bytes()
    printed = statetool(*command, "--as-blocks")
    assert (printed.status, (folder / "terraform.tfstate").read_bytes()) == (0, state)
    assert old in _BEFORE
    main.write_text(_BEFORE.replace(old, new) + printed.text)
    assert _planned(real, folder) == expected
    _done(real, folder, "apply", "-auto-approve", "-input=false")
    after = (folder / "terraform.tfstate").read_bytes()
    # The command on the old state gives what the blocks gave, in content.
    (folder / "terraform.tfstate").write_bytes(state)
    assert statetool(*command, "-y").status == 0
    (folder / "blocks.tfstate").write_bytes(after)
    left = statetool("diff", "blocks.tfstate", "--only", "added,removed,moved,rebound,changed")
    assert (left.status, left.text) == (0, "no differences\n")


def test_to_another_state(real: Program, statetool: Statetool, folder: Path) -> None:
    if real.minor < {"terraform": (1, 7), "opentofu": (1, 10)}[real.engine]:
        pytest.skip(f"{real.release} knows no removed blocks with a lifecycle")
    single = 'resource "terraform_data" "single" {}\n'
    for name, content in (("app", single), ("net", "")):
        (folder / name).mkdir()
        (folder / name / "main.tf").write_text(content + 'resource "terraform_data" "own" {}\n')
        _done(real, folder / name, "init", "-input=false")
        _done(real, folder / name, "apply", "-auto-approve", "-input=false")
    (folder / "split.stateops.hcl").write_text(
        'state "app" { path = "app" }\nstate "net" { path = "net" }\n'
        "move {\n  from = state.app.terraform_data.single\n  to   = state.net.terraform_data.one\n}\n"
    )
    printed = statetool("plan", "--as-blocks", "split.stateops.hcl")
    assert printed.status == 0
    app, net = printed.text.split("# For the configuration of the state net")
    (folder / "app/main.tf").write_text('resource "terraform_data" "own" {}\n' + app)
    with (folder / "net/main.tf").open("a") as file:
        file.write(single.replace("single", "one") + "#" + net)
    assert _planned(real, folder / "app") == {"forget": 1}
    assert _planned(real, folder / "net") == {"import": 1}
