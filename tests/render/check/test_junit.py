"""JUnit XML: valid by Jenkins's schema, well-formed whatever a state holds, and what CI systems show of it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema
from hypothesis import given, strategies as st

from statefmt.lint.checked import CheckedState
from statefmt.model.findings import Finding, Fix, Severity
from statefmt.render.check_reports import check_junit
from statefmt.render.findings import fix_text
from tests.render.states import CLEAN, ERROR, HOSTILE, INFO, NO_STATE, SEVERAL, WARNING, hundred, state

SCHEMA = xmlschema.XMLSchema(Path(__file__).parents[2] / "data" / "junit-10.xsd")


def read(*states: CheckedState, fail_on: Severity = Severity.ERROR) -> ElementTree.Element:
    root = ElementTree.fromstring(b"".join(check_junit(states, fail_on=fail_on)))
    SCHEMA.validate(root)
    return root


def outcomes(*states: CheckedState, fail_on: Severity = Severity.ERROR) -> list[str]:
    """What became of each test case: the tag of the element in it, or nothing."""
    return [case[0].tag if len(case) else "" for case in read(*states, fail_on=fail_on).iter("testcase")]


@pytest.mark.parametrize(
    "states",
    [(), (CLEAN,), SEVERAL, (hundred(),), (state(HOSTILE, name="a\x1b<b>\udcff"),)],
    ids=["nothing", "clean", "several", "hundred", "hostile"],
)
def test_is_valid(states: tuple[CheckedState, ...]) -> None:
    assert len(list(read(*states).iter("testsuite"))) == len(states)


def test_the_schema_refuses_what_is_not_junit() -> None:
    text = b"".join(check_junit(SEVERAL)).replace(b"<testcase name=", b"<testcase title=", 1)
    assert not SCHEMA.is_valid(ElementTree.fromstring(text))


@pytest.mark.parametrize(
    ("fail_on", "expected"),
    [
        (Severity.ERROR, ["failure", "system-out", "system-out"]),
        (Severity.WARNING, ["failure", "failure", "system-out"]),
        (Severity.INFO, ["failure", "failure", "failure"]),
    ],
)
def test_a_case_fails_where_check_does(fail_on: Severity, expected: list[str]) -> None:
    assert outcomes(state(ERROR, WARNING, INFO), fail_on=fail_on) == expected


def test_a_clean_state_has_a_case_that_passed() -> None:
    (case,) = read(CLEAN).iter("testcase")
    assert (case.attrib, len(case)) == ({"name": "no findings", "classname": "terraform.tfstate"}, 0)


def test_what_is_no_state_is_an_error() -> None:
    assert outcomes(state(NO_STATE)) == ["error"]


def test_counts() -> None:
    root = read(*SEVERAL, fail_on=Severity.WARNING)
    assert [(each.get("tests"), each.get("failures"), each.get("errors")) for each in [root, *root]] == [
        ("7", "3", "1"),
        ("5", "3", "0"),
        ("1", "0", "0"),
        ("1", "0", "1"),
    ]


def test_names() -> None:
    """GitLab takes the class for the suite, and keeps the first of the cases that have the same name."""
    cases = list(read(state(ERROR, ERROR, INFO, ERROR, name="a/b.tfstate")).iter("testcase"))
    assert {case.get("classname") for case in cases} == {"a/b.tfstate"}
    assert [case.get("name") for case in cases] == [
        'ADR002 aws_s3_bucket.logs["us-west-2"]',
        'ADR002 aws_s3_bucket.logs["us-west-2"] (2)',
        "STA007",
        'ADR002 aws_s3_bucket.logs["us-west-2"] (3)',
    ]


def test_failure() -> None:
    failure = read(SEVERAL[0], fail_on=Severity.WARNING)[0][1][0]
    assert failure.attrib == {"type": "PRV001", "message": "Provider field conflict in state"}
    assert failure.text is not None
    assert failure.text.split("\n") == [
        f"envs/production/terraform.tfstate:1234:11: warning PRV001 {WARNING.address}",
        f"{WARNING.summary}. {WARNING.detail}",
        fix_text(WARNING.fix),
    ]


def test_what_is_said_of_the_whole_file() -> None:
    failure = read(CheckedState("x", (NO_STATE,)))[0][0][0]
    assert failure.text == "x: error STA001\nUnsupported state file format. The file is empty."


TEXTS = st.text(st.characters(exclude_categories=()) | st.sampled_from("\x00\x08\x0b\x1b\ufffe\ud800<>&\"']\n\r\t"))


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_any_text_is_well_formed(name: str, address: str, detail: str, fix: str) -> None:
    finding = Finding("ADR001", Severity.ERROR, detail, detail, address, "", Fix.of(fix))
    (case,) = read(state(finding, name=name)).iter("testcase")
    assert case.get("name", "").startswith("ADR001")


def test_the_same_to_the_byte() -> None:
    assert b"".join(check_junit(SEVERAL)) == b"".join(check_junit(SEVERAL))
