"""What a finding is known by: what changes it and what does not."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from statefmt.lint.baseline import fingerprint, numbered_fingerprints
from statefmt.lint.check import check
from statefmt.model.findings import Finding, Severity
from tests.tables import each_row

DANGLING = Finding(
    "DEP002",
    Severity.WARNING,
    "Dependency is not in the state",
    "Resource aws_eip.nat depends on aws_vpc.gone[0], which the state does not have.",
    "aws_eip.nat",
    "/resources/3/instances/0/dependencies/2",
)
UNKNOWN = Finding("STA008", Severity.INFO, "Unknown member", 'The member "a" is not known.', "a.b", "/resources/1/a")
CONFLICT = Finding("PRV003", Severity.ERROR, "Conflict", "a.b[0] has x.y, a.b[1] has x.z.", "a.b", "/resources/1")

# What is changed, and whether the finding is still the same one.
CASES = [
    (DANGLING, {"pointer": "/resources/8/instances/5/dependencies/0"}, True, "places in arrays"),
    (DANGLING, {"severity": Severity.ERROR}, True, "another severity"),
    (DANGLING, {"summary": "Dangling dependency"}, True, "other words in the summary"),
    (DANGLING, {"fix": "statetool fmt"}, True, "another fix"),
    (
        DANGLING,
        {"detail": "There is no aws_vpc.gone[0], which aws_eip.nat needs (3 times, see /resources/7)."},
        True,
        "other words around the same name",
    ),
    (DANGLING, {"detail": DANGLING.detail.replace("gone", "lost")}, False, "another element of the list"),
    (DANGLING, {"detail": DANGLING.detail.replace("[0]", "[1]")}, False, "another instance key"),
    (DANGLING, {"address": "aws_eip.nat[1]"}, False, "another address"),
    (DANGLING, {"code": "DEP003"}, False, "another rule"),
    (DANGLING, {"pointer": "/resources/3/instances/0/depends_on/2"}, False, "another list"),
    (UNKNOWN, {"pointer": "/resources/2/a"}, True, "another place of the resource"),
    (UNKNOWN, {"detail": "Something else."}, True, "another text, where the pointer tells all"),
    (UNKNOWN, {"pointer": "/resources/1/b"}, False, "another member"),
    (UNKNOWN, {"pointer": "/resources/1/instances/0/a"}, False, "the same name at another level"),
    (CONFLICT, {"detail": "a.b[0] has x.y, a.b[1] has x.z, a.b[2] has x.z."}, True, "more instances in the text"),
]


@each_row(("finding", "change", "same", "shows"), CASES, ids=[case[3] for case in CASES])
def test_what_changes_it(finding: Finding, change: dict[str, Any], same: bool, shows: str) -> None:
    assert (fingerprint(replace(finding, **change)) == fingerprint(finding)) is same


def test_form() -> None:
    assert re.fullmatch("[0-9a-f]{32}", fingerprint(DANGLING))


def test_stays_from_release_to_release() -> None:
    """Baselines and code scanning keep them: if this fails, all known findings become new ones for everybody."""
    assert fingerprint(DANGLING) == "0dcc2157c87604e9c3b880a502fadb9e"
    assert fingerprint(UNKNOWN) == "92f82604c9693fad943c1bbe4053fe1f"


def test_any_text() -> None:
    assert fingerprint(replace(DANGLING, address="\ud800\x00", detail='"\\', pointer="/\udc00/0"))


def test_numbers_of_the_same() -> None:
    marks = list(numbered_fingerprints([DANGLING, UNKNOWN, DANGLING, DANGLING]))
    assert [mark.partition(":")[2] for mark in marks] == ["1", "1", "2", "3"]
    assert len(set(marks)) == 4
    assert {mark.partition(":")[0] for mark in marks} == {fingerprint(DANGLING), fingerprint(UNKNOWN)}


def _state(*, serial: int, indent: int | None, turned: bool) -> bytes:
    resources = [
        {
            "mode": "managed",
            "type": "t",
            "name": name,
            "provider": 'provider["registry.opentofu.org/hashicorp/aws"]',
            "instances": [
                {"index_key": key, "status": "broken", "deposed": "x", "dependencies": ["a b", "c d"], "attributes": {}}
                for key in (["k", "l"] if turned else ["l", "k"])
            ],
        }
        for name in ("a", "b", "c")
    ]
    if turned:
        resources.reverse()
    state = {"version": 4, "terraform_version": "1.9.0", "serial": serial, "lineage": "l", "resources": resources}
    return json.dumps(state, indent=indent).encode()


def test_real_findings_keep_theirs() -> None:
    """The same defects with another serial, other lines, and the resources and instances in another order."""
    first, second = (
        check(_state(serial=4, indent=2, turned=False)),
        check(_state(serial=4711, indent=None, turned=True)),
    )
    assert len(first) > 10
    assert sorted(map(fingerprint, first)) == sorted(map(fingerprint, second))
    assert len(set(map(fingerprint, first))) > 10
