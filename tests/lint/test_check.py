"""Choosing rules, and what `check` gives."""

from __future__ import annotations

from typing import Any, Final

import pytest

import statefmt
from statefmt.model.findings import NO_STATE, Code
from tests.lint.states import AWS, CANONICAL, R, resource, text
from tests.tables import each_row

# One finding of several rules each.
_STATE: Final = text(
    {
        "terraform_version": "v1.9",
        "new": 1,
        "resources": [
            resource({"index_key": 0, "status": "x"}, {"index_key": 1, "deposed": "1"}, provider=AWS),
            resource({"index_key": 2, "provider": R}, provider=R, name="c"),
        ],
    }
)
_FOUND: Final = {"STA008", "STA011", "INS001", "INS002", "PRV001"}


def _codes(data: bytes, **chosen: Any) -> set[str]:
    return {finding.code for finding in statefmt.check(data, **chosen)}


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        pytest.param({"select": None}, _FOUND, id="all"),
        pytest.param({"select": ["STA008"]}, {"STA008"}, id="one code"),
        pytest.param({"select": ["INS"]}, {"INS001", "INS002"}, id="the beginning of a code"),
        pytest.param({"select": ["INS00", "PRV"]}, {"INS001", "INS002", "PRV001"}, id="several beginnings"),
        pytest.param({"select": ["ADR002"]}, set(), id="one that finds nothing"),
        pytest.param({"select": []}, set(), id="nothing selected"),
        pytest.param({"ignore": ["STA"]}, {"INS001", "INS002", "PRV001"}, id="all but some"),
        pytest.param({"ignore": []}, _FOUND, id="nothing ignored"),
        pytest.param({"select": ["INS"], "ignore": ["INS002"]}, {"INS001"}, id="ignore wins"),
        pytest.param({"select": ["INS002"], "ignore": ["INS"]}, set(), id="even where it says less"),
    ],
)
def test_select_and_ignore(chosen: dict[str, Any], found: set[str]) -> None:
    got = _codes(_STATE, **chosen)
    # Other rules may have something to say, too, where they are chosen.
    assert got & (_FOUND | {"ADR002"}) == found
    assert chosen.get("select") is None or all(code.startswith(tuple(chosen["select"])) for code in got)


@each_row("chosen", ["select", "ignore"])
@each_row("prefix", ["", "X", "sta", "STA9", "STA0011", "STA001x", "*", "not-a-state"])
def test_an_unknown_prefix(chosen: str, prefix: str) -> None:
    with pytest.raises(ValueError, match="no rule has a code that starts with"):
        _codes(_STATE, **{chosen: ["STA001", prefix]})


@each_row(
    ("data", "code"),
    [
        pytest.param(b"", Code.NOT_A_STATE, id="empty"),
        pytest.param(b'{"version":9}', Code.UNSUPPORTED_VERSION, id="unsupported"),
        pytest.param(b'{"encryption_version":"v0"}', Code.ENCRYPTED, id="encrypted"),
        pytest.param(b'{"version":3,"backend":{"type":"s3"}}', Code.BACKEND_CONFIGURATION, id="backend configuration"),
        pytest.param(b'{"version":4,"lineage":"\xff"}', Code.NOT_UTF8, id="not UTF-8"),
    ],
)
@each_row("chosen", [{"select": ["DEP001"]}, {"select": []}, {"ignore": ["STA"]}], ids=repr)
def test_no_choice_hides_that_there_is_no_state(data: bytes, code: str, chosen: dict[str, Any]) -> None:
    assert code in NO_STATE
    (finding,) = statefmt.check(data, **chosen)
    assert (finding.code, finding.severity) == (code, statefmt.Severity.ERROR)


def test_every_no_state_code_is_tried() -> None:
    tried = {"STA001", "STA002", "STA003", "STA012", "STA013"}
    assert tried == NO_STATE


def test_severities_are_the_rules_own() -> None:
    """What reading notes as info may weigh more for `check`."""
    data = text({"resources": [resource({"index_key": 0}), resource({"index_key": 1})]})
    assert [finding.severity.value for finding in statefmt.inspect(data).findings] == ["info"]
    assert [finding.severity.value for finding in statefmt.check(data, select=["ADR005"])] == ["warning"]


def test_sorted_by_address_code_and_place() -> None:
    found = [(finding.address, finding.code, finding.pointer) for finding in statefmt.check(_STATE)]
    assert found == sorted(found)
    assert len({address for address, _, _ in found}) > 2


def test_two_runs_are_equal() -> None:
    assert statefmt.check(_STATE) == statefmt.check(_STATE)
    assert statefmt.check(_STATE, select=["INS", "STA"]) == statefmt.check(_STATE, select=["STA", "INS"])


def test_order_of_choices_does_not_matter() -> None:
    assert statefmt.check(_STATE, ignore=["PRV", "INS001"]) == statefmt.check(_STATE, ignore=["INS001", "PRV"])


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(CANONICAL, id="canonical"),
        pytest.param(b'{"serial":1, "version":4, "new":[1.0]}', id="in its own bytes"),
        pytest.param(b'{"version":4,"resources":[{"mode":"managed","type":"a","name":"b"}]}', id="without a provider"),
    ],
)
def test_a_snapshot_is_checked_as_its_file(data: bytes) -> None:
    assert statefmt.check(statefmt.read(data).snapshot) == statefmt.check(data)


def test_a_snapshot_of_an_older_format_is_checked_as_it_would_be_written() -> None:
    snapshot = statefmt.read(b'{"version":3,"serial":1}').snapshot
    assert "STA007" not in {finding.code for finding in statefmt.check(snapshot)}
    assert "STA007" in _codes(b'{"version":3,"serial":1}')
