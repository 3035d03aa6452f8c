"""What a file is, told before it is read, and one clear message for each kind of file that is no state."""

from __future__ import annotations

from typing import Final

import pytest

import statefmt
from statefmt.formats.reading import sniff_version
from statefmt.model.errors import EncryptedStateError, NotAStateError, StateError, UnsupportedStateError
from tests.tables import each_row

_ENVELOPE: Final = (
    b'{"serial":7,"lineage":"5e2f80b6","meta":{"key_provider.pbkdf2.main":"e30=","key_provider.aws_kms.old":"e30="},'
    b'"encrypted_data":"QUJD","encryption_version":"v0"}'
)
_DEEP: Final = 1_000_000


@each_row(
    ("data", "version"),
    [
        pytest.param(b'{"version":1}', 1, id="v1"),
        pytest.param(b'{"version":2}', 2, id="v2"),
        pytest.param(b'{"version":3}', 3, id="v3"),
        pytest.param(b'{"version":4}', 4, id="v4"),
        pytest.param(b'\r\n\t {"serial":1, "version" : 4 }\n\n', 4, id="white space and another order"),
        pytest.param(b'{"Version":4}', 4, id="a capital, which Go does not mind"),
        pytest.param(b'{"version":3,"version":4}', 4, id="the last of two"),
        pytest.param(b'{"version":4,"VERSION":3}', 3, id="the last of two in different case"),
        pytest.param(b'{"VERSION":3,"version":4}', 4, id="the last of two, the other way round"),
        pytest.param(b'{"version":4,"encryption_version":"v0"}', 4, id="a version wins over encryption"),
        pytest.param(b'{"version":4,"lineage":"\\ud800"}', 4, id="half a surrogate pair"),
        pytest.param(b'{"version":4,"lineage":"\xff"}', 4, id="a byte that is not UTF-8"),
        pytest.param(b'{"version":3,"modules":4}', 3, id="no look at the rest"),
    ],
)
def test_version(data: bytes, version: int) -> None:
    assert sniff_version(data) == version


@each_row(
    ("data", "kind", "words"),
    [
        pytest.param(b"", NotAStateError, "The file is empty.", id="empty"),
        pytest.param(b" \n", NotAStateError, "unexpected end of file at line 2, column 1", id="white space only"),
        pytest.param(b"tfstate\x00\x01", UnsupportedStateError, "before version 0.7", id="v0, in binary"),
        pytest.param(b'{"version":0}', UnsupportedStateError, "never was a JSON state format 0", id="v0, in JSON"),
        pytest.param(b'{"version":5}', UnsupportedStateError, "format version 5; versions 1 to 4", id="v5"),
        pytest.param(
            b'{"version":5,"terraform_version":"2.0.0"}', UnsupportedStateError, 'release "2.0.0"', id="its writer"
        ),
        pytest.param(
            b'{"version":18446744073709551615}', UnsupportedStateError, "18446744073709551615", id="the largest version"
        ),
        pytest.param(b'{"version":18446744073709551616}', NotAStateError, "positive whole number", id="one more"),
        pytest.param(b'{"version":' + b"9" * 5000 + b"}", NotAStateError, "99999...", id="a number of 5000 digits"),
        pytest.param(b'{"version":"4"}', NotAStateError, '"version" is "4". A positive whole', id="text"),
        pytest.param(b'{"version":4.0}', NotAStateError, '"version" is 4.0. A positive whole', id="a fraction"),
        pytest.param(b'{"version":4e0}', NotAStateError, '"version" is 4e0. A positive whole', id="an exponent"),
        pytest.param(b'{"version":-4}', NotAStateError, '"version" is -4. A positive whole', id="negative"),
        pytest.param(b'{"version":true}', NotAStateError, '"version" is true. A positive whole', id="a boolean"),
        pytest.param(b'{"version":[4]}', NotAStateError, '"version" is [4]. A positive whole', id="an array"),
        pytest.param(b'{"version":null}', NotAStateError, 'no member "version"', id="null"),
        pytest.param(b'{"serial":4}', NotAStateError, 'no member "version"', id="missing"),
        pytest.param(
            b'{"format_version":"1.0","values":{}}', NotAStateError, "output of `tofu show`", id="tofu show -json"
        ),
        pytest.param(b'[{"version":4}]', NotAStateError, "JSON, but not an object", id="an array of states"),
        pytest.param(b"4", NotAStateError, "JSON, but not an object", id="a number alone"),
        pytest.param(b'"\\ud800"', NotAStateError, "JSON, but not an object", id="half a surrogate pair alone"),
        pytest.param(b"null", NotAStateError, "JSON, but not an object", id="null alone"),
        pytest.param(b'\xef\xbb\xbf{"version":4}', NotAStateError, "byte order mark", id="BOM"),
        pytest.param('{"version":4}'.encode("utf-16"), NotAStateError, "UTF-16", id="UTF-16 with BOM"),
        pytest.param('{"version":4}'.encode("utf-16-le"), NotAStateError, "not JSON", id="UTF-16 without BOM"),
        pytest.param(
            b'{"version":4', NotAStateError, "unexpected end of file at line 1, column 13 (byte 12)", id="cut short"
        ),
        pytest.param(
            b'{"version":4,\n"line', NotAStateError, "unexpected end of file at line 2, column 6", id="cut in a string"
        ),
        pytest.param(b'{"version":4,\n  "serial": NaN}', NotAStateError, "line 2, column 13 (byte 26)", id="NaN"),
        pytest.param(b'{"version":Infinity}', NotAStateError, "not JSON", id="Infinity"),
        pytest.param(b'{"version":04}', NotAStateError, "not JSON", id="a leading zero"),
        pytest.param(b'{"version":4,}', NotAStateError, "not JSON", id="a comma too many"),
        pytest.param(b'{"version":4} {"version":4}', NotAStateError, "trailing characters", id="two states"),
        pytest.param(b'{"version":4}\x00', NotAStateError, "trailing characters", id="a NUL at the end"),
        pytest.param(b"<<<<<<< HEAD\n{}", NotAStateError, "line 1, column 1", id="a merge conflict"),
        pytest.param(b"2026-01-01 ok\n{}", NotAStateError, "trailing characters", id="a log line"),
        pytest.param(b"version: 4\n", NotAStateError, "line 1, column 1", id="YAML"),
        pytest.param(b"\x1f\x8b\x08\x00", NotAStateError, "not JSON", id="gzip"),
        pytest.param(b'{"a":' * _DEEP, NotAStateError, "nested too deeply", id="a million objects deep"),
        pytest.param(b"[" * _DEEP, NotAStateError, "not an object", id="a million arrays deep"),
        pytest.param(
            b'{"version":4,"new":' + b"[" * _DEEP + b"]" * _DEEP + b"}",
            NotAStateError,
            "nested too deeply",
            id="a million deep below a version",
        ),
    ],
)
def test_no_state(data: bytes, kind: type[StateError], words: str) -> None:
    with pytest.raises(kind) as refused:
        sniff_version(data)
    (reason,) = refused.value.findings
    assert words in reason.detail
    assert len(reason.detail) < 400
    assert reason.severity is statefmt.Severity.ERROR
    assert reason.summary == ("Unsupported state file format" if data else "no state")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(_ENVELOPE, "serial 7", id="its serial"),
        pytest.param(_ENVELOPE, 'lineage "5e2f80b6"', id="its lineage"),
        pytest.param(
            _ENVELOPE, "key providers: key_provider.aws_kms.old, key_provider.pbkdf2.main", id="its key providers"
        ),
        pytest.param(b'{"encryption_version":"v0"}', "no key provider named", id="no meta"),
        pytest.param(b'{"encryption_version":"v0","meta":null}', "no key provider named", id="null meta"),
        pytest.param(b'{"encryption_version":"v0","meta":[1]}', "no key provider named", id="meta of another kind"),
        pytest.param(b'{"encryption_version":"v9","encrypted_data":4}', "encrypted", id="a newer envelope"),
    ],
)
def test_encrypted(data: bytes, words: str) -> None:
    with pytest.raises(EncryptedStateError) as refused:
        sniff_version(data)
    (reason,) = refused.value.findings
    assert reason.code == "STA003"
    assert words in reason.detail


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'{"encrypted_data":"QUJD"}', id="data without a version of encryption"),
        pytest.param(b'{"encryption_version":""}', id="an empty version"),
        pytest.param(b'{"encryption_version":0}', id="a number"),
        pytest.param(b'{"encryption_version":null}', id="null"),
    ],
)
def test_not_encrypted(data: bytes) -> None:
    with pytest.raises(NotAStateError):
        sniff_version(data)


def test_nesting_is_refused_wherever_it_stands() -> None:
    """Below the depth that stops the reader at once, its parts may still be too deep together."""
    for depth in (*range(900, 1100), 5_000, 20_000):
        data = b'{"version":4,"new":' + b"[" * depth + b"]" * depth + b"}"
        inspection = statefmt.inspect(data)
        if inspection.snapshot is None:
            assert ["nested too deeply" in finding.detail for finding in inspection.findings] == [True]
        else:
            assert statefmt.write(inspection.snapshot, canonical=False) == data
