"""The id of an object, and whether it may be shown."""

from __future__ import annotations

import pytest
from msgspec import Raw

from statefmt.analysis.object_id import id_is_sensitive, object_id
from statefmt.model.snapshot import ResourceInstanceObject
from tests.tables import each_row

IDS: list[tuple[bytes, str | None]] = [
    (b'{"id":"i-1"}', "i-1"),
    (b'{"a":{"id":"inner"},"id":"i-1"}', "i-1"),
    (b'{ "id" : "\\u00e9\\n" }', "é\n"),
    (b'{"id":""}', ""),
    (b'{"id":1.50}', "1.50"),
    (b'{"id":12345678901234567890123456789012345678901}', "12345678901234567890123456789012345678901"),
    (b'{"id":null}', None),
    (b'{"id":true}', None),
    (b'{"id":["i-1"]}', None),
    (b'{"id":{"a":1}}', None),
    (b'{"a":"b"}', None),
    (b"{}", None),
    (b"null", None),
    (b'"id"', None),
    (b'"\\ud800"', None),
    (b'[{"id":"i-1"}]', None),
    (b'{"a":"\\ud800","id":"i-1"}', "i-1"),
    (b'{"id":"a\\ud800"}', "a\ufffd"),
    (b'{"a":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b',"id":"i-1"}', None),
]


@each_row(("attributes", "expected"), IDS, ids=[str(case[0][:40]) for case in IDS])
def test_id(attributes: bytes, expected: str | None) -> None:
    assert object_id(ResourceInstanceObject(attributes=Raw(attributes))) == expected


def test_id_of_flat_attributes() -> None:
    assert object_id(ResourceInstanceObject(attributes_flat={"id": "i-1", "a.id": "x"})) == "i-1"
    assert object_id(ResourceInstanceObject(attributes_flat={})) is None


_ID = '{"type":"get_attr","value":"id"}'
_NAME = '{"type":"get_attr","value":"name"}'
SENSITIVE = [
    ("[]", False),
    (f"[[{_NAME}]]", False),
    (f"[[{_NAME},{_ID}]]", False),
    (f"[[{_ID}]]", True),
    (f"[[{_NAME}],[{_ID}]]", True),
    (f"[[{_ID},{_NAME}]]", True),
    ("[[]]", True),
    ('[[{"type":"index","value":{"value":"id","type":"string"}}]]', True),
    ('[[{"type":"index","value":{"value":"name","type":"string"}}]]', False),
    ('[[{"type":"index","value":{"value":0,"type":"number"}}]]', True),
    ("[[{}]]", True),
]


@pytest.mark.parametrize(("paths", "expected"), SENSITIVE, ids=[case[0] for case in SENSITIVE])
def test_sensitive(paths: str, expected: bool) -> None:
    obj = ResourceInstanceObject(attributes=Raw(b'{"id":"i-1"}'), sensitive_attributes=paths.encode())
    assert id_is_sensitive(obj, "x") is expected


# Flat attributes, and whether their id is hidden as `show` hides it: `result` may be a secret, and the id repeats it.
FLAT = [
    ({"id": "i-1"}, "[]", False),
    ({"id": "i-1", "name": "i-1"}, "[]", False),
    ({"id": "i-1", "result": "i-1"}, "[]", True),
    ({"id": "i-1", "result": "i-2"}, "[]", False),
    ({"id": "i-1"}, f"[[{_ID}]]", True),
    ({"id": "i-1", "name": "n"}, f"[[{_NAME}]]", False),
    ({"id": "i-1"}, f"[[{_NAME}]]", True),
    ({"name": "i-1"}, "[[]]", False),
]


@pytest.mark.parametrize(("flat", "paths", "expected"), FLAT)
def test_sensitive_in_flat_attributes(flat: dict[str, str], paths: str, expected: bool) -> None:
    obj = ResourceInstanceObject(attributes_flat=flat, sensitive_attributes=paths.encode())
    assert id_is_sensitive(obj, "x") is expected
