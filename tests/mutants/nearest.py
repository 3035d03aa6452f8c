"""Chooses the tests that are nearest to a changed line: those that name its words, and those that import its module."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import Final

from tests.mutants.change import Kind, Mutant

_PAGES: Final = "test_generated.py"
_PHRASE: Final = re.compile(r"[A-Za-z][A-Za-z ]{9,}[A-Za-z]")
_LEFT_OUT: Final = ("tests/packaging", "tests/adversary", "tests/compat", "tests/benchmarks")
# What imports the module itself, what imports an importer, and so on; nearly everything is nearer than the last.
_BY_DISTANCE: Final = (0, 10, 6, 3, 1)


class Tests:
    """The modules and test files of a checkout, read once."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def _sources(self) -> dict[Path, str]:
        found = sorted(path for folder in ("statefmt", "tests") for path in (self._root / folder).rglob("*.py"))
        return {path.relative_to(self._root): path.read_text("utf-8") for path in found}

    @cached_property
    def _texts(self) -> dict[Path, str]:
        return {
            path: text
            for path, text in self._sources.items()
            if path.name.startswith("test_") and not path.as_posix().startswith(_LEFT_OUT)
        }

    @cached_property
    def _importers(self) -> dict[str, set[Path]]:
        """The files that import each module."""
        found: dict[str, set[Path]] = {_dotted(path): set() for path in self._sources}
        for path, text in self._sources.items():
            for name in _imported(ast.parse(text)):
                if name in found:
                    found[name].add(path)
        return found

    def distances(self, module: Path) -> dict[Path, int]:
        """Return how many imports lead from each file to a module, at most as many as count."""
        distances: dict[Path, int] = {}
        modules = {_dotted(module)}
        for distance in range(1, len(_BY_DISTANCE)):
            reached = {path for name in modules for path in self._importers[name]} - distances.keys()
            distances |= dict.fromkeys(reached, distance)
            modules = {_dotted(path) for path in reached}
        return distances

    def nearest(self, mutant: Mutant, source: str, most: int) -> list[Path]:
        """Return test files, the nearest first. `mutant.file` is relative to the checkout."""
        module = mutant.file.with_suffix("")
        name = module.name.strip("_")
        folder = Path("tests", *module.parts[1:-1])
        line = source[mutant.start : mutant.end]
        phrases = [found[0].strip() for found in _PHRASE.finditer(line)] if mutant.kind is Kind.WORDS else []
        distances = self.distances(mutant.file)
        commands = {name, *(path.stem for path in distances if path.parent.name == "commands" and distances[path] < 3)}
        called = re.compile("|".join(f'"{re.escape(one.replace("_", "-"))}\\b' for one in sorted(commands)))
        scores: Counter[Path] = Counter()
        for path, text in self._texts.items():
            scores[path] += 8 * sum(phrase in text for phrase in phrases)
            scores[path] += _BY_DISTANCE[distances.get(path, 0)]
            # Of importers at one distance, those in the folder of the module, and with its name, come first.
            scores[path] += (path.parent == folder) + (folder in path.parents) + (name in path.name)
            # The examples of a command are on its page.
            scores[path] += 9 * (mutant.kind is Kind.WORDS and folder.name == "commands" and path.name == _PAGES)
            # The one table of what commands print and return.
            scores[path] += 9 * (module.parts[1] == "cli" and path.name == "test_outcomes.py")
            # A command is run by its name, and with it the modules that only it imports.
            scores[path] += 4 * bool(called.search(text))
        return [path for path, score in scores.most_common(most) if score > 1]


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _imported(tree: ast.AST) -> set[str]:
    """Return the modules that a file imports; of `from a import b`, both `a` and `a.b`."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return found
