"""`repair` mends the broken samples, and changes only what it mends."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Program, Statetool
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


def test_the_command_that_a_list_names_can_be_run(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    line = next(line for line in statetool("repair").text.splitlines() if "--choose" in line and "statetool" in line)
    program, *words = shlex.split(line)
    assert program == "statetool"
    done = statetool(*words)
    assert (done.status, "dry run; nothing was written" in done.err) == (0, True)
    assert statetool(*(word for word in words if word != "--dry-run"), "--yes").status == 0
    assert path.read_text().count("logs-us-west-2-copy") == 0
    assert statetool("repair").status == 0


def test_a_file_of_decisions_decides_nothing_until_it_is_edited(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    before = path.read_bytes()
    listed = statetool("repair", "--format", "decisions")
    (folder / "decisions").write_bytes(listed.out)
    refused = statetool("repair", "--decisions", "decisions", "--yes")
    assert (refused.status, ": no decisions: " in refused.err, path.read_bytes()) == (2, True, before)
    wanted = '#ADR002 aws_s3_bucket.logs["us-west-2"] keep=last\n'
    assert wanted in listed.text
    (folder / "decisions").write_text(listed.text.replace(wanted, wanted[1:]))
    assert statetool("repair", "--decisions", "decisions", "--yes").status == 0
    assert '"id": "logs-us-west-2-copy"' in path.read_text()


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("\n# so\nADR002 keep=first\n", "decisions:3: invalid decision 'ADR002 keep=first'"),
        (
            "ADR002 * keep=first\nADR002 x.y keep=first\n",
            "decisions:2: no defect for the decision: ADR002 x.y keep=first",
        ),
        ("ADR002 * keep=oldest\n", "decisions:1: ADR002 at aws_s3_bucket.logs"),
        (
            "ADR002 * keep=id=absent\n",
            'decisions:1: ADR002 at aws_s3_bucket.logs["us-west-2"]: keep=id=absent: 0 of the 2 objects have this id',
        ),
        ("ADR002 * keep=first\nADR002 * keep=last\n", "decisions:2: two decisions for ADR002 at aws_s3_bucket.logs"),
    ],
)
def test_errors_name_the_line(lines: str, reason: str, folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    before = path.read_bytes()
    (folder / "decisions").write_text(lines)
    done = statetool("repair", "--decisions", "decisions", "--yes")
    assert (done.status, path.read_bytes()) == (2, before)
    assert reason in " ".join(done.err.split())


def test_a_file_of_decisions_may_come_from_windows(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    (folder / "decisions").write_bytes(b"\xef\xbb\xbf# so\r\nADR002 * keep=last\r\n")
    assert statetool("repair", "--decisions", "decisions", "--yes").status == 0
    assert '"id": "logs-us-west-2-copy"' in path.read_text()


def test_the_decision_that_is_closest_counts(folder: Path, statetool: Statetool) -> None:
    """One for the instance, then one for the resource, then one for all places."""
    path = folder / "terraform.tfstate"
    one = {"schema_version": 0, "attributes": {}}
    resources = [
        {"mode": "managed", "type": "t", "name": name, "provider": 'provider["a/b/c"]', "instances": [
            one | {"index_key": key, "attributes": {"id": f"{name}{key}{number}"}} for key in "xy" for number in (1, 2)
        ]}
        for name in "ab"
    ]  # fmt: skip
    path.write_text(json.dumps({"version": 4, "serial": 1, "lineage": "l", "resources": resources}))
    lines = ["ADR002 * keep=first", "ADR002 t.b keep=last", 'ADR002 t.b["y"] keep=first']
    (folder / "decisions").write_text("\n".join(lines))
    assert statetool("repair", "--decisions", "decisions", "--yes").status == 0
    instances = (one for resource in json.loads(path.read_text())["resources"] for one in resource["instances"])
    assert [one["attributes"]["id"] for one in instances] == ["ax1", "ay1", "bx2", "by1"]


def test_decisions_that_cannot_be_read(folder: Path, statetool: Statetool) -> None:
    _broken(folder, "duplicate-instance")
    (folder / "latin").write_bytes(b"ADR002 * \xff")
    assert "latin: cannot read the decisions: the file is not UTF-8" in statetool("repair", "--decisions", "latin").err
    done = statetool("repair", "--decisions", "missing")
    assert (done.status, "missing: cannot read the decisions: No such file" in done.err) == (2, True)


def test_one_choice_for_all_duplicates(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    assert statetool("repair", "--keep", "last", "--yes").status == 0
    assert '"id": "logs-us-west-2-copy"' in path.read_text()
    path = _broken(folder, "duplicate-instance")
    assert statetool("repair", "--keep", "id=logs-us-west-2", "--yes").status == 0
    assert "copy" not in path.read_text()
    done = statetool("repair", "--keep", "last", "--yes")
    assert (done.status, "no defect for the decision: ADR002 * keep=last" in done.err) == (2, True)


def test_a_provider_comes_from_the_configuration(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "missing-provider")
    (folder / "main.tf").write_text(
        'provider "aws" {\n  alias = "by_region"\n  for_each = toset(["us-west-2", "eu-west-1"])\n'
        "  region = each.key\n}\n"
        'resource "aws_s3_bucket" "logs" {\n  for_each = toset(["us-west-2", "eu-west-1"])\n'
        "  provider = aws.by_region[each.key]\n}\n"
    )
    assert statetool("repair", "--config", ".", "--choose", "PRV002 * provider=config", "--yes").status == 0
    assert json.loads(path.read_text())["resources"][0]["instances"][1]["provider"] == WEST


def test_the_errors_that_are_left_are_shown_and_do_not_block(folder: Path, statetool: Statetool) -> None:
    """The state could not be read before, so nobody knows whether the repair adds them."""
    path = _broken(folder, "duplicate-instance")
    both = path.read_text().replace('"logs-eu-west-1"', '"shared"').replace('"logs-us-west-2"', '"shared"')
    path.write_text(both)
    done = statetool("repair", "--keep", "first", "--yes")
    assert done.status == 0
    assert "`statetool check` reports 2 errors in the repaired state:" in done.text
    assert "error ADR008" in done.text
    assert "`statetool rm 'aws_s3_bucket.logs[\"eu-west-1\"]' --state terraform.tfstate`" in done.text


def test_what_is_forgotten_is_named_without_secrets(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    state = json.loads(path.read_text())
    copy = state["resources"][0]["instances"][2]
    copy["attributes"]["id"] = "hunter2"
    copy["sensitive_attributes"] = [[{"type": "get_attr", "value": "id"}]]
    path.write_text(json.dumps(state, indent=2))
    lines = [("repair",), ("repair", "--format", "json"), ("repair", "--format", "decisions")]
    for words in [*lines, ("repair", "--keep", "first", "--dry-run")]:
        hidden, shown = statetool(*words), statetool(*words, "--show-sensitive")
        assert "hunter2" not in hidden.text + hidden.err
        assert "(sensitive value)" in hidden.text
        assert "hunter2" in shown.text
    assert '- aws_s3_bucket.logs["us-west-2"] (id hunter2)' in shown.text


def test_standard_input_and_other_files(folder: Path, statetool: Statetool, program: Program) -> None:
    path = _broken(folder, "duplicate-instance")
    before = path.read_bytes()
    assert program("repair", "-", stdin=before).status == 1
    piped = program("repair", "-", "--keep", "first", "--yes", stdin=before)
    assert piped.status == 0
    assert statetool("repair", "--keep", "first", "--out", "new", "--yes").status == 0
    assert (folder / "new").read_bytes() == piped.out
    assert path.read_bytes() == before
    assert statetool("list", "--state", "new").status == 0


def test_asks_before_it_writes(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    before = path.read_bytes()
    done = statetool("repair", "--keep", "first")
    assert (done.status, path.read_bytes()) == (2, before)
    assert "needs confirmation, and there is no terminal" in " ".join(done.err.split())


def test_the_format_is_that_of_the_list(folder: Path, statetool: Statetool) -> None:
    _broken(folder, "duplicate-instance")
    assert statetool("repair", "--keep", "first", "--format", "json", "--yes").status == 2
    assert statetool("repair", "--format", "yaml").status == 2


@pytest.mark.parametrize(("name", "reason"), [("truncated", "STA001"), ("backend-configuration", "STA012")])
def test_what_cannot_be_parsed_is_refused(name: str, reason: str, folder: Path, statetool: Statetool) -> None:
    _broken(folder, name)
    for words in ("repair",), ("repair", "--keep", "first", "--yes"):
        done = statetool(*words)
        assert (done.status, reason in done.err) == (2, True)


def test_an_older_format(folder: Path, statetool: Statetool) -> None:
    path = folder / "terraform.tfstate"
    path.write_text('{"version": 3, "terraform_version": " 0.11.14", "serial": 3, "lineage": "l", "modules": []}')
    assert statetool("list").status == 2
    assert statetool("repair", "--choose", "STA006 * trim", "--yes").status == 0
    assert path.read_text() == (
        '{"version": 3, "terraform_version": "0.11.14", "serial": 4, "lineage": "l", "modules": []}'
    )
    assert statetool("list").status == 0


def test_a_repair_is_undone(folder: Path, statetool: Statetool) -> None:
    path = _broken(folder, "duplicate-instance")
    before = path.read_text()
    assert statetool("repair", "--keep", "first", "--yes").status == 0
    assert statetool("undo", "--yes").status == 0
    assert path.read_text() == before.replace('"serial": 5', '"serial": 7')


def test_state_that_is_not_utf8(folder: Path, statetool: Statetool) -> None:
    """The bytes are mended, and no object counts as forgotten."""
    path = folder / "terraform.tfstate"
    valid = (SAMPLES / "broken/duplicate-instance.tfstate").read_text("utf-8").replace("logs-us-west-2-copy", "müll")
    path.write_bytes(valid.encode("cp1252"))
    done = statetool("repair", "--choose", "STA013 * windows-1252", "--choose", "ADR002 * keep=last", "--yes")
    assert done.status == 0, done.err
    assert 'logs["us-west-2"] (id logs-us-west-2)' in done.text + done.err
    assert "1 object" in done.text + done.err
    assert '"id": "müll"' in path.read_text("utf-8")


def test_other_commands_name_the_repair(folder: Path, statetool: Statetool) -> None:
    _broken(folder, "duplicate-instance").rename(folder / "a state")
    done = statetool("list", "--state", "a state")
    command = re.findall("`(statetool repair.*?)`", done.err)
    assert (done.status, command) == (2, ["statetool repair --state 'a state'"])
    assert statetool(*shlex.split(command[0])[1:]).status == 1
    _broken(folder, "truncated")
    assert "repair" not in statetool("list").err


def test_a_name_that_no_command_can_write_has_a_way_out(folder: Path, statetool: Statetool) -> None:
    resource = {"mode": "managed", "type": "t", "name": "a b", "provider": 'provider["a/b/c"]', "instances": []}
    (folder / "terraform.tfstate").write_text(json.dumps({"version": 4, "serial": 1, "resources": [resource]}))
    assert "`statetool repair --state terraform.tfstate` shows the choices" in statetool("check").text
    assert statetool("repair", "--choose", "ADR009 /resources/0/name rename=ab", "--yes").status == 0
    assert "ADR009" not in statetool("check").text


def test_a_choice_for_one_defect_needs_its_place(folder: Path, statetool: Statetool) -> None:
    path = folder / "terraform.tfstate"
    path.write_bytes((Path(__file__).parents[2] / "lint/ADR009/fail-bad-name.tfstate").read_bytes())
    done = statetool("repair", "--choose", "ADR009 * rename=good", "--yes")
    assert done.status == 2
    assert "this choice fits one defect only, so name its place instead of *: ADR009 * rename=good" in done.err


def test_a_decision_that_never_ends(folder: Path, statetool: Statetool) -> None:
    """A state of version 1 has no lineage, whatever is written there: it was given a new one in every round."""
    (folder / "terraform.tfstate").write_bytes((SAMPLES / "v1-legacy.tfstate").read_bytes())
    assert "nothing to repair" in statetool("repair").err
    assert statetool("repair", "--choose", "STA014 * new", "--yes").status == 2
