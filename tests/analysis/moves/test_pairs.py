"""Which objects are paired, which stay ambiguous, and what is left over."""

from __future__ import annotations

from typing import Any

import pytest

from statefmt.analysis.moves import propose_moves
from statefmt.analysis.moves.proposals import MoveEvidence, Proposals
from statefmt.lifecycle.plan import PlanError
from statefmt.lifecycle.read_plan import read_plan
from tests.analysis.moves.build import AWS, change, gone, kept, moves, new, plan, proposed
from tests.lifecycle.plans import recorded_plans
from tests.tables import each_row


def _ambiguous(found: Proposals) -> list[tuple[list[str], list[str]]]:
    return [
        ([str(place.address) for place in group.destroyed], [str(place.address) for place in group.created])
        for group in found.ambiguous
    ]


@each_row("name", sorted(name for name, files in recorded_plans().items() if "plan.json" in files))
def test_real_plans_without_a_rename(name: str) -> None:
    """Replacements, moves that the configuration declares, deposed objects, data: nothing of it is a pair."""
    found = propose_moves({"": read_plan(recorded_plans()[name]["plan.json"])})
    assert (found.moves, found.ambiguous) == ((), ())


def test_only_known_and_equal_objects_of_one_type_and_provider() -> None:
    found = proposed(
        gone("aws_x.a", {"a": "x"}),
        new("aws_y.a", {"a": "x"}),
        new("aws_x.other", {"a": "x"}, provider_name="example.com/acme/aws"),
        new("data.aws_x.d", {"a": "x"}),
        change("aws_x.r", "delete", "create", change={"before": {"a": "x"}, "after": {"a": "x"}}),
        change("aws_x.f", "forget", change={"before": {"a": "x"}}),
        gone("aws_x.deposed", {"a": "x"}, deposed="00c0ffee"),
        new("aws_x.b", {"a": "x"}),
    )
    assert moves(found) == {"aws_x.a": "aws_x.b"}
    (one,) = found.instances
    assert (one.evidence, one.attributes) == (MoveEvidence.ATTRIBUTES, ("a",))
    assert [str(place.address) for place in found.created] == ["aws_y.a", "aws_x.other"]


def test_several_candidates_are_never_guessed() -> None:
    found = proposed(
        gone("aws_x.a", {"a": "x"}),
        new("aws_x.b", {"a": "x"}),
        new("aws_x.c", {"a": "x"}),
        gone("aws_x.d", {"a": "y"}),
        gone("aws_x.e", {"a": "y"}),
        new("aws_x.f", {"a": "y"}),
    )
    assert moves(found) == {}
    assert _ambiguous(found) == [(["aws_x.a"], ["aws_x.b", "aws_x.c"]), (["aws_x.d", "aws_x.e"], ["aws_x.f"])]
    assert (found.ambiguous[0].type, found.ambiguous[0].provider) == ("aws_x", AWS)
    assert (found.destroyed, found.created) == ((), ())


def test_a_candidate_that_fits_with_less_known() -> None:
    """`c` may be both, so neither is certain."""
    found = proposed(
        gone("aws_x.a", {"a": "x", "b": "1"}),
        gone("aws_x.b", {"a": "x", "b": "2"}),
        new("aws_x.c", {"a": "x"}, {"b": True}),
        new("aws_x.d", {"a": "x", "b": "2"}),
    )
    assert moves(found) == {}
    assert _ambiguous(found) == [(["aws_x.a", "aws_x.b"], ["aws_x.c", "aws_x.d"])]


def test_equal_instances_keep_their_keys() -> None:
    same: Any = {"a": "x"}
    before = [gone(f"aws_x.a[{number}]", same) for number in range(3)]
    found = proposed(*before, *(new(f"aws_x.b[{number}]", same) for number in range(3)))
    assert moves(found) == {"aws_x.a": "aws_x.b"}
    assert {one.evidence for one in found.instances} == {MoveEvidence.KEYS}
    assert [str(one.target.address) for one in found.instances] == [f"aws_x.b[{number}]" for number in range(3)]
    # With other keys, or in two blocks, any could be any.
    for others in (["aws_x.b[1]", "aws_x.b[2]", "aws_x.b[3]"], ["aws_x.b[0]", "aws_x.b[1]", "aws_x.c[2]"]):
        found = proposed(*before, *(new(address, same) for address in others))
        assert (moves(found), len(found.ambiguous)) == ({}, 1)


def test_keys_of_objects_that_differ() -> None:
    """The keys say that a[1] became b[1], but one of its attributes says a[0]."""
    found = proposed(
        gone("aws_x.a[0]", {"a": "x", "b": "1"}),
        gone("aws_x.a[1]", {"a": "x", "b": "2"}),
        new("aws_x.b[0]", {"a": "x"}, {"b": True}),
        new("aws_x.b[1]", {"a": "x", "b": "1"}),
    )
    assert (moves(found), len(found.ambiguous)) == ({}, 1)


def test_an_object_that_could_move_along_with_two_modules() -> None:
    """What was at the top moved into `w`, and what was in `a` into `z`: both have room for the rest of `a`."""
    named = gone("aws_x.top", {"a": "top"}), gone("module.a.aws_x.in", {"a": "in"})
    places = "module.w.module.a.aws_y.empty", "module.z.aws_y.empty"
    moved = new("module.w.aws_x.top", {"a": "top"}), new("module.z.aws_x.in", {"a": "in"})
    for number in (1, 2):
        rest = [new(place, {}) for place in places[:number]]
        found = proposed(*named, gone("module.a.aws_y.empty", {}), *moved, *rest)
        assert len(found.instances) == (3 if number == 1 else 2)


def test_equal_objects_move_along_with_their_module() -> None:
    """So do those without evidence of their own."""
    same: Any = {"a": "same"}

    def content(module: str, make: Any) -> list[dict[str, Any]]:
        return [
            make(f"{module}.aws_x.named", {"a": "named"}),
            make(f"{module}.aws_x.one", same),
            make(f"{module}.aws_x.two", same),
            make(f"{module}.aws_y.empty", {}),
        ]

    found = proposed(*content("module.a", gone), *content("module.b", new))
    assert moves(found) == {"module.a": "module.b"}
    assert [one.evidence for one in found.instances].count(MoveEvidence.MODULE) == 3
    # Nothing says where the module went if all its objects are alike.
    found = proposed(*content("module.a", gone)[1:], *content("module.b", new)[1:])
    assert moves(found) == {}
    # Or if it was split.
    split = [new("module.b.aws_x.named", {"a": "named"}), new("module.c.aws_x.other", {"a": "other"})]
    found = proposed(
        *content("module.a", gone),
        gone("module.a.aws_x.other", {"a": "other"}),
        *split,
        new("module.b.aws_x.one", same),
        new("module.b.aws_x.two", same),
    )
    assert moves(found) == {
        "module.a.aws_x.named": "module.b.aws_x.named",
        "module.a.aws_x.other": "module.c.aws_x.other",
    }
    assert len(found.ambiguous) == 1


def test_what_the_new_module_has_must_be_equal() -> None:
    found = proposed(
        gone("module.a.aws_x.named", {"a": "named"}),
        gone("module.a.aws_y.empty", {"b": True}),
        new("module.b.aws_x.named", {"a": "named"}),
        new("module.b.aws_y.empty", {"b": False}),
    )
    assert moves(found) == {"module.a.aws_x.named": "module.b.aws_x.named"}
    assert [str(place.address) for place in found.destroyed] == ["module.a.aws_y.empty"]


def test_moves_between_states() -> None:
    found = propose_moves(
        {
            "app": plan(
                gone("module.vpc.aws_x.a", {"a": "x"}), gone("module.dns.aws_x.b", {"a": "y"}), kept("aws_x.k")
            ),
            "net": plan(new("module.vpc.aws_x.a", {"a": "x"})),
            "dns": plan(new("aws_x.b", {"a": "y"})),
        },
        in_states=True,
    )
    assert moves(found) == {"app module.vpc": "net module.vpc", "app module.dns.aws_x.b": "dns aws_x.b"}
    assert found.is_crossing
    assert not any(move.obstacle for move in found.moves)


def test_the_same_object_in_two_plans_is_ambiguous() -> None:
    created = plan(new("aws_x.b", {"a": "x"}))
    found = propose_moves({"a": plan(gone("aws_x.a", {"a": "x"})), "b": created, "c": created}, in_states=True)
    assert (moves(found), len(found.ambiguous)) == ({}, 1)


def test_recorded_plans_of_two_states() -> None:
    """The address may be the same in both."""
    destroying, creating = (
        read_plan(recorded_plans()[name]["plan.json"]) for name in ("014-destroy-all", "001-create")
    )
    found = propose_moves({"old": destroying, "new": creating}, in_states=True)
    assert moves(found) == {"old terraform_data.a": "new terraform_data.a"}
    assert propose_moves({"old": destroying, "new": creating}).moves[0].obstacle == "it moves to another state"


def test_addresses_in_states_are_those_before_the_moves_of_the_plan() -> None:
    changes = gone("aws_x.b", {"a": "x"}, previous_address="aws_x.a"), new("aws_x.c", {"a": "x"})
    assert moves(proposed(*changes)) == {"aws_x.b": "aws_x.c"}
    assert moves(proposed(*changes, in_states=True)) == {"aws_x.a": "aws_x.c"}


def test_attributes_that_are_nested_too_deeply() -> None:
    deep = b"[" * 800 + b"]" * 800
    source = plan(gone("aws_x.a", {"a": "HERE"})).source.replace(b'"HERE"', deep)
    with pytest.raises(PlanError, match=r"aws_x.a: .* nested too deeply .*/resource_changes/0/change"):
        propose_moves({"": read_plan(source)})
