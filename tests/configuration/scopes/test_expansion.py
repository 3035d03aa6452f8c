"""The instances of `for_each`, `count` and `enabled`. Source: OpenTofu's `internal/lang/evalchecks`."""

from __future__ import annotations

import pytest

from statefmt.configuration import Expansion, expand, expand_provider, root_scope
from statefmt.configuration.instances import Instances
from statefmt.configuration.model import ModuleConfiguration as ConfiguredModule, ProviderBlock
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import AbsResource, ConfigProviderConfig, Module, ModuleInstance, Resource, ResourceMode
from statefmt.model.addrs.provider import parse_provider_source
from tests.configuration.conftest import Write, found, shown

VARIABLES = (
    'variable "secret" {\n  sensitive = true\n  default = "s"\n}\nvariable "unset" {}\n'
    'variable "strings" {\n  type = set(string)\n  default = ["z", "a"]\n}\n'
)
REPETITIONS = [
    ("", "(none)"),
    ('for_each = toset(["b", "a"])', '["a"] ["b"]'),
    ("for_each = { b = 1, a = 2 }", '["a"] ["b"]'),
    ('for_each = { "1" = 1, (2) = 2 }', '["1"] ["2"]'),
    ("for_each = var.strings", '["a"] ["z"]'),
    ("for_each = {}", ""),
    ("for_each = toset([])", ""),
    ("for_each = { a = t.n.id }", '["a"]'),
    ("for_each = { for k, v in { a = t.n.id } : k => v }", '["a"]'),
    ("for_each = { a = var.secret }", '["a"]'),
    ('for_each = ["a"]', "Invalid for_each argument"),
    ("for_each = tolist([])", "Invalid for_each argument"),
    ('for_each = "a"', "Invalid for_each argument"),
    ("for_each = null", "Invalid for_each argument"),
    ("for_each = toset([1])", "Invalid for_each argument"),
    ("for_each = toset([null])", "Invalid for_each argument"),
    ("for_each = toset([var.secret])", "Invalid for_each argument"),
    ("for_each = { (var.secret) = 1 }", "Invalid for_each argument"),
    ("for_each = sensitive({ a = 1 })", "Invalid for_each argument"),
    ("for_each = nope.a", "unknown: nope.a is known only in a plan or an apply"),
    ("for_each = toset([t.n.id])", "unknown: t.n.id is known only in a plan or an apply"),
    (
        "for_each = toset([var.unset])",
        "unknown: var.unset has no value: set it with --var unset=…, --var-file or TF_VAR_unset",
    ),
    ("for_each = { (t.n.id) = 1 }", "unknown: t.n.id is known only in a plan or an apply"),
    ("for_each = data.d.n.ids", "unknown: data.d.n.ids is read only in a plan"),
    ("for_each = module.m.out", "unknown: module.m.out is an output of a module, which is known only in a plan"),
    (
        "for_each = toset([uuid()])",
        "unknown: the result of the function uuid is not known in advance: it changes with each call",
    ),
    ('for_each = toset([base64gzip("x")])', "unknown: statetool does not evaluate the function base64gzip"),
    ("for_each = toset([nope()])", "Call to unknown function"),
    ("for_each = local.nope", "Reference to undeclared local value"),
    ("count = 2", "[0] [1]"),
    ('count = "1"', "[0]"),
    ("count = 0", ""),
    ("count = true ? 1 : 0", "[0]"),
    ("count = -1", "Invalid count argument"),
    ("count = 1.5", "Invalid count argument"),
    ("count = null", "Invalid count argument"),
    ("count = []", "Invalid count argument"),
    ("count = sensitive(1)", "Invalid count argument"),
    ("count = length(t.n)", "unknown: t.n is known only in a plan or an apply"),
    ("count = 99999999", "unknown: a count of 99,999,999 is more than statetool supports"),
    ("lifecycle {\n    enabled = true\n  }", "(none)"),
    ("lifecycle {\n    enabled = false\n  }", ""),
    ("lifecycle {\n    enabled = null\n  }", "Invalid enabled argument"),
]


@pytest.mark.parametrize(("repetition", "keys"), REPETITIONS)
def test_resources(write: Write, repetition: str, keys: str) -> None:
    configuration = write({"main.tf": f'resource "t" "r" {{\n  {repetition}\n}}\n{VARIABLES}'})
    expansion = expand(configuration.root.declarations.resources[0].repetition, root_scope(configuration))
    if isinstance(expansion, Expansion):
        assert " ".join(str(key) or "(none)" for key in expansion.keys) == keys
    else:
        assert shown(expansion) == keys


PROVIDERS = [
    ('alias = "a"', "(none)", []),
    ('alias = "a"\n  for_each = toset(["x", "y"])', '["x"] ["y"]', []),
    ('for_each = toset(["x"])', '["x"]', ['main.tf:2,14 Alias required when using "for_each"']),
    ('alias = "a"\n  count = 2', "(none)", ["main.tf:3,3 Reserved argument name in provider block"]),
    ('alias = "1a"', "(none)", ["main.tf:2,11 Invalid provider configuration alias"]),
    ("alias = local.x", "(none)", ["main.tf:2,11 Variables not allowed"]),
]


@pytest.mark.parametrize(("body", "keys", "problems"), PROVIDERS)
def test_providers(write: Write, body: str, keys: str, problems: list[str]) -> None:
    configuration = write({"main.tf": f'provider "null" {{\n  {body}\n}}\n'})
    (block,) = configuration.root.declarations.providers.values()
    expansion = expand_provider(block, root_scope(configuration))
    assert isinstance(expansion, Expansion)
    assert " ".join(str(key) or "(none)" for key in expansion.keys) == keys
    assert found(configuration) == problems


def test_each_and_count(write: Write) -> None:
    text = 'resource "t" "r" {\n  for_each = { k = "v" }\n}\nresource "t" "c" {\n  count = 2\n}\n'
    text += "locals {\n  a = 1\n}\n"
    configuration = write({"main.tf": text})
    scope = root_scope(configuration)
    by_name = {}
    for resource in configuration.root.declarations.resources:
        expansion = expand(resource.repetition, scope)
        assert isinstance(expansion, Expansion)
        by_name[resource.name] = expansion.instances[-1].each
    each, count = by_name["r"], by_name["c"]
    assert each is not None
    assert each.value is not None
    assert shown(each.value) == '"v"'
    assert count is not None
    assert str(count.key) == "[1]"


def _only(module: ConfiguredModule) -> ProviderBlock:
    (block,) = module.declarations.providers.values()
    return block


# What `for_each` of the provider is; var.no has `const = false`.
STATIC = [
    ("toset([var.yes])", "a"),
    ("toset([var.plain])", "a"),
    ("toset([var.no])", None),
    ("toset([local.far])", None),
    ("local.round", None),
    ("toset([for no in [1] : tostring(no)])", "1"),
]


@pytest.mark.parametrize(("for_each", "keys"), STATIC)
def test_variables_that_are_not_constant(write: Write, for_each: str, keys: str | None) -> None:
    files = {
        "main.tf": f'provider "p" {{\n  alias    = "a"\n  for_each = {for_each}\n}}\n'
        'variable "no" {\n  default = "a"\n  const   = false\n}\n'
        'variable "yes" {\n  default = "a"\n  const   = true\n}\n'
        'variable "plain" {\n  default = "a"\n}\n'
        "locals {\n  near  = var.no\n  far   = local.near\n  round = local.round\n}\n"
    }
    configuration = write(files)
    expansion = Instances(configuration).of_provider(_config(Module()), _only(configuration.root))
    known = expansion.keys if isinstance(expansion, Expansion) else None
    assert (None if known is None else " ".join(str(key).strip('[]"') for key in known)) == keys


def test_a_variable_of_a_module_that_stands_for_one_that_is_not_constant(write: Write) -> None:
    files = {
        "main.tf": 'variable "no" {\n  default = "a"\n  const   = false\n}\n'
        'module "m" {\n  source = "./m"\n  v      = [var.no]\n}\n',
        "m/main.tf": 'variable "v" {}\nprovider "p" {\n  alias    = "a"\n  for_each = toset(var.v)\n}\n',
    }
    configuration = write(files)
    module = Module(("m",))
    found = Instances(configuration).of_provider(_config(module), _only(configuration.modules[module]))
    assert isinstance(found, Unknown)
    assert str(found.range) == "main.tf:7,13-19"


_CHAINS = {
    "a": '["x"]',
    "b": '["x"]',
    "c": '["x"]',
    "each": "unknown: t.a.x is known only in a plan or an apply",
    "counted": "unknown: t.count is known only in a plan or an apply",
    "round": "unknown: t.circle is known only in a plan or an apply",
    "circle": "unknown: t.round is known only in a plan or an apply",
}
_CHAINED = """
resource "t" "a" {
  for_each = toset(["x"])
}
resource "t" "b" {
  for_each = t.a
}
resource "t" "c" {
  for_each = t.b
}
resource "t" "each" {
  for_each = t.a.x
}
resource "t" "count" {
  count = 2
}
resource "t" "counted" {
  for_each = t.count
}
resource "t" "round" {
  for_each = t.circle
}
resource "t" "circle" {
  for_each = t.round
}
"""


@pytest.mark.parametrize(("name", "keys"), _CHAINS.items())
def test_the_keys_of_another_resource(write: Write, name: str, keys: str) -> None:
    """OpenTofu knows them before the values. A circle has none."""
    address = AbsResource(ModuleInstance(), Resource(ResourceMode.MANAGED, "t", name))
    expansion = Instances(write({"main.tf": _CHAINED})).of_resource(address)
    assert (shown(expansion) if isinstance(expansion, Unknown) else " ".join(map(str, expansion))) == keys


def _config(module: Module) -> ConfigProviderConfig:
    return ConfigProviderConfig(module, parse_provider_source("hashicorp/p"), "a")
