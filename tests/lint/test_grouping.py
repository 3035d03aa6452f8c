"""Findings with one cause are one paragraph."""

from __future__ import annotations

from dataclasses import replace

import pytest

from statefmt.lint.checked import grouped, without_address
from statefmt.model.findings import Command, Finding, Fix, Severity
from statefmt.render.check import check_text
from statefmt.render.findings import fix_text
from statefmt.render.terminal import Terminal
from tests.render.states import state

PIPE = Terminal(1000)
BLOCK = 'provider "aws" {\n  alias = "west"\n}'


def _stranded(address: str, *, key: str = "us") -> Finding:
    command = Command("rebind", (address, f'aws.west["{key}"]', "--state", "s"))
    fix = Fix.of("Keep the provider block. Or: ", command, ".", snippet=BLOCK)
    return Finding(
        "CFS001", Severity.ERROR, "Provider gone", f"To work with {address}, it is required.", address, "", fix
    )


def test_one_block_for_all_with_one_command() -> None:
    found = [_stranded("aws_vpc.a"), _stranded('aws_vpc.b["x y"]'), _stranded("aws_vpc.c")]
    command = """`statetool rebind aws_vpc.a 'aws_vpc.b["x y"]' aws_vpc.c 'aws.west["us"]' --state s`"""
    assert "\n".join(check_text([state(*found, name="s")], PIPE)).split("\n") == [
        "error   CFS001 Provider gone (3 findings)",
        "  aws_vpc.a  s:1:1",
        '  aws_vpc.b["x y"]  s:1:1',
        "  aws_vpc.c  s:1:1",
        "    To work with …, it is required.",
        f"  → Keep the provider block. Or: {command}.",
        '      provider "aws" {',
        '        alias = "west"',
        "      }",
        "",
        "1 state checked: 3 errors",
    ]


def test_thirteen_hints_are_one() -> None:
    advice = Fix.of("Pass it through a sensitive variable.")
    found = [
        Finding("SEC004", Severity.INFO, "Password in plain sight", f"r.a{n}: looks like one.", f"r.a{n}", "", advice)
        for n in range(13)
    ]
    text = "\n".join(check_text([state(*found)], PIPE))
    assert text.count("Pass it") == text.count("looks like one") == text.count("Password") == 1
    assert all(f"  r.a{n}  terraform.tfstate:1:1\n" in text for n in range(13))
    assert text.endswith("1 state checked: 13 info")


def test_many_addresses_are_one_selector_if_one_is_known() -> None:
    found = [_stranded(f"aws_vpc.a{n}") for n in range(11)]
    (group,) = grouped(found, {frozenset(finding.address for finding in found): ("--provider", "aws.old")})
    assert "`statetool rebind --provider aws.old 'aws.west[\"us\"]' --state s`" in fix_text(group.fix)
    (group,) = grouped(found, {})
    assert all(f" aws_vpc.a{n} " in fix_text(group.fix) for n in range(11))


@pytest.mark.parametrize(
    "other",
    [
        _stranded("aws_vpc.b", key="eu"),
        replace(_stranded("aws_vpc.b"), severity=Severity.WARNING),
        replace(_stranded("aws_vpc.b"), code="CFS002"),
        replace(_stranded("aws_vpc.b"), fix=Fix.of("Something else.")),
        replace(_stranded("aws_vpc.b"), fix=replace(_stranded("aws_vpc.b").fix, snippet="other")),
    ],
    ids=["another argument", "another severity", "another code", "another advice", "another block"],
)
def test_what_differs_stays_apart(other: Finding) -> None:
    first, last = _stranded("aws_vpc.a"), _stranded("aws_vpc.c")
    assert [group.findings for group in grouped([first, other, last], {})] == [(first, last), (other,)]


def test_a_command_for_one_address_stays() -> None:
    """mv moves one thing: a joined command would do something else."""
    found = [
        Finding("ADR007", Severity.INFO, "Gap", "", a, "", Fix.of(Command("mv", (a, "r.z")))) for a in ("r.a", "r.b")
    ]
    assert [group.fix for group in grouped(found, {})] == [finding.fix for finding in found]


def test_two_findings_at_one_address_name_it_once() -> None:
    found = [replace(_stranded("aws_vpc.a"), pointer=pointer) for pointer in ("/1", "/2")]
    (group,) = grouped(found, {})
    assert fix_text(group.fix) == fix_text(found[0].fix)


def test_different_texts_in_a_group_keep_their_addresses() -> None:
    fix = Fix.of("To upgrade the file: upgrade.")
    found = [
        Finding("STA010", Severity.INFO, "Not carried over", "dependencies (r.x)", "r.a", "", fix),
        Finding("STA010", Severity.INFO, "Choice made", "a key for r.b", "r.b", "", fix),
    ]
    assert "\n".join(check_text([state(*found, name="s")], PIPE)).split("\n")[:6] == [
        "info    STA010 (2 findings)",
        "  r.a  s:1:1",
        "    Not carried over: dependencies (r.x)",
        "  r.b  s:1:1",
        "    Choice made: a key for r.b",
        "  → To upgrade the file: upgrade.",
    ]


# Text, address, text without the address.
WITHOUT = [
    ("r.a is tainted", "r.a", "… is tainted"),
    ("Instance r.a: r.a.", "r.a", "Instance …: …."),
    ("r.ab r.a_b r.a-b r.a[0] r.a.b", "r.a", "r.ab r.a_b r.a-b r.a[0] r.a.b"),
    ("m.r.a xr.a", "r.a", "m.r.a xr.a"),
    ('r.a["x"], r.a["x"].', 'r.a["x"]', "…, …."),
    ("no address", "r.a", "no address"),
    ("no address", "", "no address"),
]


@pytest.mark.parametrize(("text", "address", "expected"), WITHOUT)
def test_without_address(text: str, address: str, expected: str) -> None:
    assert without_address(text, address) == expected
