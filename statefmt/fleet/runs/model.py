"""The differences between two runs of an index, as values."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from statefmt.fleet.runs.named import FleetRun

RunChangeKind: TypeAlias = Literal["added", "removed", "changed"]


class StateFacts(Struct, frozen=True):
    """A state at the end of a run. If it could not be read, `error` says why, and most other fields are empty."""

    error: str | None
    format_version: int | None
    terraform_version: str | None
    lineage: str | None
    serial: int | None
    encrypted: bool
    size: int | None
    n_resources: int
    n_objects: int
    errors: int
    warnings: int
    infos: int


class ObjectDifference(Struct, frozen=True):
    """An object that was added, removed or changed; `what` names what changed in it, such as `attributes`."""

    address: str
    deposed: str
    kind: RunChangeKind
    what: tuple[str, ...] = ()


class OutputDifference(Struct, frozen=True):
    """An output that was added, removed or changed. A new value of a sensitive output is not detected."""

    name: str
    kind: RunChangeKind


class FindingDifference(Struct, array_like=True, frozen=True):
    """Equal findings; `count` is how many are new or, if it is negative, how many are gone."""

    code: str
    severity: Literal["error", "warning", "info"]
    address: str
    summary: str
    count: int


class StateDifference(Struct, frozen=True):
    """A state that differs. `before` is None if it was added, `after` if it was removed.

    Objects, outputs and findings are compared only if both runs have the state and could read it.
    """

    uri: str
    before: StateFacts | None
    after: StateFacts | None
    objects: tuple[ObjectDifference, ...] = ()
    outputs: tuple[OutputDifference, ...] = ()
    findings: tuple[FindingDifference, ...] = ()

    @property
    def kind(self) -> RunChangeKind:
        """Whether the state was added, removed or changed."""
        return kind_of(self.before, self.after)


class RunDifference(Struct, frozen=True):
    """The differences between the index at the end of one run and at the end of another.

    `compares_findings` is False if the rules were not run in both. `same_rules` is False if the runs had different
    rules, so that states that did not change may have new findings.
    """

    before: FleetRun
    after: FleetRun
    states: tuple[StateDifference, ...]
    compares_findings: bool
    same_rules: bool


def kind_of(gone: object, came: object) -> RunChangeKind:
    """Return the kind of a change from `gone` to `came`, each None if there is none."""
    return "added" if gone is None else "removed" if came is None else "changed"
