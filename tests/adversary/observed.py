"""What a part of the adversary saw: how many cases there were, and which laws were broken, with reproductions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

# Enough to see what a failure is about.
_MOST_OF_A_LAW: Final = 12
PROPERTY: Final = "adversary"
# What broke a law is kept here, and each failure as it happens.
_KEPT: Final = Path(__file__).resolve().parents[2] / "build" / "adversary"


class Observed:
    """Counts and failures of a part. A part goes on after a failure: one night is to find all of them."""

    def __init__(self, record: Callable[[str, object], None]) -> None:
        self._record = record
        self._counts: Counter[str] = Counter()
        self._failures: dict[str, list[str]] = defaultdict(list)

    def count(self, kind: str, number: int = 1) -> None:
        """There was a case of this kind."""
        self._counts[kind] += number

    def expect(self, holds: bool, law: str, reproduction: Callable[[], str]) -> bool:
        """Note whether a law holds; gives the same."""
        if not holds:
            case = reproduction()
            self._failures[law].append(case)
            _KEPT.mkdir(parents=True, exist_ok=True)
            with (_KEPT / "failures.txt").open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{law}: {case}\n")
        return holds

    def kept(self, content: bytes) -> Path:
        """A copy of an input, to try again with."""
        _KEPT.mkdir(parents=True, exist_ok=True)
        path = _KEPT / f"{sha256(content).hexdigest()[:12]}.tfstate"
        path.write_bytes(content)
        return path.relative_to(_KEPT.parents[1])

    def settle(self) -> None:
        """Hand over the counts; fail if a law was broken."""
        self._record(PROPERTY, dict(self._counts))
        lines = []
        for law, cases in sorted(self._failures.items(), key=lambda item: -len(item[1])):
            lines.append(f"\n{law}: {len(cases)} times")
            lines += [f"    {case}" for case in cases[:_MOST_OF_A_LAW]]
        assert not lines, "\n".join(lines)
