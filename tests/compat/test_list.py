"""`statetool list` says what `state list` of the real program says, line by line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.compat.program import Program
from tests.compat.states import Document, documents, sweep, text_of
from tests.formats.deviations import DEVIATIONS, Kind
from tests.formats.recorded import CASES, GROUPS, Case, input_of
from tests.property.strategies import StateText, states as odd_states

Lines = Callable[[bytes], list[str] | None]


@pytest.fixture
def own(statetool: Statetool, folder: Path) -> Lines:
    """The lines of `statetool list`, or nothing where it cannot read the state."""

    def lines(data: bytes) -> list[str] | None:
        (folder / "own.tfstate").write_bytes(data)
        result = statetool("list", "--state", "own.tfstate")
        return result.text.splitlines() if result.status == 0 else None

    return lines


@pytest.fixture
def theirs(real: Program, folder: Path) -> Lines:
    """The lines of `state list` of the real program, or nothing where it cannot read the state."""

    def lines(data: bytes) -> list[str] | None:
        (folder / "theirs.tfstate").write_bytes(data)
        result = real.run(folder, "state", "list", "-state=theirs.tfstate")
        return result.out.splitlines() if result.status == 0 else None

    return lines


@pytest.fixture
def readable(real: Program) -> Callable[[bytes], bytes]:
    """What the program sees of a state: older ones, without a word, only the resources with a provider of their own."""
    return without_provider_instances if real.engine == "terraform" or real.minor < (1, 9) else lambda data: data


def without_provider_instances(data: bytes) -> bytes:
    """What decides on the lines of a state of format 4 whose program knows no provider instances.

    Gone are resources whose provider is not at their own level, or is of the legacy namespace `-` under another host
    than Terraform's.
    """
    document = json.loads(data)
    kept = [
        {**_only(block, _HEAD), "instances": [_only(instance, _IDENTITY) for instance in block.get("instances", ())]}
        for block in document["resources"]
        if _is_readable(block.get("provider"))
    ]
    return json.dumps({"version": 4, "lineage": "", "resources": kept}).encode()


def _is_readable(provider: str | None) -> bool:
    return provider is not None and ("/-/" not in provider or '"registry.terraform.io/-/' in provider)


def _only(members: Document, names: tuple[str, ...]) -> Document:
    return {name: members[name] for name in names if name in members}


_HEAD: Final = ("module", "mode", "type", "name", "provider")
_IDENTITY: Final = ("index_key", "deposed", "provider")


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.glob("*.tfstate")))
def test_samples(name: str, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> None:
    data = (SAMPLES / name).read_bytes()
    assert theirs(data) == own(readable(data) if name.startswith("v4") else data)
    assert (own(data) is None) == (name == "encrypted.tfstate")


def test_generated(real: Program, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> None:
    def holds(document: Document) -> None:
        assert theirs(text_of(document)) == own(readable(text_of(document)))

    sweep(real, documents(), holds)


def test_generated_oddities(real: Program, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> None:
    """Members in any order and unknown ones, repeated dependencies, keys and numbers that nobody would write."""

    def holds(state: StateText) -> None:
        assert theirs(state.data) == own(readable(state.data))

    sweep(real, odd_states(), holds)


# Recorded states that only one of the two reads, beside those that OpenTofu and statetool refuse alike.
ONLY_ONE_READS: Final = {
    # Terraform keeps `var` and the like for itself, and reads no dependency on a resource type of that name.
    "dependencies/035-var-like",
    # Bytes that are not UTF-8: the programs put others in their place, statetool leaves that to a human.
    "attributes-fidelity/062-invalid-utf8-lineage",
    "attributes-fidelity/063-invalid-utf8-key",
    # What `init` leaves in .terraform/terraform.tfstate, to the programs a state without resources.
    "v3-upgrade/220-backend-s3",
}
_REFUSED: Final = {name for name, (kind, _) in DEVIATIONS.items() if kind is Kind.REFUSED}


def _disagrees(case: Case, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> bool:
    data = input_of(case)
    listed, expected = own(data), theirs(data)
    if listed == expected:
        return False
    if listed is None and (case["outcome"] != "ok" or case["id"] in _REFUSED):
        # Terraform knows no provider instances, and takes what OpenTofu and the rules about them refuse.
        return False
    return listed is None or expected is None or expected != own(readable(data))


@pytest.mark.parametrize("group", GROUPS)
def test_recorded(group: str, real: Program, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> None:
    cases = [case for case in CASES if case["group"] == group][:: real.share]
    disagree = {case["id"] for case in cases if _disagrees(case, own, theirs, readable)}
    assert disagree == {case["id"] for case in cases} & ONLY_ONE_READS
