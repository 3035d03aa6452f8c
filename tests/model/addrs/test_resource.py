"""Resource addresses: within a module, in configuration, absolute, and of one instance."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    ConfigResource,
    IntKey,
    Module,
    ModuleInstance,
    Resource,
    ResourceInstance,
    ResourceMode,
    StringKey,
)
from statefmt.model.addrs.parsing import parse_abs_resource, parse_abs_resource_instance, parse_config_resource
from statefmt.model.errors import AddressError
from tests.tables import each_row

WEB = Resource(ResourceMode.MANAGED, "aws_instance", "web")
IN_A = ModuleInstance().child("a", StringKey("x"))

ROOT = ModuleInstance()

RESOURCES = {
    "managed": ("aws_instance.web", AbsResource(ROOT, WEB)),
    "data": ("data.t.n", AbsResource(ROOT, Resource(ResourceMode.DATA, "t", "n"))),
    "ephemeral": ("ephemeral.t.n", AbsResource(ROOT, Resource(ResourceMode.EPHEMERAL, "t", "n"))),
    "in a module": ('module.a["x"].aws_instance.web', AbsResource(IN_A, WEB)),
    "of type output": ("output.x", AbsResource(ROOT, Resource(ResourceMode.MANAGED, "output", "x"))),
    "data of type data": ("data.data.data", AbsResource(ROOT, Resource(ResourceMode.DATA, "data", "data"))),
}

# What is wrong with an address, where, and how OpenTofu's explanation begins.
WHOLE = "value must be a whole number, between -9223372036854775808 and 9223372036854775807."
SHORT = "Resource specification must include a resource type and name."
KEY = "Resource instance key must be given in square brackets."
MORE = "Unexpected extra operators after address."
INSTANCE = "A resource address is required. This instance key identifies a specific resource instance"
RESOURCE = "A resource address is required here. The module path must be followed by a resource"
INSTANCE_OF = "A resource instance address is required here."
BLOCK = "Expected reference to either resource or data block."
KEYED_MODULE = "Module address cannot be a module instance"
KEYED_BLOCK = "Resource address cannot be a resource instance"

ERRORS: dict[str, tuple[Callable[[str], object], str, int, str]] = {
    "a type without a name": (parse_abs_resource, "t", 1, SHORT),
    "data without a type": (parse_abs_resource, "data", 1, SHORT),
    "data without a name": (parse_abs_resource, "data.t", 5, SHORT),
    "an index for a type": (parse_abs_resource, "data[0].t", 5, "A data source name is required."),
    "another index for a type": (parse_abs_resource, "ephemeral[0].t", 10, "An ephemeral resource name is required."),
    "an index for a name": (parse_abs_resource, "t[0].n", 2, "A resource name is required."),
    "a name for a key": (parse_abs_resource, "t.n.k", 4, KEY),
    "more after a key": (parse_abs_resource, "t.n[0].k", 7, MORE),
    "a key of a resource": (parse_abs_resource, "t.n[0]", 4, INSTANCE),
    "a module for a resource": (parse_abs_resource, " module.a", 2, RESOURCE),
    "a module for an instance": (parse_abs_resource_instance, "module.a", 1, INSTANCE_OF),
    "a key that is not whole": (parse_abs_resource_instance, "t.n[1.5]", 4, f"Invalid resource instance key: {WHOLE}"),
    "only the module's key": (parse_abs_resource_instance, "module.a[1.5].t", 9, f"Invalid module index: {WHOLE}"),
    "a module for a block": (parse_config_resource, "module.a", 1, BLOCK),
    "a module's key of a block": (parse_config_resource, "module.a[0].t.n", 9, KEYED_MODULE),
    "a key of a block": (parse_config_resource, "t.n[0]", 4, KEYED_BLOCK),
    "more after a block": (parse_config_resource, "t.n.a.b", 6, MORE),
}


@pytest.mark.parametrize(("text", "resource"), RESOURCES.values(), ids=RESOURCES)
def test_parses_and_prints(text: str, resource: AbsResource) -> None:
    assert parse_abs_resource(text) == resource
    assert str(resource) == text
    assert parse_abs_resource_instance(text) == resource.instance(NO_KEY)
    assert str(resource.instance()) == text
    for key, suffix in ((IntKey(7), "[7]"), (StringKey("k"), '["k"]')):
        assert parse_abs_resource_instance(text + suffix) == resource.instance(key)
        assert str(resource.instance(key)) == text + suffix


@each_row(("parse", "text", "column", "detail"), ERRORS.values(), ids=ERRORS)
def test_refuses(parse: Callable[[str], object], text: str, column: int, detail: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse(text)
    assert [problem.column for problem in caught.value.problems] == [column]
    assert caught.value.detail.startswith(detail)


def test_from_an_instance_to_what_it_belongs_to() -> None:
    instance = parse_abs_resource_instance('module.a["x"].aws_instance.web[0]')
    block = ConfigResource(Module(("a",)), WEB)
    assert instance == AbsResourceInstance(IN_A, ResourceInstance(WEB, IntKey(0)))
    assert instance.key == IntKey(0)
    assert instance.containing_resource() == AbsResource(IN_A, WEB)
    assert instance.config() == instance.containing_resource().config() == block
    assert parse_config_resource(str(block)) == block
    assert str(block) == "module.a.aws_instance.web"
    assert str(ConfigResource(Module(), WEB)) == "aws_instance.web"
    assert str(WEB.instance(IntKey(0))) == "aws_instance.web[0]"


@pytest.mark.parametrize(
    ("type_name", "provider"),
    [("aws_instance", "aws"), ("null", "null"), ("google-beta_thing_x", "google-beta"), ("_a", "")],
)
def test_implied_provider(type_name: str, provider: str) -> None:
    assert Resource(ResourceMode.MANAGED, type_name, "n").implied_provider() == provider
