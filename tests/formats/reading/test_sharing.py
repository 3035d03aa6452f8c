"""Tests the document whose blocks share strings: it says the same as any other, in less memory."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given

from statefmt.formats.reading import SharingState, inspect
from statefmt.formats.versions import StateV4
from statefmt.testing.strategies import states
from tests.tables import each_row

_ONE = b'{"type":"t","name":"n","instances":[{"private":"cHJpdmF0ZQ==","dependencies":["a.b","module.m.c.d"]}]}'


@each_row("path", sorted(Path("samples").rglob("*.tfstate")), ids=str)
def test_says_the_same_of_samples(path: Path) -> None:
    _assert_same(path.read_bytes())


@given(states(odd=True))
def test_says_the_same(data: bytes) -> None:
    _assert_same(data)


@pytest.mark.parametrize("value", [b"null", b'["a.b",null]', b"[]"])
def test_says_the_same_of_unusual_dependencies(value: bytes) -> None:
    _assert_same(b'{"version":4,"resources":[null,{"instances":[null,{"private":[1,2],"dependencies":%b}]}]}' % value)


def test_blocks_share_what_is_equal() -> None:
    document = inspect(b'{"version":4,"resources":[%b,%b]}' % (_ONE, _ONE.replace(b'"n"', b'"o"'))).document
    assert document is not None
    first, second = (resource for resource in document.resources or () if resource is not None)
    (one, other) = (obj for block in (first, second) for obj in block.instances or () if obj is not None)
    assert first.type is second.type
    assert one.private is other.private
    assert all(a is b for a, b in zip(one.dependencies or (), other.dependencies or (), strict=True))


def _assert_same(data: bytes) -> None:
    try:
        plain = msgspec.json.decode(data, type=StateV4)
    except msgspec.DecodeError:
        with pytest.raises(msgspec.DecodeError):
            msgspec.json.decode(data, type=SharingState)
    else:
        assert msgspec.json.encode(msgspec.json.decode(data, type=SharingState)) == msgspec.json.encode(plain)
