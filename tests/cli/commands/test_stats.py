"""`stats`: a state in numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.states import SAMPLES, resource, state
from tests.cli.terminal import on_terminal

SAMPLE = str(SAMPLES / "v4-deposed.tfstate")
MANY = state(*(resource(f"t{number:02}", "a", {"attributes": {"a": "x" * number}}) for number in range(13)))


def _facts(text: str) -> dict[str, str]:
    lines = text.split("\n\n", maxsplit=1)[0].splitlines()[1:]
    return {line[:18].strip(): line[18:] for line in lines}


def test_facts(statetool: Statetool) -> None:
    document = json.loads(Path(SAMPLE).read_bytes())
    objects = [obj for block in document["resources"] for obj in block["instances"]]
    deposed = sum("deposed" in obj for obj in objects)
    tainted = sum(obj.get("status") == "tainted" for obj in objects)
    assert deposed and tainted
    facts = _facts(statetool("stats", SAMPLE).text)
    assert facts["format version"] == "4"
    assert facts["serial"] == str(document["serial"])
    assert facts["lineage"] == document["lineage"]
    assert facts["size"] == f"{Path(SAMPLE).stat().st_size:,} bytes"
    assert facts["objects"] == f"{len(objects)} ({deposed} deposed, {tainted} tainted)"


def test_dependencies(statetool: Statetool, folder: Path) -> None:
    """With what they take, if there are any."""
    (folder / "state").write_bytes(MANY)
    assert _facts(statetool("stats", "state").text)["dependencies"] == "0"
    (folder / "state").write_bytes(state(resource("t", "a", {"attributes": {}, "dependencies": ["t.b"]})))
    assert _facts(statetool("stats", "state").text)["dependencies"].startswith("1 (")


def test_no_more_than_ten_groups(statetool: Statetool, folder: Path) -> None:
    (folder / "state").write_bytes(MANY)
    types = statetool("stats", "state").text.split("\n\n")[2].splitlines()
    assert [line.split()[0] for line in types[1:]] == [*(f"t{number:02}" for number in range(12, 2, -1)), "(3"]
    assert types[-1].split()[:4] == ["(3", "more)", "3", "3"]
    every = statetool("stats", "state", "--all").text.split("\n\n")[2].splitlines()
    assert len(every) == 14


def test_totals_of_provider_instances_come_first(statetool: Statetool) -> None:
    sample = str(SAMPLES / "v4-regions.tfstate")
    groups = statetool("stats", sample).text.split("\n\n")[1:]
    assert [group.split()[:2] for group in groups[:-1]] == [["by", "provider"], ["by", "type"]]
    document = json.loads(Path(sample).read_bytes())
    expected: dict[str, int] = {}
    for block in document["resources"]:
        for obj in block["instances"]:
            address = obj.get("provider", block.get("provider"))
            expected[address] = expected.get(address, 0) + 1
    short = {
        address.replace('provider["registry.opentofu.org/hashicorp/aws"]', "aws"): n for address, n in expected.items()
    }
    assert {line.split()[0]: int(line.split()[3]) for line in groups[0].splitlines()[1:]} == short
    found = json.loads(statetool("stats", sample, "--format", "json").out)["provider_instances"]
    assert {one["provider_instance"]: one["objects"] for one in found} == expected


def test_modules_on_request(statetool: Statetool) -> None:
    sample = str(SAMPLES / "v4-regions.tfstate")
    assert "by module" not in statetool("stats", sample).text
    table = statetool("stats", sample, "--modules").text.partition("by module")[2].split("\n\n")[0]
    assert [line.split()[0] for line in table.splitlines()[1:]] == [
        "(root)", 'module.database["eu-west-1"]', 'module.database["us-west-2"]',
    ]  # fmt: skip


@pytest.mark.parametrize("top", [0, 1, 10, 100])
def test_top(top: int, statetool: Statetool, folder: Path) -> None:
    (folder / "state").write_bytes(MANY)
    text = statetool("stats", "state", "--top", str(top)).text
    assert text.count("\nlargest") + text.count("largest instances") == (top > 0)
    assert len(text.partition("largest instances\n")[2].splitlines()) == min(top, 13)
    document = json.loads(statetool("stats", "state", "--top", str(top), "--format", "json").out)
    assert len(document["largest_instances"]) == min(top, 13)


def test_bars_on_a_terminal_only(program: Program, folder: Path) -> None:
    (folder / "state").write_bytes(MANY)
    assert "█" not in program("stats", "state").text
    lines = on_terminal(program, "statetool --color never stats state").text.splitlines()
    bars = [line.count("█") for line in lines if line.startswith("t")]
    assert bars[0] == max(bars) > 0
    assert bars == sorted(bars, reverse=True)
    assert max(map(len, lines)) <= 80


def test_bytes_are_those_in_the_file(statetool: Statetool) -> None:
    document = json.loads(statetool("stats", SAMPLE, "--format", "json").out)
    assert document["state"]["bytes"] == Path(SAMPLE).stat().st_size
    for member in ("types", "modules", "providers"):
        assert sum(group["bytes"] for group in document[member]) == document["total"]["bytes"]


def test_older_format(statetool: Statetool) -> None:
    facts = _facts(statetool("stats", str(SAMPLES / "v1-legacy.tfstate")).text)
    assert facts["format version"] == "1"
    assert facts["release"] == "unknown"
    assert facts["sizes below"] == "of the objects in format 4, on one line"


def test_empty_state(statetool: Statetool) -> None:
    result = statetool("stats", str(SAMPLES / "v4-empty.tfstate"))
    assert result.status == 0
    assert "\n\n" not in result.text


def test_control_characters_are_shown_as_such(statetool: Statetool, folder: Path) -> None:
    (folder / "state").write_bytes(state(resource("aws\x1b[2J", "v"), lineage="\x1b[2J"))
    text = statetool("stats", "state").text
    assert "\x1b" not in text
    assert "aws\\x1b[2J" in text
