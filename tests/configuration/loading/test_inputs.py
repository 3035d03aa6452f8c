"""Where the values of root variables come from, and which of them counts. Source: OpenTofu's `meta_vars.go`."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.configuration import LoadOptions, VariableOption
from tests.configuration.conftest import Write, found, local

# In this order: each source on top of all before it.
SOURCES = ["default", "environment", "terraform.tfvars", "terraform.tfvars.json", "a.auto.tfvars", "b.auto.tfvars.json"]


@pytest.mark.parametrize("last", range(len(SOURCES)))
def test_precedence(write: Write, last: int) -> None:
    files = {"main.tf": 'variable "v" {\n  default = "default"\n}\nlocals {\n  x = var.v\n}\n'}
    for source in SOURCES[2 : last + 1]:
        files[source] = f'{{"v": "{source}"}}' if source.endswith(".json") else f'v = "{source}"\n'
    environment = {"TF_VAR_v": "environment"} if last else {}
    assert local(write(files, LoadOptions(environment=environment))) == f'"{SOURCES[last]}"'


def test_options_count_in_their_order(write: Write, tmp_path: Path) -> None:
    files = {"main.tf": 'variable "v" {}\nlocals {\n  x = var.v\n}\n', "z.auto.tfvars": 'v = "auto"\n'}
    (tmp_path / "named").write_text('v = "named"\n')
    file, value = VariableOption(file=str(tmp_path / "named")), VariableOption("v", "given")
    assert local(write(files, LoadOptions(variables=(file, value)))) == '"given"'
    assert local(write(files, LoadOptions(variables=(value, file)))) == '"named"'


# Type, text of the option, value of the variable.
TEXTS = [
    ("", "[1]", '"[1]"'),
    ("type = string", "[1]", '"[1]"'),
    ("type = number", "5", "5"),
    ("type = number", "x", "Invalid value for input variable"),
    ("type = bool", "true", "true"),
    ("type = any", "[1]", "[1]"),
    ("type = list(string)", "[1, 2]", '["1","2"]'),
    ("type = list", "[1, 2]", "[1,2]"),
    ("type = map", "{ a = 1 }", '{"a":1}'),
    ("type = list(string)", "[\n1,\n2\n]", '["1","2"]'),
    ("type = map(string)", "{ a = 1 }", '{"a":"1"}'),
    ("type = list(string)", "nonsense", "Variables not allowed"),
    ("type = list(string)", "[1", "Invalid value for input variable"),
    ("type = list(string)", "upper([1])", "Function calls not allowed"),
]


@pytest.mark.parametrize(("type_", "text", "value"), TEXTS)
def test_texts(write: Write, type_: str, text: str, value: str) -> None:
    files = {"main.tf": f'variable "v" {{\n  {type_}\n}}\nlocals {{\n  x = var.v\n}}\n'}
    assert local(write(files, LoadOptions(variables=(VariableOption("v", text),)))) == value


# Body of the variable, what the file of values says, value.
VALUES = [
    ("", "", "unknown: var.v has no value: set it with --var v=…, --var-file or TF_VAR_v"),
    ("default = null", "", "null"),
    ("default = 1", "v = null", "null"),
    ("default = 1\n  nullable = false", "v = null", "1"),
    ("nullable = false", "v = null", "Required variable not set"),
    ("default = 1\n  ephemeral = true", "", "unknown: var.v is ephemeral"),
    ("type = string", "v = 1", '"1"'),
    ("type = set(number)", 'v = ["2", 1, 1]', "[1,2]"),
    ('type = object({ a = optional(string, "d") })', "v = {}", '{"a":"d"}'),
    ('type = object({ a = optional(string, "d") })', "v = { a = null, b = 1 }", '{"a":"d"}'),
    ("type = object({ a = optional(object({ b = optional(number, 3) }), {}) })", "v = {}", '{"a":{"b":3}}'),
    ("type = map(object({ a = optional(bool) }))", "v = { k = {} }", '{"k":{"a":null}}'),
    ("type = list(object({ a = optional(bool, true) }))", "v = [{}, { a = false }]", '[{"a":true},{"a":false}]'),
    ("type = tuple([string, number])", 'v = [1, "2"]', '["1",2]'),
    ("type = object({ a = string })", "v = {}", "Invalid value for input variable"),
]


@pytest.mark.parametrize(("body", "given", "value"), VALUES)
def test_values(write: Write, body: str, given: str, value: str) -> None:
    files = {
        "main.tf": f'variable "v" {{\n  {body}\n}}\nlocals {{\n  x = var.v\n}}\n',
        "terraform.tfvars": given + "\n",
    }
    assert local(write(files)) == value


PROBLEMS = [
    ('variable "v" {\n  type = strin\n}\n', "main.tf:2,10 Invalid type specification"),
    ('variable "v" {\n  type = set\n}\n', "main.tf:2,10 Invalid type specification"),
    ('variable "v" {\n  type = map(list)\n}\n', "main.tf:2,14 Invalid type specification"),
    ('variable "v" {\n  type = list(string, number)\n}\n', "main.tf:2,10 Invalid type specification"),
    ('variable "v" {\n  type = "string"\n}\n', "main.tf:2,10 Invalid type specification"),
    ('variable "v" {\n  type = number\n  default = "x"\n}\n', "main.tf:3,13 Invalid default value for variable"),
    ('variable "v" {\n  default = null\n  nullable = false\n}\n', "main.tf:2,13 Invalid default value for variable"),
    ('variable "v" {\n  default = local.x\n}\n', "main.tf:2,13 Variables not allowed"),
    ('variable "1v" {}\n', "main.tf:1,10 Invalid variable name"),
    ("variable {}\n", "main.tf:1,10 Missing name for variable"),
    ('variable "a" "b" {}\n', "main.tf:1,14 Extraneous label for variable"),
]


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_problems(write: Write, text: str, problem: str) -> None:
    assert found(write({"main.tf": text})) == [problem]


def test_values_for_what_is_not_declared(write: Write) -> None:
    files = {"main.tf": "", "terraform.tfvars": "w = 1\n"}
    options = LoadOptions(variables=(VariableOption("v", "1"),), environment={"TF_VAR_u": "1"})
    assert found(write(files, options)) == [
        "terraform.tfvars:1,5 Value for undeclared variable",
        "Value for undeclared variable",
    ]


def test_a_declaration_among_values(write: Write) -> None:
    assert found(write({"main.tf": "", "terraform.tfvars": 'variable "v" {}\n'})) == [
        "terraform.tfvars:1,1 Variable declaration in .tfvars file"
    ]


def test_workspace(write: Write, tmp_path: Path) -> None:
    files = {"main.tf": "locals {\n  x = terraform.workspace\n}\n"}
    assert local(write(files)) == '"default"'
    (tmp_path / ".terraform").mkdir()
    (tmp_path / ".terraform" / "environment").write_text("dev\n")
    assert local(write(files)) == '"dev"'
    assert local(write(files, LoadOptions(environment={"TF_WORKSPACE": "env"}))) == '"env"'
    assert local(write(files, LoadOptions(workspace="given", environment={"TF_WORKSPACE": "env"}))) == '"given"'
