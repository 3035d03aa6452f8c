"""States in great variety: generated, recorded with real programs, and the samples."""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from statefmt.testing.strategies import states

_ROOT: Final = Path(__file__).resolve().parents[2]
_EACH: Final = 100


@cache
def generated_states() -> tuple[bytes, ...]:
    """Return 200 states, the same in each run: half as releases write them, half of any layout and spelling."""
    return (*_drawn(states(), _EACH), *_drawn(states(odd=True), _EACH))


@cache
def recorded_states(most: int) -> tuple[bytes, ...]:
    """Return up to so many states of each group of recordings that a real release reads."""
    found: dict[str, list[bytes]] = {}
    for line in lzma.decompress((_ROOT / "tests/conformance/read.jsonl.xz").read_bytes()).splitlines():
        case = json.loads(line)
        if case["outcome"] == "ok":
            data = base64.b64decode(case["input_b64"]) if "input_b64" in case else case["input"].encode()
            found.setdefault(case["group"], []).append(data)
    return tuple(state for group in found.values() for state in group[:: max(1, len(group) // most)][:most])


def sample_states() -> Iterator[bytes]:
    """Yield the samples, the broken ones too."""
    for path in sorted((_ROOT / "samples").rglob("*.tfstate")):
        yield path.read_bytes()


def _drawn(strategy: SearchStrategy[bytes], count: int) -> list[bytes]:
    found: list[bytes] = []

    @seed(25)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(state: bytes) -> None:
        found.append(state)

    collect()
    return found[:count]
