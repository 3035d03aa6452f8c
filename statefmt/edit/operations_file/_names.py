"""Names the states of an operations file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from statefmt.text import pattern

_UNFIT: Final = pattern(r"[^a-zA-Z0-9_-]+")
_STARTS: Final = pattern(r"[a-zA-Z_]")


def folder_names(paths: Sequence[Path]) -> list[str]:
    """Return a valid and distinct name for each folder, with as many of its last parts as that takes."""
    names = [_named(path.parts[-1:]) for path in paths]
    depth = 1
    while (repeated := {name for name, times in Counter(names).items() if times > 1}) and depth < 8:
        depth += 1
        names = [
            _named(path.parts[-depth:]) if name in repeated else name for path, name in zip(paths, names, strict=True)
        ]
    if repeated:
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    return names


def fit_name(text: str) -> str:
    """Return a valid name that is like a text: other characters become `-`, and `state-` goes before a digit."""
    name = _UNFIT.sub("-", text).strip("-")
    return name if _STARTS.match(name) else f"state-{name}".rstrip("-")


def _named(parts: Sequence[str]) -> str:
    return fit_name("-".join(parts))
