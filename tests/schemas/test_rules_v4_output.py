"""What the schema of format 4 takes and refuses as an output, a case a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tables import each_row

Check = Callable[..., bool]

# As an output: does the value pass with the type?
OUTPUTS: dict[str, tuple[Any, Any, bool]] = {
    "string": ("a", "string", True),
    "string from number": (1.5, "string", True),
    "string from boolean": (True, "string", True),
    "string from list": ([], "string", False),
    "string from object": ({}, "string", False),
    "number": (1, "number", True),
    "number from text": ("-1.50e+3", "number", True),
    "number from text with a bare point": (".5", "number", True),
    "number from text with a final point": ("5.", "number", True),
    "number from text of no digits": (".", "number", False),
    "number from text with newline": ("1\n", "number", False),
    "number from text, hexadecimal": ("0x10", "number", False),
    "number from text, empty": ("", "number", False),
    "number from boolean": (True, "number", False),
    "bool": (False, "bool", True),
    "bool from 1": ("1", "bool", True),
    "bool from 0": ("0", "bool", True),
    "bool from true": ("true", "bool", True),
    "bool from false": ("false", "bool", True),
    "bool from text in capitals": ("TRUE", "bool", False),
    "bool from number": (1, "bool", False),
    "null of a simple type": (None, "bool", True),
    "null of a list": (None, ["list", "string"], True),
    "null of an object": (None, ["object", {"a": "string"}], True),
    "null of any type": (None, "dynamic", True),
    "dynamic": ({"value": 1, "type": "number"}, "dynamic", True),
    "dynamic of dynamic": ({"value": {"value": 1, "type": "number"}, "type": "dynamic"}, "dynamic", True),
    "dynamic bare": ("a", "dynamic", False),
    "dynamic of dynamic bare": ({"value": 1, "type": "dynamic"}, "dynamic", False),
    "dynamic with another member": ({"value": 1, "type": "number", "x": 1}, "dynamic", False),
    "list": (["a", 1, None], ["list", "string"], True),
    "list with object": ([{}], ["list", "string"], False),
    "list of numbers with word": (["a"], ["list", "number"], False),
    "list of bools with number": ([1], ["list", "bool"], False),
    "list of dynamic": ([{"value": 1, "type": "number"}, None], ["list", "dynamic"], True),
    "list of dynamic bare": ([1], ["list", "dynamic"], False),
    "list of lists": ([["a"], []], ["list", ["list", "string"]], True),
    "list from object": ({"0": "a"}, ["list", "string"], False),
    "set from text": ("a", ["set", "string"], False),
    "set of numbers with word": (["a"], ["set", "number"], False),
    "set with object": ([{}], ["set", "string"], False),
    "set of bools with number": ([1], ["set", "bool"], False),
    "set of dynamic bare": ([1], ["set", "dynamic"], False),
    "map": ({"a": "b", "c": None}, ["map", "string"], True),
    "map from list": (["a"], ["map", "string"], False),
    "map with list": ({"a": []}, ["map", "string"], False),
    "map of numbers with word": ({"a": "b"}, ["map", "number"], False),
    "map of bools with number": ({"a": 1}, ["map", "bool"], False),
    "map of dynamic bare": ({"a": 1}, ["map", "dynamic"], False),
    "tuple": (["a", 1], ["tuple", ["string", "number"]], True),
    "tuple from object": ({}, ["tuple", []], False),
    "tuple without types": ([], ["tuple", None], True),
    "object": ({"a": 1}, ["object", {"a": "number"}], True),
    "object with optional attribute": ({}, ["object", {"a": "number"}, ["a"]], True),
    "object without attributes": ({}, ["object", None], True),
    "object from list": ([], ["object", {}], False),
    "type nested": ({"a": [{"b": []}]}, ["map", ["list", ["object", {"b": ["tuple", []]}]]], True),
    "type unknown": ("a", "int", False),
    "type of format 3": ("a", "list", False),
    "type null": ("a", None, False),
    "type empty": ("a", "", False),
    "type object": ("a", {}, False),
    "type empty list": ([], [], False),
    "type bare kind": ([], ["list"], False),
    "type with two elements": ([], ["list", "string", "string"], False),
    "type of unknown kind": ([], ["array", "string"], False),
    "type of unknown element": ([], ["list", ["list", "int"]], False),
    "type with null element": ([], ["list", None], False),
    "type tuple of one name": ([], ["tuple", "string"], False),
    "type tuple of unknown type": ([], ["tuple", ["int"]], False),
    "type tuple bare": ([], ["tuple"], False),
    "type tuple with more": ([], ["tuple", [], []], False),
    "type object of names": ({}, ["object", ["a"]], False),
    "type object of unknown type": ({}, ["object", {"a": "int"}], False),
    "type object with null type": ({}, ["object", {"a": None}], False),
    "type object bare": ({}, ["object"], False),
    "type object with optional by name": ({}, ["object", {"a": "string"}, "a"], False),
    "type object with more": ({}, ["object", {}, [], []], False),
}

# As members of an output that is sound without them.
OUTPUT_MEMBERS: dict[str, tuple[Any, bool]] = {
    "sensitive": ({"sensitive": True}, True),
    "sensitive null": ({"sensitive": None}, True),
    "sensitive text": ({"sensitive": "true"}, False),
    "deprecated": ({"deprecated": "Use another."}, True),
    "deprecated null": ({"deprecated": None}, True),
    "deprecated boolean": ({"deprecated": True}, False),
    "unknown member": ({"ephemeral": False}, True),
}


@each_row(("value", "kind", "valid"), OUTPUTS.values(), ids=OUTPUTS)
def test_v4_output(value: Any, kind: Any, valid: bool, v4: Check) -> None:
    assert v4(outputs={"a": {"value": value, "type": kind}}) == valid


@pytest.mark.parametrize(("members", "valid"), OUTPUT_MEMBERS.values(), ids=OUTPUT_MEMBERS)
def test_v4_output_members(members: dict[str, Any], valid: bool, v4: Check) -> None:
    assert v4(outputs={"a": {"value": "a", "type": "string", **members}}) == valid
