"""Checking state files as a project has settled it: rules, settings, baseline, and where findings are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from statefmt import codes
from statefmt.baseline import Baseline
from statefmt.diagnostics import Finding
from statefmt.rules.check import check
from statefmt.rules.checked import CheckedState
from statefmt.settings import Settings
from statefmt.statefile.positions import finding_positions
from statefmt.store.reading import STANDARD_INPUT, display_name, read_bytes


@dataclass(frozen=True, slots=True)
class Gate:
    """What to check for. `folder` is that of the settings file, `baseline_folder` that of the baseline."""

    select: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    settings: Settings = field(default_factory=Settings)
    folder: Path = Path()
    baseline: Baseline = field(default_factory=Baseline)
    baseline_folder: Path = Path()

    def check(self, name: str) -> CheckedState:
        """Check one state file, or standard input for `-`. Raises StoreError where it cannot be read."""
        data = read_bytes(name)
        found = self._allowed(name, check(data, select=self.select, ignore=self.ignore))
        new, hidden = self.baseline.split(relative_path(name, self.baseline_folder), found)
        places = finding_positions(data, new) if new else {}
        return CheckedState(display_name(name), new, places, hidden)

    def _allowed(self, name: str, findings: Sequence[Finding]) -> list[Finding]:
        """The findings that the settings do not ignore for their file or their address."""
        in_file = self.settings.ignored_in(relative_path(name, self.folder))
        return [
            finding
            for finding in findings
            if finding.code in codes.NO_STATE
            or not finding.code.startswith((*in_file, *self.settings.ignored_at(finding.address)))
        ]


def relative_path(name: str, folder: Path) -> str:
    """A path as seen from a folder, with forward slashes; `-` stays as it is."""
    return name if name == STANDARD_INPUT else Path(os.path.relpath(name, folder)).as_posix()
