"""Checks state files with a project's rules, settings and baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from statefmt.context import RunContext
from statefmt.formats.raw_json.positions import finding_positions
from statefmt.formats.reading import CURRENT_VERSION, Inspection, inspect
from statefmt.formats.releases import Release
from statefmt.formats.versions import collector_paused
from statefmt.lint.baseline import Baseline
from statefmt.lint.check import check, check_configuration, check_plan, selected_rules
from statefmt.lint.checked import CheckedState, UnreadableState, fixable_codes, short_selectors
from statefmt.lint.settings import Settings
from statefmt.model import findings as codes
from statefmt.model.errors import EncryptionError, StoreError
from statefmt.model.findings import Finding
from statefmt.sealed import opened
from statefmt.store.backends import RemoteLocation
from statefmt.store.reading import STANDARD_INPUT, display_name

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.encryption import Opened
    from statefmt.lifecycle.plan import ShownPlan
    from statefmt.lifecycle.schema import ProviderSchemas
    from statefmt.model.snapshot import Snapshot

T = TypeVar("T")
R = TypeVar("R")

# Starting a process takes as long as checking dozens of small states.
_SHARE: Final = 100


@dataclass(frozen=True, slots=True)
class Gate:
    """Checks states, configurations and plans with the settings and the baseline of a project.

    `folder` and `baseline_folder` contain the settings file and the baseline. `configuration` and `schemas` are
    compared with the states. With `json_schema`, states are also validated against the JSON schema of their format.
    """

    context: RunContext
    select: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    release: Release | None = None
    settings: Settings = field(default_factory=Settings)
    folder: Path = Path()
    baseline: Baseline = field(default_factory=Baseline)
    baseline_folder: Path = Path()
    configuration: ProviderReferences | None = None
    schemas: ProviderSchemas | None = None
    json_schema: bool = False

    def check_all(self, names: Sequence[str]) -> list[CheckedState | UnreadableState]:
        """Check many state files, in several processes if that is faster. Results keep the order of `names`."""
        with collector_paused():
            if len(names) == 1:
                return [self._checked(names[0])]
            # Each state is one step of the progress, without phases.
            gate = replace(self, context=replace(self.context, progress=None))
            return map_in_processes(
                gate._checked, names, report=lambda done: self.context.phase("checking", done, len(names), "states")
            )

    def _checked(self, name: str) -> CheckedState | UnreadableState:
        try:
            return self.check(name)
        except (StoreError, EncryptionError) as error:
            return UnreadableState(display_name(name), error.on_command_line)

    def check(self, name: str) -> CheckedState:
        """Check one state file, or standard input for `-`.

        Raises StoreError if it cannot be read, and EncryptionError if it cannot be decrypted.
        """
        data = self.context.read(name)
        self.context.phase("checking")
        found = opened(self.context, name, data, tolerant=True)
        return self.checked(name, data if found is None else found.plain, found)

    def checked(self, name: str, data: bytes, opened: Opened | None) -> CheckedState:
        """Check a state already read, as check() does.

        `data` is its plain content; `opened` the decrypted file if it is encrypted.
        """
        inspection = inspect(data)
        new, hidden = self.found(name, inspection, opened)
        places = finding_positions(data, new) if new else {}
        fixes = fixable_codes(inspection, new, self.configuration)
        snapshot = inspection.snapshot if inspection.version == CURRENT_VERSION else None
        short = {} if snapshot is None else short_selectors(new, snapshot)
        return CheckedState(display_name(name), new, places, hidden, fixes, short_selectors=short)

    def found(self, name: str, data: bytes | Inspection, opened: Opened | None) -> tuple[tuple[Finding, ...], int]:
        """Return the findings about a state already read, and the number of findings in the baseline.

        `data` is its plain content; `opened` the decrypted file if it is encrypted.
        """
        findings = check(
            data,
            select=self.select,
            ignore=self.ignore,
            release=self.release,
            name=name,
            configuration=self.configuration,
            opened=opened,
            schemas=self.schemas,
            json_schema=self.json_schema,
        )
        return self._new(name, self._allowed(name, findings))

    def kept(self, name: str, findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], int]:
        """Like found(), from earlier findings of all rules about the state alone."""
        rules = selected_rules(self.select, self.ignore).by_code
        return self._new(name, self._allowed(name, [finding for finding in findings if finding.code in rules]))

    def check_configuration(self) -> CheckedState:
        """Check the configuration alone; it must be set."""
        assert self.configuration is not None
        name = self.configuration.configuration.directory
        found = check_configuration(self.configuration, select=self.select, ignore=self.ignore)
        new, hidden = self._new(name, self._allowed(name, found))
        return CheckedState(name, new, {}, hidden, is_configuration=True)

    def check_plan(self, name: str, plan: ShownPlan, state: str | None = None) -> CheckedState:
        """Check a plan from the file `name`, with a state file if one is given.

        If the state is unusable, includes only the findings of check() with the reason. Raises StoreError and
        EncryptionError.
        """
        # Imported late: most runs have no plan.
        from statefmt.lint.plan_subject import PlanSubject

        snapshot = None if state is None else self._snapshot(state)
        configuration = None if self.configuration is None else self.configuration.configuration
        subject = PlanSubject(plan, snapshot, state, self.settings.rules, self.schemas, configuration)
        found = check_plan(subject, select=self.select, ignore=self.ignore)
        new, hidden = self._new(name, self._allowed(name, found))
        # A plan file has no lines.
        places = finding_positions(plan.source, new) if new and not plan.file else {}
        return CheckedState(display_name(name), new, places, hidden, is_plan=True)

    def _snapshot(self, name: str) -> Snapshot | None:
        data = self.context.read(name)
        found = opened(self.context, name, data, tolerant=True)
        return inspect(data if found is None else found.plain).snapshot

    def _new(self, name: str, findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], int]:
        """Return the findings that are not in the baseline, and the number of findings that are."""
        if not self.baseline.states:
            return tuple(findings), 0
        return self.baseline.split(relative_path(name, self.baseline_folder), findings)

    def _allowed(self, name: str, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Return the findings that the settings do not ignore for the file or their address."""
        if not self.settings.per_file_ignores and not self.settings.per_address_ignores:
            return findings
        in_file = self.settings.ignored_in(relative_path(name, self.folder))
        return [
            finding
            for finding in findings
            if finding.code in codes.NO_STATE
            or not finding.code.startswith((*in_file, *self.settings.ignored_at(finding.address)))
        ]


def relative_path(name: str, folder: Path) -> str:
    """Return a path relative to a folder, with forward slashes; `-` and states in backends are unchanged."""
    is_file = name != STANDARD_INPUT and not isinstance(name, RemoteLocation)
    return Path(os.path.relpath(name, folder)).as_posix() if is_file else name


def map_in_processes(
    work: Callable[[T], R],
    items: Sequence[T],
    processes: int | None = None,
    *,
    report: Callable[[int], None] = lambda _: None,
) -> list[R]:
    """Return the result of `work` for each item, in order. `work` must not raise or have side effects.

    By default, starts one process per processor, but no more than there is work for. Calls `report` with the number
    of finished items; this process assumes that the others are as fast.
    """
    # Imported late: usually there is one state, and no worker.
    from statefmt.processes import Worker, processor_count

    def done_here(place: int, item: T) -> R:
        report(place * count)
        return work(item)

    def share(number: int) -> list[R]:
        return list(map(work, items[number::count]))

    count = max(1, min(processor_count(), len(items) // _SHARE)) if processes is None else processes
    workers: list[Worker] = []
    try:
        for number in range(1, count):
            workers.append(Worker(share, workers))
            workers[-1].give(number)
        shares = [[done_here(place, item) for place, item in enumerate(items[0::count])]]
        for number, worker in enumerate(workers, 1):
            done: list[R] | None = worker.answer()
            # If a process has died, perhaps for lack of memory, this process does its share.
            shares.append(share(number) if done is None else done)
    finally:
        for worker in workers:
            worker.end()
    return [shares[place % count][place // count] for place in range(len(items))]
