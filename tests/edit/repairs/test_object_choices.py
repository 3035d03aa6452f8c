"""Each choice for keys, names, dependencies, marks and other members of objects, with the bytes that it changes."""

from __future__ import annotations

import hashlib

import pytest

from statefmt.model.errors import SurgeryError
from tests.edit.repairs.compact_state import keyed, mended, offered, resource, state
from tests.tables import each_row


def _of(rest: str) -> str:
    """A state with one object that has more members."""
    return state(resource(keyed("0", "x", "," + rest)))


def _bare() -> str:
    return state(resource(keyed("0", "x")))


_DANGLING = ',"dependencies":["aws_vpc.gone","aws_vpc.a"]'
_DANGLE = state(resource(keyed("0", "x", _DANGLING), keyed("1", "y", _DANGLING)))
_DANGLE_TWO = state(resource(keyed("0", "x", _DANGLING), keyed("1", "y", _DANGLING)), resource(name="new"))
_DEPOSED = ',"deposed":"0123abcd"'
_FLAT = '"attributes_flat":{"id":"f"}'
_HASH = '"deposed":"short"'


@each_row(
    ("before", "decision", "after"),
    [
        # Keys of several kinds.
        (
            state(resource(keyed("0", "x"), keyed('"1"', "y"))),
            "ADR006 * numbers",
            state(resource(keyed("0", "x"), keyed("1", "y"))),
        ),
        (
            state(resource(keyed("0", "x"), keyed('"b"', "y"))),
            "ADR006 * strings",
            state(resource(keyed('"0"', "x"), keyed('"b"', "y"))),
        ),
        (
            state(
                resource(
                    keyed("0", "x"), keyed("1", "z"), keyed('"b"', "y"), keyed('"b"', "o", ',"deposed":"0123abcd"')
                )
            ),
            "ADR006 aws_vpc.a rename=2",
            state(
                resource(keyed("0", "x"), keyed("1", "z"), keyed("2", "y"), keyed("2", "o", ',"deposed":"0123abcd"'))
            ),
        ),
        (
            state(resource(keyed("0", "x"), keyed("1", "z"), '{"attributes":{"id":"y"}}')),
            "ADR006 * rename=2",
            state(resource(keyed("0", "x"), keyed("1", "z"), '{"index_key":2,"attributes":{"id":"y"}}')),
        ),
        (
            state(resource(keyed("0", "x"), keyed("1", "z"), keyed('"b"', "y"))),
            "ADR006 * forget",
            state(resource(keyed("0", "x"), keyed("1", "z"))),
        ),
        # Keys that are none.
        (state(resource(keyed("true", "x"))), 'ADR004 * value="t"', state(resource(keyed('"t"', "x")))),
        (state(resource(keyed("[1]", "x"))), "ADR004 * remove", state(resource('{"attributes":{"id":"x"}}'))),
        (state(resource(keyed("{}", "x"), keyed("0", "y"))), "ADR004 * forget", state(resource(keyed("0", "y")))),
        (state(resource(keyed("1e400", "x"))), "STA004 * value=1", state(resource(keyed("1", "x")))),
        # Names.
        (
            state(resource(name="a b"), resource(name="a b")),
            "ADR009 /resources/0/name rename=ab",
            state(resource(name="ab"), resource(name="ab")),
        ),
        (state(resource(kind="")), "ADR009 /resources/0/type rename=aws_vpc", state(resource())),
        (state(resource(name="a b"), resource()), "ADR009 * forget", state(resource())),
        (
            state(resource(module="module.m[")),
            'ADR001 * module=module.m["a"]',
            state(resource(module=r"module.m[\"a\"]")),
        ),
        (state(resource(module="m"), resource()), "ADR001 * forget", state(resource())),
        (state(resource()).replace("managed", "other"), "ADR003 * managed", state(resource())),
        (state(resource()).replace("managed", "other"), "ADR003 * data", state(resource()).replace("managed", "data")),
        # Dependencies.
        (
            _of('"dependencies":["aws_vpc.a","aws_vpc.b[0]"]'),
            "DEP001 * resource",
            _of('"dependencies":["aws_vpc.a","aws_vpc.b"]'),
        ),
        (_of('"dependencies":["aws_vpc.a","?"]'), "DEP001 * remove", _of('"dependencies":["aws_vpc.a"]')),
        (_of('"dependencies":["?"]'), "DEP001 * address=aws_vpc.a", _of('"dependencies":["aws_vpc.a"]')),
        (_DANGLE, "DEP002 * remove", _DANGLE.replace('"aws_vpc.gone",', "")),
        (_DANGLE_TWO, "DEP002 aws_vpc.a address=aws_vpc.new", _DANGLE_TWO.replace("gone", "new")),
        # Status, deposed keys, forms, private data.
        (_of('"status":"odd"'), "INS001 * tainted", _of('"status":"tainted"')),
        (_of('"status":"odd"'), "INS001 * ready", _bare()),
        (_of(_HASH), "INS002 * key=0123abcd", _of('"deposed":"0123abcd"')),
        (_of(_HASH), "INS002 * forget", state(resource())),
        (_of(_FLAT), "INS004 * typed", _bare()),
        (_of(_FLAT), "INS004 * flat", state(resource('{"index_key":0,"attributes_flat":{"id":"f"}}'))),
        (_of('"private":"??"'), "INS011 * remove", _bare()),
        (_of('"private":"??"'), 'INS011 * value="bnVsbA=="', _of('"private":"bnVsbA=="')),
        # Marks.
        (
            _of('"sensitive_attributes":["id"]'),
            "INS003 * convert",
            _of('"sensitive_attributes":[[{"type":"get_attr","value":"id"}]]'),
        ),
        (
            _of('"sensitive_attributes":[[{"type":"get_attr","value":"id"}],[{"type":"?"}]]'),
            "INS003 * drop-invalid",
            _of('"sensitive_attributes":[[{"type":"get_attr","value":"id"}]]'),
        ),
        (_of('"sensitive_attributes":{}'), "INS003 * value=[]", _of('"sensitive_attributes":[]')),
        (_of('"sensitive_attributes":{}'), "INS003 * remove", _bare()),
        (
            _of('"sensitive_attributes":[[{"type":"get_attr","value":"gone"}],[{"type":"get_attr","value":"id"}]]'),
            "INS010 * remove",
            _of('"sensitive_attributes":[[{"type":"get_attr","value":"id"}]]'),
        ),
        # Types.
        (_of('"schema_version":"2"'), "STA004 * convert", _of('"schema_version":2')),
        (_of('"schema_version":1.5'), "STA004 * value=1", _of('"schema_version":1')),
        (_of('"schema_version":-1'), "STA004 * remove", _bare()),
        (_of('"create_before_destroy":"true"'), "STA004 * convert", _of('"create_before_destroy":true')),
        (state(resource()).replace('"l"', "12"), "STA004 * convert", state(resource()).replace('"l"', '"12"')),
        (state("5", resource()), "STA004 * remove", state(resource())),
        (
            state(resource(keyed("0", "x"))).replace('[{"index', '{"index').replace("}}]}", "}}}"),
            "STA004 * wrap",
            _bare(),
        ),
    ],
)
def test_choices(before: str, decision: str, after: str) -> None:
    assert mended(before, decision) == after


def test_new_deposed_key_comes_from_the_object() -> None:
    obj = keyed("0", "x", "," + _HASH)
    new = hashlib.sha256(obj.encode()).hexdigest()[:8]
    assert mended(_of(_HASH), "INS002 * new-key") == _of(f'"deposed":"{new}"')


@pytest.mark.parametrize(
    ("before", "decision", "reason"),
    [
        (
            state(resource(name="a b"), resource(name="c")),
            "ADR009 /resources/0/name rename=c",
            "already has a resource aws_vpc.c",
        ),
        (state(resource(name="a b")), "ADR009 /resources/0/name rename=c d", "not an identifier"),
        (state(resource(keyed("true", "x"), keyed("0", "y"))), "ADR004 * value=0", "already has an object"),
        (state(resource(keyed("true", "x"))), "ADR004 * value=1.5", "is not a key"),
        (_of('"dependencies":["?"]'), "DEP001 * address=!", "is not valid here"),
        (_of(_HASH), "INS002 * key=short", "exactly 8 bytes"),
        (_of('"schema_version":1.5'), "STA004 * value=}", "is not JSON"),
        (_of('"schema_version":1.5'), "STA004 * value=2.5", "does not mend"),
    ],
)
def test_refused(before: str, decision: str, reason: str) -> None:
    with pytest.raises(SurgeryError, match=reason):
        mended(before, decision)


def test_kinds_that_cannot_be_converted() -> None:
    """`0` and `"0"` would be one key; `"b"` is no number; an instance without a key has none to convert."""
    assert not {"numbers", "strings"} & set(offered(state(resource(keyed("0", "x"), keyed('"0"', "y"))), "ADR006"))
    assert "numbers" not in offered(state(resource(keyed("0", "x"), keyed('"b"', "y"))), "ADR006")
    bare = state(resource(keyed("0", "x"), '{"attributes":{"id":"y"}}'))
    assert list(offered(bare, "ADR006")) == ["rename=JSON", "forget"]


def test_no_key_is_offered_only_if_it_is_free() -> None:
    assert "remove" not in offered(state(resource(keyed("true", "x"), '{"attributes":{}}')), "ADR004")
