"""Each choice for instances, objects and blocks that a state has more than once, with the bytes that it changes."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, strategies as st

from statefmt.edit.repairs._loose_state import LooseState
from statefmt.edit.repairs.find import defects
from statefmt.formats.reading import read
from statefmt.model.errors import SurgeryError
from tests.edit.repairs.compact_state import AWS, keyed, mended, offered, resource, state
from tests.tables import each_row

_ONE, _TWO, _OTHER = keyed('"a"', "one"), keyed('"a"', "two"), keyed('"b"', "other")
_TWICE: Final = state(resource(_ONE, _OTHER, _TWO))
_DEPOSED: Final = ',"deposed":"0123abcd"'
_DEPOSED_TWICE: Final = state(resource(keyed("0", "x"), keyed("0", "old", _DEPOSED), keyed("0", "older", _DEPOSED)))
_HUGE: Final = state(resource(keyed(f"{2**63}", "x"), keyed(f"{2**64 + 1}", "y")))
_SPLIT_TWICE: Final = state(resource(_ONE), resource(_TWO, _OTHER))


def _made(identifier: str, *times: str) -> str:
    """An instance with creation times, such as `"created_at":"…"`."""
    members = ",".join((f'"id":"{identifier}"', *times))
    return f'{{"index_key":0,"attributes":{{{members}}}}}'


@each_row(
    ("before", "decision", "after"),
    [
        (_TWICE, "ADR002 * keep=first", state(resource(_ONE, _OTHER))),
        (_TWICE, "ADR002 * keep=last", state(resource(_OTHER, _TWO))),
        (_TWICE, "ADR002 aws_vpc.a keep=id=one", state(resource(_ONE, _OTHER))),
        (_TWICE, 'ADR002 aws_vpc.a["a"] keep=id=two', state(resource(_OTHER, _TWO))),
        (_TWICE, 'ADR002 * rename="c"', state(resource(_ONE, _OTHER, keyed('"c"', "two")))),
        (_TWICE, "ADR002 * rename-first=7", state(resource(keyed("7", "one"), _OTHER, _TWO))),
        (state(resource(_ONE, _TWO, _TWO)), "ADR002 * keep=first", state(resource(_ONE))),
        (state(resource(_ONE, _TWO, _TWO)), "ADR002 * keep=id=one", state(resource(_ONE))),
        (_DEPOSED_TWICE, "ADR002 * keep=last", state(resource(keyed("0", "x"), keyed("0", "older", _DEPOSED)))),
        (
            _DEPOSED_TWICE,
            "ADR002 * rename=89abcdef",
            _DEPOSED_TWICE.replace(f'"id":"older"}}{_DEPOSED}', '"id":"older"},"deposed":"89abcdef"'),
        ),
        # In two blocks, which stay apart.
        (_SPLIT_TWICE, "ADR002 * keep=first", state(resource(_ONE), resource(_OTHER))),
        (_SPLIT_TWICE, "ADR002 * keep=last", state(resource(), resource(_TWO, _OTHER))),
        # 1 and 1.0 are one key.
        (state(resource(keyed("1", "x"), keyed("1.0", "y"))), "ADR002 * keep=first", state(resource(keyed("1", "x")))),
        # Beyond 64 bits, all keys are one.
        (_HUGE, 'ADR002 * rename-first="q"', state(resource(keyed('"q"', "x"), keyed(f"{2**64 + 1}", "y")))),
        (_HUGE, "ADR002 * keep=last", state(resource(keyed(f"{2**64 + 1}", "y")))),
    ],
)
def test_duplicates(before: str, decision: str, after: str) -> None:
    assert mended(before, decision) == after


_NUMBERS: Final = st.one_of(
    st.integers().map(str),
    st.integers(2**52, 2**66).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds(lambda whole, exponent: f"{whole}e{exponent}", st.integers(-99, 99), st.integers(-9, 30)),
)


@given(_NUMBERS)
def test_the_key_of_an_object_is_that_of_the_reader(text: str) -> None:
    """What the reader reports as one instance is what the choices are about."""
    data = state(resource(keyed(text, "x"))).encode()
    ((obj,),) = (one.objects for one in read(data).snapshot.resources)
    assert LooseState(data).object(("resources", "0", "instances", "0")).key == obj.key


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ('ADR002 * rename="b"', "already has an object"),
        ("ADR002 * rename=1.5", "is not a key"),
        ("ADR002 * rename=b", "is not a key"),
        ("ADR002 * rename=true", "is not a key"),
        ("ADR002 * rename=-1", "is not a key"),
        ("ADR002 * keep=id=three", "0 of the 2 objects"),
        ("ADR002 * keep=newest", "no choice"),
    ],
)
def test_refused(decision: str, reason: str) -> None:
    with pytest.raises(SurgeryError, match=reason):
        mended(_TWICE, decision)


@pytest.mark.parametrize("given", ["short", "0123abcd", "123456789"])
def test_refused_deposed_key(given: str) -> None:
    with pytest.raises(SurgeryError, match="deposed key"):
        mended(_DEPOSED_TWICE, f"ADR002 * rename={given}")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"created_at":"2024-01-02T03:04:05Z"', '"created_at":"2024-01-02T03:04:06Z"'),
        ('"create_time":"2024-01-02T03:04:05.1Z"', '"create_time":"2024-01-02T03:04:05.12Z"'),
        # The same hour of different days; the later text is the earlier time.
        ('"creation_date":"2024-01-02T01:00:00+05:00"', '"creation_date":"2024-01-01T23:00:00Z"'),
        ('"creation_timestamp":"2023-12-31T23:59:59.999999999-08:00"', '"creation_timestamp":"2024-01-01T08:00:00Z"'),
    ],
)
def test_newest(one: str, other: str) -> None:
    """The later of two objects stays, whatever their order."""
    old, new = _made("old", one), _made("new", other)
    for objects in ([old, new], [new, old]):
        assert mended(state(resource(*objects)), "ADR002 * keep=newest") == state(resource(new))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # The same time; no time; another attribute; no zone; no date; a number; two attributes that disagree.
        (['"created_at":"2024-01-02T03:04:05Z"'], ['"created_at":"2024-01-02T04:04:05+01:00"']),
        (['"created_at":"2024-01-02T03:04:05Z"'], []),
        (['"created_at":"2024-01-02T03:04:05Z"'], ['"creation_date":"2024-01-02T03:04:06Z"']),
        (['"created_at":"2024-01-02T03:04:05"'], ['"created_at":"2024-01-02T03:04:06"']),
        (['"created_at":"2024-13-02T03:04:05Z"'], ['"created_at":"2024-01-02T03:04:06Z"']),
        (['"created_at":1704164645'], ['"created_at":1704164646']),
        (
            ['"created_at":"2024-01-02T03:04:05Z"', '"create_time":"2024-01-02T03:04:06Z"'],
            ['"created_at":"2024-01-02T03:04:06Z"', '"create_time":"2024-01-02T03:04:05Z"'],
        ),
    ],
)
def test_newest_is_never_guessed(one: list[str], other: list[str]) -> None:
    assert "keep=newest" not in offered(state(resource(_made("x", *one), _made("y", *other))), "ADR002")


def test_says_what_is_forgotten() -> None:
    texts = offered(_TWICE, "ADR002")
    assert texts["keep=first"] == (
        "keep the object with the id one and forget the object with the id two; the real objects continue to exist"
    )
    assert texts["keep=last"].startswith("keep the object with the id two and forget the object with the id one")
    assert "forget the 2 others" in offered(state(resource(_ONE, _TWO, _TWO)), "ADR002")["keep=first"]


def test_one_defect_for_each_instance() -> None:
    """However often an instance is repeated, one choice mends it."""
    found = defects(state(resource(*[_ONE] * 5, *[_OTHER] * 3)).encode())
    assert [defect.place for defect in found] == ['aws_vpc.a["a"]', 'aws_vpc.a["b"]']


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            [resource(_ONE), resource(_OTHER, name="b"), resource(_OTHER)],
            [resource(_ONE, _OTHER), resource(_OTHER, name="b")],
        ),
        # The first block with objects is kept.
        ([resource(), resource(_ONE), resource(_OTHER)], [resource(_ONE, _OTHER)]),
        ([resource(), resource()], [resource()]),
        # What no release knows is kept, too.
        ([resource(_ONE), resource(_OTHER)[:-1] + ',"new":1}'], [resource(_ONE, _OTHER)[:-1] + ',"new":1}']),
    ],
)
def test_split_blocks(before: list[str], after: list[str]) -> None:
    assert mended(state(*before), "ADR005 * merge") == state(*after)


def test_split_blocks_of_modules_written_in_two_ways() -> None:
    first, other = r"module.m[\"a\"]", r"module.m[\"\u0061\"]"
    before = state(resource(_ONE, module=first), resource(_OTHER, module=other))
    assert mended(before, "ADR005 * merge") == state(resource(_ONE, _OTHER, module=first))


def test_split_blocks_with_two_meanings() -> None:
    """Blocks that say different things are not joined."""
    one, other = resource(_ONE)[:-1] + ',"new":1}', resource(_OTHER)[:-1] + ',"new":2}'
    assert offered(state(one, other), "ADR005") == {}
    assert offered(state(resource(_ONE, provider=AWS), resource(provider=AWS + ".west")), "ADR005") == {}


def test_shared_remote_object() -> None:
    """Whatever is decided for all of them, one address keeps the object."""
    before = state(resource(_ONE), resource(_ONE, _OTHER, name="b"))
    assert list(offered(before, "ADR008")) == ["keep=ADDRESS"]
    assert mended(before, 'ADR008 aws_vpc.a keep=aws_vpc.b["a"]') == state(resource(), resource(_ONE, _OTHER, name="b"))
    assert mended(before, 'ADR008 aws_vpc.a keep=aws_vpc.a["a"]') == state(resource(_ONE), resource(_OTHER, name="b"))
    with pytest.raises(SurgeryError, match="none of the addresses"):
        mended(before, "ADR008 aws_vpc.a keep=aws_vpc.c")


def test_objects_of_other_regions_are_not_shared() -> None:
    def of(region: str, name: str) -> str:
        return resource(f'{{"attributes":{{"id":"x","region":"{region}"}}}}', name=name)

    before = state(of("r1", "a"), of("r2", "b"), of("r1", "c"))
    assert mended(before, "ADR008 aws_vpc.a keep=aws_vpc.c") == state(
        of("r1", "a").replace('{"attributes":{"id":"x","region":"r1"}}', ""), of("r2", "b"), of("r1", "c")
    )
