"""What is an envelope, what is a damaged one, and how one is written; a case a line."""

from __future__ import annotations

import pytest

from statefmt.encryption import Envelope, EnvelopeLayout, parse_envelope, write_envelope
from statefmt.model.errors import EncryptionError
from tests.tables import each_row

# The whole, with one part of it changed.
WHOLE = '{"serial":3,"lineage":"l","meta":{"a":"QQ=="},"encrypted_data":"QUJD","encryption_version":"v0"}'
READ = Envelope(3, "l", {"a": b"A"}, b"ABC")

SAME = {
    "as written": WHOLE,
    "white space around": f" \n{WHOLE}\r\n\t",
    "another member": WHOLE[:-1] + ',"new":[{}]}',
    "data as numbers": WHOLE.replace('"QUJD"', "[65,66,67]"),
    "metadata as numbers": WHOLE.replace('"QQ=="', "[65]"),
    "line breaks in data": WHOLE.replace("QUJD", "QU\\r\\nJD\\n"),
    "bits left over in metadata": WHOLE.replace("QQ==", "QR=="),
    "escapes in data": WHOLE.replace("QUJD", "\\u0051UJD"),
    "capitals": WHOLE.replace("encrypted_data", "Encrypted_DATA").replace("serial", "SERIAL"),
    "the last data counts": WHOLE[:-1].replace("QUJD", "REVG") + ',"encrypted_data":"QUJD"}',
    "null is absent": WHOLE[:-1] + ',"lineage":null}',
    "metadata in two objects": WHOLE[:-1].replace('"meta":{"a":"QQ=="}', '"meta":{}') + ',"meta":{"a":"QQ=="}}',
    "text of the data member elsewhere": WHOLE[:-1] + ',"x":{"encrypted_data":"AAAA"}}',
    "text of the data member before": '{"x":{"encrypted_data":"AAAA"},' + WHOLE[1:],
}
DAMAGED = {
    "cut": (WHOLE[:75], "not valid JSON"),
    "text after it": (WHOLE + "x", "not valid JSON"),
    "byte order mark": ("\ufeff" + WHOLE, "not valid JSON"),
    "another version": (WHOLE.replace("v0", "v1"), "has version v1"),
    "version is a number": (WHOLE.replace('"v0"', "0"), "not a string"),
    "no version": (WHOLE.replace(',"encryption_version":"v0"', ""), "encryption_version"),
    "data not base64": (WHOLE.replace("QUJD", "QU*D"), "encrypted_data.*not base64"),
    "data without padding": (WHOLE.replace("QUJD", "QUI"), "not base64"),
    "blank in data": (WHOLE.replace("QUJD", "QU JD"), "not base64"),
    "line break in data": (WHOLE.replace("QUJD", "QU\nJD"), "line break"),
    "data is an object": (WHOLE.replace('"QUJD"', "{}"), "encrypted_data"),
    "data of numbers too high": (WHOLE.replace('"QUJD"', "[256]"), "0 to 255"),
    "data of fractions": (WHOLE.replace('"QUJD"', "[1.0]"), "0 to 255"),
    "metadata is a list": (WHOLE.replace('{"a":"QQ=="}', "[]"), "meta"),
    "metadata not base64": (WHOLE.replace("QQ==", "QQ="), "'a'.*not base64"),
    "serial is a fraction": (WHOLE.replace(":3,", ":3.0,"), "serial"),
    "serial is a text": (WHOLE.replace(":3,", ':"3",'), "serial"),
    "serial beyond 64 bits": (WHOLE.replace(":3,", ":9223372036854775808,"), "serial"),
    "lineage is a number": (WHOLE.replace('"l"', "1"), "lineage"),
}
OTHER = {
    "empty": "",
    "no JSON": "hello",
    "a list": "[]",
    "a plain state": '{"version":4,"terraform_version":"1.9.0"}',
    "a plain state with such an attribute": '{"version":4,"resources":[{"encrypted_data":"QUJD"}]}',
    "a plain state, cut, with such an attribute": '{"version":4,"resources":[{"encrypted_data":"QUJD',
    "an empty version": '{"version":4,"encryption_version":""}',
}


@each_row("name", SAME)
def test_reads(name: str) -> None:
    assert parse_envelope(SAME[name].encode()) == READ


@each_row("name", DAMAGED)
def test_refuses_damage(name: str) -> None:
    text, reason = DAMAGED[name]
    with pytest.raises(EncryptionError, match=reason):
        parse_envelope(text.encode())


@pytest.mark.parametrize("name", OTHER)
def test_takes_for_something_else(name: str) -> None:
    assert parse_envelope(OTHER[name].encode()) is None


def test_large_data_is_read_as_small_data_is() -> None:
    data = bytes(range(256)) * 10_000
    assert parse_envelope(write_envelope(Envelope(1, "l", {}, data))) == Envelope(1, "l", {}, data)


def test_writes() -> None:
    assert write_envelope(READ) == WHOLE.encode()


def test_writes_what_is_absent() -> None:
    envelope = Envelope(None, "", {"b": b"", "a<": b"B"}, b"")
    assert write_envelope(envelope) == (
        b'{"serial":null,"lineage":"","meta":{"a\\u003c":"Qg==","b":""},"encrypted_data":"","encryption_version":"v0"}'
    )


def test_keeps_the_layout() -> None:
    written = write_envelope(Envelope(3, "l", {"a": b"A"}, b"ABC", EnvelopeLayout.INDENTED))
    assert written == (
        b'{\n  "serial": 3,\n  "lineage": "l",\n  "meta": {\n    "a": "QQ=="\n  },\n'
        b'  "encrypted_data": "QUJD",\n  "encryption_version": "v0"\n}\n'
    )
    assert parse_envelope(written) == Envelope(3, "l", {"a": b"A"}, b"ABC", EnvelopeLayout.INDENTED)
