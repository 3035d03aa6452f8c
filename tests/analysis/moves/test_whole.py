"""What moves as a whole: instances with their resource, resources with their module, and instances of a module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from statefmt.analysis.moves import propose_moves
from statefmt.analysis.moves.proposals import ProposedMove
from tests.analysis.moves.build import change, declaring, gone, kept, moves, new, plan, proposed

_NO_MODULE = "delete_because_no_module"


def _renamed(pairs: dict[str, str], **members: Any) -> list[dict[str, Any]]:
    """Objects with attributes of their own at their old addresses, and at their new ones."""
    before = [gone(old, {"a": f"{number} {old}"}, **members) for number, old in enumerate(pairs)]
    return [*before, *(new(to, {"a": f"{number} {old}"}) for number, (old, to) in enumerate(pairs.items()))]


def _obstacles(found: tuple[ProposedMove, ...]) -> list[bool]:
    return [bool(move.obstacle) for move in found]


def test_a_resource_with_all_its_keys() -> None:
    found = proposed(*_renamed({f'aws_x.a["{key}"]': f'aws_x.b["{key}"]' for key in "xyz"}))
    assert moves(found) == {"aws_x.a": "aws_x.b"}
    assert len(found.instances) == 3


@pytest.mark.parametrize(
    "others", [[kept('aws_x.b["k"]')], [new('aws_x.b["k"]', {"a": "other"})], [gone('aws_x.a["k"]', {"a": "other"})]]
)
def test_a_part_of_a_resource(others: list[dict[str, Any]]) -> None:
    found = proposed(*_renamed({f'aws_x.a["{key}"]': f'aws_x.b["{key}"]' for key in "xy"}), *others)
    assert moves(found) == {f'aws_x.a["{key}"]': f'aws_x.b["{key}"]' for key in "xy"}
    assert _obstacles(found.moves) == [False, False]


def test_other_keys() -> None:
    pairs = {
        "aws_x.a[0]": 'aws_x.a["x"]',
        "aws_x.a[1]": 'aws_x.a["y"]',
        "aws_x.b": "aws_x.b[5]",
        "aws_x.c[1]": "aws_x.d",
    }
    found = proposed(*_renamed(pairs))
    assert (moves(found), _obstacles(found.moves)) == (pairs, [False] * 4)


def test_a_module_with_nested_ones_and_keys() -> None:
    inside = ["aws_x.a", "aws_y.b[0]", "aws_y.b[1]", 'module.in["k"].aws_x.a', "module.other.module.deep.aws_x.a"]
    found = proposed(*_renamed({f"module.old.{rest}": f"module.new.{rest}" for rest in inside}))
    assert moves(found) == {"module.old": "module.new"}
    assert len(found.instances) == len(inside)


def test_modules_into_and_out_of_modules() -> None:
    assert moves(proposed(*_renamed({"module.a.aws_x.a": "module.b.module.a.aws_x.a"}))) == {
        "module.a": "module.b.module.a"
    }
    # Only what is in it moves into a module of its own.
    inner = proposed(*_renamed({"module.a.aws_x.a": "module.a.module.b.aws_x.a"}))
    assert moves(inner) == {"module.a.aws_x.a": "module.a.module.b.aws_x.a"}
    assert moves(proposed(*_renamed({"aws_x.a": "module.a.aws_x.a"}))) == {"aws_x.a": "module.a.aws_x.a"}


def test_all_instances_of_a_module() -> None:
    calls = {f'module.a["{key}"].aws_x.{name}': f'module.b["{key}"].aws_x.{name}' for key in "xy" for name in "mn"}
    assert moves(proposed(*_renamed(calls))) == {"module.a": "module.b"}


def test_some_instances_of_a_module() -> None:
    pairs = {'module.a["x"].aws_x.m': 'module.b["x"].aws_x.m'}
    stays = kept('module.a["y"].aws_x.m')
    found = proposed(*_renamed(pairs, action_reason=_NO_MODULE), stays)
    assert moves(found) == {'module.a["x"]': 'module.b["x"]'}
    # Without the reason, the instance may still be there.
    assert moves(proposed(*_renamed(pairs), stays)) == pairs


def test_out_of_an_instance_that_is_gone() -> None:
    """Its resource is still declared, but not in this instance."""
    found = proposed(
        *_renamed({'module.a["x"].aws_x.m': "aws_x.top"}, action_reason=_NO_MODULE), kept('module.a["y"].aws_x.m')
    )
    assert (moves(found), _obstacles(found.moves)) == ({'module.a["x"].aws_x.m': "aws_x.top"}, [False])


def test_a_module_that_gets_keys() -> None:
    found = proposed(*_renamed({"module.a.aws_x.m": "module.a[0].aws_x.m"}, action_reason=_NO_MODULE))
    assert (moves(found), _obstacles(found.moves)) == ({"module.a": "module.a[0]"}, [False])


def _with(*changes: dict[str, Any], declared: tuple[str, ...] = (), **members: Any) -> dict[str, str]:
    after = [each["address"] for each in changes if each["change"]["actions"] != ["delete"]]
    return dict(
        moves(propose_moves({"": plan(*changes, configuration=declaring([*after, *declared]), **members)}))
    )  # fmt: skip


_PAIR = {"module.a.aws_x.m": "module.b.aws_x.m"}


@pytest.mark.parametrize(
    "reads",
    [
        # The call is still there, with nothing or only data in it.
        lambda: _with(*_renamed(_PAIR), declared=("module.a.data.aws_x.d",)),
        # Something else is in one of the two modules.
        lambda: _with(*_renamed(_PAIR), gone("module.a.aws_y.z", {})),
        lambda: _with(*_renamed(_PAIR), kept("module.a.aws_y.z")),
        lambda: _with(*_renamed(_PAIR), new("module.b.aws_y.z", {})),
        lambda: _with(*_renamed(_PAIR), kept("module.b.aws_y.z")),
        lambda: _with(*_renamed(_PAIR), change("module.a.aws_y.z", "delete", deposed="00c0ffee")),
        # The plan has a target, and leaves out another resource of the module.
        lambda: _with(*_renamed(_PAIR), prior_state=_prior("module.a.aws_y.z")),
        # No configuration says that the module is gone.
        lambda: moves(propose_moves({"": plan(*_renamed(_PAIR), configuration="none")})),
    ],
)
def test_a_part_of_a_module(reads: Callable[[], dict[str, str]]) -> None:
    assert reads() == _PAIR


def _prior(address: str) -> dict[str, Any]:
    resource = {"address": address, "mode": "managed", "type": "aws_y", "name": "z", "provider_name": "p", "values": {}}
    module = {"address": "module.a", "resources": [resource]}
    return {"format_version": "1.0", "values": {"root_module": {"child_modules": [module]}}}


def test_an_address_that_would_mean_more() -> None:
    """The resource has keys now, so that its address without one stands for all of them."""
    pairs = {"aws_x.a": "aws_x.b"}
    others = [new(f"aws_x.a[{number}]", {"a": f"other {number}"}) for number in range(2)]
    found = proposed(*_renamed(pairs), *others)
    assert (moves(found), _obstacles(found.moves)) == (pairs, [True])
    # In the state, there is no other instance.
    found = proposed(*_renamed(pairs), *others, in_states=True)
    assert (moves(found), _obstacles(found.moves)) == (pairs, [False])


@pytest.mark.parametrize("in_states", [False, True])
def test_instances_with_and_without_keys(in_states: bool) -> None:
    """The address of one stands for the others, too."""
    pairs = {"aws_x.a": "aws_x.b", "aws_x.a[0]": "aws_x.c", "module.m.aws_x.x": "module.n.aws_x.x"}
    pairs['module.m["k"].aws_x.x'] = "module.o.aws_x.x"
    found = proposed(*_renamed(pairs), in_states=in_states)
    obstacles = {str(move.source): bool(move.obstacle) for move in found.moves}
    assert obstacles == {"aws_x.a": True, "aws_x.a[0]": False, "module.m.aws_x.x": False, 'module.m["k"]': False}
