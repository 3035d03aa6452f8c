"""The encryption block of a module: files, overrides, variables and local values."""

from __future__ import annotations

from pathlib import Path

import pytest

from statefmt.configuration import VariableOption
from statefmt.encryption import Origin, check_configuration, merged
from statefmt.model.errors import ConfigurationError
from tests.encryption.sources.configured import arguments, module, provider, text
from tests.tables import each_row

LONG = "correct-horse-battery-staple"


def inside(*lines: str) -> str:
    return f"terraform {{\n  encryption {{\n{provider(*lines)}  }}\n}}\n"


def over(*lines: str) -> str:
    """A block with this provider alone."""
    body = "\n".join(lines)
    return f'terraform {{\n  encryption {{\n    key_provider "pbkdf2" "main" {{\n{body}\n    }}\n  }}\n}}\n'


# The files of a module, and the arguments of its key provider.
FOUND: dict[str, tuple[dict[str, str], dict[str, object]]] = {
    "a block": ({"a.tf": inside('a = "1"')}, {"a": "1"}),
    "a file of OpenTofu": ({"a.tf": inside('a = "1"'), "a.tofu": inside('a = "2"')}, {"a": "2"}),
    "among others": ({"a.tf": 'resource "x" "y" {\n}\n', "b.tf": inside('a = "1"')}, {"a": "1"}),
    "two terraform blocks": ({"a.tf": 'terraform {\n  required_version = "1"\n}\n' + inside('a = "1"')}, {"a": "1"}),
    "JSON": (
        {"a.tf.json": '{"terraform": {"encryption": {"key_provider": {"pbkdf2": {"main": {"a": "${local.b}"}}}}}}',
         "b.tf": 'locals {\n  b = "1"\n}\n'},
        {"a": "1"},
    ),
    "an override": (
        {"a.tf": inside('a = "1"', 'b = "1"'), "b_override.tf": over('b = "2"', 'c = "2"')},
        {"a": "1", "b": "2", "c": "2"},
    ),
    "overrides by name": (
        {"a.tf": inside('a = "1"'), "2_override.tf": over('a = "3"'), "1_override.tf": over('a = "2"')}, {"a": "3"},
    ),
    "an override of nothing": ({"a.tf": "", "override.tf": inside('a = "1"')}, {"a": "1"}),
    "a variable": ({"a.tf": inside("a = var.v") + 'variable "v" {\n}\n'}, {"a": "of the environment"}),
    "a default": ({"a.tf": inside("a = var.d") + 'variable "d" {\n  default = "1"\n}\n'}, {"a": "1"}),
    "a type": ({"a.tf": inside("a = var.n == 7") + 'variable "n" {\n  type = number\n}\n'}, {"a": True}),
    "a sensitive variable": (
        {"a.tf": inside('a = "${var.v}!"') + 'variable "v" {\n  sensitive = true\n}\n'}, {"a": "of the environment!"},
    ),
    "a file of values": (
        {"a.tf": inside("a = var.v") + 'variable "v" {\n}\n', "terraform.tfvars": 'v = "of the file"\n'},
        {"a": "of the file"},
    ),
    "local values": (
        {"a.tf": inside("a = local.a"), "b.tf": 'locals {\n  a = "<${local.b}>"\n  b = var.v\n}\nvariable "v" {\n}\n'},
        {"a": "<of the environment>"},
    ),
    "the workspace": ({"a.tf": inside("a = terraform.workspace")}, {"a": "default"}),
    "a file beside it": ({"a.tf": inside('a = file("secret")'), "secret": "s"}, {"a": "s"}),
    "modules that are not there": (
        {"a.tf": inside('a = "1"') + 'module "m" {\n  source = "./nowhere"\n}\n'}, {"a": "1"},
    ),
}  # fmt: skip


@each_row("name", FOUND)
def test_found(name: str, tmp_path: Path) -> None:
    files, found = FOUND[name]
    assert arguments(module(tmp_path, files, {"v": "of the environment", "n": "7"})) == found


def test_options_go_over_files(tmp_path: Path) -> None:
    files = {
        "a.tf": inside("a = var.v", "b = var.w") + 'variable "v" {\n}\nvariable "w" {\n}\n',
        "values": 'v = "of the option"\nw = "of the option"\n',
        "x.auto.tfvars": 'v = "of the module"\n',
    }
    options = VariableOption(file=str(tmp_path / "values")), VariableOption("w", "of the command line")
    assert arguments(module(tmp_path, files, {"v": "x"}, *options)) == {
        "a": "of the option",
        "b": "of the command line",
    }


def test_none(tmp_path: Path) -> None:
    assert module(tmp_path, {"a.tf": 'terraform {\n}\nvariable "v" {\n}\n'}) is None


# The files of a module, and what is said; DIR stands for the folder.
REFUSED: dict[str, tuple[dict[str, str], str]] = {
    "two blocks": ({"a.tf": inside(), "b.tf": inside()}, r"found two, at DIR/a.tf:2,3-13 and at DIR/b.tf:2,3-13"),
    "two in one file": ({"a.tf": inside() + inside()}, r"at DIR/a.tf:2,3-13 and at DIR/a.tf:14,3-13"),
    "two in an override": ({"a.tf": inside(), "override.tf": over() + over()}, r"at DIR/override.tf:2,3-13 and"),
    "no value": (
        {"a.tf": inside("passphrase = local.p"), "b.tf": 'locals {\n  p = var.p\n}\nvariable "p" {\n}\n'},
        r"passphrase: var\.p has no value: set TF_VAR_p .*; see DIR/b.tf:4,1-13 \(DIR/a.tf:4,1-21\)",
    ),
    "not declared": ({"a.tf": inside("passphrase = var.v")}, r"refuse it: Reference to undeclared input variable"),
    "no such local value": ({"a.tf": inside("passphrase = local.p")}, r"Reference to undeclared local value"),
    "a circle": (
        {"a.tf": inside("passphrase = local.a") + "locals {\n  a = local.b\n  b = local.a\n}\n"}, r"Circular reference"
    ),
    "a resource": (
        {"a.tf": inside("passphrase = local.a") + "locals {\n  a = random_password.a.result\n}\n"},
        r"unknown before a plan; a string needs double quotes; see DIR/a.tf:15,7-31 \(DIR/a.tf:4,1-21\)",
    ),
    "a type that does not fit": (
        {"a.tf": inside("passphrase = var.v") + 'variable "v" {\n  type = number\n}\n'},
        r"Invalid value for input variable",
    ),
    "an alias in an override": (
        {"a.tf": inside(), "override.tf": over('encrypted_metadata_alias = "x"')}, r"OpenTofu ignores it"
    ),
    "a target in an override without its method": (
        {"a.tf": inside(), "override.tf": "terraform {\n encryption {\n state {\n enforced = true\n}\n}\n}\n"},
        r"state: the overriding block has no method",
    ),
    "another file that is broken": ({"a.tf": inside(f'passphrase = "{LONG}"'), "b.tf": "x {\n"}, r"^DIR/b.tf:1,3-4: "),
    "an override that is broken": ({"a.tf": inside(f'passphrase = "{LONG}"'), "override.tf": "}\n"}, r"DIR/over"),
    "values that are broken": (
        {"a.tf": inside(f'passphrase = "{LONG}"'), "terraform.tfvars": 'p = "x\n'}, r"^terraform.tfvars:\d"
    ),
    "not UTF-8": ({"a.tf": inside(f'passphrase = "{LONG}"') + "# \udcff\n"}, r"^DIR/a.tf:14,3: this is not UTF-8$"),
    "JSON with an argument twice": (
        {"a.tf.json": '{"terraform": {"encryption": {"key_provider": {"pbkdf2": {"main": {"a": 1, "a": 2}}}}}}'},
        r"^DIR/a.tf.json:1,76-79: Duplicate argument$",
    ),
    "no files": ({}, r"The directory DIR contains no configuration files\.$"),
}  # fmt: skip


@each_row("name", REFUSED)
def test_refuses(name: str, tmp_path: Path) -> None:
    files, reason = REFUSED[name]
    for file, content in files.items():
        (tmp_path / file).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigurationError, match=reason.replace("DIR", str(tmp_path))):
        check_configuration(module(tmp_path, {}, {"v": "x"}))  # type: ignore[arg-type] # there is one, or an error


def test_a_text_sees_what_the_module_declares(tmp_path: Path) -> None:
    """As TF_ENCRYPTION does in OpenTofu, which goes over the block argument by argument."""
    from statefmt.encryption.sources import module_configuration, read_surroundings, text_configuration

    (tmp_path / "a.tf").write_text(inside("passphrase = local.p", "iterations = 300000") + 'locals {\n  p = "x"\n}\n')
    surroundings = read_surroundings(tmp_path, {}, ())
    own = module_configuration(surroundings)
    assert own is not None
    environment = 'key_provider "pbkdf2" "main" {\n  passphrase = "${local.p}-2"\n}\n'
    found = arguments(
        merged(own, text_configuration(Origin.of_environment("TF_ENCRYPTION"), environment.encode(), surroundings))
    )
    assert found == {"passphrase": "x-2", "iterations": arguments(own)["iterations"]}


def test_targets_are_replaced_as_wholes() -> None:
    """Source: `config_merge.go`."""
    methods = "".join(f'method "unencrypted" "{name}" {{\n}}\n' for name in "abc")
    base = text(
        methods + "state {\n  enforced = true\n  method = method.a.a\n  fallback {\n    method = method.a.b\n  }\n}\n"
    )
    own = merged(base, text("state {\n  method = method.a.c\n}\nplan {\n  method = method.a.a\n}\n"))
    assert [str(one) for one in own.targets["state"].chain()] == ["method.a.c", "method.a.b"]
    assert own.targets["state"].enforced
    assert [str(one) for one in own.targets["plan"].chain()] == ["method.a.a"]
