"""Each choice for the provider of a resource, with the bytes that it changes."""

from __future__ import annotations

from typing import Final

import pytest

from statefmt.edit.repairs import DecisionIndex, parse_decision, repaired
from statefmt.model.errors import SurgeryError
from tests.edit.repairs.compact_state import AWS, GOOGLE, keyed, mended, offered, resource, state
from tests.tables import each_row

_WEST: Final = AWS + ".west"
_BY: Final = AWS + ".by"
_A: Final = _BY + r"[\"a\"]"
_B: Final = _BY + r"[\"b\"]"


def _plain(provider: str) -> str:
    """The address as a decision has it."""
    return provider.replace("\\", "")


def _own(provider: str, rest: str = "") -> str:
    return f'{rest},"provider":"{provider}"'


def _lifted(provider: str, *own: str) -> list[tuple[str, str]]:
    """The changes after which a resource names a provider, and its objects none of their own."""
    return [*[(_own(one), "") for one in own], ('"name":"a",', f'"name":"a","provider":"{provider}",')]


_CONFLICT: Final = state(
    resource(keyed("0", "x", _own(_A)), keyed("1", "y", _own(GOOGLE)), keyed("2", "z", _own(_B)), provider="")
)
_SPREAD: Final = state(
    resource(keyed("0", "x"), provider=AWS), resource(keyed("1", "y"), keyed("2", "z"), provider=_WEST)
)
_DEPOSED: Final = ',"deposed":"0123abcd"'
_KEYS: Final = state(
    resource(keyed("0", "x", _own(_A)), keyed("0", "old", _own(_B, _DEPOSED)), keyed("1", "y", _own(_B)), provider="")
)
_BOTH: Final = state(resource(keyed("0", "x", _own(_A)), keyed("1", "y"), provider=_BY))
_BOTH_ALIKE: Final = state(resource(keyed("0", "x", _own(_WEST)), keyed("1", "y", _own(_WEST)), provider=AWS))
_ONE_MISSING: Final = state(resource(keyed("0", "x"), keyed("1", "y", _own(AWS)), provider=""))
_MISSING: Final = state(
    resource(keyed("0", "x"), keyed("1", "y", _own(_A)), provider=""), resource(keyed("0", "z"), name="b", provider="")
)


@each_row(
    ("before", "decision", "changes"),
    [
        # Objects of the chosen configuration keep their keys.
        (_CONFLICT, f"PRV003 aws_vpc.a provider={_plain(_A)}", [(GOOGLE, _A)]),
        (_CONFLICT, f"PRV003 * provider={_plain(_B)}", [(GOOGLE, _B)]),
        # Without keys, the resource names it.
        (_CONFLICT, f"PRV003 * provider={_plain(GOOGLE)}", _lifted(GOOGLE, _A, GOOGLE, _B)),
        (_CONFLICT, f"PRV003 aws_vpc.a provider={_plain(_WEST)}", _lifted(_WEST, _A, GOOGLE, _B)),
        (_BOTH_ALIKE, "PRV001 * instances", [(_own(_WEST), ""), (f'"{AWS}"', f'"{_WEST}"')]),
        (_ONE_MISSING, f"PRV002 * provider={_plain(AWS)}", _lifted(AWS, AWS)),
        (_SPREAD, f"PRV006 * provider={_plain(_WEST)}", [(f'"{AWS}"', f'"{_WEST}"')]),
        (_SPREAD, f"PRV006 * provider={_plain(AWS)}", [(_WEST, AWS)]),
        # With a key, each object names the provider.
        (
            _SPREAD,
            f"PRV006 aws_vpc.a provider={_plain(_A)}",
            [
                (f'"provider":"{AWS}",', ""),
                (f'"provider":"{_WEST}",', ""),
                ('"index_key":0,', f'"index_key":0,"provider":"{_A}",'),
                ('"index_key":1,', f'"index_key":1,"provider":"{_A}",'),
                ('"index_key":2,', f'"index_key":2,"provider":"{_A}",'),
            ],
        ),
        # Only the objects of one instance.
        (_KEYS, f"PRV005 * provider={_plain(_A)}", [(_own(_B, _DEPOSED), _own(_A, _DEPOSED))]),
        (_KEYS, f"PRV005 * provider={_plain(_B)}", [(_A, _B)]),
        (
            _BOTH,
            "PRV001 * instances",
            [(f'"provider":"{_BY}",', ""), ('"index_key":1,', f'"index_key":1,"provider":"{_BY}",')],
        ),
        (_BOTH, "PRV001 * resource", [(f',"provider":"{_A}"', "")]),
    ],
)
def test_one_configuration(before: str, decision: str, changes: list[tuple[str, str]]) -> None:
    expected = before
    for old, new in changes:
        assert old in expected
        expected = expected.replace(old, new)
    assert mended(before, decision) == expected


def test_most_used_configuration_comes_first() -> None:
    before = state(
        resource(keyed("0", "x", _own(GOOGLE)), keyed("1", "y", _own(AWS)), keyed("2", "z", _own(AWS)), provider="")
    )
    assert list(offered(before, "PRV003").items())[:2] == [
        (f"provider={_plain(AWS)}", "bind 1 of 3 objects to it"),
        (f"provider={_plain(GOOGLE)}", "bind 2 of 3 objects to it"),
    ]


def test_missing_provider_of_the_type() -> None:
    """The object of a block that names others gets its own; a whole resource without any gets one at its level."""
    decision = f"PRV002 * provider={_plain(_BY)}"
    expected = _MISSING.replace(
        '"index_key":0,"attributes":{"id":"x"}', f'"index_key":0,"provider":"{_BY}","attributes":{{"id":"x"}}'
    )
    expected = expected.replace('"name":"b",', f'"name":"b","provider":"{_BY}",')
    assert mended(_MISSING, decision) == expected


def test_missing_provider_of_another_module() -> None:
    near = resource(keyed("0", "n"), name="near", provider=f"module.m.{_WEST}", module="module.m")
    far = resource(keyed("0", "f"), name="far", provider=AWS)
    bare = resource(keyed("0", "x"), provider="", module="module.m")
    assert list(offered(state(far, near, bare), "PRV002")) == [f"provider=module.m.{_plain(_WEST)}", "provider=ADDRESS"]
    assert list(offered(state(far, bare), "PRV002")) == [f"provider={_plain(AWS)}", "provider=ADDRESS"]


@pytest.mark.parametrize(
    ("before", "provider"),
    [
        (state(resource(keyed("0", "x"), provider="aws?"), resource(keyed("0", "y"), name="b")), AWS),
        (state(resource(keyed("0", "x"), provider="aws?")), GOOGLE),
        (state(resource(keyed("0", "x", _own("aws?")), keyed("1", "y", _own(_WEST)), provider="")), _WEST),
    ],
)
def test_unreadable_provider(before: str, provider: str) -> None:
    assert mended(before, f"PRV004 * provider={_plain(provider)}") == before.replace("aws?", provider)


def test_key_at_the_level_of_the_resource() -> None:
    before = state(resource(keyed("0", "x"), keyed("1", "y"), provider=_A))
    expected = before.replace(f'"provider":"{_A}",', "")
    for key in ("0", "1"):
        expected = expected.replace(f'"index_key":{key},', f'"index_key":{key},"provider":"{_A}",')
    assert mended(before, "PRV004 * instances") == expected


def test_old_form_stays_at_the_level_of_the_resource() -> None:
    """A provider that is known by such a type only has no other form."""
    other = keyed("1", "y", _own(GOOGLE))
    before = state(resource(keyed("0", "x"), provider="provider.my_aws"), resource(other, provider=""))
    expected = before.replace(_own(GOOGLE), "").replace(
        '"name":"a","instances":[{"index_key":1', '"name":"a","provider":"provider.my_aws","instances":[{"index_key":1'
    )
    assert mended(before, "PRV006 * provider=provider.my_aws") == expected


def test_empty_block() -> None:
    before = state(resource(keyed("0", "x")), resource(provider=_WEST))
    assert mended(before, "PRV006 * remove") == state(resource(keyed("0", "x")))
    assert mended(before, f"PRV006 * provider={_plain(_WEST)}") == before.replace(f'"{AWS}"', f'"{_WEST}"')


@pytest.mark.parametrize("given", ["aws", "provider[", "module.m[0].provider.aws"])
def test_unreadable_choice(given: str) -> None:
    with pytest.raises(SurgeryError):
        mended(_CONFLICT, f"PRV003 aws_vpc.a provider={given}")


def test_same_conflict_everywhere() -> None:
    """A decision for all places leaves conflicts of other configurations alone."""
    objects = [keyed("0", "x", _own(AWS)), keyed("1", "y", _own(GOOGLE))]
    other = resource(keyed("0", "x", _own(AWS)), keyed("1", "y", _own(_WEST)), name="other", provider="")
    same = [resource(*objects, name=name, provider="") for name in ("a", "b")]
    made = [parse_decision(f"PRV003 * provider={_plain(GOOGLE)}")]
    repair = repaired(state(*same, other).encode(), DecisionIndex(made).decided)
    mended_same = [resource(keyed("0", "x"), keyed("1", "y"), name=name, provider=GOOGLE) for name in ("a", "b")]
    assert repair.content.decode() == state(*mended_same, other)
    assert [one.place for one in repair.left if one.finding.code == "PRV003"] == ["aws_vpc.other"]
