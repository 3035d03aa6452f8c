"""JSON syntax says the same as the native one. Source: HCL's `json/spec.md`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from statefmt.configuration import Expansion, expand, load, root_scope
from statefmt.hcl.syntax import ObjectItem, TemplateWrap, as_keyword
from statefmt.hcl.syntax.json import JsonBody
from statefmt.hcl.syntax.native import NativeBody
from tests.configuration.conftest import Write, found, local, shown

# The value of a local in JSON, and what it is.
VALUES = [
    ('"text"', '"text"'),
    ('"${1 + 1}"', "2"),
    ('"a ${1 + 1}"', '"a 2"'),
    ('"a ~ ${~ 1 ~}  b"', '"a ~1b"'),
    ('"%{ if true }y%{ endif }"', '"y"'),
    ('"x\\n  ${~ 1 ~}\\n y"', '"x\\n1 y"'),
    ('"line\\nline ${1}"', '"line\\nline 1"'),
    ('"back\\\\slash ${1}"', '"back\\\\slash 1"'),
    ('"$${x}"', '"${x}"'),
    ('"\\u00e9${1}"', '"é1"'),
    ("1.50", "1.5"),
    ("12345678901234567890", "12345678901234567890"),
    ("null", "null"),
    ("true", "true"),
    ('[1, "${2}"]', "[1,2]"),
    ('{"a": "${local.y}", "${local.y}k": 1}', '{"a":"y","yk":1}'),
    ('{"//": 1}', '{"//":1}'),
    ('"${"', "unknown: the expression could not be read"),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_values(write: Write, text: str, value: str) -> None:
    assert local(write({"main.tf.json": f'{{"locals": {{"x": {text}, "y": "y", "//": "a comment"}}}}'})) == value


NATIVE = """
variable "v" {
  type    = map(object({ a = optional(string) }))
  default = { k = {} }
}
provider "aws" {
  alias    = "a"
  for_each = var.v
}
terraform {
  required_providers {
    aws  = { source = "hashicorp/aws", configuration_aliases = [aws.x] }
    null = "~> 3.0"
  }
}
resource "aws_vpc" "n" {
  for_each   = var.v
  provider   = aws.a[each.key]
  cidr_block = each.value
}
data "aws_ami" "d" {
  count    = 2
  provider = null.x
}
module "m" {
  source    = "./m"
  providers = { aws = aws.a["k"], null.y = null.z }
  arg       = var.v
}
moved {
  from = aws_vpc.old
  to   = aws_vpc.n["k"]
}
removed {
  from = aws_vpc.gone
  lifecycle {
    destroy = false
  }
}
"""
JSON = {
    "variable": {"v": {"type": "map(object({ a = optional(string) }))", "default": {"k": {}}}},
    "provider": {"aws": [{"alias": "a", "for_each": "${var.v}"}]},
    "terraform": {
        "required_providers": [
            {"aws": {"source": "hashicorp/aws", "configuration_aliases": ["aws.x"]}, "null": "~> 3.0"}
        ]
    },
    "resource": {
        "aws_vpc": {"n": {"for_each": "${var.v}", "provider": "aws.a[each.key]", "cidr_block": "${each.value}"}}
    },
    "data": [{"aws_ami": {"d": [{"count": 2, "provider": "null.x"}]}}],
    "module": {"m": {"source": "./m", "providers": {"aws": 'aws.a["k"]', "null.y": "null.z"}, "arg": "${var.v}"}},
    "moved": {"from": "aws_vpc.old", "to": 'aws_vpc.n["k"]'},
    "removed": [{"from": "aws_vpc.gone", "lifecycle": {"destroy": False}}],
}


# In a body, those that are no arguments of the provider: a reference is a string in JSON.
_NOT_THE_PROVIDERS = ("lifecycle", "provider", "for_each", "count", "depends_on")


def _without_places(value: object) -> object:
    """A model as plain data, without the places in files and what JSON has other words for."""
    if isinstance(value, (list, tuple)):
        return [_without_places(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): _without_places(each) for name, each in value.items()}
    if isinstance(value, TemplateWrap):
        # An interpolation that is all of a string is that expression.
        return _without_places(value.inner)
    if isinstance(value, ObjectItem):
        # Names are words in the one, and texts in the other.
        return [as_keyword(value.key) or getattr(value.key, "value", None), _without_places(value.value)]
    if isinstance(value, NativeBody | JsonBody):
        names = [name for name in value.names() if name not in _NOT_THE_PROVIDERS]
        return {name: _without_places(value.attribute(name)) for name in sorted(names)}
    fields = getattr(value, "__struct_fields__", ())
    inside = {name: _without_places(getattr(value, name)) for name in fields if "range" not in name}
    return {type(value).__name__: inside} if fields else str(value)


@pytest.mark.parametrize(
    "part", ["variables", "providers", "required_providers", "resources", "moved", "removed", "calls"]
)
def test_the_same_declarations(write: Write, part: str) -> None:
    child = 'variable "arg" {}\n'
    write({"native/main.tf": NATIVE, "native/m/m.tf": child})
    folder = Path(write({"json/main.tf.json": json.dumps(JSON), "json/m/m.tf": child}).directory)
    native, other = load(folder / "native"), load(folder / "json")
    assert found(native) == found(other) == []
    declared = getattr(native.root.declarations, part)
    assert declared
    assert _without_places(declared) == _without_places(getattr(other.root.declarations, part))


def test_instances(write: Write) -> None:
    configuration = write({"main.tf.json": json.dumps(JSON), "m/m.tf": 'variable "arg" {}\n'})
    scope = root_scope(configuration)
    keys = []
    for resource in configuration.root.declarations.resources:
        expansion = expand(resource.repetition, scope)
        assert isinstance(expansion, Expansion)
        keys.append([str(key) for key in expansion.keys])
    assert keys == [['["k"]'], ["[0]", "[1]"]]


PROBLEMS = [
    ("{", "main.tf.json:1,2 Invalid JSON"),
    ('{"a" 1}', "main.tf.json:1,6 Invalid JSON"),
    ('{"a": 1,}', "main.tf.json:1,9 Invalid JSON"),
    ("{'a': 1}", "main.tf.json:1,2 Invalid JSON"),
    ('{"a": nope}', "main.tf.json:1,7 Invalid JSON"),
    ("{} {}", "main.tf.json:1,4 Invalid JSON"),
    ("[1]", "main.tf.json:1,2 Incorrect JSON value type"),
    ('{"variable": 5}', "main.tf.json:1,14 Incorrect JSON value type"),
    ('{"provider": {"a": {"alias": 1, "alias": 2}}}', "main.tf.json:1,33 Duplicate argument"),
    ("", "main.tf.json:1,1 Invalid JSON"),
]


@pytest.mark.parametrize(("text", "problem"), PROBLEMS)
def test_problems(write: Write, text: str, problem: str) -> None:
    assert problem in found(write({"main.tf.json": text}))


def test_places_within_strings(write: Write) -> None:
    """What is wrong in an interpolation has its own place, as long as the string has no escapes."""
    text = '{\n  "locals": {\n    "x": "a ${local.nope}"\n  }\n}\n'
    configuration = write({"main.tf.json": text})
    value = root_scope(configuration).local("x")
    assert shown(value) == "Reference to undeclared local value"
    assert str(getattr(value, "range", "")) == "main.tf.json:3,15-25"


def test_strings_where_nothing_is_known_are_no_templates(write: Write) -> None:
    files = {
        "main.tf.json": '{"variable": {"v": {"default": "${1}"}, "w": {}}, "locals": {"x": "${[var.v, var.w]}"}}',
        "terraform.tfvars.json": '{"w": {"${a}": "%{ if true }"}}',
    }
    assert local(write(files)) == '["${1}",{"${a}":"%{ if true }"}]'
