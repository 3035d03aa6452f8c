"""Values of changes: hidden where the masks are true, and named where they are unknown."""

from __future__ import annotations

from typing import Any, Final

import pytest

from statefmt.analysis.plans import plan_counts
from statefmt.analysis.plans.values import attribute_places, change_details, reason_text, replacing_paths
from statefmt.lifecycle.plan import PlannedChange
from statefmt.lifecycle.read_plan import read_plan
from tests.analysis.plans.documents import change, plan
from tests.lifecycle.plans import recorded_plans


def _change(*actions: str, **inner: Any) -> PlannedChange:
    members = inner.pop("members", {})
    return read_plan(plan(change("aws_vpc.a", *actions, change=inner, **members))).resource_changes[0]


def _found(given: PlannedChange, *, show: bool = False) -> list[tuple[str, str, str]]:
    found = change_details(given.change, attribute_places(given), show_sensitive=show)
    return [("/".join(map(str, each.path)), str(each.old), str(each.new)) for each in found]


_UNKNOWN: Final = "(known after apply)"
_HIDDEN: Final = "(sensitive value)"


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ({"before": {"a": "x"}, "after": {"a": "y"}}, [("a", "x", "y")]),
        ({"before": {"a": "x"}, "after": {}, "after_unknown": {"a": True}}, [("a", "x", _UNKNOWN)]),
        (
            {"before": {"a": ["x", "y"]}, "after": {"a": ["x", None]}, "after_unknown": {"a": [False, True]}},
            [("a/1", "y", _UNKNOWN)],
        ),
        ({"before": {"a": "x"}, "after": {"a": "y"}, "after_sensitive": {"a": True}}, [("a", _HIDDEN, _HIDDEN)]),
        (
            {"before": {"a": {"b": "x"}}, "after": {"a": {"b": "y"}}, "before_sensitive": {"a": True}},
            [("a", _HIDDEN, _HIDDEN)],
        ),
        # Another order, and what changed in it.
        (
            {
                "before": {"a": [{"p": 1, "q": "x"}, {"p": 2, "q": "y"}]},
                "after": {"a": [{"p": 2, "q": "z"}, {"p": 1, "q": "x"}]},
            },
            [("a", "ABSENT", "ABSENT"), ("a/1/q", "y", "z")],
        ),
        # A mask of another shape hides too much rather than too little.
        (
            {"before": {"a": ["x"]}, "after": {"a": ["y"]}, "before_sensitive": {"a": {"b": True}}},
            [("a", _HIDDEN, _HIDDEN)],
        ),
        ({"before": {"a": "x"}, "after": {"a": "x"}, "after_sensitive": {"a": True}}, []),
    ],
)
def test_details(inner: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    assert _found(_change("update", **inner)) == expected


def test_sensitive_values_on_request() -> None:
    given = _change("update", before={"a": "x"}, after={"a": "y"}, after_sensitive={"a": True})
    assert _found(given, show=True) == [("a", "x", "y")]


def test_paths_that_force_a_replacement() -> None:
    given = _change(
        "delete",
        "create",
        replace_paths=[["a"], ["b", 0, "c d"], ["secret", "hush"], ["set", {"x": 1}]],
        before_sensitive={"secret": True},
        members={"action_reason": "replace_because_cannot_update"},
    )
    assert replacing_paths(given.change) == ("a", 'b[0]["c d"]', "secret", "set")
    assert reason_text(given).startswith("a and b[0]")
    assert "hush" not in reason_text(given)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("010-replace-triggered-by", "1 to add, 1 to change, 1 to destroy"),
        ("022-move-and-replace", "1 to add, 0 to change, 1 to destroy, 1 to move"),
        ("025-forget", "0 to add, 0 to change, 0 to destroy, 1 to forget"),
        ("028-import-and-update", "1 to import, 0 to add, 1 to change, 0 to destroy"),
        ("043-data-config-unknown", "2 to add, 0 to change, 0 to destroy, 1 to read"),
    ],
)
def test_counts(name: str, counts: str) -> None:
    assert plan_counts(read_plan(recorded_plans()[name]["plan.json"])) == counts


def test_every_recorded_reason_has_words() -> None:
    found = {
        reason_text(each)
        for files in recorded_plans().values()
        if "plan.json" in files
        for each in read_plan(files["plan.json"]).resource_changes
    }
    assert not [text for text in found if "_because_" in text or "_by_" in text.replace("replace_triggered_by", "")]


@pytest.mark.parametrize("odd", ["1e400", "9" * 400])
def test_masks_and_paths_that_no_engine_writes(odd: str) -> None:
    inner = {"before": {"a": "x"}, "after": {"a": "y"}, "after_sensitive": {"a": True, "b": "ODD"}}
    text = plan(change("aws_vpc.a", "delete", "create", change={**inner, "replace_paths": [["a"], ["b", "ODD"]]}))
    given = read_plan(text.replace(b'"ODD"', odd.encode())).resource_changes[0]
    assert _found(given) == [("a", _HIDDEN, _HIDDEN)]
    assert replacing_paths(given.change)[0] == "a"
