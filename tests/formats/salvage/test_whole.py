"""Nothing that was cut off is called whole, and each object that is complete in it is found."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Final

import pytest
from hypothesis import given, strategies as st

from benchmarks.damages.judged import address
from benchmarks.damages.states import LAYOUTS, Written, changed, plan, write
from statefmt import run_context
from statefmt.edit.salvage_sources import opened_backup
from statefmt.formats.raw_json.slips import mended
from statefmt.formats.salvage import salvage
from statefmt.model.errors import StoreError
from tests.tables import each_row

_SAMPLES: Final = sorted(Path(__file__).parents[3].joinpath("samples").rglob("*.tfstate"))
_SAMPLE: Final = 4
_SEEDS: Final = [pytest.param(n, marks=[pytest.mark.slow] if n >= _SAMPLE else []) for n in range(300)]
# In bytes; of larger ones, so many places are tried.
_SMALL: Final = 2500
_PLACES: Final = 500
_FEW: Final = 12


def _places(size: int, most: int) -> range:
    return range(0, size, 1 if size <= _SMALL and most == _PLACES else max(1, size // most))


def _made(seed: int) -> tuple[Written, Written]:
    """Return a state and the version before."""
    chance = Random(f"whole {seed}")
    newest = plan(chance, 700 if seed % 2 else 6000)
    layout = LAYOUTS[chance.choice(list(LAYOUTS))]
    return write(newest, layout), write(changed(chance, newest), layout)


@pytest.mark.parametrize("seed", _SEEDS)
def test_no_prefix_is_whole_and_all_complete_objects_are_found(seed: int) -> None:
    new, old = _made(seed)
    for at in _places(len(new.data.rstrip()), _FEW if seed < _SAMPLE else _PLACES):
        cut = new.data[:at]
        found = salvage(cut)
        assert not found.is_whole
        assert mended(cut) is None
        complete = {(one.address, one.raw) for one in new.objects if one.end <= at}
        assert {(address(one), one.raw) for each in found.documents for one in each.certain} == complete
        assert not salvage(cut + bytes(4096)).is_whole
        if at:
            assert not salvage(old.data + cut).is_whole
            assert not salvage(cut + old.data).is_whole


@each_row("path", _SAMPLES, ids=lambda path: path.stem)
def test_no_prefix_of_a_sample_is_whole(path: Path) -> None:
    whole = path.read_bytes()
    for at in _places(len(whole.rstrip()), _FEW):
        for cut in (whole[:at], whole[:at] + bytes(512)):
            assert not salvage(cut).is_whole
            assert mended(cut) is None


@pytest.mark.slow
@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: path.stem)
def test_no_prefix_of_a_sample_is_whole_at_any_place(path: Path) -> None:
    whole = path.read_bytes()
    for at in _places(len(whole.rstrip()), _PLACES):
        assert not salvage(whole[:at]).is_whole
        assert not salvage(whole + whole[:at]).is_whole or not at


@given(
    seed=st.integers(0, 50),
    front=st.sampled_from([b"", b"Initializing...\n", b"\xef\xbb\xbf"]),
    behind=st.sampled_from([b"", b"\n", bytes(100), b"\n$ exit\n"]),
    part=st.binary(min_size=1, max_size=20).map(lambda text: b"{" + text),
)
def test_only_text_that_is_no_part_of_a_state_may_be_around_it(
    seed: int, front: bytes, behind: bytes, part: bytes
) -> None:
    state = _made(seed)[0].data
    assert salvage(front + state + behind).is_whole
    assert not salvage(front + state + b"\n" + part).is_whole


@each_row("path", _SAMPLES, ids=lambda path: path.stem)
def test_a_whole_file_is_whole(path: Path) -> None:
    data = path.read_bytes()
    try:
        json.loads(data)
    except ValueError:
        assert not salvage(data).is_whole
        return
    # Objects that are there twice may be those of two versions.
    is_twice = path.stem in ("duplicate-instance", "split-resource")
    assert salvage(data).is_whole is not is_twice
    assert salvage(data.rstrip()).is_whole is not is_twice


@pytest.mark.parametrize("step", [4 * 97, pytest.param(97, marks=pytest.mark.slow)])
def test_a_torn_backup_never_counts_as_whole(step: int) -> None:
    whole = _made(0)[0].data
    context = run_context()
    for at in range(200, len(whole.rstrip()), step):
        with pytest.raises(StoreError, match=r"damaged itself|not a state"):
            opened_backup(context, "backup", whole[:at])
        assert not opened_backup(context, "backup", whole[:at], may_be_damaged=True)[0].document.is_whole
    assert opened_backup(context, "backup", whole)[0].document.is_whole
