"""Reads the configurations of `constructs.txt`: one for each construct that not all releases support."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

_HEAD: Final = re.compile(
    r"^=== (?P<name>.*?)(?: \(needs (?P<needs>.*)\))?: OpenTofu (?P<opentofu>\S+), Terraform (?P<terraform>\S+)\n",
    re.MULTILINE,
)
_CHILD: Final = "--- child\n"


class Sample(NamedTuple):
    """`main.tf`, valid but for the construct, the module in `child`, and the first releases with the construct.

    The releases are those of the tags of both repositories whose `internal/configs` has the block or argument; "-" if
    there is none. `needs` are other constructs that the sample cannot do without.
    """

    text: str
    child: str
    first: dict[str, str]
    needs: tuple[str, ...]


def _samples() -> dict[str, Sample]:
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    heads = [*_HEAD.finditer(text)]
    ends = [*(head.start() for head in heads[1:]), len(text)]
    found = {}
    for head, end in zip(heads, ends, strict=True):
        main, _, child = text[head.end() : end].partition(_CHILD)
        first = {"opentofu": head["opentofu"], "terraform": head["terraform"]}
        found[head["name"]] = Sample(main, child, first, tuple(head["needs"].split(", ")) if head["needs"] else ())
    return found


SAMPLES: Final = _samples()
