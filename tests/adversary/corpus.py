"""States of all versions and envelopes: samples, golden pairs, and the inputs that OpenTofu was recorded on."""

from __future__ import annotations

import base64
import functools
import json
import lzma
from pathlib import Path
from typing import Final

from statefmt.model.addrs import IntKey
from statefmt.model.snapshot import Snapshot

_ROOT: Final = Path(__file__).resolve().parents[2]
# What is larger takes its time without being any odder.
_LARGEST: Final = 40_000


@functools.cache
def states() -> tuple[tuple[str, bytes], ...]:
    """Every state, with a name to find it by; also those that no release reads."""
    found: dict[bytes, str] = {}
    for folder in ("samples", "samples/broken", "tests/golden"):
        for path in sorted((_ROOT / folder).glob("*.tfstate")):
            found.setdefault(path.read_bytes(), f"{folder}/{path.name}")
    for case in _recorded("read"):
        data = base64.b64decode(case["input_b64"]) if "input_b64" in case else case["input"].encode()
        found.setdefault(data, case["id"])
    for name, member in (("encryption", "encrypted"), ("releases", "input")):
        for case in _recorded(name):
            if isinstance(case.get(member), str):
                found.setdefault(case[member].encode(), case["id"])
    return tuple((name, data) for data, name in found.items() if len(data) <= _LARGEST)


def _recorded(name: str) -> list[dict[str, str]]:
    lines = lzma.decompress((_ROOT / "tests" / "conformance" / f"{name}.jsonl.xz").read_bytes()).splitlines()
    return [json.loads(line) for line in lines]


def settles(snapshot: Snapshot) -> bool:
    """Whether the canonical form is the same after it was read again, in OpenTofu too.

    It is not for some states: OpenTofu leaves out an empty `attributes_flat`, reads the provider types of older
    formats in lower case the second time (recorded case v3-upgrade/071), and keys through a float (046).
    """
    objects = [obj for resource in snapshot.resources for obj in resource.objects]
    types = [resource.provider_config.provider.type for resource in snapshot.resources if resource.provider_config]
    numbers = [obj.key.value for obj in objects if isinstance(obj.key, IntKey)]
    return (
        all(obj.attributes_flat != {} for obj in objects)
        and all(name == name.lower() for name in types)
        and all(int(float(number)) == number for number in numbers)
    )
