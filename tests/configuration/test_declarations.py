"""What blocks say that has to do with providers, moves and tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.configuration import load
from tests.configuration.conftest import Write, found

TEXTS = {
    "main.tf": """
terraform {
  required_providers {
    aws  = { source = "hashicorp/aws", version = "~> 5", configuration_aliases = [aws.x, aws.y] }
    null = "3.0"
    bad  = 5
  }
}
provider "aws" {
  alias  = "x"
  region = "r"
}
resource "aws_vpc" "a" {
  provider = "aws.x"
}
resource "aws_vpc" "b" {
  provider = aws.x["k"]
}
ephemeral "aws_secret" "c" {}
check "healthy" {
  data "http" "d" {
    provider = http.a
  }
}
moved {
  from = aws_vpc.old
}
removed {
  from = module.gone
  lifecycle {
    destroy = true
  }
}
import {
  for_each = toset(["a"])
  to       = aws_vpc.a
  id       = each.key
  provider = aws.x
}
""",
    "tests/main.tftest.hcl": """
variables {
  v = 1
}
provider "aws" {
  alias = "x"
}
mock_provider "aws" {
  alias    = "y"
  for_each = toset(["a"])
}
run "first" {
  providers = { aws = aws.x }
  variables {
    w = 2
  }
  module {
    source = "./setup"
  }
}
""",
    "setup/main.tf": "",
    "beside.tofutest.hcl": 'run "second" {}\n',
}


def test_blocks(write: Write) -> None:
    configuration = write(TEXTS)
    declarations = configuration.root.declarations
    assert found(configuration) == [
        "main.tf:14,14 Quoted references are deprecated",
        "main.tf:25,1 Missing required argument",
    ]
    required = declarations.required_providers
    assert {name: entry.source for name, entry in required.items()} == {"aws": "hashicorp/aws", "null": "", "bad": ""}
    assert [str(alias.range) for alias in required["aws"].aliases] == ["main.tf:4,83-88", "main.tf:4,90-95"]
    assert {key: str(block.range) for key, block in declarations.providers.items()} == {("aws", "x"): "main.tf:9,1-15"}
    resources = [
        (str(block.address), str(block.provider and block.provider.expression.range))
        for block in declarations.resources
    ]
    assert resources == [
        ("aws_vpc.a", "main.tf:14,15-20"),
        ("aws_vpc.b", "main.tf:17,14-24"),
        ("ephemeral.aws_secret.c", "None"),
        ("data.http.d", "main.tf:22,16-22"),
    ]
    assert [(block.destroy, str(block.source.range)) for block in declarations.removed] == [(True, "main.tf:29,10-21")]
    assert [str(block.target.range) for block in declarations.imports] == ["main.tf:36,14-23"]


def test_test_files(write: Write) -> None:
    first, second = write(TEXTS).root.declarations.tests
    assert first.file == "tests/main.tftest.hcl"
    assert [(block.name, block.alias, block.mock) for block in first.providers] == [
        ("aws", "x", False),
        ("aws", "y", True),
    ]
    assert [(run.name, run.module_source, len(run.providers), list(run.variables)) for run in first.runs] == [
        ("first", "./setup", 1, ["w"])
    ]
    assert list(first.variables) == ["v"]
    assert (second.file, [run.name for run in second.runs]) == ("beside.tofutest.hcl", ["second"])


def test_nothing_there(tmp_path: Path) -> None:
    assert [problem.summary for problem in load(tmp_path).problems] == ["No configuration files"]
    assert [problem.summary for problem in load(tmp_path / "none").problems] == ["Failed to read module directory"]
    (tmp_path / "file").touch()
    assert [problem.summary for problem in load(tmp_path / "file").problems] == ["Failed to read module directory"]


@pytest.mark.parametrize("kind", ["fifo", "endless", "dangling", "loop"])
def test_files_that_are_none(tmp_path: Path, kind: str) -> None:
    import os

    path = tmp_path / "main.tf"
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to({"endless": "/dev/zero", "dangling": "nowhere", "loop": "main.tf"}[kind])
    assert found(load(tmp_path)) == ["main.tf:1,1 Failed to read file"]


def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "main.tf"
    path.write_text('provider "a" {}\n')
    path.chmod(0)
    try:
        path.read_bytes()
    except PermissionError:
        assert found(load(tmp_path)) == ["main.tf:1,1 Failed to read file"]
    else:
        pytest.skip("this user may read everything")
    finally:
        path.chmod(0o600)


@pytest.mark.parametrize(
    ("file", "text", "written"),
    [
        ("main.tf", 'provider "p" {\n  alias    = "a"\n  for_each = toset(["é"]) # x\n}\n', 'toset(["é"])'),
        ("main.tf", 'provider "p" {\n  alias    = "a"\n  for_each = (\n    {}\n  )\n}\n', "(\n    {}\n  )"),
        ("main.tf.json", '{"provider": {"p": {"alias": "a", "for_each": "${ local.m }"}}}', "local.m"),
        ("main.tf.json", r'{"provider": {"p": {"alias": "a", "for_each": "${toset([\"k\"])}"}}}', 'toset(["k"])'),
        ("main.tf.json", '{"provider": {"p": {"alias": "a", "for_each": {"k": "v"}}}}', '{"k": "v"}'),
        ("main.tf", 'provider "p" {}\n', ""),
    ],
)
def test_for_each_as_it_is_written(write: Write, file: str, text: str, written: str) -> None:
    (block,) = write({file: text}).root.declarations.providers.values()
    assert block.for_each_text == written
