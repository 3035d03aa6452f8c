"""Counts what was checked and found, state by state, so that no format has to keep all states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from statefmt.lint.checked import CheckedState, Fixable
from statefmt.model.findings import Severity


class Tally:
    """The numbers of the states that have passed through `of()`: mutable, and of one output."""

    def __init__(self) -> None:
        self.states = self.configurations = self.plans = self.hidden = 0
        self.severities: Counter[Severity] = Counter()
        self.fixable: Counter[Fixable] = Counter()

    def of(self, states: Iterable[CheckedState]) -> Iterator[CheckedState]:
        """Yield states, and count each one when it is asked for."""
        for state in states:
            self.add(state)
            yield state

    def add(self, state: CheckedState) -> None:
        """Count a state and its findings."""
        self.states += 1
        self.configurations += state.is_configuration
        self.plans += state.is_plan
        self.hidden += state.hidden
        self.severities.update([finding.severity for finding in state.findings])
        self.fixable.update([way for finding in state.findings if (way := state.way(finding))])
