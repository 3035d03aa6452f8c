"""Putting an earlier content back: another serial, and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given

import statefmt
from statefmt.edit.operations.undo import restore
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from tests.property.strategies import StateText, states


@pytest.mark.parametrize(
    ("content", "restored"),
    [
        (b'{"version":4,"serial":3,"lineage":"a"}', b'{"version":4,"serial":10,"lineage":"a"}'),
        (b'{ "version" : 4, "Serial" :\t3 }\n\n', b'{ "version" : 4, "Serial" :\t10 }\n\n'),
        (b'{"version":4,"serial":1,"serial":3}', b'{"version":4,"serial":1,"serial":10}'),
        (b'{\n  "version": 4,\n  "lineage": ""\n}\n', b'{\n  "version": 4,\n  "serial": 10,\n  "lineage": ""\n}\n'),
        (b'{"version":3,"serial":3,"modules":[]}', b'{"version":3,"serial":10,"modules":[]}'),
        (b'{"version":1,"serial":3}', b'{"version":1,"serial":10}'),
        (b'{"version":4,"serial":20}', b'{"version":4,"serial":21}'),
    ],
    ids=["compact", "by hand", "repeated", "missing", "version 3", "version 1", "a higher serial"],
)
def test_serial(content: bytes, restored: bytes) -> None:
    assert restore(Snapshot(serial=9), content).restored == restored


@given(states())
def test_everything_comes_back(state: StateText) -> None:
    before = statefmt.inspect(state.data).snapshot
    assume(before is not None and before.serial < HIGHEST_SERIAL)
    assert before is not None
    edit = restore(Snapshot(serial=0), state.data)
    assert edit.restored is not None
    old, new = json.loads(state.data), json.loads(edit.restored)
    assert {name.lower(): value for name, value in new.items()} == {
        **{name.lower(): value for name, value in old.items()},
        "serial": before.serial + 1,
    }
    assert edit.snapshot == statefmt.read(edit.restored).snapshot


def test_no_serial_is_left() -> None:
    with pytest.raises(SurgeryError, match="the serial is the highest possible"):
        restore(Snapshot(serial=HIGHEST_SERIAL), b'{"version":4,"serial":3}')
