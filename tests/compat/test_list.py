"""`statetool list` says what `state list` of the real program says, line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.cli.states import SAMPLES
from tests.compat.listing import Lines
from tests.compat.program import Program
from tests.compat.states import Document, documents, sweep, text_of
from tests.formats.deviations import DEVIATIONS, Kind
from tests.formats.recorded import CASES, GROUPS, Case, input_of
from tests.property.strategies import StateText, states as odd_states


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
    "v3-upgrade/224-remote-s3",
    "v2-upgrade/046-remote",
    "v1-upgrade/030-remote-null-config",
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


# One half of the cases in `make test`, the other in `make slow`.
_HALVES: Final = [0, pytest.param(1, marks=pytest.mark.slow)]


@pytest.mark.parametrize("half", _HALVES)
@pytest.mark.parametrize("group", GROUPS)
def test_recorded(
    group: str, half: int, real: Program, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]
) -> None:
    cases = [case for case in CASES if case["group"] == group][half :: 2 * real.share]
    disagree = {case["id"] for case in cases if _disagrees(case, own, theirs, readable)}
    assert disagree == {case["id"] for case in cases} & ONLY_ONE_READS
