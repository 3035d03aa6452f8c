"""Outputs of all types, of sizes from a few bytes to 15 kB."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Any, Final

_SUBNET: Final = ["object", {"cidr": "string", "id": "string", "public": "bool", "tags": ["map", "string"]}]


def outputs() -> Iterator[tuple[str, dict[str, Any]]]:
    """Names and outputs, in the order of a state file: 54,000 in 100 MB; some are sensitive, some deprecated."""
    for number in count():
        random = Random(number)
        for kind, (type_, value) in _typed(number, random).items():
            flags = random.choice(({}, {}, {}, {"sensitive": True}, {"deprecated": "Use <the> other & better one."}))
            yield f"output_{number:06}_{kind}", {"value": value, "type": type_, **flags}


def _typed(number: int, random: Random) -> dict[str, tuple[object, object]]:
    """By a name, a type and a value of it; the names are in order."""
    ids = [f"subnet-{random.randrange(2**68):017x}" for _ in range(random.randrange(110))]
    subnets = [
        {"cidr": f"10.{at}.0.0/24", "id": id_, "public": at % 2 == 0, "tags": {"Name": "a <b>", "ünï “code”": "🚀"}}
        for at, id_ in enumerate(ids)
    ]
    return {
        "any": ("dynamic", None),
        "bool": ("bool", number % 2 == 0),
        "list": (["list", "string"], ids),
        "map": (["map", "number"], {f"key {at:03}": at + 0.25 for at in range(len(ids))}),
        "none": ("string", None),
        "number": ("number", random.choice((number, 0.1, -2.5, 2**63))),
        "object": (_SUBNET, subnets[0] if subnets else None),
        "objects": (["list", _SUBNET], subnets),
        "set": (["set", "string"], sorted(ids)),
        "string": ("string", f"https://example.com/{number}?a=<b>&c=Zürich 東京"),
        "text": ("string", "\n".join(f'line "{id_}"' for id_ in ids)),
        "tuple": (["tuple", ["string", "number", ["list", "bool"]]], [f"part-{number}", number, [True, False]]),
    }
