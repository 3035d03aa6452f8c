"""Chooses the tests that are nearest to a changed line: first those that name its words, then those of its module."""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Final

from tests.mutants.change import Kind, Mutant

_PAGES: Final = "test_generated.py"
_PHRASE: Final = re.compile(r"[A-Za-z][A-Za-z ]{9,}[A-Za-z]")


class Tests:
    """The test files of a checkout, read once."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def _texts(self) -> dict[Path, str]:
        found = (self._root / "tests").rglob("test_*.py")
        skipped = ("tests/packaging", "tests/adversary", "tests/compat", "tests/benchmarks")
        paths = sorted(path.relative_to(self._root) for path in found)
        return {
            path: (self._root / path).read_text("utf-8") for path in paths if not path.as_posix().startswith(skipped)
        }

    def nearest(self, mutant: Mutant, source: str, most: int) -> list[Path]:
        """Return test files, the nearest first. `mutant.file` is relative to the checkout."""
        module = mutant.file.with_suffix("")
        dotted = ".".join(module.parts)
        name = module.name.strip("_")
        folder = Path("tests", *module.parts[1:-1])
        line = source[mutant.start : mutant.end]
        phrases = [found[0].strip() for found in _PHRASE.finditer(line)] if mutant.kind is Kind.WORDS else []
        scores: Counter[Path] = Counter()
        for path, text in self._texts.items():
            scores[path] += 8 * sum(phrase in text for phrase in phrases)
            scores[path] += 4 * (dotted in text)
            scores[path] += 4 * (path.name.startswith(f"test_{name}"))
            # What is rendered is named by its folder; the examples of a command are on its page.
            scores[path] += 3 * path.name.startswith(f"test_{module.parent.name[:7]}")
            scores[path] += 9 * (mutant.kind is Kind.WORDS and folder.name == "commands" and path.name == _PAGES)
            scores[path] += 3 * (path.parent == folder) + 2 * (folder in path.parents)
            scores[path] += 2 * (".".join(module.parts[:-1]) in text)
            # The one table of what commands print and return.
            scores[path] += 9 * (module.parts[1] == "cli" and path.name == "test_outcomes.py")
            # A command is run by its name, whatever the module.
            scores[path] += 2 * (f'"{name.replace("_", "-")}' in text) + (name in path.name)
        return [path for path, score in scores.most_common(most) if score > 1]
