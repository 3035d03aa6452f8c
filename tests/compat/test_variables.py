"""Input variables have the values that the real programs give them, from options and from files of values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from statefmt.configuration import LoadOptions, VariableOption, load, root_scope
from statefmt.hcl.value import Unknown, Value, to_plain
from statefmt.model.cty.data import CtyValue as PlainValue
from statefmt.model.cty.values import write_value
from tests.compat.program import Program

TYPES: Final = (
    "",
    "type = any",
    "type = string",
    "type = number",
    "type = bool",
    "type = list(string)",
    "type = set(number)",
    "type = map(string)",
    "type = list(any)",
    "type = map(any)",
    "type = list",
    "type = tuple([string, number])",
    "type = object({ a = string })",
    "type = object({ a = optional(string), b = optional(number, 2) })",
    'type = object({ a = optional(string, "d") })\n  nullable = false\n  default = {}',
    'type = map(object({ a = optional(list(object({ b = optional(string, "x") })), [{}]) }))',
    'type = string\n  nullable = false\n  default = "kept"',
    "type = string\n  default = null",
    'type = number\n  default = "5"',
    "type = set(any)",
    "type = map(set(string))",
    "type = list(object({ a = any }))",
)
# As text of an option, as expression of a file and as string of a JSON file.
TEXTS: Final = (
    "1",
    '"1"',
    "a",
    "true",
    "null",
    "[1, 2]",
    '["a", "b", "a"]',
    "{ a = 1 }",
    '{ a = "x", b = 3, c = 4 }',
    "{}",
    "[]",
    '[{ a = 1 }, { a = "x" }]',
    "{ k = {} }",
    '{ k = { a = [{}, { b = "y" }] } }',
    '["x", "5"]',
    'upper("a")',
    "1 +",
    "",
    "  5 ",
    '"${1}"',
    "${1}",
    "[null]",
    '{ "a b": 1 }',
    '[1, "x"]',
    "0x1f",
)
CASES: Final = tuple((type_, text) for type_ in TYPES for text in TEXTS)
# More than that many options make a command line too long for some systems.
_SHARE: Final = 150


def _answers(real: Program, folder: Path, arguments: list[str]) -> dict[str, str]:
    output = real.run(folder, "apply", "-auto-approve", "-input=false", "-no-color", *arguments)
    assert output.status == 0, output.err
    state = json.loads((folder / "terraform.tfstate").read_bytes())
    return {name: output["value"] for name, output in state["outputs"].items()}


@pytest.mark.parametrize("way", ["option", "json"])
def test_values(real: Program, tmp_path: Path, way: str) -> None:
    """What has a value here has one there, and the same."""
    differing = {}
    for start in range(0, len(CASES), _SHARE):
        folder = tmp_path / str(start)
        folder.mkdir()
        named = {f"v0{start + place}": case for place, case in enumerate(CASES[start : start + _SHARE])}
        blocks = [f'variable "{name}" {{\n  {type_}\n}}\n' for name, (type_, _) in named.items()]
        (folder / "main.tf").write_text("".join(blocks))
        options = LoadOptions()
        if way == "json":
            texts = {name: text for name, (_, text) in named.items()}
            (folder / "terraform.tfvars.json").write_text(json.dumps(texts))
        else:
            given = tuple(VariableOption(name, text) for name, (_, text) in named.items())
            options = LoadOptions(variables=given)
        scope = root_scope(load(folder, options))
        values = {name: scope.variable(name) for name in named}
        refused = {name for name, value in values.items() if isinstance(value, Unknown)}
        for name in refused:
            blocks = [block for block in blocks if f'"{name}"' not in block]
        (folder / "main.tf").write_text("".join(blocks))
        kept = [name for name in named if name not in refused]
        asked = [f'output "{name}" {{\n  value = jsonencode(var.{name})\n}}\n' for name in kept]
        (folder / "outputs.tf").write_text("".join(asked))
        if way == "json":
            (folder / "terraform.tfvars.json").write_text(json.dumps({name: texts[name] for name in kept}))
        arguments = [f"-var={name}={named[name][1]}" for name in kept] if way == "option" else []
        theirs = _answers(real, folder, arguments)
        for name in kept:
            value = values[name]
            assert isinstance(value, Value)
            ours = write_value(PlainValue(value.type, to_plain(value))).decode()
            if ours != theirs[name]:
                differing[named[name]] = (ours, theirs[name])
    assert not differing


REFUSED: Final = (
    ("type = number", "a"),
    ("type = number", "[1]"),
    ("type = bool", "yes"),
    ("type = list(string)", "a"),
    ("type = list(string)", "{ a = 1 }"),
    ("type = list(string)", 'upper("a")'),
    ("type = list(string)", "[1"),
    ("type = list(string)", "1 +"),
    ("type = set(number)", '["a"]'),
    ("type = map(string)", "[]"),
    ("type = tuple([string, number])", "[1]"),
    ("type = object({ a = string })", "{}"),
    ("type = any", "a"),
)


def test_refused(real: Program, tmp_path: Path) -> None:
    for type_, text in REFUSED:
        (tmp_path / "main.tf").write_text(f'variable "v" {{\n  {type_}\n}}\noutput "v" {{\n  value = var.v\n}}\n')
        output = real.run(tmp_path, "plan", "-input=false", "-no-color", f"-var=v={text}")
        assert output.status == 1, (type_, text)
        value = root_scope(load(tmp_path, LoadOptions(variables=(VariableOption("v", text),)))).variable("v")
        assert isinstance(value, Unknown)
        assert value.problem is not None
        assert value.problem.range is not None
