"""The table of damages has a row for each kind, and counts what it says."""

from __future__ import annotations

import json

from benchmarks.damages.kinds import KINDS, made
from benchmarks.salvage_damages import row


def test_a_row_counts_files_and_objects() -> None:
    kind, files, _, whole, found, uncertain, altered, _ = row("cut", 3, 3000)
    assert (kind, files, uncertain, altered) == ("cut", "3", "0", "0")
    assert int(whole) == int(found) > 0


def test_the_maker_knows_what_is_whole() -> None:
    for kind in KINDS:
        damaged = made(kind, 1, 3000)
        assert damaged == made(kind, 1, 3000)
        for one in damaged.known:
            assert json.loads(one.raw)["attributes"]["id"].startswith("i-")
