"""Names the states of an operations file after their folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from statefmt.text.pattern import pattern

_UNFIT: Final = pattern(r"[^a-zA-Z0-9_-]+")
_STARTS_A_NAME: Final = pattern(r"[a-zA-Z_]")


def folder_names(paths: Sequence[Path]) -> list[str]:
    """Return a valid and distinct name for each folder, with as many of its last parts as that takes."""
    names = [_name(path.parts[-1:]) for path in paths]
    depth = 1
    while (repeated := {name for name, times in Counter(names).items() if times > 1}) and depth < 8:
        depth += 1
        names = [
            _name(path.parts[-depth:]) if name in repeated else name for path, name in zip(paths, names, strict=True)
        ]
    if repeated:
        names = [f"{name}_{number}" for number, name in enumerate(names, 1)]
    return names


def _name(parts: Sequence[str]) -> str:
    name = _UNFIT.sub("_", "_".join(parts)).strip("_") or "state"
    return name if _STARTS_A_NAME.match(name) else f"_{name}"
