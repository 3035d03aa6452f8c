"""The bytes that objects take: as they stand in the file, whatever the file looks like."""

from __future__ import annotations

import json

import pytest

from statefmt.formats.object_sizes import ObjectSize, object_sizes
from statefmt.formats.reading import read

_HEAD = '"version":4,"terraform_version":"1.10.6","serial":1,"lineage":"a","outputs":{}'
_RESOURCE = '"mode":"managed","type":"t","name":"%s","provider":"provider[\\"hashicorp/t\\"]"'
FIRST = '{"schema_version":0,"attributes":{"a":[1,{"b":"}"}]},"dependencies":["t.b","t.c"]}'
SECOND = '{"index_key":1, "attributes": {"é": "]"}}'
ODD_CASE = FIRST.replace("dependencies", "Dependencies")
HALF_PAIR = FIRST.replace('"}"', r'"\ud83d"')


def _state(*objects: str, resources: str = "resources", instances: str = "instances") -> bytes:
    blocks = [f'{{{_RESOURCE % f"r{n}"},"{instances}":[{text}]}}' for n, text in enumerate(objects)]
    return f'{{{_HEAD},"{resources}":[{", ".join(blocks)}]}}'.encode()


def _size(text: str, dependencies: str = "") -> ObjectSize:
    return ObjectSize(len(text.encode()), len(dependencies.encode()))


LIST = '["t.b","t.c"]'
# A state, and the sizes of its objects by block and place.
CASES = [
    ("one", _state(FIRST), {(0, 0): _size(FIRST, LIST)}),
    ("several blocks", _state(FIRST, SECOND), {(0, 0): _size(FIRST, LIST), (1, 0): _size(SECOND)}),
    ("several objects", _state(f"{SECOND} ,\n{FIRST}"), {(0, 0): _size(SECOND), (0, 1): _size(FIRST, LIST)}),
    ("member in another letter case", _state(ODD_CASE), {(0, 0): _size(ODD_CASE, LIST)}),
    ("list in another letter case", _state(FIRST, instances="Instances"), {(0, 0): _size(FIRST, LIST)}),
    ("all in another letter case", _state(FIRST, resources="RESOURCES"), {(0, 0): _size(FIRST, LIST)}),
    ("half a surrogate pair", _state(HALF_PAIR, SECOND), {(0, 0): _size(HALF_PAIR, LIST), (1, 0): _size(SECOND)}),
    ("an object that is null", _state("null"), {(0, 0): _size("null")}),
    ("no objects", _state(""), {}),
]


@pytest.mark.parametrize(("data", "sizes"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_sizes(data: bytes, sizes: dict[tuple[int, int], ObjectSize]) -> None:
    assert object_sizes(read(data).snapshot) == sizes


def test_white_space_inside_counts() -> None:
    indented = json.dumps(json.loads(FIRST), indent=2)
    (size,) = object_sizes(read(_state(indented)).snapshot).values()
    assert size.whole == len(indented)


def test_older_formats_are_as_large_as_in_format_4() -> None:
    module = {"path": ["root"], "resources": {"t.a": {"type": "t", "primary": {"id": "x", "attributes": {"id": "x"}}}}}
    data = json.dumps({"version": 3, "serial": 1, "lineage": "l", "modules": [module]}).encode()
    (size,) = object_sizes(read(data).snapshot).values()
    text = '{"schema_version":0,"attributes_flat":{"id":"x"},"sensitive_attributes":[]}'
    assert size == ObjectSize(len(text), 0)
