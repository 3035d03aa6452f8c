"""An index whose rows are not those that statetool writes is refused."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from statefmt.fleet import FleetError, duplicate_objects, fleet_graph, fleet_overview, run_difference, state_copies
from tests.fleet.planting import indexed, made, outputs, planted, reading

duckdb = pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, with changes, duplicates, copies and a reference."""
    folder = tmp_path_factory.mktemp("index")
    vpc = made("aws_vpc", id="vpc-1", arn="arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-1")
    states = {name: planted(vpc, reading("n", {"path": "a.tfstate"}), lineage=name) for name in "ab"}
    indexed(folder, states)
    changed = planted(vpc, made("aws_vpc", "y", id="vpc-1"), lineage="a", serial=2, outputs=outputs(o="x"))
    return indexed(folder, {"a": changed, "c": changed})


def _changed(index: Path, folder: Path, sql: str) -> Path:
    copy = folder / "index"
    shutil.copy(index, copy)
    duckdb.connect(os.fspath(copy)).execute(sql).close()
    return copy


def test_what_statetool_writes_is_read(index: Path) -> None:
    assert [len(duplicate_objects(index)), len(state_copies(index))] == [1, 1]
    assert [len(fleet_graph(index).references), len(fleet_overview(index).states)] == [1, 3]
    first = run_difference(index).states[0]
    assert first.objects
    assert first.outputs


@pytest.mark.parametrize(
    ("change", "reader"),
    [
        *(("UPDATE states SET uri = NULL", one) for one in (fleet_graph, fleet_overview, state_copies)),
        ("UPDATE states SET uri = NULL", duplicate_objects),
        ("UPDATE states SET n_objects = NULL", state_copies),
        ("UPDATE states SET n_resources = NULL", fleet_graph),
        ("UPDATE remote_refs SET address = NULL", fleet_graph),
        ("UPDATE runs SET started = NULL", run_difference),
        ("UPDATE history SET uri = NULL", run_difference),
        ("UPDATE history SET n_objects = NULL", run_difference),
        ("UPDATE object_changes SET address = NULL", run_difference),
        ("UPDATE output_changes SET name = NULL", run_difference),
    ],
)
def test_other_rows_are_refused(change: str, reader: Callable[[Path], Any], index: Path, tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="index"):
        reader(_changed(index, tmp_path, change))


def test_a_reference_without_a_place_leads_nowhere(index: Path, tmp_path: Path) -> None:
    graph = fleet_graph(_changed(index, tmp_path, "UPDATE remote_refs SET target_uri = NULL"))
    assert (len(graph.unknown), graph.references) == (1, [])
