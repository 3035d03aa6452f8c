"""Which files of a directory count. Source: OpenTofu's `parser_config_dir.go`."""

from __future__ import annotations

import pytest

from statefmt.configuration.directory import Listing, list_files
from tests.configuration.conftest import Write, found, local

FILES = [
    (["b.tf", "a.tf"], ["a.tf", "b.tf"], [], []),
    (["a.tf", "a.tofu"], ["a.tofu"], [], []),
    (["a.tf.json", "a.tofu.json"], ["a.tofu.json"], [], []),
    # Another syntax is another file.
    (["a.tf", "a.tofu.json"], ["a.tf", "a.tofu.json"], [], []),
    (["a.tf.json", "a.tofu"], ["a.tf.json", "a.tofu"], [], []),
    (["override.tf", "x_override.tf", "xoverride.tf"], ["xoverride.tf"], ["override.tf", "x_override.tf"], []),
    (["override.tf", "override.tofu"], [], ["override.tofu"], []),
    (["x_override.tf.json"], [], ["x_override.tf.json"], []),
    ([".a.tf", "a.tf~", "#a.tf#", "a.tf.bak", "a.tfvars", "README.md"], [], [], []),
    (["a.tftest.hcl", "b.tofutest.json"], [], [], ["a.tftest.hcl", "b.tofutest.json"]),
    (["a.tftest.hcl", "a.tofutest.hcl"], [], [], ["a.tofutest.hcl"]),
]


@pytest.mark.parametrize(("names", "primary", "overrides", "tests"), FILES)
def test_files(names: list[str], primary: list[str], overrides: list[str], tests: list[str]) -> None:
    assert list_files(names) == Listing(tuple(primary), tuple(overrides), tuple(tests), ())


def test_query_files() -> None:
    assert list_files(["b.tfquery.hcl", ".a.tfquery.hcl", "a.tfquery.json", "a.tf"]) == Listing(
        ("a.tf",), (), (), ("a.tfquery.json", "b.tfquery.hcl")
    )


# What is in the override file, the local value x, and the problems.
OVERRIDES = [
    ("locals {\n  a = 2\n}", "2", []),
    ('variable "v" {\n  default = "other"\n}\nlocals {\n  a = var.v\n}', '"other"', []),
    # The type stays, so that the default is converted.
    ('variable "v" {\n  default = 5\n}\nlocals {\n  a = var.v\n}', '"5"', []),
    ("locals {\n  new = 2\n}", "1", ["o_override.tf:2,3 Missing base local value definition to override"]),
    ('variable "w" {\n  default = 1\n}', "1", ["o_override.tf:1,1 Missing base variable declaration to override"]),
    ('provider "p" {\n  alias = "x"\n}', "1", ["o_override.tf:1,1 Missing base provider configuration for override"]),
    ('data "t" "n" {}', "1", ["o_override.tf:1,1 Missing data resource to override"]),
    ("moved {\n  from = a.b\n  to = a.c\n}", "1", ["o_override.tf:1,1 Cannot override 'moved' blocks"]),
]


@pytest.mark.parametrize(("text", "value", "problems"), OVERRIDES)
def test_overrides(write: Write, text: str, value: str, problems: list[str]) -> None:
    base = 'variable "v" {\n  type = string\n  default = "v"\n}\nlocals {\n  a = 1\n  x = local.a\n}\n'
    configuration = write({"z.tf": base, "o_override.tf": text})
    assert (local(configuration), found(configuration)) == (value, problems)


def test_overridden_blocks(write: Write) -> None:
    """Arguments of an override count one by one; a provider's `for_each` cannot be overridden."""
    base = (
        'provider "aws" {\n  alias = "a"\n  for_each = toset(["base"])\n}\n'
        'resource "t" "n" {\n  count = 1\n  provider = aws.a\n}\n'
        'module "m" {\n  source = "./one"\n  x = 1\n  y = 2\n}\n'
    )
    over = (
        'provider "aws" {\n  alias = "a"\n  for_each = toset(["over"])\n  region = "r2"\n}\n'
        'resource "t" "n" {\n  provider = aws.b\n}\n'
        'module "m" {\n  source = "./two"\n  y = 3\n}\n'
    )
    configuration = write({"m.tf": base, "m_override.tf": over, "one/m.tf": "", "two/m.tf": ""})
    declarations = configuration.root.declarations
    block = declarations.providers["aws", "a"]
    assert block.for_each is not None
    assert block.for_each.range.file == "m.tf"
    assert not block.is_empty
    resource = declarations.resources[0]
    assert resource.repetition.count is not None
    assert resource.provider is not None
    assert resource.provider.range.file == "m_override.tf"
    call = declarations.calls["m"]
    assert {name: argument.range.file for name, argument in call.arguments.items()} == {
        "x": "m.tf",
        "y": "m_override.tf",
    }
    assert [str(path) for path in configuration.modules] == ["", "module.m"]
    assert [module.declarations.directory for module in configuration.modules.values()] == [".", "two"]


DUPLICATES = [
    ('variable "v" {}', "Duplicate variable declaration"),
    ("locals {\n  l = 1\n}", "Duplicate local value definition"),
    ('provider "p" {}', "Duplicate provider configuration"),
    ('provider "p" {\n  alias = "a"\n}', "Duplicate provider configuration"),
    ('module "m" {\n  source = "./m"\n}', "Duplicate module call"),
    ('resource "r" "n" {}', 'Duplicate resource "r" configuration'),
    ('data "r" "n" {}', 'Duplicate data "r" configuration'),
]


@pytest.mark.parametrize(("text", "summary"), DUPLICATES)
def test_duplicates(write: Write, text: str, summary: str) -> None:
    configuration = write({"a.tf": text + "\n", "b.tf": "\n" + text + "\n", "m/m.tf": ""})
    place = "b.tf:3,3" if text.startswith("locals") else "b.tf:2,1"
    assert found(configuration) == [f"{place} {summary}"]


def test_an_alias_and_none_are_two(write: Write) -> None:
    assert found(write({"a.tf": 'provider "p" {}\nprovider "p" {\n  alias = "a"\n}\n'})) == []
