"""The states of the benchmarks are what their names say, and statetool finds no errors in them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import statefmt
from benchmarks.case import STATETOOL
from benchmarks.formats import LINEAGE
from benchmarks.shapes import MACHINE, SHAPES

SIZE = 300_000
ALL = pytest.mark.parametrize("name", SHAPES)
_NOT_CANONICAL = "STA007"


def text_of(name: str, size: int = SIZE) -> bytes:
    return b"".join(SHAPES[name].pieces(size))


def state(name: str, size: int = SIZE) -> dict[str, Any]:
    tree = json.loads(text_of(name, size))
    assert isinstance(tree, dict)
    return tree


def objects(name: str) -> Iterator[dict[str, Any]]:
    return (instance for resource in state(name)["resources"] for instance in resource["instances"])


@ALL
def test_size_is_reached_and_hardly_exceeded(name: str) -> None:
    element = 300_000 if name == "large-attributes" else 100_000
    assert SIZE <= len(text_of(name)) <= SIZE + element
    assert text_of(name) == text_of(name)


@ALL
def test_there_are_no_errors(name: str) -> None:
    findings = statefmt.check(text_of(name))
    assert [finding for finding in findings if finding.severity is statefmt.Severity.ERROR] == []
    assert (_NOT_CANONICAL in {finding.code for finding in findings}) is not SHAPES[name].canonical


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.canonical])
def test_fmt_accepts_canonical_states(name: str, tmp_path: Path) -> None:
    path = tmp_path / "state.tfstate"
    SHAPES[name].write(path, 2_000_000)
    done = subprocess.run([STATETOOL, "fmt", "--check", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@ALL
def test_each_object_can_be_changed_and_each_state_renamed(name: str) -> None:
    text = text_of(name)
    assert text.count(b'"i-') == text.count(f'"{MACHINE}"'.encode()) * (2 if name == "format-3" else 1)
    assert text.count(LINEAGE.encode()) == 1


@pytest.mark.parametrize("name", ["singles", "compact", "not-canonical"])
def test_one_instance_each(name: str) -> None:
    assert all(len(resource["instances"]) == 1 for resource in state(name)["resources"])


def test_tens_of_thousands_of_resources() -> None:
    assert 30_000 < len(state("singles", 1_000_000)["resources"]) * 100 < 70_000


def test_many_instances() -> None:
    counts = [len(resource["instances"]) for resource in state("instances")["resources"]]
    assert max(counts) == 24
    assert sum(counts) > 5 * len(counts)


def test_modules_six_deep_with_keys() -> None:
    for resource in state("modules")["resources"]:
        assert resource["module"].count("module.") == resource["module"].count("[") == 6


def test_dependencies_take_over_half() -> None:
    text = text_of("dependencies", 3_000_000)
    resources = json.loads(text)["resources"]
    lines = [line for line in text.splitlines() if line.startswith(b" " * 12 + b'"module.layer_')]
    assert len(b"\n".join(lines)) > len(text) / 2
    assert 13_000 < len(resources) * 100_000_000 / len(text) < 16_000


def test_diverse_is_as_dense_as_a_trial_was() -> None:
    text = text_of("diverse", 5_000_000)
    resources = json.loads(text)["resources"]
    instances = [instance for resource in resources for instance in resource["instances"]]
    keys = {instance["index_key"] for instance in instances if "index_key" in instance}
    assert 7_300 < len(resources) * 100_000_000 / len(text) < 9_000
    assert 24_700 < len(instances) * 100_000_000 / len(text) < 30_200
    assert len({resource["provider"] for resource in resources}) > 100
    assert {int, str} == set(map(type, keys))
    assert all(
        any(sign in str(key) for key in keys) for sign in ('"', "\\", "${", "%{", " ", "/", "ü", "🚀", "\n", "]")
    )
    for member in ("deposed", "status", "identity", "create_before_destroy"):
        assert 20 < sum(member in instance for instance in instances) < len(instances) / 2
    assert len({instance["private"] for instance in instances if "private" in instance}) > 500


def test_tens_of_thousands_of_outputs() -> None:
    tree = state("outputs", 1_000_000)
    assert 30_000 < len(tree["outputs"]) * 100 < 70_000
    assert len(tree["resources"]) == 24


def test_each_instance_has_a_provider_key() -> None:
    assert all("by_tenant[" in instance["provider"] for instance in objects("provider-keys"))
    assert not any("provider" in resource for resource in state("provider-keys")["resources"])


def test_large_values() -> None:
    assert all(len(instance["attributes"]["user_data"]) >= 180_000 for instance in objects("large-attributes"))


def test_compact_is_one_line() -> None:
    assert text_of("compact").count(b"\n") == 1


def test_not_canonical_is_what_jq_writes() -> None:
    if (jq := shutil.which("jq")) is None:
        pytest.skip("jq is not there")
    text = text_of("not-canonical")
    assert subprocess.run([jq, "-S", "."], input=text, capture_output=True, check=True).stdout == text


def test_format_3_is_flat() -> None:
    tree = state("format-3")
    assert tree["version"] == 3
    assert [module["path"] for module in tree["modules"]][:2] == [["root"], ["root", "service_00001"]]
    instances = [entry["primary"] for module in tree["modules"] for entry in module["resources"].values()]
    attributes = next(each["attributes"] for each in instances if each["attributes"]["ebs_block_device.#"] == "1")
    assert set(map(type, attributes.values())) == {str}
    assert (attributes["tags.%"], attributes["tags.Environment"]) == ("3", "production")
    assert attributes["ebs_block_device.0.encrypted"] == "true"
    assert attributes["ebs_block_device.0.tags.%"] == "0"
    assert "ebs_block_device.0.%" not in attributes
