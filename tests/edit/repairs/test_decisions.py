"""Which decision counts, and how decisions name the place of a defect: in every round, and whatever the name."""

from __future__ import annotations

from itertools import permutations
from json import dumps, loads
from typing import Final

from statefmt.edit.repairs import DecisionIndex, Repair, decision_places, parse_decision, parse_decisions, repaired
from statefmt.edit.repairs.find import defects
from statefmt.formats.reading import read
from tests.edit.repairs.compact_state import AWS, keyed, resource, state
from tests.edit.repairs.test_hostile_states import STATES
from tests.tables import each_row

_BAD: Final = ',"status":"?"'
_DUPLICATES: Final = state(
    *[
        resource(*[keyed(key, f"{name}{key}-{number}") for key in "012" for number in (1, 2)], name=name)
        for name in "ab"
    ]
)


def _repaired(before: str, *decisions: str) -> Repair:
    made = parse_decisions("\n".join(decisions))
    repair = repaired(before.encode(), DecisionIndex(made).decided)
    assert repair.used == frozenset(made)
    read(repair.content)
    return repair


@each_row("order", list(permutations(range(4))))
def test_the_closest_counts_in_any_order(order: tuple[int, ...]) -> None:
    lines = [
        "ADR002 * keep=first",
        "ADR002 aws_vpc.b keep=last",
        "ADR002 aws_vpc.b[1] keep=first",
        "ADR002 /resources/1/instances/1 keep=first",
    ]
    content = _repaired(_DUPLICATES, *[lines[number] for number in order]).content.decode()
    assert [one["attributes"]["id"] for block in loads(content)["resources"] for one in block["instances"]] == [
        "a0-1", "a1-1", "a2-1", "b0-1", "b1-1", "b2-2",
    ]  # fmt: skip


def test_a_pointer_comes_before_an_address() -> None:
    """Several parts with one address may have the same defect."""
    before = state(resource(keyed("0", "x", _BAD), keyed("1", "y", _BAD)))
    content = _repaired(before, "INS001 aws_vpc.a tainted", "INS001 /resources/0/instances/1/status ready").content
    assert content.decode() == state(resource(keyed("0", "x", ',"status":"tainted"'), keyed("1", "y")))


def test_a_module_is_no_resource() -> None:
    before = state(resource(keyed("0", "x"), keyed("0", "y"), module="module.m[0]"))
    assert not repaired(before.encode(), DecisionIndex([parse_decision("ADR002 module.m keep=first")]).decided).mended


def test_pointers_are_those_of_the_file_in_every_round() -> None:
    """The third instance is the second one when its status can be mended."""
    before = state(
        resource(keyed("0", "x"), name="gone", module="?"),
        resource(keyed("0", "x"), keyed('"0"', "odd"), keyed("1", "z", ',"deposed":5')),
    )
    lines = [
        "ADR001 /resources/0/module forget",
        "ADR006 aws_vpc.a forget",
        'STA004 /resources/1/instances/2/deposed value="short"',
        "INS002 /resources/1/instances/2/deposed key=0123abcd",
    ]
    after = state(resource(keyed("0", "x"), keyed("1", "z", ',"deposed":"0123abcd"')))
    assert _repaired(before, *lines).content.decode() == after


def test_pointers_follow_what_moves() -> None:
    """A block cannot be joined with another in the round in which its objects are mended."""
    before = state(
        resource(keyed("0", "x", ',"deposed":"0"')), resource(keyed("1", "y"), keyed("2", "z", ',"deposed":5'))
    )
    lines = [
        "ADR005 * merge",
        'STA004 /resources/1/instances/1/deposed value="1"',
        "INS002 /resources/1/instances/1/deposed key=0123abcd",
        "INS002 /resources/0/instances/0/deposed key=89abcdef",
    ]
    mended = keyed("0", "x", ',"deposed":"89abcdef"'), keyed("1", "y"), keyed("2", "z", ',"deposed":"0123abcd"')
    assert _repaired(before, *lines).content.decode() == state(resource(*mended))


def test_a_decision_on_what_another_one_forgets_is_no_mistake() -> None:
    mark = ',"sensitive_attributes":[[{"type":"get_attr","value":"gone"}]]'
    before = state(resource(keyed("0", "x"), keyed("0", "y", mark)))
    lines = ["ADR002 * keep=first", "INS010 /resources/0/instances/1/sensitive_attributes/0 remove"]
    assert _repaired(before, *lines).content.decode() == state(resource(keyed("0", "x")))


def test_more_than_a_hundred_rounds() -> None:
    """Of one instance that a state has 150 times, each answer renames the last."""
    before = state(resource(*[keyed("0", f"i{number}") for number in range(150)]))
    keys = iter(range(1, 150))
    answers = (DecisionIndex([parse_decision(f"ADR002 * rename={key}")]) for key in keys)
    repair = repaired(before.encode(), lambda defect: next(answers).decided(defect))
    assert len(repair.mended) == 149
    assert len(read(repair.content).snapshot.resources[0].objects) == 150


@each_row("name", STATES)
def test_every_defect_has_a_name_of_its_own(name: str) -> None:
    found = [defect for defect in defects(STATES[name]) if defect.choices]
    for defect, place in zip(found, decision_places(found), strict=True):
        code, choice = defect.finding.code, defect.choices[-1]
        decision = parse_decision(f"{code} {place} {choice.label}")
        assert parse_decision(str(decision)) == decision
        decided = [one for one in found if DecisionIndex([decision]).decided(one) is not None]
        assert decided == [defect], place
        assert place != "*" or not defect.finding.pointer


def test_names_of_old_formats() -> None:
    resources = {name: {"type": "x", "primary": {"id": "1"}} for name in ("a b\n", "\u001b", "a")}
    before = dumps({"version": 3, "serial": 1, "lineage": "l", "modules": [{"path": ["root"], "resources": resources}]})
    found = defects(before.encode())
    places = decision_places(found)
    assert places == [r'"/modules/0/resources/a b\n"', r'"/modules/0/resources/\u001b"', "a"]
    lines = [f"{one.finding.code} {place} forget" for one, place in zip(found, places, strict=True)]
    assert _repaired(before, *lines).left == ()


def test_a_provider_that_is_not_the_decided_one_is_refused() -> None:
    """What mends a defect otherwise than decided leaves the decision unused, which the command refuses."""
    before = state(resource(keyed("0", "x"), keyed("1", "y"), provider=""))
    provider = AWS.replace("\\", "")
    made = parse_decisions(
        f"PRV002 /resources/0/instances/0 provider={provider}\nPRV002 /resources/0/instances/1 provider={provider}.b"
    )
    assert repaired(before.encode(), DecisionIndex(made).decided).used == frozenset(made[:1])
