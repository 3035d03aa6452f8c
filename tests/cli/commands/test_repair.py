"""`repair` mends the broken samples, and changes only what it mends."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES

BROKEN: Final = SAMPLES / "broken"
BY_REGION: Final = r"provider[\"registry.opentofu.org/hashicorp/aws\"].by_region"
WEST: Final = 'provider["registry.opentofu.org/hashicorp/aws"].by_region["us-west-2"]'
WEST_LINE: Final = rf'          "provider": "{BY_REGION}[\"us-west-2\"]",'
SERIAL: Final = ['-  "serial": 5,', '+  "serial": 6,']
CASES: Final = {
    "both-levels": ("PRV001 * instances", [f'-      "provider": "{BY_REGION}",']),
    "current-and-deposed-keys": (
        f"PRV005 aws_s3_bucket.logs provider={WEST}",
        [f"-{WEST_LINE.replace('us-west-2', 'eu-west-1')}", f"+{WEST_LINE}"],
    ),
    "missing-provider": (f'PRV002 aws_s3_bucket.logs["us-west-2"] provider={WEST}', [f"+{WEST_LINE}"]),
    "mixed-configurations": (
        f"PRV003 /resources/0/instances/1 provider={WEST}",
        [rf'-          "provider": "{BY_REGION.replace("by_region", "by_account")}[\"main\"]",', f"+{WEST_LINE}"],
    ),
    "split-resource": (
        'PRV006 * provider=provider["registry.opentofu.org/hashicorp/aws"].west',
        [
            r'-      "provider": "provider[\"registry.opentofu.org/hashicorp/aws\"].east",',
            r'+      "provider": "provider[\"registry.opentofu.org/hashicorp/aws\"].west",',
        ],
    ),
}


def _changed(before: str, after: str) -> list[str]:
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line[0] + line[2:] for line in lines if line[0] in "+-"]


def _broken(folder: Path, name: str) -> Path:
    path = folder / "terraform.tfstate"
    path.write_bytes((BROKEN / f"{name}.tfstate").read_bytes())
    return path


@pytest.mark.parametrize("name", CASES)
def test_a_choice_changes_only_what_it_mends(name: str, folder: Path, statetool: Statetool) -> None:
    decision, lines = CASES[name]
    path = _broken(folder, name)
    before = path.read_text()
    assert statetool("repair", "--choose", decision, "--yes").status == 0
    assert _changed(before, path.read_text()) == SERIAL + lines
    assert statetool("list").status == 0


@pytest.mark.parametrize(("choice", "kept"), [("first", "logs-us-west-2"), ("last", "logs-us-west-2-copy")])
def test_one_of_two_objects(choice: str, kept: str, folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    before = path.read_text()
    decision = f'ADR002 aws_s3_bucket.logs["us-west-2"] keep={choice}'
    assert statetool("repair", "--choose", decision, "--dry-run").status == 0
    assert path.read_text() == before
    assert statetool("repair", "--choose", decision, "--yes").status == 0
    after = path.read_text()
    assert f'"id": "{kept}"' in after
    assert sum(line[0] == "-" for line in _changed(before, after)) == 1 + 9


def test_the_blocks_of_a_resource_are_joined(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "split-resource")
    (folder / "decisions").write_text(f"# west has it\n{CASES['split-resource'][0]}\n\nADR005 * merge\n")
    assert statetool("repair", "--decisions", "decisions", "--yes").status == 0
    assert path.read_text().count('"name": "logs"') == 1
    assert statetool("list").text.split() == ['aws_s3_bucket.logs["a"]', 'aws_s3_bucket.logs["b"]']


def test_lists_the_choices(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    before = path.read_bytes()
    done = statetool("repair")
    assert done.status == 1
    assert all(text in done.text for text in ("ADR002", "terraform.tfstate:32:9", "keep=first", "rename=JSON"))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ("ADR002 aws_s3_bucket.other keep=first", "no defect for the decision"),
        ("ADR002 * keep=newest", "its choices are: keep=first"),
        ("ADR002 keep=first", "invalid decision"),
        ('ADR002 * rename="eu-west-1"', "already has an object with the key"),
    ],
)
def test_refuses(decision: str, reason: str, folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    before = path.read_bytes()
    done = statetool("repair", "--choose", decision, "--yes")
    assert done.status == 2
    assert reason in " ".join(done.err.split())
    assert path.read_bytes() == before


def test_refuses_what_would_still_be_unreadable(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    path.write_text(path.read_text().replace('"lineage": "', '"lineage": 7, "x": "'))
    done = statetool("repair", "--choose", "ADR002 * keep=first", "--yes")
    assert (done.status, "without a decision on STA004 at /lineage" in " ".join(done.err.split())) == (2, True)


def test_an_encrypted_state_stays_encrypted(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    (folder / "keys.json").write_text(json.dumps(configuration("new")))
    path.write_bytes(encrypted(path.read_bytes(), "new"))
    assert statetool("repair", "--choose", "ADR002 * keep=first", "--yes", "--encryption", "keys.json").status == 0
    assert b"encrypted_data" in path.read_bytes()
