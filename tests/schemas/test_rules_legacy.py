"""What the schemas of formats 1 to 3 take and refuse, a case a line with the formats that take it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.tables import each_row

# Takes members of a document; gives the formats that it is valid in, as a text such as "23".
Formats = Callable[[dict[str, Any]], str]

# As the one resource instance of the root module, for formats 1, 2 and 3.
LEGACY_RESOURCE: dict[str, tuple[Any, str]] = {
    "nothing": ({}, "123"),
    "null": (None, ""),
    "text": ("a", ""),
    "everything null": (dict.fromkeys(("type", "depends_on", "primary", "deposed", "provider")), "123"),
    "type number": ({"type": 1}, ""),
    "provider list": ({"provider": []}, ""),
    "depends_on text": ({"depends_on": "aws_vpc.main"}, ""),
    "depends_on": ({"depends_on": ["aws_vpc.main", None]}, "123"),
    "depends_on number": ({"depends_on": [1]}, ""),
    "primary": ({"primary": {}}, "123"),
    "primary list": ({"primary": []}, ""),
    "deposed": ({"deposed": [{}]}, "123"),
    "deposed null inside": ({"deposed": [None]}, ""),
    "deposed object": ({"deposed": {}}, ""),
    "deposed with bad object": ({"deposed": [{"id": 1}]}, ""),
    "tainted list": ({"tainted": [None, {}]}, "123"),
    "tainted list null": ({"tainted": None}, "123"),
    "tainted list with bad object": ({"tainted": [{"id": 1}]}, "23"),
    "tainted object": ({"tainted": {}}, "23"),
    "id null": ({"primary": {"id": None}}, "123"),
    "id number": ({"primary": {"id": 1}}, ""),
    "attributes": ({"primary": {"attributes": {"id": "a", "b": None}}}, "123"),
    "attributes null": ({"primary": {"attributes": None}}, "123"),
    "attributes number": ({"primary": {"attributes": {"id": 1}}}, ""),
    "attributes nested": ({"primary": {"attributes": {"tags": {}}}}, ""),
    "attributes list": ({"primary": {"attributes": []}}, ""),
    "meta null": ({"primary": {"meta": None}}, "123"),
    "meta text": ({"primary": {"meta": "a"}}, ""),
    "meta of texts": ({"primary": {"meta": {"schema_version": "1"}}}, "123"),
    "meta of any type": ({"primary": {"meta": {"timeouts": {"create": [1.5, None, True]}}}}, "23"),
    "meta number": ({"primary": {"meta": {"a": 1}}}, "23"),
    "meta beyond a float": ({"primary": {"meta": {"a": [{"b": 10**400}]}}}, ""),
    "tainted": ({"primary": {"tainted": True}}, "123"),
    "tainted null": ({"primary": {"tainted": None}}, "123"),
    "tainted text": ({"primary": {"tainted": "true"}}, "1"),
}

# As the one module of a document, for formats 1, 2 and 3; the path is there already.
LEGACY_MODULE: dict[str, tuple[Any, str]] = {
    "nothing else": ({}, "123"),
    "everything null": (dict.fromkeys(("outputs", "resources", "depends_on")), "123"),
    "resources list": ({"resources": []}, ""),
    "depends_on number": ({"depends_on": [1]}, ""),
    "outputs list": ({"outputs": []}, ""),
    "output text": ({"outputs": {"a": "b"}}, "1"),
    "output number": ({"outputs": {"a": 1}}, ""),
    "output null": ({"outputs": {"a": None}}, "1"),
    "output null in child module": ({"path": ["root", "a"], "outputs": {"a": None}}, "123"),
    "output number in child module": ({"path": ["root", "a"], "outputs": {"a": 1}}, ""),
    "output": ({"outputs": {"a": {"type": "list", "value": [1, {}], "sensitive": False}}}, "23"),
    "output members null": ({"outputs": {"a": dict.fromkeys(("type", "value", "sensitive"))}}, "23"),
    "output without members": ({"outputs": {"a": {}}}, "23"),
    "output type number": ({"outputs": {"a": {"type": 1}}}, ""),
    "output sensitive text": ({"outputs": {"a": {"sensitive": "true"}}}, ""),
    "output beyond a float": ({"outputs": {"a": {"value": {"b": [-(10**400)]}}}}, ""),
    "unknown member": ({"locals": 1}, "123"),
}

# As members of a document, for formats 1, 2 and 3.
LEGACY_STATE: dict[str, tuple[Any, str]] = {
    "nothing else": ({}, "123"),
    "everything null": (
        dict.fromkeys(("terraform_version", "serial", "lineage", "remote", "backend", "modules")),
        "123",
    ),
    "serial largest": ({"serial": 2**63 - 1}, "123"),
    "serial too large": ({"serial": 2**63}, ""),
    "serial negative": ({"serial": -1}, ""),
    "serial text": ({"serial": "1"}, ""),
    "terraform_version number": ({"terraform_version": 1}, "1"),
    "lineage number": ({"lineage": 1}, "1"),
    "modules object": ({"modules": {}}, ""),
    "module null": ({"modules": [None]}, ""),
    "module without path": ({"modules": [{}]}, "1"),
    "remote": ({"remote": {"type": "s3", "config": {"bucket": "b", "key": None}}}, "123"),
    "remote members null": ({"remote": {"type": None, "config": None}}, "123"),
    "remote list": ({"remote": []}, ""),
    "remote type number": ({"remote": {"type": 1}}, ""),
    "remote config number": ({"remote": {"config": {"retries": 1}}}, ""),
    "backend": ({"backend": {"type": "s3", "config": [1], "hash": 2**64 - 1}}, "123"),
    "backend members null": ({"backend": {"type": None, "config": None, "hash": None}}, "123"),
    "backend list": ({"backend": []}, "1"),
    "backend type number": ({"backend": {"type": 1}}, "1"),
    "backend hash negative": ({"backend": {"hash": -1}}, "1"),
    "backend hash too large": ({"backend": {"hash": 2**64}}, "1"),
    "backend hash text": ({"backend": {"hash": "1"}}, "1"),
}


@each_row(("resource", "formats"), LEGACY_RESOURCE.values(), ids=LEGACY_RESOURCE)
def test_legacy_resource(resource: Any, formats: str, legacy: Formats) -> None:
    module = {"path": ["root"], "resources": {"aws_vpc.main": resource}}
    assert legacy({"modules": [module]}) == formats


@each_row(("members", "formats"), LEGACY_MODULE.values(), ids=LEGACY_MODULE)
def test_legacy_module(members: dict[str, Any], formats: str, legacy: Formats) -> None:
    assert legacy({"modules": [{"path": ["root"], **members}]}) == formats


@each_row(("members", "formats"), LEGACY_STATE.values(), ids=LEGACY_STATE)
def test_legacy_state(members: dict[str, Any], formats: str, legacy: Formats) -> None:
    assert legacy(members) == formats
