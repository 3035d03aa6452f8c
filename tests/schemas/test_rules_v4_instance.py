"""What the schema of format 4 takes and refuses inside an instance object, a case a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.tables import each_row

Check = Callable[..., bool]

AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'

# Inside an instance object of format 4: does {member: value} pass?
INSTANCE: dict[str, tuple[Any, bool]] = {
    "index_key number": ({"index_key": 0}, True),
    "index_key fraction": ({"index_key": 1.5}, True),
    "index_key text": ({"index_key": "a"}, True),
    "index_key null": ({"index_key": None}, True),
    "index_key boolean": ({"index_key": True}, False),
    "index_key list": ({"index_key": ["a"]}, False),
    "index_key object": ({"index_key": {}}, False),
    "index_key beyond a float": ({"index_key": 10**400}, False),
    "index_key below a float": ({"index_key": -(10**400)}, False),
    "status tainted": ({"status": "tainted"}, True),
    "status empty": ({"status": ""}, True),
    "status null": ({"status": None}, True),
    "status ready": ({"status": "ready"}, False),
    "deposed hexadecimal": ({"deposed": "3f9a1c07"}, True),
    "deposed not hexadecimal": ({"deposed": "not-hex!"}, True),
    "deposed empty": ({"deposed": ""}, True),
    "deposed null": ({"deposed": None}, True),
    "deposed 7 bytes": ({"deposed": "3f9a1c0"}, False),
    "deposed 9 bytes": ({"deposed": "3f9a1c070"}, False),
    "deposed 7 bytes and a newline": ({"deposed": "3f9a1c0\n"}, True),
    "deposed 8 bytes and a newline": ({"deposed": "3f9a1c07\n"}, False),
    "deposed 8 bytes in 4 characters": ({"deposed": "äöüß"}, True),
    "deposed 4 bytes in 1 character": ({"deposed": "😀"}, False),
    "deposed 9 bytes in 8 characters": ({"deposed": "3f9a1c0ä"}, False),
    "deposed number": ({"deposed": 12345678}, False),
    "provider null": ({"provider": None}, True),
    "provider object": ({"provider": {}}, False),
    "schema_version largest": ({"schema_version": 2**64 - 1}, True),
    "schema_version null": ({"schema_version": None}, True),
    "schema_version too large": ({"schema_version": 2**64}, False),
    "schema_version negative": ({"schema_version": -1}, False),
    "schema_version fraction": ({"schema_version": 0.5}, False),
    "schema_version text": ({"schema_version": "1"}, False),
    "attributes of any type": ({"attributes": [1]}, True),
    "attributes_flat": ({"attributes_flat": {"id": "a", "tags.%": None}}, True),
    "attributes_flat with number": ({"attributes_flat": {"tags.%": 1}}, False),
    "attributes_flat null": ({"attributes_flat": None}, True),
    "attributes_flat list": ({"attributes_flat": []}, False),
    "private": ({"private": "bnVsbA=="}, True),
    "private empty": ({"private": ""}, True),
    "private null": ({"private": None}, True),
    "private in lines": ({"private": "\r\nbn\nVs\r\nbA=\n=\n"}, True),
    "private one padding": ({"private": "bnVsbGE="}, True),
    "private no padding": ({"private": "bnVsbA"}, False),
    "private half padding": ({"private": "bnVsbA="}, False),
    "private too much padding": ({"private": "bnVsbGE=="}, False),
    "private only padding": ({"private": "===="}, False),
    "private goes on after padding": ({"private": "bnVsbA==bnVs"}, False),
    "private with space": ({"private": "bnVs bA=="}, False),
    "private of URL alphabet": ({"private": "_-_-"}, False),
    "private bytes": ({"private": [0, 255, None]}, True),
    "private no byte": ({"private": [256]}, False),
    "private negative byte": ({"private": [-1]}, False),
    "private text in list": ({"private": ["a"]}, False),
    "private object": ({"private": {}}, False),
    "dependencies": ({"dependencies": ["aws_vpc.main"]}, True),
    "dependencies null": ({"dependencies": None}, True),
    "dependencies with empty text": ({"dependencies": [""]}, False),
    "dependencies with null": ({"dependencies": [None]}, False),
    "dependencies text": ({"dependencies": "aws_vpc.main"}, False),
    "depends_on": ({"depends_on": ["aws_vpc.main", None]}, True),
    "depends_on null": ({"depends_on": None}, True),
    "depends_on number": ({"depends_on": [1]}, False),
    "create_before_destroy text": ({"create_before_destroy": "true"}, False),
    "create_before_destroy null": ({"create_before_destroy": None}, True),
    "skip_destroy number": ({"skip_destroy": 1}, False),
    "skip_destroy null": ({"skip_destroy": None}, True),
    "identity of any type": ({"identity": ["a"]}, True),
    "identity_schema_version negative": ({"identity_schema_version": -1}, False),
    "unknown member": ({"new_in_2_0": [1, {}]}, True),
}

# Inside sensitive_attributes: does the list of paths pass?
ATTR = {"type": "get_attr", "value": "password"}
PATHS: dict[str, tuple[Any, bool]] = {
    "none": ([], True),
    "null": (None, True),
    "empty path": ([[]], True),
    "null path": ([None], True),
    "attribute": ([[ATTR]], True),
    "attribute null": ([[{"type": "get_attr", "value": None}]], True),
    "attribute with unknown member": ([[{**ATTR, "new": 1}]], True),
    "text key": ([[{"type": "index", "value": {"value": "a", "type": "string"}}]], True),
    "number key": ([[{"type": "index", "value": {"value": 0, "type": "number"}}]], True),
    "null key": ([[{"type": "index", "value": None}]], True),
    "element of a set": (
        [[{"type": "index", "value": {"value": {"a": 1}, "type": ["object", {"a": "number"}]}}]],
        True,
    ),
    "not a list": ({}, False),
    "names": (["password"], False),
    "path of names": ([["password"]], False),
    "path object": ([ATTR], False),
    "null step": ([[None]], False),
    "attribute number": ([[{"type": "get_attr", "value": 1}]], False),
    "attribute without value": ([[{"type": "get_attr"}]], False),
    "value without type": ([[{"value": "a"}]], False),
    "unknown step": ([[{"type": "attr", "value": "a"}]], False),
    "bare key": ([[{"type": "index", "value": 0}]], False),
    "key without type": ([[{"type": "index", "value": {"value": 0}}]], False),
    "key without value": ([[{"type": "index", "value": {"type": "number"}}]], False),
    "key of unknown type": ([[{"type": "index", "value": {"value": 0, "type": "int"}}]], False),
    "key of another type": ([[{"type": "index", "value": {"value": "a", "type": "number"}}]], False),
    "key with another member": ([[{"type": "index", "value": {"value": 0, "type": "number", "unit": "m"}}]], False),
}


@each_row(("members", "valid"), INSTANCE.values(), ids=INSTANCE)
def test_v4_instance(members: dict[str, Any], valid: bool, v4: Check) -> None:
    assert v4(resources=[{"mode": "managed", "provider": AWS, "instances": [members]}]) == valid


@each_row(("paths", "valid"), PATHS.values(), ids=PATHS)
def test_v4_sensitive_attributes(paths: Any, valid: bool, v4: Check) -> None:
    assert v4(resources=[{"mode": "managed", "provider": AWS, "instances": [{"sensitive_attributes": paths}]}]) == valid
