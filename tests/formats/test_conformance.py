"""Every recorded state is accepted or refused, reported on, and written back as OpenTofu does it."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from msgspec.structs import replace

import statefmt
from statefmt.formats import Layout, Style
from statefmt.formats.writing import canonical
from tests.formats.deviations import DEVIATIONS, Kind
from tests.formats.recorded import (
    CASES,
    Case,
    findings_of,
    in_one_order,
    input_of,
    outputs_of,
    providers_of,
    without_providers,
)
from tests.tables import each_row

# What the recording notes where OpenTofu cannot read what it wrote, or reads something else.
_NO_WAY_BACK: Final = ("OpenTofu rejects its own output here", "writing the output again changes it")
_REFUSED: Final = {name for name, (kind, _) in DEVIATIONS.items() if kind is Kind.REFUSED}
_READ: Final = [case for case in CASES if case["outcome"] == "ok" and case["id"] not in _REFUSED]
_READ_BACK: Final = [case for case in _READ if case["note"] not in _NO_WAY_BACK]


def _ids(cases: list[Case]) -> list[str]:
    return [case["id"] for case in cases]


def _disagreements(case: Case) -> list[str]:
    """What differs from the recording, in a word each."""
    inspection = statefmt.inspect(input_of(case))
    found = {(f.severity.value, f.summary) for f in inspection.findings if f.severity.value != "info"}
    if case["outcome"] == "panic":
        # OpenTofu crashed: any plain refusal is right.
        return [] if inspection.snapshot is None and "error" in {severity for severity, _ in found} else ["outcome"]
    wrong = [] if found in findings_of(case) else ["findings"]
    if (inspection.snapshot is not None) != (case["outcome"] == "ok"):
        wrong.append("outcome")
    elif inspection.snapshot is not None and not _is_output(statefmt.write(inspection.snapshot), case):
        wrong.append("output")
    return wrong


def _case(name: str) -> Case:
    return next(case for case in CASES if case["id"] == name)


def _is_output(text: bytes, case: Case) -> bool:
    if case["deterministic"]:
        return text in outputs_of(case)
    return in_one_order(text) in [in_one_order(output) for output in outputs_of(case)]


@each_row("case", CASES, ids=_ids(CASES))
def test_agrees_with_opentofu(case: Case) -> None:
    if case["id"] in DEVIATIONS:
        assert _disagreements(case), "listed as a deviation, but it agrees"
    else:
        assert _disagreements(case) == []


@pytest.mark.parametrize(
    ("tier", "share"),
    [pytest.param(1, 0.99, id="what a release writes or a hand leaves behind"), pytest.param(2, 0.98, id="the exotic")],
)
def test_share_that_agrees(tier: int, share: float) -> None:
    cases = [case for case in CASES if case["tier"] == tier]
    differ = {case["id"] for case in cases if _disagreements(case)}
    assert differ == {case["id"] for case in cases} & set(DEVIATIONS)
    assert 1 - len(differ) / len(cases) >= share


def test_tier_1_deviates_only_where_a_rule_is_applied_in_full() -> None:
    tiers = {case["id"]: case["tier"] for case in CASES}
    assert {kind for name, (kind, _) in DEVIATIONS.items() if tiers[name] == 1} == {Kind.REFUSED, Kind.OWN_PROVIDER}


def test_the_data_is_all_there() -> None:
    assert len(CASES) == 1397
    assert len({case["id"] for case in CASES}) == 1397
    assert set(DEVIATIONS) <= {case["id"] for case in CASES}


@pytest.mark.parametrize("name", sorted(_REFUSED))
def test_stricter_than_opentofu(name: str) -> None:
    with pytest.raises(statefmt.StateError) as refused:
        statefmt.read(input_of(_case(name)))
    assert [reason.summary for reason in refused.value.reasons] == ["Provider instance field conflict in state"]


@pytest.mark.parametrize("name", sorted(set(DEVIATIONS) - _REFUSED))
def test_written_otherwise_than_by_opentofu(name: str) -> None:
    """Each object keeps the provider that the file gives it; the rest is OpenTofu's output."""
    case = _case(name)
    text = statefmt.write(statefmt.read(input_of(case)).snapshot)
    assert dict(providers_of(text)) == dict(providers_of(input_of(case)))
    assert b"PANIC" not in text
    assert [without_providers(text)] == [without_providers(output) for output in outputs_of(case)]


@each_row("case", _READ_BACK, ids=_ids(_READ_BACK))
def test_canonical_text_is_its_own_canonical_text(case: Case) -> None:
    text = statefmt.write(statefmt.read(input_of(case)).snapshot)
    assert statefmt.write(statefmt.read(text).snapshot) == text


@each_row("case", _READ_BACK, ids=_ids(_READ_BACK))
def test_styles_differ_in_layout_only(case: Case) -> None:
    snapshot = statefmt.read(input_of(case)).snapshot
    indented = statefmt.write(snapshot)
    assert canonical(snapshot, Style(Layout.INDENT, 2)) == indented + b"\n"
    one_line = canonical(snapshot, Style(Layout.COMPACT))
    assert one_line.count(b"\n") == 1
    assert one_line.endswith(b"\n")
    assert _exactly(one_line) == _exactly(indented)


@each_row("case", _READ, ids=_ids(_READ))
def test_an_untouched_state_keeps_every_byte(case: Case) -> None:
    result = statefmt.read(input_of(case))
    if result.version == 4:
        assert statefmt.write(result.snapshot, canonical=False) == input_of(case)


@each_row("case", _READ, ids=_ids(_READ))
def test_an_edited_state_says_what_was_edited(case: Case) -> None:
    snapshot = statefmt.read(input_of(case)).snapshot
    if snapshot.source is None:
        return  # An older format is written in canonical form.
    resources = tuple(
        replace(old, addr=replace(old.addr, resource=replace(old.addr.resource, name=f"edited{number}")))
        for number, old in enumerate(snapshot.resources)
    )
    edited = replace(snapshot, serial=17, lineage="<edited>", resources=resources)
    again = statefmt.read(statefmt.write(edited, canonical=False)).snapshot
    assert statefmt.write(again) == statefmt.write(edited)


def _exactly(text: bytes) -> Any:
    """What a text says, with number texts, the order of members and repeated members kept."""
    return json.loads(text.decode("utf-8", "surrogateescape"), parse_int=str, parse_float=str, object_pairs_hook=tuple)
