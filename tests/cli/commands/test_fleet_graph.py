"""`statetool fleet graph` on an index of states that read each other."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Statetool
from tests.cli.test_json_output import _assert_valid
from tests.fleet.planting import indexed, planted, reading

pytest.importorskip("duckdb")


@pytest.fixture
def index(folder: Path) -> Path:
    states: dict[str, Any] = {
        "net/net": planted(lineage="n"),
        "app/app": planted(
            reading("net", {"path": "../net/net.tfstate"}), reading("again", {"path": "../net/net.tfstate"})
        ),
        "app/old": planted(reading("gone", {"path": '../x/"</script>\x1b[2J.tfstate'}), lineage="o"),
        "app/torn": b'{"version": 4, "ser',
        "app/reader": planted(reading("torn", {"path": "torn.tfstate"}), lineage="r"),
        "app/cloud": planted(reading("other", {"bucket": "b", "prefix": "p"}, backend="gcs"), lineage="c"),
        "alone": planted(lineage="l"),
    }
    return indexed(folder, states)


def test_text(index: Path, statetool: Statetool) -> None:
    found = statetool("fleet", "graph", "--into", str(index), "--format", "text")
    folder = index.parent / "states"
    assert found.status == 0
    assert found.err == "statetool: 3 references between states, 2 stale, 1 to unknown places\n"
    assert found.text.splitlines()[:4] == [
        f"{folder}/app/app.tfstate",
        f"  reads {folder}/net/net.tfstate",
        "    data.terraform_remote_state.again",
        "    data.terraform_remote_state.net",
    ]
    assert f'  reads {folder}/x/"</script>\\x1b[2J.tfstate (not in the index)' in found.text.splitlines()
    assert f"  reads {folder}/app/torn.tfstate (cannot be read)" in found.text.splitlines()
    assert "alone" not in found.text
    assert (
        f"{folder}/alone.tfstate" in statetool("fleet", "graph", "--into", str(index), "--format", "text", "--all").text
    )


@pytest.mark.parametrize("arguments", [[], ["--all"]])
def test_json(arguments: list[str], index: Path, statetool: Statetool) -> None:
    document = json.loads(statetool("fleet", "graph", "--into", str(index), "--format", "json", *arguments).out)
    _assert_valid(document, "fleet-graph-output")
    assert {(Path(one["from"]).stem, Path(one["to"]).stem[-3:], one["stale"]) for one in document["references"]} == {
        ("app", "net", None),
        ("old", "[2J", "not in the index"),
        ("reader", "orn", "cannot be read"),
    }
    assert [(Path(one["from"]).stem, one["backend"]) for one in document["unknown"]] == [("cloud", "gcs")]
    assert len(document["states"]) == (8 if arguments else 7)


def test_dot_is_drawn_by_graphviz(index: Path, statetool: Statetool) -> None:
    text = statetool("fleet", "graph", "--into", str(index)).text
    assert "\x1b" not in text
    assert text.count(" -> ") == 3
    assert text.count('[style = "dashed", color = "red"]') == 2
    if shutil.which("dot") is None:
        pytest.skip("graphviz is not installed")
    drawn = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True, check=True).stdout
    edges = [line for line in drawn.splitlines() if line.startswith("edge")]
    assert len(edges) == 3
    assert sum("dashed red" in line for line in edges) == 2


def test_mermaid(index: Path, statetool: Statetool) -> None:
    lines = statetool("fleet", "graph", "--into", str(index), "--format", "mermaid").text.splitlines()
    assert sum(" --> " in line for line in lines) == 1
    assert sum(" -.-> " in line for line in lines) == 2
    assert 'n3["app/reader.tfstate<br/>1 resource"]' in [line.strip() for line in lines]
    assert "</script>" not in "".join(lines)


def test_html_has_every_text_escaped(index: Path, statetool: Statetool) -> None:
    pytest.importorskip("jinja2")
    text = statetool("fleet", "graph", "--into", str(index), "--format", "html").text
    assert text.count("</script>") == 3
    assert "\x1b" not in text
    assert " style=" not in text
    assert text.count('class="edge stale"') == 2
    assert text.count('class="node lost"') == 2


def test_circles_and_references_to_itself(folder: Path, statetool: Statetool) -> None:
    states: dict[str, Any] = {
        "a": planted(reading("b", {"path": "b.tfstate"}), reading("self", {"path": "a.tfstate"}), lineage="a"),
        "b": planted(reading("a", {"path": "a.tfstate"}), lineage="b"),
    }
    index = indexed(folder, states)
    for output_format in ("text", "dot", "mermaid", "html", "json"):
        found = statetool("fleet", "graph", "--into", str(index), "--format", output_format)
        assert (found.status, found.err) == (0, "statetool: 3 references between states, 0 stale\n")


def test_many_states_are_drawn_by_folder(folder: Path, statetool: Statetool) -> None:
    pytest.importorskip("jinja2")
    states: dict[str, object] = {"net/base": planted()}
    for number in range(90):
        states[f"app{number % 3}/{number}"] = planted(reading("net", {"path": "../net/base.tfstate"}))
    index = indexed(folder, states)
    text = statetool("fleet", "graph", "--into", str(index), "--format", "html").text
    assert "The drawing shows folders with their numbers of states" in text
    assert [f">{name} ({count})<" in text for name, count in (("app0", 30), ("app2", 30), ("net", 1))] == [True] * 3
    assert text.count('class="edge"') == 3
