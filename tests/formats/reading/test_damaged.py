"""What is known of a state that cannot be read."""

from __future__ import annotations

import pytest

from statefmt.formats.reading.damaged import known_snapshot, may_be_torn

HEAD = b'{\n  "version": 4,\n  "terraform_version": "1.9.4",\n  "serial": 41,\n  "lineage": "9f3c",\n  "outp'


@pytest.mark.parametrize(
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
