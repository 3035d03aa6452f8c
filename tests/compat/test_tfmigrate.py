"""Migrations of tfmigrate: statetool's operations end where the commands end that tfmigrate runs."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.compat.program import Program

_MAIN: Final = """
resource "terraform_data" "web" {
  count = 2
}
resource "terraform_data" "each" {
  for_each = toset(["a", "b c", "$${d}\\"\\\\"])
}
resource "terraform_data" "single" {}
resource "terraform_data" "named_one" {}
resource "terraform_data" "named_two" {}
module "m" {
  source   = "../inside"
  for_each = toset(["x", "y"])
}
"""
_INSIDE: Final = 'resource "terraform_data" "in" {\n  count = 2\n}\n'
ONE: Final = [
    "mv terraform_data.single terraform_data.other",
    "mv terraform_data.web[0] 'terraform_data.web[\"zero\"]'",
    "xmv terraform_data.named_* terraform_data.${1}_named",
    "xmv 'module.m[\"*\"].terraform_data.in[*]' 'module.n[$2].terraform_data.in[\"$1\"]'",
    "xmv terraform_data.each* 'module.k.terraform_data.each$1'",
    "rm terraform_data.one_named terraform_data.other",
    "mv module.n[0] 'module.n[\"a\"]'",
]
TWO: Final = [
    "mv terraform_data.single terraform_data.single",
    "xmv 'module.m[\"x\"]*' 'module.z[\"x\"]$1'",
    "xmv terraform_data.we* terraform_data.we$1",
    "xmv 'terraform_data.each[\"*\"]' 'terraform_data.every[\"$1 $1\"]'",
]


def _done(real: Program, folder: Path, *arguments: str) -> str:
    output = real.run(folder, *arguments)
    assert output.status == 0, output.out + output.err
    return output.out


def _as_tfmigrate(real: Program, folder: Path, actions: list[str], target: str | None) -> None:
    """Run what tfmigrate runs: `state list` for wildcards, and then a command for each match."""
    places = ["-state=theirs.tfstate", "-backup=backup", *([] if target is None else [f"-state-out={target}"])]
    backup = [] if target is None else ["-backup-out=backup-out"]
    for action in actions:
        kind, *words = shlex.split(action)
        if kind == "rm":
            _done(real, folder, "state", "rm", *places[:2], *words)
            continue
        source, goal = words
        pairs = [(source, goal)]
        if kind == "xmv":
            pattern = re.compile("(.*)".join(map(re.escape, source.split("*"))))
            listed = _done(real, folder, "state", "list", places[0]).splitlines()
            form = re.sub(r"\$\{?(\d)\}?", r"\\g<\1>", goal.replace("\\", "\\\\"))
            pairs = [(found[0], found.expand(form)) for found in map(pattern.search, listed) if found]
        for one, other in pairs:
            _done(real, folder, "state", "mv", *places, *backup, one, other)


@pytest.mark.parametrize("actions", [ONE, TWO], ids=["one state", "two states"])
def test_the_same_objects_in_the_same_places(
    actions: list[str], real: Program, statetool: Statetool, folder: Path
) -> None:
    (folder / "inside").mkdir()
    (folder / "inside/main.tf").write_text(_INSIDE)
    for name, content in (("app", _MAIN), ("net", 'resource "terraform_data" "own" {}\n')):
        (folder / name).mkdir()
        (folder / name / "main.tf").write_text(content)
        _done(real, folder / name, "init", "-input=false")
        _done(real, folder / name, "apply", "-auto-approve", "-input=false")
        (folder / name / "theirs.tfstate").write_bytes((folder / name / "terraform.tfstate").read_bytes())
    two = actions is TWO
    _as_tfmigrate(real, folder / "app", actions, "../net/theirs.tfstate" if two else None)
    written = "[\n" + "".join(f"    {_quoted(action)},\n" for action in actions) + "  ]"
    head = '"multi_state" "x" {\n  from_dir = "app"\n  to_dir = "net"' if two else '"state" "x" {\n  dir = "app"'
    (folder / "m.hcl").write_text(f"migration {head}\n  actions = {written}\n}}\n")
    assert statetool("plan", "--from-tfmigrate", "m.hcl", "-o", "m.stateops.hcl").status == 0
    assert statetool("apply", "-y", "m.stateops.hcl").status == 0
    for name in ("app", "net"):
        compared = statetool("diff", f"{name}/theirs.tfstate", f"{name}/terraform.tfstate", "--name-only")
        assert compared.text in ("", "no differences\n")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("${", "$${")
    return f'"{escaped}"'
