"""`upgrade`: any format version in, on standard output what OpenTofu writes, and a report of the way there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import COMPACT, HAND_EDITED, INDENTED, SAMPLES, recorded
from tests.tables import each_row

RECORDED = [
    "v1-upgrade/001",
    "v1-upgrade/010",
    "v1-upgrade/045",
    "v2-upgrade/001",
    "v2-upgrade/031",
    "v2-upgrade/047",
    "v3-upgrade/001",
    "v3-upgrade/004",
    "v3-upgrade/007",
    "outputs/001",
]


@pytest.mark.parametrize("case", RECORDED)
def test_as_opentofu_does(case: str, statetool: Statetool) -> None:
    Path("state").write_bytes(recorded(case).input)
    result = statetool("upgrade", "--registry", "keep", "state")
    assert (result.status, result.text) == (0, recorded(case).output.decode())


STYLES = [
    ("", HAND_EDITED, INDENTED),
    ("", COMPACT, INDENTED),
    ("--style indent", COMPACT, INDENTED),
    ("--style compact", INDENTED, COMPACT),
    ("--style compact", HAND_EDITED, COMPACT),
    ("--style keep", INDENTED, INDENTED),
    ("--style keep", COMPACT, COMPACT),
    ("--style keep", HAND_EDITED, INDENTED),
    ("--style keep", INDENTED + b"\n", INDENTED + b"\n"),
]


@pytest.mark.parametrize(("option", "given", "expected"), STYLES)
def test_style(option: str, given: bytes, expected: bytes, statetool: Statetool) -> None:
    Path("state").write_bytes(given)
    assert statetool("upgrade", *option.split(), "state").out == expected


# A sample, and what its report must say: every choice and everything dropped.
REPORTS = [
    ("v1-legacy", "format version 1 → 4"),
    ("v1-legacy", "4 resources, 4 objects, 2 outputs; serial 12"),
    ("v1-legacy", "not carried over: aws_vpc.main: 1 object(s) listed as tainted"),
    ("v1-legacy", "not carried over: outputs of 1 module, which each run recomputes: module.network."),
    ("v2-legacy", "format version 2 → 4"),
    ("v2-legacy", 'not carried over: the block "remote"'),
    ("v3-legacy", "format version 3 → 4"),
    ("v3-legacy", "8 resources, 12 objects, 4 outputs; serial 87"),
    (
        "v3-legacy",
        (
            "not carried over: dependencies of 6 instances, which the next apply records again: aws_db_instance.main, "
            "aws_instance.web[0], aws_instance.web[1], aws_instance.web[2], module.network.aws_route_table.private[0], "
            "module.network.aws_route_table.private[1]."
        ),
    ),
    ("v3-legacy", "not carried over: outputs of 1 module, which each run recomputes: module.network."),
    ("v3-legacy", "chosen: aws_instance.web[0]: a deposed object without a key gets the key 00000001"),
    ("v4-resource-level", "has format version 4 already and is canonical"),
    ("v4-compact", "has format version 4 already, rewritten in canonical form"),
    ("v4-newer-release", 'The member "deferred_actions" is not known to statetool at the top level'),
    ("v4-newer-release", 'The member "origin" is not known to statetool in aws_route53_zone.main'),
]


@each_row(("sample", "line"), REPORTS)
def test_report(sample: str, line: str, statetool: Statetool) -> None:
    report = statetool("upgrade", "--registry", "keep", str(SAMPLES / f"{sample}.tfstate")).err
    assert line in " ".join(report.split())


def test_report_where_instances_disagree(statetool: Statetool) -> None:
    """The provider is that of the lowest key, and the report names who had another one."""
    resources = '"a.b.1":{"type":"a","provider":"provider.x"},"a.b.0":{"type":"a","provider":"provider.y"}'
    Path("state").write_text(f'{{"version":3,"serial":1,"modules":[{{"path":["root"],"resources":{{{resources}}}}}]}}')
    result = statetool("upgrade", "--registry", "keep", "state")
    assert 'provider[\\"registry.opentofu.org/-/y\\"]' in result.text
    assert "chosen: a.b[1]: its provider is 'provider.x', but a.b[0] has 'provider.y'" in " ".join(result.err.split())


UNKNOWN = ['"deferred_actions"', '"experiments"', '"origin"', '"last_refreshed": 1.0e9', '"description": "Name of']


@pytest.mark.parametrize("command", ["upgrade", "fmt --stdout"])
def test_unknown_members(command: str, statetool: Statetool) -> None:
    """Kept and told of, unless they are to be dropped as OpenTofu would."""
    sample = str(SAMPLES / "v4-newer-release.tfstate")
    kept = statetool(*command.split(), sample).text
    dropped = statetool(*command.split(), "--drop-unknown", sample).text
    assert [member for member in UNKNOWN if member in kept] == UNKNOWN
    assert [member for member in UNKNOWN if member in dropped] == []


@pytest.mark.parametrize("command", ["upgrade", "fmt --stdout"])
def test_report_says_what_was_dropped(command: str, statetool: Statetool) -> None:
    sample = str(SAMPLES / "v4-newer-release.tfstate")
    assert "The unknown members were dropped." in statetool(*command.split(), "--drop-unknown", sample).err
    assert "The unknown members were dropped." not in statetool(*command.split(), sample).err
