"""`set-serial` and `new-lineage`."""

from __future__ import annotations

from uuid import UUID

import pytest
from msgspec.structs import replace

from statefmt.edit.operations.set import new_lineage, set_serial
from statefmt.formats.writing.write import write
from statefmt.model.errors import SurgeryError
from tests.edit.operations.build import snapshot_of

_HIGHEST = 18446744073709551615
_LINEAGE = UUID("0b2f8a5e-1111-4222-8333-444455556666")

# Serial before, serial afterwards, what is noted.
SERIALS = {
    "higher": (7, 8, ""),
    "the same": (7, 7, ""),
    "lower": (7, 6, "the serial was 7: backends with a higher serial refuse this state, as `tofu state"),
    "zero": (7, 0, "the serial was 7"),
    "the highest": (7, _HIGHEST, "this is the highest possible serial"),
}


@pytest.mark.parametrize("case", SERIALS)
def test_serial(case: str) -> None:
    before, after, note = SERIALS[case]
    edit = set_serial(replace(snapshot_of("t.a"), serial=before), after)
    assert edit.snapshot.serial == after
    assert [said[: len(note)] for said in edit.notes] == ([note] if note else [])
    assert b'"serial":%d,' % after in write(edit.snapshot, canonical=False)


@pytest.mark.parametrize("serial", [-1, _HIGHEST + 1])
def test_no_serial(serial: int) -> None:
    with pytest.raises(SurgeryError, match=rf"^{serial} is not a serial; it must be .* from 0 to {_HIGHEST}$"):
        set_serial(snapshot_of("t.a"), serial)


def test_lineage() -> None:
    state = snapshot_of("t.a")
    edit = new_lineage(state, _LINEAGE)
    before, after = write(state, canonical=False), write(edit.snapshot, canonical=False)
    assert after == before.replace(b'"lineage":"x"', b'"lineage":"0b2f8a5e-1111-4222-8333-444455556666"')
    assert len(edit.notes) == 1
    assert new_lineage(replace(state, lineage=""), _LINEAGE).notes == ()


def test_the_lineage_that_it_has() -> None:
    with pytest.raises(SurgeryError, match="is already the lineage of the state"):
        new_lineage(new_lineage(snapshot_of("t.a"), _LINEAGE).snapshot, _LINEAGE)
