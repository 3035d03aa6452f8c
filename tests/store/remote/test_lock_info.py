"""Lock information as Go writes it, byte for byte."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, strategies as st

from statefmt.store.protocol import LARGEST_LOCK_INFO, LockInfo, lock_info, lock_json, read_lock_info
from tests.tables import each_row

# What a real Terraform 1.11.4 left in backends, one lock a line.
_RECORDED: Final = (Path(__file__).parent / "lock-infos.jsonl").read_bytes().splitlines()
# What a real Terraform 1.11.4 wrote for a state with this name; Go decodes `\ufffd`, which stands for a byte that is
# not UTF-8, and encodes it again as the character itself.
_ODD_PATH: Final = 'a<b>&"c\u2028\ufffd\\d\x01\b\x7fé.tfstate'
_ODD: Final = (
    rb'{"ID":"755f3cbb-a6a1-dc6e-a461-7e7ba18e4563","Operation":"OperationTypeApply","Info":"","Who":"root@vm",'
    rb'"Version":"1.11.4","Created":"2026-11-22T18:13:35.105954632Z","Path":"a\u003cb\u003e\u0026\"c\u2028\ufffd\\d'
    rb"\u0001\b" + b'\x7f\xc3\xa9.tfstate"}'
)
_INFO: Final = LockInfo("id", "mv", "mv a b", "me@here", "statetool 1", "2026-01-01T00:00:00Z", "b/k")


@each_row("recorded", _RECORDED)
def test_recorded(recorded: bytes) -> None:
    info = read_lock_info(recorded)
    assert info is not None
    assert json.loads(recorded)["ID"] == info.ID
    assert lock_json(info) == recorded


def test_odd_characters() -> None:
    info = read_lock_info(_ODD)
    assert info is not None
    assert info.Path == _ODD_PATH
    assert lock_json(info) == _ODD.replace(rb"\ufffd", "\ufffd".encode())


@given(st.builds(LockInfo, *[st.text(st.characters(exclude_categories=["Cs"]))] * 7))
def test_what_is_written_is_read(info: LockInfo) -> None:
    assert read_lock_info(lock_json(info)) == (info if any(map(info.__getattribute__, LockInfo.__slots__)) else None)


@pytest.mark.parametrize(
    ("microseconds", "expected"),
    [
        (0, "2026-01-02T03:04:05Z"),
        (120_000, "2026-01-02T03:04:05.12Z"),
        (7, "2026-01-02T03:04:05.000007Z"),
        (123_456, "2026-01-02T03:04:05.123456Z"),
    ],
)
def test_times(microseconds: int, expected: str) -> None:
    """Source: Go's `time.RFC3339Nano`, which Time.MarshalJSON uses."""
    time = datetime(2026, 1, 2, 3, 4, 5, microseconds, tzinfo=UTC)
    for zone in (UTC, timezone(timedelta(hours=5, minutes=30))):
        assert lock_info("p", "mv", "", who="me", created=time.astimezone(zone)).Created == expected


def test_a_name_that_is_not_utf8() -> None:
    info = lock_info("a\udcff", "mv", "", who="me", created=datetime(2026, 1, 1, tzinfo=UTC))
    assert rb'"Path":"a\\udcff"' in lock_json(info)


@each_row(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'"x"',
        b"5",
        b'{"error":"locked"}',
        b'{"ID":5}',
        b'{"ID":null}',
        b"{",
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"ID":"%b"}' % (b"x" * LARGEST_LOCK_INFO),
    ],
)
def test_what_is_none(data: bytes) -> None:
    assert read_lock_info(data) is None


@given(st.binary())
def test_never_raises(data: bytes) -> None:
    read_lock_info(data)
    read_lock_info(b'{"ID":"' + data + b'"}')


def test_tolerant() -> None:
    """OpenTofu's `force-unlock` sends only the ID; a service may add members of its own."""
    assert read_lock_info(b'{"ID": "x", "Who": 5, "more": [1]}') == LockInfo("x", "", "", "", "", "", "")
    assert read_lock_info(b'{"ID":"\xff\\ud800"}') == LockInfo("\ufffd\ufffd", "", "", "", "", "", "")
    assert read_lock_info(b"\n" + lock_json(_INFO) + b"\n") == _INFO
    assert read_lock_info(lock_json(replace(_INFO, Info="\u2029<&>"))) == replace(_INFO, Info="\u2029<&>")
