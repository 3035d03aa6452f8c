"""Recorded states: each value is found by itself, whatever its escapes are, and where `--where` and `show` find it."""

from __future__ import annotations

import pytest

import statefmt
from statefmt.analysis.search import Match, Matcher, search
from statefmt.golang import Members
from statefmt.model.snapshot import Snapshot, instances
from statefmt.redaction.attribute_values import look_up, look_up_flat
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import decoded, parse_path
from statefmt.render.search import match_text
from statefmt.render.terminal import Terminal
from tests.formats.recorded import CASES, Case, input_of

READABLE = [case for case in CASES if case["outcome"] == "ok"][::5]


def _snapshot(case: Case) -> Snapshot | None:
    return statefmt.inspect(input_of(case)).snapshot


@pytest.mark.parametrize("ignore_case", [False, True])
def test_found_again(ignore_case: bool) -> None:
    count = 0
    for case in READABLE:
        snapshot = _snapshot(case)
        for match in [] if snapshot is None else list(search(snapshot, Matcher("")))[:8]:
            text = str(match.value).lower() if isinstance(match.value, bool) else str(match.value)
            assert snapshot is not None
            found = search(snapshot, Matcher(text, ignore_case=ignore_case))
            assert _place(match) in map(_place, found), (case["id"], match)
            count += 1
    assert count > 500


def test_paths_are_those_of_show() -> None:
    for case in READABLE:
        snapshot = _snapshot(case)
        if snapshot is None:
            continue
        objects = {
            (str(one.addr), obj.deposed): (obj, one.resource.addr.resource.type)
            for one in instances(snapshot)
            for obj in one.objects
        }
        for match in search(snapshot, Matcher("")):
            if match.address is None or match.inner_path is not None:
                continue
            obj, type_name = objects[str(match.address), match.deposed]
            value = decoded(attributes_value(obj, type_name, show_sensitive=False))
            if obj.attributes is None and isinstance(value, Members):
                assert look_up_flat(value, match.path) == match.value
            elif match.path:
                assert look_up(value, parse_path(match.path)) == match.value, (case["id"], match)


def test_one_printable_line() -> None:
    for case in READABLE:
        snapshot = _snapshot(case)
        for match in [] if snapshot is None else search(snapshot, Matcher("")):
            for columns in (None, 80):
                assert match_text(match, Terminal(), "file", columns).isprintable()


def _place(match: Match) -> tuple[object, ...]:
    return match.address, match.deposed, match.output, match.path, match.inner_path
