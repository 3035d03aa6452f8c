"""Expressions have the values that the real programs give them, and are refused where those refuse them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statefmt.configuration import LoadOptions, load, root_scope
from statefmt.hcl.value import Unknown, first_unknown, to_plain
from statefmt.model.cty.data import CtyValue as PlainValue
from statefmt.model.cty.values import write_value
from tests.compat.expressions import CONFIGURATION, EXPRESSIONS, FILES, REFUSED, VALUES
from tests.compat.program import Program

_NAMES = {f"e{place:03d}": expression for place, expression in enumerate(EXPRESSIONS)}
_REFUSED = {f"r{place:03d}": expression for place, expression in enumerate(REFUSED)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration with a local value for every expression, and one with `can` for every refused one."""
    folder = tmp_path_factory.mktemp("expressions")
    (folder / "main.tf").write_text(CONFIGURATION)
    (folder / "terraform.tfvars").write_text(VALUES)
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    lines = [f"  {name} = {expression}" for name, expression in _NAMES.items()]
    (folder / "values.tf").write_text("\n".join(["locals {", *lines, "}"]) + "\n")
    return folder


def _asked(real: Program, folder: Path, named: dict[str, str]) -> dict[str, str | bool]:
    """What the program says for several expressions at once, by name: an output of a run without any resource."""
    items = "\n".join(f"    {name} = {expression}" for name, expression in named.items())
    asking = folder / "asked.tf"
    asking.write_text(f'output "asked" {{\n  value = {{\n{items}\n  }}\n}}\n')
    try:
        output = real.run(folder, "apply", "-auto-approve", "-input=false", "-no-color")
    finally:
        asking.unlink()
    assert output.status == 0, output.err
    state = folder / "terraform.tfstate"
    found: dict[str, str | bool] = json.loads(state.read_bytes())["outputs"]["asked"]["value"]
    state.unlink()
    return found


def test_values(real: Program, folder: Path) -> None:
    theirs = _asked(real, folder, {name: f"jsonencode(local.{name})" for name in _NAMES})
    scope = root_scope(load(folder, LoadOptions()))
    differing = {}
    for name, expression in _NAMES.items():
        value = scope.local(name)
        unknown = first_unknown((value,))
        ours = repr(unknown) if unknown else write_value(PlainValue(value.type, to_plain(value))).decode()
        if ours != theirs[name]:
            differing[expression] = (ours, theirs[name])
    assert not differing


def test_types(real: Program, folder: Path) -> None:
    """Whether a value is a list, a set or a tuple shows in what it is equal to."""
    kinds = ("tolist", "toset", "tomap", "tostring", "tonumber", "tobool")
    asked = {f"{kind}_{name}": f"try(local.{name} == {kind}(local.{name}), null)" for kind in kinds for name in _NAMES}
    theirs = _asked(real, folder, asked)
    lines = [f"  {name} = {expression}" for name, expression in asked.items()]
    (folder / "kinds.tf").write_text("\n".join(["locals {", *lines, "}"]) + "\n")
    try:
        scope = root_scope(load(folder, LoadOptions()))
    finally:
        (folder / "kinds.tf").unlink()
    ours = {name: getattr(scope.local(name), "data", "unknown") for name in asked}
    assert {name: (ours[name], theirs[name]) for name in asked if ours[name] != theirs[name]} == {}


def test_refused(real: Program, folder: Path) -> None:
    theirs = _asked(real, folder, {name: f"can({expression})" for name, expression in _REFUSED.items()})
    assert {_REFUSED[name] for name, accepted in theirs.items() if accepted} == set()
    lines = [f"  {name} = {expression}" for name, expression in _REFUSED.items()]
    (folder / "refused.tf").write_text("\n".join(["locals {", *lines, "}"]) + "\n")
    try:
        scope = root_scope(load(folder, LoadOptions()))
    finally:
        (folder / "refused.tf").unlink()
    values = {expression: scope.local(name) for name, expression in _REFUSED.items()}
    assert {e for e, value in values.items() if not (isinstance(value, Unknown) and value.problem)} == set()
