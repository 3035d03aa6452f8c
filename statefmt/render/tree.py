"""Trees on a terminal, drawn with lines as the program `tree` does it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of a tree, ready to be printed, and what hangs below it."""

    text: str
    below: tuple[Branch, ...] = ()


def tree(root: Branch) -> str:
    """The tree in lines, without a newline at the end."""
    return "\n".join([root.text, *_lines(root.below, "")])


def _lines(branches: tuple[Branch, ...], indent: str) -> Iterator[str]:
    for place, branch in enumerate(branches, 1):
        last = place == len(branches)
        yield f"{indent}{'└── ' if last else '├── '}{branch.text}"
        yield from _lines(branch.below, indent + ("    " if last else "│   "))
