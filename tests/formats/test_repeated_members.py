"""Repeated members mean what a real Terraform reads, and no command loses a part of it.

`tests/conformance/repeated.jsonl.xz` has 500 states of `tests.formats.repeating` with what Terraform 1.11.4 says about
each: `state pull` (null if it refuses the state), `state list` and `output -json`.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt import StoreError
from statefmt.formats.reading import read_one_by_one
from tests.cli.conftest import Statetool, folder, program, statetool
from tests.formats.recorded import in_one_order
from tests.formats.repeating import repeating_state

__all__ = ["folder", "program", "statetool"]

_DATA: Final = Path(__file__).parents[1] / "conformance" / "repeated.jsonl.xz"
_CASES: Final[list[dict[str, Any]]] = [json.loads(line) for line in lzma.decompress(_DATA.read_bytes()).splitlines()]
_READ: Final = [case for case in _CASES if case["pull"] is not None]


def test_the_recording_is_of_the_generator() -> None:
    assert len(_CASES) == 500
    assert len(_READ) > 300
    assert all(repeating_state(case["seed"]).decode() == case["state"] for case in _CASES)


def test_refused_as_terraform_does() -> None:
    refused = {case["seed"] for case in _CASES if statefmt.inspect(case["state"].encode()).snapshot is None}
    assert refused == {case["seed"] for case in _CASES if case["pull"] is None}


def test_read_as_terraform_does() -> None:
    for case in _READ:
        written = statefmt.write(statefmt.read(case["state"].encode()).snapshot)
        assert in_one_order(written) == in_one_order(case["pull"]), case["seed"]


def test_listed_as_terraform_does(tmp_path: Path) -> None:
    place = tmp_path / "terraform.tfstate"
    for case in _READ:
        place.write_text(case["state"])
        state = statefmt.open(place)
        assert sorted(map(str, (one.address for one in state.select()))) == sorted(case["list"]), case["seed"]
        outputs = {one.name: (json.loads(one.value), one.sensitive) for one in state.snapshot.outputs}
        assert outputs == {name: (out["value"], out["sensitive"]) for name, out in case["outputs"].items()}


@pytest.mark.parametrize("share", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_nothing_is_lost_by_an_edit(share: int, tmp_path: Path) -> None:
    """A move is refused, or all that Terraform reads is there afterwards, with the new name."""
    place = tmp_path / "terraform.tfstate"
    moved = refused = 0
    for case in _READ[::share]:
        place.write_text(case["state"])
        first = next((one for one in statefmt.open(place).snapshot.resources if one.objects), None)
        if first is None:
            continue
        old = str(first.addr)
        try:
            with statefmt.open(place).edit(keep_backup=False) as edit:
                edit.move(old, f"{old.rpartition('.')[0]}.moved")
        except StoreError as error:
            assert "it repeats" in str(error) or "the highest possible" in str(error), case["seed"]
            assert place.read_text() == case["state"]
            refused += 1
        else:
            after = statefmt.write(statefmt.read(place.read_bytes()).snapshot)
            assert _said(after, old) == _said(case["pull"].encode(), old), case["seed"]
            moved += 1
    assert moved > 60 / share
    assert refused > 40 / share


@pytest.mark.parametrize(
    "words",
    [["fmt"], ["check", "--fix", "--select", "STA"], ["check", "--fix", "--unsafe-fixes", "--select", "STA"]],
    ids=" ".join,
)
def test_nothing_is_lost_by(words: list[str], statetool: Statetool, folder: Path) -> None:
    for case in _READ[:: max(1, len(_READ) // 40)]:
        place = folder / "s.tfstate"
        place.write_text(case["state"])
        statetool(*words, "--no-backup", *(["--state"] if words == ["fmt"] else []), "s.tfstate")
        written = statefmt.write(statefmt.read(place.read_bytes()).snapshot)
        assert _without_serial(written) == _without_serial(case["pull"].encode()), case["seed"]


def test_no_difference_is_only_said_where_terraform_sees_none() -> None:
    """Against the state in which each repeated member has its last occurrence, as most programs read it."""
    differing = 0
    for case in _READ:
        old = statefmt.read(case["state"].encode()).snapshot
        last = statefmt.inspect(json.dumps(json.loads(case["state"])).encode()).snapshot
        if last is None:
            continue
        same = in_one_order(statefmt.write(last)) == in_one_order(case["pull"])
        assert bool(statefmt.diff(old, last)) is not same, case["seed"]
        differing += not same
    assert differing > 20


def test_the_quick_way_never_reads_a_repeated_member() -> None:
    """The proof that nothing is repeated fails for each state that repeats a member of the format."""
    for case in _CASES:
        data = case["state"].encode()
        places = [finding.pointer for finding in statefmt.check(data) if finding.code == "STA009"]
        # Paths are decoded one by one.
        if any("/sensitive_attributes/" not in place for place in places):
            assert read_one_by_one(data) is None, case["seed"]
        elif b"null" not in data:
            assert read_one_by_one(data) is not None or statefmt.inspect(data).snapshot is None, case["seed"]


_OUTPUTS: Final = (
    '{"version":4,"serial":3,"lineage":"l","Outputs":{"a":{"value":"A","type":"string"}},'
    '"outputs":{"b":{"value":"B","type":"string"}},"resources":[]}'
)
_REASON: Final = (
    "it repeats /outputs, which Terraform and OpenTofu merge, while most other programs, such as jq, read only the "
    "last; `statetool fmt --state s.tfstate` writes what Terraform and OpenTofu read\n"
)


def test_each_program_is_named(statetool: Statetool, folder: Path) -> None:
    """Reading commands say what they read, editing ones refuse, and the command that they name resolves it."""
    place = folder / "s.tfstate"
    place.write_text(_OUTPUTS)
    read = statetool("outputs", "--state", "s.tfstate")
    assert (read.status, read.err) == (0, f"statetool: s.tfstate: {_REASON}")
    assert "a = " in read.text
    assert "b = " in read.text
    edited = statetool("set-serial", "9", "--state", "s.tfstate", "-y")
    assert (edited.status, edited.err) == (2, f"statetool: s.tfstate: cannot edit this state: {_REASON}")
    assert place.read_text() == _OUTPUTS
    assert statetool("fmt", "--state", "s.tfstate").status == 0
    assert list(json.loads(place.read_text())["outputs"]) == ["a", "b"]
    assert statetool("set-serial", "9", "--state", "s.tfstate", "-y").status == 0


def test_a_state_that_lacks_an_output_differs(statetool: Statetool, folder: Path) -> None:
    (folder / "s.tfstate").write_text(_OUTPUTS)
    # What a program leaves that takes the last of repeated members, as they are spelt.
    (folder / "last.tfstate").write_text(_OUTPUTS.replace('"Outputs":{"a":{"value":"A","type":"string"}},', ""))
    assert statetool("diff", "s.tfstate", "last.tfstate").status == 1


def test_salvage_keeps_what_is_merged(statetool: Statetool, folder: Path) -> None:
    (folder / "s.tfstate").write_text(_OUTPUTS)
    statetool("salvage", "s.tfstate", "--out", "saved.tfstate")
    assert sorted(json.loads((folder / "saved.tfstate").read_text())["outputs"]) == ["a", "b"]


def test_repair_leaves_it_to_people(statetool: Statetool, folder: Path) -> None:
    (folder / "s.tfstate").write_text(_OUTPUTS)
    found = statetool("repair", "--state", "s.tfstate")
    assert "STA009" in found.text + found.err
    assert (folder / "s.tfstate").read_text() == _OUTPUTS


_STATE: Final = (
    b'{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[{"mode":"managed",'
    b'"type":"t","name":"n","provider":"provider[\\"a/b/c\\"]","instances":[{"schema_version":0,"attributes":{"id":"%b"},'
    b'"sensitive_attributes":[]}]}],"check_results":null}'
)


@pytest.mark.parametrize("text", [b"x", b'\\"', b"\\u0041", b"\\\\"])
def test_an_ordinary_state_is_read_the_quick_way(text: bytes) -> None:
    assert read_one_by_one(_STATE % text) is not None


def test_the_escape_of_a_quote_does_not_hide_a_member() -> None:
    """Decoded and encoded again, `\\u0022` has a quote more."""
    state = _STATE % b"x"
    hiding = state.replace(b'"name":"n"', b'"name":"a","name":"\\u0022\\u0022\\u0022\\u0022"')
    assert read_one_by_one(hiding) is None


def _without_serial(text: bytes) -> dict[str, Any]:
    return {**json.loads(in_one_order(text)), "serial": 0}


def _said(text: bytes, old: str) -> list[str]:
    """Return the parts of a state in no order, with the name of one resource changed, and without dependencies."""
    document = json.loads(text)
    for resource in document["resources"]:
        mode = "data." if resource["mode"] == "data" else ""
        module = f"{resource['module']}." if "module" in resource else ""
        if f"{module}{mode}{resource['type']}.{resource['name']}" == old:
            resource["name"] = "moved"
        for instance in resource["instances"]:
            instance.pop("dependencies", None)
        resource["instances"].sort(key=json.dumps)
    return sorted(map(json.dumps, (*document["resources"], document["outputs"], document["lineage"])))
