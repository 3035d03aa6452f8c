"""`state list` of the real programs reads what `repair` mended, with the addresses that statetool lists."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

import pytest

from statefmt.edit.repairs import repaired
from tests.compat.listing import Lines
from tests.compat.program import Program
from tests.edit.repairs.choosing import first_choice
from tests.edit.repairs.test_recorded_repairs import NOT_MENDED, REFUSED
from tests.formats.recorded import Case, input_of

# With a hash that can be read, they are what `init` records: to the programs states without resources.
ONLY_ONE_READS: Final = {"v3-upgrade/221-backend-hash-negative", "v3-upgrade/222-backend-hash-string"}
_MENDED: Final = [case for case in REFUSED if case["id"] not in NOT_MENDED]


def _disagree(cases: list[Case], own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> set[str]:
    """The cases where the program refuses the repaired state, or lists other addresses."""
    return {case["id"] for case in cases if not _agree(_repaired(case), own, theirs, readable)}


def _repaired(case: Case) -> bytes:
    return repaired(input_of(case), first_choice).content


def _agree(content: bytes, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> bool:
    listed, expected = theirs(content), own(content)
    if listed is None or expected is None:
        return False
    # Terraform leaves out what it does not know: the resources with provider instances.
    return listed == expected or listed == own(readable(content))


def test_a_sample(real: Program, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> None:
    cases = Random(23).sample(_MENDED, 15)
    assert _disagree(cases, own, theirs, readable) == {case["id"] for case in cases} & ONLY_ONE_READS


@pytest.mark.slow
def test_all(real: Program, own: Lines, theirs: Lines, readable: Callable[[bytes], bytes]) -> None:
    assert _disagree(_MENDED, own, theirs, readable) == ONLY_ONE_READS
