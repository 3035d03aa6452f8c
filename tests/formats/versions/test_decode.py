"""Documents that msgspec does not take in one pass are taken apart, and mean the same."""

from __future__ import annotations

from typing import Final

import pytest

import statefmt
from statefmt.formats.versions import object_members
from tests.tables import each_row

# Each of these sends a document the slow way: an unknown member, other letter case, half a surrogate pair, a bad byte.
_SLOWLY: Final = {
    "in one pass": b"",
    "beside an unknown member": b',"new":1',
    "beside a capital": b',"Lineage":"l"',
    "beside half a surrogate pair": b',"new":"\\ud800"',
    "beside a byte that is not UTF-8": b',"new":"\xff"',
}

# (the rest of the document, the member that is wrong, the words for it)
_WRONG: Final = {
    "a string for a number": (b'"serial":"7"', "/serial", "expected int"),
    "a number for a string": (b'"lineage":7', "/lineage", "expected str"),
    "a list of modules": (b'"resources":[{"module":[]}]', "/resources/0/module", "got array"),
    "an object for a list": (b'"resources":{}', "/resources", "got object"),
    "a string for a list": (b'"resources":"x"', "/resources", "got str"),
    "a number for an object": (b'"resources":[7]', "/resources/0", "got int"),
    "a string for an object": (b'"resources":[{},"x"]', "/resources/1", "got str"),
    "a list for an object": (b'"outputs":[]', "/outputs", "got array"),
    "deep within": (
        b'"resources":[{},{"instances":[{},{"schema_version":"1"}]}]',
        "/resources/1/instances/1/schema_version",
        "got str",
    ),
    "in a list of bytes": (
        b'"resources":[{"instances":[{"private":[0,""]}]}]',
        "/resources/0/instances/0/private/1",
        "got str",
    ),
    "in a check": (b'"check_results":[{"objects":[{"status":0}]}]', "/check_results/0/objects/0/status", "got int"),
    "in an output, whose name is not told": (b'"outputs":{"a":{"sensitive":0}}', "", "at outputs[...].sensitive"),
    "in flat attributes": (
        b'"resources":[{"instances":[{"attributes_flat":{"a":0}}]}]',
        "",
        "at resources[0].instances[0].attributes_flat[...]",
    ),
}


@each_row("beside", _SLOWLY.values(), ids=_SLOWLY)
@each_row(("member", "pointer", "words"), _WRONG.values(), ids=_WRONG)
def test_a_member_of_the_wrong_type_is_told_by_its_place(
    member: bytes, pointer: str, words: str, beside: bytes
) -> None:
    (finding,) = statefmt.inspect(b'{"version":4,' + member + beside + b"}").findings
    assert (finding.code, finding.summary, finding.pointer) == ("STA004", "Invalid state file format", pointer)
    assert words in finding.detail
    assert f"The member {pointer} is not valid" in finding.detail or not pointer


@each_row("value", [b'"\\ud800"', b'"\\udc00x"', b'"a\xff"'], ids=["high half", "low half", "bad byte"])
@each_row(
    ("member", "pointer"),
    [
        pytest.param(b'"outputs":%b', "/outputs", id="for an object"),
        pytest.param(b'"resources":%b', "/resources", id="for a list"),
        pytest.param(b'"resources":[%b]', "/resources/0", id="for an element"),
        pytest.param(b'"serial":%b', "/serial", id="for a number"),
        pytest.param(b'"resources":[{"instances":[{"index_key":0,"status":[%b]}]}]', "", id="in the wrong place"),
    ],
)
def test_strings_that_msgspec_does_not_read(member: bytes, pointer: str, value: bytes) -> None:
    """They are no objects and no lists, and say so like other strings."""
    (finding,) = statefmt.inspect(b'{"version":4,' + member % value + b"}").findings
    assert finding.code == "STA004"
    assert finding.pointer.startswith(pointer)


@pytest.mark.parametrize(
    ("members", "serial"),
    [
        pytest.param(b'"serial":1', 1, id="once"),
        pytest.param(b'"serial":1,"serial":2', 2, id="twice"),
        pytest.param(b'"SERIAL":1', 1, id="in capitals"),
        pytest.param(b'"serial":1,"Serial":2', 2, id="a capital last"),
        pytest.param(b'"Serial":2,"serial":1', 1, id="a capital first"),
        pytest.param(b'"serial":1,"Serial":2,"serial":3', 3, id="a capital between"),
        pytest.param(b'"Serial":1,"serial":2,"Serial":3', 3, id="capitals around"),
        pytest.param(b'"serial":1,"Serial":2,"new":"\\ud800"', 2, id="and half a surrogate pair"),
    ],
)
def test_of_members_that_repeat_the_last_counts(members: bytes, serial: int) -> None:
    assert statefmt.read(b'{"version":4,' + members + b"}").snapshot.serial == serial


@pytest.mark.parametrize(
    ("text", "lineage"),
    [
        pytest.param(b'"\\ud83d\\ude00"', "😀", id="a whole pair"),
        pytest.param(b'"\\ud83d"', "\ufffd", id="the first half"),
        pytest.param(b'"\\ude00"', "\ufffd", id="the second half"),
        pytest.param(b'"\\ud83d\\ud83d\\ude00"', "\ufffd😀", id="half and a whole"),
        pytest.param(b'"\\ud83dx\\ude00"', "\ufffdx\ufffd", id="halves apart"),
        pytest.param(b'"\\\\ud83d"', "\\ud83d", id="a backslash before u"),
        pytest.param(b'"a\xffb"', "a\ufffdb", id="a byte that is not UTF-8"),
        pytest.param(b'"\xc3\xc3"', "\ufffd\ufffd", id="one for each byte"),
        pytest.param(b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd", id="a surrogate in bytes"),
    ],
)
def test_text_that_is_not_unicode_becomes_what_go_makes_of_it(text: bytes, lineage: str) -> None:
    assert statefmt.read(b'{"version":4,"lineage":' + text + b"}").snapshot.lineage == lineage


def test_object_members_keep_their_text() -> None:
    found = object_members(b' {"a" : 1.0 ,"b":"\\ud800", "c":{ } }')
    assert {name: bytes(value) for name, value in found.items()} == {"a": b"1.0", "b": b'"\\ud800"', "c": b"{ }"}


@pytest.mark.parametrize("beside", _SLOWLY.values(), ids=_SLOWLY)
def test_null_is_absent_wherever_it_stands(beside: bytes) -> None:
    members = b'"outputs":{"a":null},"resources":null,"check_results":null,"serial":null,"terraform_version":null'
    inspection = statefmt.inspect(b'{"version":4,' + members + beside + b"}")
    assert [finding.summary for finding in inspection.findings if finding.code == "STA004"] == []
