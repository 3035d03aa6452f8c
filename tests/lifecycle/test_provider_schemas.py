"""Schemas of providers, as OpenTofu and Terraform print them, and files that are something else."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from statefmt.lifecycle.schema import ProviderSchemas, SchemaError, read_provider_schemas
from statefmt.model.addrs import ResourceMode
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.cty import DYNAMIC, STRING
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row

_BUILTIN = parse_provider_source("terraform.io/builtin/terraform")
_ID = {"block": {"attributes": {"id": {"type": "string", "computed": True}}}}


@pytest.mark.parametrize("plan", ["001-create", "101-create"])
def test_schemas_of_real_releases(plan: str) -> None:
    schemas = read_provider_schemas(recorded_plans()[plan]["schemas.json"])
    assert schemas.providers == (_BUILTIN,)
    found = schemas.schema(_BUILTIN, ResourceMode.MANAGED, "terraform_data")
    assert found is not None
    assert found.version == 0
    assert found.block.attributes["id"].computed
    assert found.type.attributes == {"id": STRING, "input": DYNAMIC, "output": DYNAMIC, "triggers_replace": DYNAMIC}
    assert schemas.schema(_BUILTIN, ResourceMode.DATA, "terraform_data") is None
    assert schemas.schema(_BUILTIN, ResourceMode.EPHEMERAL, "terraform_data") is None
    assert schemas.schema(_BUILTIN, ResourceMode.DATA, "terraform_remote_state") is not None
    configuration = schemas.configuration(_BUILTIN)
    assert configuration is not None
    assert configuration.block.attributes == {}


@pytest.mark.parametrize(("wanted", "found"), [
    ("registry.opentofu.org/hashicorp/aws", 1),
    ("registry.terraform.io/hashicorp/aws", 2),
    ("registry.opentofu.org/hashicorp/null", 3),
    ("registry.terraform.io/hashicorp/null", 3),
    ("registry.opentofu.org/hashicorp/random", 4),
    ("registry.example.com/hashicorp/aws", None),
    ("example.com/team/own", 5),
    ("registry.opentofu.org/team/own", None),
    ("registry.opentofu.org/-/aws", None),
])  # fmt: skip
def test_the_exact_source_comes_first_then_the_other_registry(wanted: str, found: int | None) -> None:
    schemas = _schemas(
        {
            "registry.terraform.io/hashicorp/aws": 2,
            "registry.opentofu.org/hashicorp/aws": 1,
            "registry.terraform.io/hashicorp/null": 3,
            "registry.terraform.io/hashicorp/random": 4,
            "example.com/team/own": 5,
        }
    )
    schema = schemas.schema(parse_provider_source(wanted), ResourceMode.MANAGED, "a_thing")
    assert (None if schema is None else schema.version) == found


def test_modes_have_schemas_of_their_own() -> None:
    kinds = ("resource_schemas", "data_source_schemas", "ephemeral_resource_schemas")
    provider = {kind: {"t": {"version": version, **_ID}} for version, kind in enumerate(kinds)}
    schemas = read_provider_schemas(_file({"hashicorp/x": provider}))
    source = parse_provider_source("hashicorp/x")
    found = [schemas.schema(source, mode, "t") for mode in ResourceMode]
    assert [schema and schema.version for schema in found] == [0, 1, 2]
    assert [schema and schema.block.ephemeral for schema in found] == [False, False, True]


def test_a_broken_schema_is_reported_when_it_is_used() -> None:
    bad = {"block": {"attributes": {"x": {"type": "text"}}}}
    schemas = read_provider_schemas(_file({"hashicorp/x": {"resource_schemas": {"good": _ID, "bad": bad}}}))
    source = parse_provider_source("hashicorp/x")
    good = schemas.schema(source, ResourceMode.MANAGED, "good")
    assert good is not None
    assert good.type.attributes == {"id": STRING}
    broken = schemas.schema(source, ResourceMode.MANAGED, "bad")
    assert broken is not None
    for _ in range(2):
        with pytest.raises(
            SchemaError, match=r"^registry\.opentofu\.org/hashicorp/x: bad: invalid schema: attribute 'x'"
        ):
            assert broken.block
        with pytest.raises(
            SchemaError, match=r"^registry\.opentofu\.org/hashicorp/x: bad: invalid schema: attribute 'x'"
        ):
            assert broken.type


def test_deep_schemas_are_refused() -> None:
    depth = 3000
    start = '{"block_types":{"b":{"nesting_mode":"list","block":'
    block = start * depth + "{}" + "}}}" * depth
    data = '{"format_version":"1.0","provider_schemas":{"a/x":{"resource_schemas":{"t":{"block":' + block + "}}}}}"
    with pytest.raises(SchemaError):
        schema = read_provider_schemas(data.encode()).schema(parse_provider_source("a/x"), ResourceMode.MANAGED, "t")
        assert schema is not None
        assert schema.type


def test_no_providers() -> None:
    assert read_provider_schemas(b'{"format_version":"1.0"}').providers == ()
    assert read_provider_schemas(b'{"format_version":"1.7","provider_schemas":null}').providers == ()


@each_row(("data", "message"), [
    (b"", "empty instead of"),
    (b" \n", "empty instead of"),
    (b"PK\x03\x04\x14", "a saved plan instead of"),
    (b'{"encrypted_data":"x"}', "an encrypted state or plan instead of"),
    (b'{"version":3,"serial":1,"modules":[]}', "a state instead of"),
    (b'{"format_version":"1.0","terraform_version":"1.9.0","values":{}}', "a state as JSON, from show -json, instead"),
    (b"{", "not the output of tofu providers schema -json: Input data was truncated"),
    (b"[]", "not the output of"),
    (b"\xff", "not the output of"),
    (b'{"provider_schemas":{}}', "missing required field `format_version`"),
    (b'{"format_version":"0.2","provider_schemas":{}}', "unsupported format '0.2'"),
    (b'{"format_version":"1.0","provider_schemas":{"a/b/c/d":{}}}', "invalid provider 'a/b/c/d': "),
    (b"[" * 100_000, "not the output of"),
])  # fmt: skip
def test_other_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(SchemaError) as error:
        read_provider_schemas(data)
    assert message in str(error.value)


@pytest.mark.parametrize(("name", "message"), [
    ("plan.json", "a plan as JSON instead of"),
    ("after.tfstate", "a state instead of"),
    ("after.show.json", "a state as JSON, from show -json, instead of"),
])  # fmt: skip
def test_other_recorded_files_are_refused(name: str, message: str) -> None:
    # The JSON form of an empty state is that of no schemas.
    found = [files[name] for files in recorded_plans().values() if len(files.get(name, b"")) > 40]
    assert found
    for data in found:
        with pytest.raises(SchemaError) as error:
            read_provider_schemas(data)
        assert message in str(error.value)


def _schemas(versions: Mapping[str, int]) -> ProviderSchemas:
    return read_provider_schemas(
        _file(
            {
                source: {"resource_schemas": {"a_thing": {"version": version, **_ID}}}
                for source, version in versions.items()
            }
        )
    )


def _file(providers: Mapping[str, Any]) -> bytes:
    return json.dumps({"format_version": "1.0", "provider_schemas": providers}).encode()


_MEMBERS = {
    ResourceMode.MANAGED: "resource_schemas",
    ResourceMode.DATA: "data_source_schemas",
    ResourceMode.EPHEMERAL: "ephemeral_resource_schemas",
}


@settings(max_examples=300)
@given(st.data())
def test_odd_schemas_are_refused(data: st.DataObject) -> None:
    """A value somewhere in a real file is replaced: the file reads, or what is wrong is said."""
    document = json.loads(recorded_plans()["001-create"]["schemas.json"])
    places = list(_places(document))
    parent, key = data.draw(st.sampled_from(places))
    parent[key] = data.draw(st.sampled_from([None, [], {}, "x", -1, 1.5, [[]], {"a": None}, ["object", {"a": {}}]]))
    try:
        schemas = read_provider_schemas(json.dumps(document).encode())
        for provider, members in zip(schemas.providers, (document["provider_schemas"] or {}).values(), strict=True):
            assert schemas.configuration(provider) is None or schemas.configuration(provider)
            for mode, member in _MEMBERS.items():
                for name in members.get(member) or ():
                    schema = schemas.schema(provider, mode, name)
                    assert schema is not None
                    assert schema.block.attributes.keys() == schema.type.attributes.keys() - schema.block.blocks.keys()
    except SchemaError as error:
        assert str(error)


def _places(node: Any) -> Iterator[tuple[Any, Any]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, item in items:
        yield node, key
        yield from _places(item)


@pytest.mark.parametrize(
    "block", [b'{"attributes": {"\xff": {"type": "string"}}}', b'{"deprecation_message": "\xed\xa0\x80"}']
)
def test_schemas_that_are_not_utf_8_are_invalid(block: bytes) -> None:
    file = b'{"format_version": "1.0", "provider_schemas": {"acme/a": {"resource_schemas": {"a_b": {"block": %b}}}}}'
    schemas = read_provider_schemas(file % block)
    schema = schemas.schema(schemas.providers[0], ResourceMode.MANAGED, "a_b")
    assert schema is not None
    with pytest.raises(SchemaError, match="a_b: invalid schema"):
        schema.block  # noqa: B018 - it is decoded when asked for
