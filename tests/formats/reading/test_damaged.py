"""What is known of a state that cannot be read."""

from __future__ import annotations

import pytest

from statefmt.formats.reading.damaged import has_parts, known_snapshot, may_be_torn
from tests.tables import each_row

HEAD = b'{\n  "version": 4,\n  "terraform_version": "1.9.4",\n  "serial": 41,\n  "lineage": "9f3c",\n  "outp'


@each_row(
    ("data", "serial", "lineage"),
    [
        (HEAD, 41, "9f3c"),
        (HEAD.replace(b"41", b"18446744073709551616"), 0, "9f3c"),
        (b'{"serial":41,"lineage":"9f3c","meta":{},"encrypted_data":"AA', 41, "9f3c"),
        (b'{"lineage": "9f\\u0033c", "resources": {}, "serial": 7}', 7, "9f3c"),
        # The last of two counts, in any case of letters, as Go reads them.
        (b'{"serial": 7, "Serial": 8, "lineage": 5}', 8, ""),
        (b'{"serial": -1, "lineage": null}', 0, ""),
        (b'{"serial": 1e3}', 0, ""),
        (b'{"serial": "7"}', 0, ""),
        (b"", 0, ""),
        (b"\0" * 10, 0, ""),
        (b"[1]", 0, ""),
        (b'{"version": 4, "serial": 41', 0, ""),
    ],
)
def test_serial_and_lineage(data: bytes, serial: int, lineage: str) -> None:
    found = known_snapshot(data)
    assert (found.serial, found.lineage) == (serial, lineage)


@pytest.mark.parametrize(
    ("data", "torn"),
    [(HEAD, True), (b"", True), (b"\0\0", True), (b" {", True), (b"{}", False), (b"[1", False), (b"PNG", False)],
)
def test_torn(data: bytes, torn: bool) -> None:
    assert may_be_torn(data) is torn


_BLOCK = b'"mode": "managed", "type": "t", "name": "n", "instances": [{"attributes": {}}]'


@each_row(
    ("data", "found"),
    [
        (HEAD, True),
        (HEAD.decode().encode("utf-16"), True),
        (HEAD.replace(b'"', b"&quot;"), True),
        (b"}, {" + _BLOCK, True),
        # What is JSON is not damaged.
        (b'{"version": 4, "lineage": "l"}', False),
        (b"[{%s}]" % _BLOCK, False),
        # An encrypted state, an older format, the output of `show -json`, a package.
        (b'{"serial": 41, "lineage": "l", "meta": {}, "encrypted_data": "AA', False),
        (HEAD.replace(b"4,", b"3,", 1), False),
        (b'{"format_version": "1.0", "values": {"resources": [{"mode": "managed", "type": "t"', False),
        (b'{"name": "p", "version": "4.0.0",', False),
        (b"\x89PNG\r\n\x1a\n", False),
        (b"", False),
    ],
)
def test_parts(data: bytes, found: bool) -> None:
    assert has_parts(data) is found
