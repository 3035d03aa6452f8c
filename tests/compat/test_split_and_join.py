"""A state that was split: with the configuration divided accordingly, the real program plans no changes anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from statefmt import read, write
from tests.cli.conftest import Statetool
from tests.compat.applied import NO_RESOURCES, applied, plans_nothing
from tests.compat.program import Program

_MODULE: Final = """variable "name" {}
variable "of" { default = null }
resource "terraform_data" "one" {
  count            = 3
  input            = "${var.name}-${count.index}"
  triggers_replace = var.of
}
resource "terraform_data" "all" {
  input = terraform_data.one[*].id
}
output "id" { value = terraform_data.all.id }
"""
# What each part is, and what others read of it; `<vpc>` is that of another part.
_PARTS: Final = {
    "vpc": ('module "vpc" {\n  source = "../module"\n  name = "vpc"\n}\n', "module.vpc.id"),
    "db": (
        'module "db" {\n  source = "../module"\n  for_each = toset(["eu", "us"])\n  name = each.key\n  of = <vpc>\n}\n',
        "{ for key, one in module.db : key => one.id }",
    ),
    "own": ('resource "terraform_data" "own" {\n  input = <db>\n}\n', "terraform_data.own.id"),
}
_TOGETHER: Final = {"vpc": "app", "db": "app", "own": "app"}
# In the order of applies.
_WAYS: Final[dict[str, tuple[tuple[str, ...], dict[str, str]]]] = {
    "by module": (("--by", "module"), {"vpc": "vpc", "db": "db", "own": "app"}),
    "suggested": (("--suggest", "--by", "module"), {"vpc": "vpc", "db": "app", "own": "data"}),
}


@pytest.fixture
def app(real: Program, folder: Path) -> Path:
    """A root module with all parts, which has been applied."""
    (folder / "module").mkdir()
    (folder / "module/main.tf").write_text(_MODULE)
    _configure(folder, _TOGETHER)
    applied(real, folder / "app")
    return folder / "app"


@pytest.mark.parametrize("way", _WAYS)
def test_split_and_joined(way: str, app: Path, real: Program, statetool: Statetool) -> None:
    options, places = _WAYS[way]
    folder = app.parent
    old = _content(app)
    done = statetool("split", str(app), *options, "--into", "{name}/terraform.tfstate", *_ending(way))
    assert done.status == 0, done.err
    if way == "suggested":
        assert statetool("apply", "-y", "split.stateops.hcl").status == 0
    parts = list(dict.fromkeys(places.values()))
    assert [one for one in parts if not (folder / one / "terraform.tfstate").exists()] == []
    split = {one: (folder / one / "terraform.tfstate").read_bytes() for one in parts}
    _configure(folder, places)
    for one in parts:
        assert NO_RESOURCES in applied(real, folder / one)
    for one in parts:
        plans_nothing(real, folder / one)
    # The applies have put outputs and data sources there, which the configuration did not have before.
    for one, content in split.items():
        (folder / one / "terraform.tfstate").write_bytes(content)
    joined = statetool("join", *(one for one in parts if one != "app"), "--into", "app", "-y")
    assert joined.status == 0, joined.err
    assert _content(app) == old
    _configure(folder, _TOGETHER)
    plans_nothing(real, app)


def _ending(way: str) -> tuple[str, ...]:
    return ("--out", "split.stateops.hcl") if way == "suggested" else ("-y",)


def _configure(folder: Path, places: Mapping[str, str]) -> None:
    """Write root modules with the parts that have their places there, and what they read of each other."""
    for place in set(places.values()):
        (folder / place).mkdir(exist_ok=True)
        text = ""
        for part in (one for one, where in places.items() if where == place):
            text += _PARTS[part][0]
            for other, where in places.items():
                if f"<{other}>" in text and where != place:
                    text += _remote(where)
                    text = text.replace(f"<{other}>", f"data.terraform_remote_state.{where}.outputs.{other}")
                text = text.replace(f"<{other}>", _PARTS[other][1])
            text += f'output "{part}" {{\n  value = {_PARTS[part][1]}\n}}\n'
        (folder / place / "main.tf").write_text(text)


def _remote(place: str) -> str:
    config = f'{{\n    path = "../{place}/terraform.tfstate"\n  }}'
    return f'data "terraform_remote_state" "{place}" {{\n  backend = "local"\n  config = {config}\n}}\n'


def _content(folder: Path) -> bytes:
    """The canonical form of a state, without its serial; Terraform 1.12 and later write versions of no identity."""
    return write(replace(read((folder / "terraform.tfstate").read_bytes()).snapshot, serial=0))
