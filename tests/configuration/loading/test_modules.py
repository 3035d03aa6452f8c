"""The tree of modules: where they are found, what they are given, and where the tree ends."""

from __future__ import annotations

import pytest

from statefmt.configuration import Configuration, Expansion, Scope, expand, root_scope
from statefmt.model import addrs
from statefmt.model.addrs import StringKey
from tests.configuration.conftest import Write, found, shown

CHILD = 'variable "v" {\n  type = string\n  default = "none"\n}\nlocals {\n  x = "<${var.v}>"\n}\n'


def _paths(configuration: Configuration) -> dict[str, str]:
    return {str(path): module.declarations.directory for path, module in configuration.modules.items()}


def test_nested(write: Write) -> None:
    files = {
        "main.tf": 'module "b" {\n  source = "./mods/b"\n}\nmodule "a" {\n  source = "./mods/a"\n}\n',
        "mods/a/main.tf": 'module "in" {\n  source = "../b"\n}\n',
        "mods/b/main.tf": CHILD,
    }
    configuration = write(files)
    assert _paths(configuration) == {
        "": ".",
        "module.a": "mods/a",
        "module.a.module.in": "mods/b",
        "module.b": "mods/b",
    }
    assert configuration.root.children == ("a", "b")
    # A directory is read once, and its declarations are shared.
    modules = {str(path): module for path, module in configuration.modules.items()}
    assert modules["module.b"].declarations is modules["module.a.module.in"].declarations
    assert found(configuration) == []


# The source, what modules.json has, the directory of the module or the problem.
SOURCES = [
    ('"./child"', "", "child"),
    ('"./child/"', "", "child"),
    ('"${path.module}/child"', "", "child"),
    ('"./${local.where}"', "", "child"),
    ('"hashicorp/consul/aws"', '{"Modules":[{"Key":"m","Source":"","Dir":"child"}]}', "child"),
    ('"hashicorp/consul/aws"', "", "main.tf:1,1 Module not installed"),
    ('"hashicorp/consul/aws"', '{"Modules":[{"Key":"other","Dir":"child"}]}', "main.tf:1,1 Module not installed"),
    ('"./nothing"', "", "main.tf:1,1 Unreadable module directory"),
    ('"./"', "", "main.tf:1,1 Module calls itself"),
    ("5", "", "main.tf:2,12 Invalid module source address"),
    ("var.unset", "", "main.tf:2,12 Unable to compute static value"),
    ("local.nothing", "", "main.tf:2,12 Reference to undeclared local value"),
]


@pytest.mark.parametrize(("source", "manifest", "result"), SOURCES)
def test_sources(write: Write, source: str, manifest: str, result: str) -> None:
    main = f'module "m" {{\n  source = {source}\n}}\nvariable "unset" {{}}\nlocals {{\n  where = "child"\n}}\n'
    files = {"main.tf": main, "child/main.tf": CHILD}
    if manifest:
        files[".terraform/modules/modules.json"] = manifest
    configuration = write(files)
    if result == "child":
        assert _paths(configuration) == {"": ".", "module.m": "child"}
        assert found(configuration) == []
    else:
        assert _paths(configuration) == {"": "."}
        assert found(configuration) == [result]
        assert list(configuration.missing) == [addrs.Module(("m",))]


def test_a_call_without_a_source(write: Write) -> None:
    assert found(write({"main.tf": 'module "m" {\n}\n'})) == ["main.tf:1,1 Missing required argument"]


def test_a_circle_of_modules(write: Write) -> None:
    files = {"main.tf": 'module "a" {\n  source = "./a"\n}\n', "a/main.tf": 'module "b" {\n  source = "../"\n}\n'}
    configuration = write(files)
    assert _paths(configuration) == {"": ".", "module.a": "a"}
    assert found(configuration) == ["a/main.tf:1,1 Module calls itself"]


def test_a_broken_manifest(write: Write) -> None:
    files = {"main.tf": 'module "a" {\n  source = "./a"\n}\n', "a/main.tf": "", ".terraform/modules/modules.json": "{"}
    configuration = write(files)
    assert found(configuration) == [".terraform/modules/modules.json:1,1 Failed to read module manifest"]
    assert len(configuration.modules) == 2


def _child(configuration: Configuration, key: str | None = None) -> Scope:
    scope = root_scope(configuration)
    call = configuration.root.declarations.calls["m"]
    expansion = expand(call.repetition, scope)
    assert isinstance(expansion, Expansion)
    wanted = [each for each in expansion.instances if key is None or each.key == StringKey(key)]
    return scope.child("m", wanted[0].each if key is not None else None)


# Arguments of the call, the key of the instance (none for the static scope), the value of local.x in the child.
ARGUMENTS = [
    ("", None, '"\\u003cnone\\u003e"'),
    ("v = null", None, "Invalid template interpolation value"),
    ("v = 5", None, '"\\u003c5\\u003e"'),
    ("v = local.l", None, '"\\u003cl\\u003e"'),
    ("v = []", None, "Invalid value for input variable"),
    ('for_each = toset(["a"])\n  v = each.key', "a", '"\\u003ca\\u003e"'),
    ('for_each = { a = "b" }\n  v = each.value', "a", '"\\u003cb\\u003e"'),
    ('for_each = toset(["a"])\n  v = each.key', None, "unknown: each.key differs between instances"),
    ("v = t.n.id", None, "unknown: t.n.id is known only in a plan or an apply"),
]


@pytest.mark.parametrize(("arguments", "key", "value"), ARGUMENTS)
def test_arguments(write: Write, arguments: str, key: str | None, value: str) -> None:
    main = f'module "m" {{\n  source = "./child"\n  {arguments}\n}}\nlocals {{\n  l = "l"\n}}\n'
    configuration = write({"main.tf": main, "child/main.tf": CHILD})
    assert shown(_child(configuration, key).local("x")) == value


def test_a_missing_argument(write: Write) -> None:
    files = {
        "main.tf": 'module "m" {\n  source = "./child"\n}\n',
        "child/main.tf": 'variable "v" {}\nlocals {\n  x = var.v\n}\n',
    }
    assert shown(_child(write(files)).local("x")) == "Missing required argument"


def test_paths(write: Write) -> None:
    child = 'locals {\n  x = "${path.module} ${path.root} ${fileexists("${path.module}/here.txt")}"\n}\n'
    files = {"main.tf": 'module "m" {\n  source = "./child"\n}\n', "child/main.tf": child, "child/here.txt": ""}
    assert shown(_child(write(files)).local("x")) == '"child . true"'


def test_modules_of_tests(write: Write) -> None:
    """A run of a test may call another module, which is found by its own path or where it is installed."""
    manifest = (
        '{"Modules": [{"Key": "test.tests.main.far", "Source": "a/b/c", "Dir": "got/far"},'
        ' {"Key": "test.tests.main.far.in", "Source": "d/e/f", "Dir": "got/in"}]}'
    )
    run = 'run "{name}" {{\n  module {{\n    source = "{source}"\n  }}\n}}\n'
    configuration = write(
        {
            "main.tf": "",
            "tests/main.tftest.hcl": "".join(
                run.format(name=name, source=source)
                for name, source in (("near", "./near"), ("far", "a/b/c"), ("none", "./none"), ("lost", "g/h/i"))
            ),
            "near/main.tf": CHILD,
            "got/far/main.tf": 'module "in" {\n  source = "d/e/f"\n}\n',
            "got/in/main.tf": CHILD,
            ".terraform/modules/modules.json": manifest,
        }
    )
    assert {run: _paths(found) for (_, run), found in configuration.tested.items()} == {
        "near": {"": "near"},
        "far": {"": "got/far", "module.in": "got/in"},
    }
    assert found(configuration) == [
        "tests/main.tftest.hcl:12,3 Unreadable module directory",
        "tests/main.tftest.hcl:17,3 Module not installed",
    ]
    assert _paths(configuration) == {"": "."}
