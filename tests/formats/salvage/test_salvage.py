"""Salvage of cut, torn and wrapped states. The untouched original is the oracle."""

from __future__ import annotations

import json
import random

import pytest

from statefmt.formats.salvage.fill import Backup, filled
from statefmt.formats.salvage.model import Doubt, SalvagedDocument
from statefmt.formats.salvage.salvage import salvage, sides
from statefmt.formats.salvage.write import salvaged_envelope, salvaged_state
from statefmt.testing import make_state

_SAMPLE = 100
_ALL = 2000
_SEEDS = [pytest.param(seed, marks=[pytest.mark.slow] if seed >= _SAMPLE else []) for seed in range(_ALL)]


def _state(chance: random.Random, serial: int, layout: str) -> bytes:
    def attributes() -> dict[str, object]:
        return {
            "x": {"k": [1, 2, 3], "p": "q" * chance.randint(0, 30)},
            "l": [{"y": {"z": chance.random()}}],
            "policy": '{"a":"b{\\"c"}',
        }

    keys = ["", '["k"]', "[0]"]
    found = {f"aws_instance.a{number}{chance.choice(keys)}": attributes() for number in range(chance.randint(2, 12))}
    return make_state(found, {"o": "x"}, serial=serial, layout=layout)  # type: ignore[arg-type]


def _only(data: bytes) -> SalvagedDocument:
    (document,) = salvage(data).documents
    return document


@pytest.mark.parametrize("seed", _SEEDS)
def test_damaged(seed: int) -> None:
    chance = random.Random(seed)
    layout = chance.choice(["indent", "compact"])
    new, old = _state(chance, 5, layout), _state(chance, 4, chance.choice([layout, "indent"]))
    original = _only(new)
    assert original.is_whole
    assert len(original.objects) == sum(len(block["instances"]) for block in json.loads(new)["resources"])
    cut = chance.randint(1, len(new) - 3)
    expected = [one.raw for one in original.objects if one.offset + len(one.raw) <= cut]
    for damaged in (new[:cut], new[:cut] + bytes(chance.randint(1, 5000))):
        assert [one.raw for found in salvage(damaged).documents for one in found.certain] == expected
    for around in (b"2026-01-01 [INFO] {x} done\n" + new, b"\xef\xbb\xbf" + new, new.decode().encode("utf-16")):
        assert [one.raw for one in _only(around).certain] == [one.raw for one in original.objects]
    torn = new[:cut] + old[cut:]
    try:
        json.loads(torn)
    except ValueError:
        known = {(one.key, one.raw) for data in (new, old) for one in _only(data).objects}
        assert {(one.key, one.raw) for found in salvage(torn).documents for one in found.certain} <= known


def test_conflict_markers() -> None:
    both = sides(b'{\n<<<<<<< HEAD\n"serial": 1\n=======\n"serial": 2\n>>>>>>> x\n}\n')
    assert both is not None
    assert both.ours == b'{\n"serial": 1\n}\n'
    assert both.theirs == b'{\n"serial": 2\n}\n'


def test_backups_fill_what_is_torn_and_no_more() -> None:
    whole = make_state({"t.a": {}, "t.b": {}, "t.c": {}}, serial=7)
    backup = Backup("backup", _only(make_state({"t.a": {}, "t.b": {}, "t.c": {}}, serial=6)))
    second = _only(whole).objects[1]
    torn = _only(whole[: second.offset + len(second.raw) - 5])
    result = filled(torn, [backup])
    assert [str(one.key) for one in result.taken] == ["t.a", "t.b"]
    assert [(str(one.key), one.doubt) for one in result.uncertain] == [("t.c", Doubt.ONLY_IN_BACKUP)]
    content = json.loads(salvaged_state(torn, salvaged_envelope(torn.envelope, [backup], result), result.taken))
    assert content["serial"] == 8
    assert [block["name"] for block in content["resources"]] == ["a", "b"]


@pytest.mark.parametrize("data", [b"", b"\0" * 4096, b"no state", b"<html></html>"])
def test_nothing(data: bytes) -> None:
    assert salvage(data).documents == ()
