"""Which releases support which part of the configuration language, and names that none knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.configuration import LoadOptions
from statefmt.configuration._constructs import constructs
from statefmt.hcl.source import ProblemKind
from statefmt.releases import all_releases, parse_release
from tests.configuration.conftest import Write, found
from tests.configuration.constructs import SAMPLES
from tests.tables import each_row

_NOT_READ = "tofu files"


@pytest.mark.parametrize("name", SAMPLES)
def test_the_releases_that_support_it(write: Write, name: str) -> None:
    sample = SAMPLES[name]
    files = {"main.tf": sample.text, "child/main.tf": sample.child}
    for release in all_releases():
        first = [SAMPLES[each].first[release.engine] for each in (name, *sample.needs)]
        refused = [each for each in first if each == "-" or release.version < tuple(map(int, each.split(".")))]
        problems = write(files, LoadOptions(release=release)).problems
        titles = [problem.detail for problem in problems if problem.kind is ProblemKind.RELEASE]
        assert len(titles) == len(refused), (str(release), titles)
        nowhere = {*sample.first.values()} == {"-"}
        start = "statetool knows no release that supports " if nowhere else f"{release.title} does not support "
        assert all(title.startswith(start) for title in titles)


def test_each_construct_has_a_sample() -> None:
    assert {*SAMPLES, _NOT_READ} == set(constructs())


@each_row(
    ("required", "problems"),
    [
        # OpenTofu 1.12 ignores this, and supports the block.
        ("~> 1.6.0", []),
        ("~> 99.0", []),
        ("", []),
    ],
)
def test_a_release_that_may_read_it_is_enough(write: Write, required: str, problems: list[str]) -> None:
    version = f'terraform {{\n  required_version = "{required}"\n}}\n' if required else ""
    assert found(write({"main.tf": f"{version}removed {{\n  from = a.b\n}}\n"})) == problems


@each_row(("required", "problems"), [("~> 1.13.0", 1), ("~> 1.14", 0), ("", 0), (">= 1.10, < 1.14", 1)])
def test_no_admitted_release_has_actions(write: Write, required: str, problems: int) -> None:
    version = f'terraform {{\n  required_version = "{required}"\n}}\n' if required else ""
    configuration = write({"main.tf": f'{version}action "terraform_a" "b" {{\n}}\n'})
    assert len([problem for problem in configuration.problems if problem.kind is ProblemKind.RELEASE]) == problems


@each_row(
    ("release", "file", "problem"),
    [
        ("terraform-1.5", "main.tf", "Unsupported Terraform Core version"),
        ("terraform-1.6", "main.tf", ""),
        ("opentofu-1.6", "main.tf", ""),
        ("opentofu-1.9", "main.tf", ""),
        ("opentofu-1.10", "main.tf", "Unsupported OpenTofu Core version"),
        ("opentofu-1.11", "b.tofu", "Unsupported OpenTofu Core version"),
        ("opentofu-1.12", "main.tf", ""),
        ("opentofu-1.12", "b.tofu", "Incompatible module"),
    ],
)
def test_required_versions(write: Write, release: str, file: str, problem: str) -> None:
    text = 'terraform {\n  required_version = ">= 1.6, < 1.10"\n}\n'
    problems = found(write({"main.tf": "", "b.tofu": "", file: text}, LoadOptions(release=parse_release(release))))
    problems = [each for each in problems if "not read" not in each]
    assert problems == ([f"{file}:2,3 {problem}"] if problem else [])


@each_row(
    ("release", "problems"),
    [
        (None, ["a.tofu:1,1 Unsupported argument"]),
        ("opentofu-1.8", ["a.tofu:1,1 Unsupported argument"]),
        ("opentofu-1.7", ["a.tofu:1,1 File not read by the release", "a.tf:1,1 Unsupported block type"]),
        ("terraform-1.16", ["a.tofu:1,1 File not read by the release", "a.tf:1,1 Unsupported block type"]),
    ],
)
def test_files_that_the_release_ignores(write: Write, release: str | None, problems: list[str]) -> None:
    options = LoadOptions(release=None if release is None else parse_release(release))
    assert found(write({"a.tofu": "x = 1\n", "a.tf": "y {}\n"}, options)) == problems


@each_row(
    ("text", "problem"),
    [
        ('resorce "a" "b" {}\n', 'Blocks of type "resorce" are not expected here. Did you mean "resource"?'),
        ("x = 1\n", 'An argument named "x" is not expected here.'),
        ("terraform {\n  backnd {}\n}\n", 'Blocks of type "backnd" are not expected here. Did you mean "backend"?'),
        ("removed {\n  from = a.b\n  for_each = {}\n}\n", 'An argument named "for_each" is not expected here.'),
        (
            'resource "a" "b" {\n  lifecycle {\n    prevent_destory = true\n  }\n}\n',
            'An argument named "prevent_destory" is not expected here. Did you mean "prevent_destroy"?',
        ),
        ('output "o" {\n  values = 1\n}\n', 'An argument named "values" is not expected here. Did you mean "value"?'),
        ('check "c" {\n  resource "a" "b" {}\n}\n', 'Blocks of type "resource" are not expected here.'),
    ],
)
def test_unknown_names(write: Write, text: str, problem: str) -> None:
    assert [each.detail for each in write({"main.tf": text}).problems] == [problem]


def test_every_name_is_known(write: Write) -> None:
    text = Path(__file__).with_name("every_name.tf").read_text(encoding="utf-8")
    configuration = write({"main.tf": text, "a/main.tf": ""})
    assert [each for each in configuration.problems if each.summary.startswith(("Unsupported", "Extraneous"))] == []
    names = {use.construct for use in configuration.root.declarations.constructs}
    assert names == {name for name in constructs() if " " not in name}


def test_arguments_of_providers_are_theirs(write: Write) -> None:
    """OpenTofu's own names are not special in the blocks of providers."""
    text = """
        variable "v" {}
        resource "a" "b" {
          prevent_destroy = var.v
          enabled         = var.v
          settings {
            const = true
          }
        }
    """
    assert found(write({"main.tf": text}, LoadOptions(release=parse_release("terraform-1.5")))) == []


def test_files_of_a_stack_are_not_a_module(write: Write) -> None:
    configuration = write({"a.tfcomponent.hcl": 'component "a" {}\n', "b.tfdeploy.hcl": ""})
    assert [(problem.kind, problem.summary) for problem in configuration.problems] == [
        (ProblemKind.UNREADABLE, "No configuration files")
    ]
    assert "a.tfcomponent.hcl belongs to a stack" in configuration.problems[0].detail
    assert found(write({"main.tf": ""})) == []


def test_unknown_names_in_json(write: Write) -> None:
    text = '{"//": "x", "resorce": {"a": {"b": {}}}, "variable": {"v": {"typ": "string", "default": "x"}}}'
    problems = write({"main.tf.json": text}).problems
    assert [(problem.summary, problem.detail) for problem in problems] == [
        ("Extraneous JSON object property", 'No argument or block type is named "resorce". Did you mean "resource"?'),
        ("Extraneous JSON object property", 'No argument or block type is named "typ". Did you mean "type"?'),
    ]


def test_a_syntax_error_hides_unknown_names(write: Write) -> None:
    """What follows an error may be a part of something else."""
    assert found(write({"main.tf": "a = 1 b = 2\n"})) == ["main.tf:1,7 Missing newline after argument"]
