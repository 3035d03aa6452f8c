"""The result of checking one state, or the reason why it could not be checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from statefmt.formats.raw_json.positions import Position, finding_positions
from statefmt.formats.reading.inspect import without_pointers
from statefmt.lint.fixable import Fixable, mend_for
from statefmt.lint.grouping import ShortSelectors
from statefmt.model.findings import Finding
from statefmt.store.reading import display_name


@dataclass(frozen=True, slots=True)
class CheckedState:
    """The sorted findings of one state, with their positions in its file.

    `name` is the path as given, or `<standard input>`. `positions` maps the JSON pointers of the findings to positions
    in the file. `hidden` counts the findings that a baseline or a setting suppresses. `fixes` has the codes of those
    that `check --fix` mends, at least some of each; `way()` answers for one finding. If `is_configuration` is set, the
    findings are about a configuration, and `name` is its directory. If `is_plan` is set, they are about a plan.
    `short_selectors` stand for long lists of addresses in the commands of fixes.
    """

    name: str
    findings: tuple[Finding, ...]
    positions: Mapping[str, Position] = field(default_factory=dict)
    hidden: int = 0
    fixes: Mapping[str, Fixable] = field(default_factory=dict)
    is_configuration: bool = False
    is_plan: bool = False
    short_selectors: ShortSelectors = field(default_factory=dict)

    def fixable(self, *ways: Fixable) -> tuple[Finding, ...]:
        """Return the findings that are mended in one of some ways."""
        return tuple(finding for finding in self.findings if self.way(finding) in ways)

    def way(self, finding: Finding) -> Fixable | None:
        """Return how `check --fix` mends one of the findings; None if it does not."""
        found = self.fixes.get(finding.code)
        return found if found is not None and mend_for(finding) is not None else None

    def place(self, finding: Finding) -> tuple[str, Position | None]:
        """Return the file of a finding and, if known, the position in it."""
        if finding.place is not None:
            return finding.place.file, Position(finding.place.line, finding.place.column)
        return self.name, self.positions.get(finding.pointer)


def checked_state(name: str, data: bytes, version: int, findings: Sequence[Finding]) -> CheckedState:
    """Return findings about a state, given its bytes and format version, with their positions in its file.

    The pointers of the findings lead into the version 4 document.
    """
    found = without_pointers(findings, version)
    return CheckedState(display_name(name), tuple(found), finding_positions(data, found) if found else {})


@dataclass(frozen=True, slots=True)
class UnreadableState:
    """A file that does not exist or could not be read; `message` gives the reason and includes the name."""

    name: str
    message: str
