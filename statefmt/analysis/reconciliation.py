"""Compares the state that an apply could not save with the stored state.

In that case, Terraform and OpenTofu write `errored.tfstate` in the working directory, with the lineage of the stored
state and a serial that is one higher, or higher still if the apply tried to save several times.

Source: OpenTofu `internal/backend/local/backend_apply.go` (backupStateForError),
`internal/states/statemgr/migrate.go` (CheckValidImport), `internal/states/remote/state.go` (PersistState); Terraform
1.11, tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import InstanceChange, SnapshotDiff
from statefmt.analysis.diff.moved import may_be_replaced
from statefmt.model.addrs import AbsResourceInstance, ResourceMode
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, Snapshot


class RecoveryCase(StrEnum):
    """The relation of a state that could not be saved to the stored state."""

    SAME = "same"
    STORED = "already_stored"
    PUSH = "push"
    UNCLEAR = "unclear"
    BOTH = "both"
    OTHER_LINEAGE = "other_lineage"


class PushAnswer(StrEnum):
    """The decision of `state push` without -force: accept the state, or refuse it for a reason."""

    ACCEPTED = "accepted"
    OTHER_LINEAGE = "other_lineage"
    SAME_SERIAL = "same_serial"
    OLDER_SERIAL = "older_serial"


class LoneObject(Struct, frozen=True):
    """An object of a managed resource that exists in only one of two states.

    `instance` is its instance there. If `other` is set, the other state has this other object at the same address.
    """

    instance: InstanceState
    obj: ResourceInstanceObject
    other: ResourceInstanceObject | None = None

    @property
    def addr(self) -> AbsResourceInstance:
        """The address of its instance."""
        return self.instance.addr


class Reconciliation(Struct, frozen=True, kw_only=True):
    """The case, and the differences.

    `stored` is None if there is no stored state. `changes` lead from the stored state to the errored one. `differing`
    are the instances of managed resources that are one real object in both states, with different values. `unstored`
    are other parts that the stored state lacks or has in another form: outputs, check results, dependencies, unknown
    members.
    """

    case: RecoveryCase
    push: PushAnswer
    errored: Snapshot
    stored: Snapshot | None
    changes: SnapshotDiff
    only_errored: tuple[LoneObject, ...]
    only_stored: tuple[LoneObject, ...]
    differing: tuple[InstanceChange, ...]
    unstored: tuple[str, ...] = ()

    @property
    def serials_ahead(self) -> int:
        """The difference between the serials of the errored and the stored state; negative if the former is lower."""
        return self.errored.serial - (0 if self.stored is None else self.stored.serial)

    @property
    def serials_known(self) -> bool:
        """Whether the serials can be compared: both states have the same lineage."""
        return self.stored is not None and self.errored.lineage == self.stored.lineage != ""

    @property
    def refusal(self) -> str:
        """The reason of `state push` for refusing, in its words; "" if it accepts the state."""
        errored, stored = self.errored, self.stored
        if stored is None or self.push is PushAnswer.ACCEPTED:
            return ""
        if self.push is PushAnswer.OTHER_LINEAGE:
            lineages = f'"{errored.lineage}" over unrelated state with lineage "{stored.lineage}"'
            return f"cannot import state with lineage {lineages}"
        if self.push is PushAnswer.OLDER_SERIAL:
            return f"cannot import state with serial {errored.serial} over newer state with serial {stored.serial}"
        return (
            f"cannot overwrite existing state with serial {errored.serial} with a different state that has the same "
            "serial"
        )

    @property
    def is_settled(self) -> bool:
        """Whether no work is left, so that the file of the errored state can be deleted."""
        return self.case in (RecoveryCase.SAME, RecoveryCase.STORED)


def reconcile(errored: Snapshot, stored: Snapshot | None) -> Reconciliation:
    """Compare the state that an apply could not save with the stored one; None if none is stored.

    There is no common ancestor: if both sides may have changed, the result does not show which of two values is
    newer.
    """
    changes = diff(Snapshot() if stored is None else stored, errored)
    result = Reconciliation(
        case=RecoveryCase.PUSH,
        push=_answer(errored, stored, changes),
        errored=errored,
        stored=stored,
        changes=changes,
        only_errored=tuple(_lone(changes, of_new=True)),
        only_stored=tuple(_lone(changes, of_new=False)),
        differing=tuple(filter(_differs, changes.instances)),
        unstored=tuple(_unstored(changes)),
    )
    return result if stored is None else replace(result, case=_case(result, stored))


def _answer(errored: Snapshot, stored: Snapshot | None, changes: SnapshotDiff) -> PushAnswer:
    """Return the decision of CheckValidImport: an empty state, or one without lineage, accepts any state."""
    if stored is None or _is_empty(stored) or not (errored.lineage and stored.lineage):
        return PushAnswer.ACCEPTED
    if errored.lineage != stored.lineage:
        return PushAnswer.OTHER_LINEAGE
    if errored.serial > stored.serial or (errored.serial == stored.serial and not _has_content(changes)):
        return PushAnswer.ACCEPTED
    return PushAnswer.SAME_SERIAL if errored.serial == stored.serial else PushAnswer.OLDER_SERIAL


def _case(found: Reconciliation, stored: Snapshot) -> RecoveryCase:
    if not found.changes:
        return RecoveryCase.SAME
    # Each plan reads data sources again.
    lacks_nothing = not (found.only_errored or found.differing or found.unstored)
    says_the_same = not _has_content(found.changes) and not found.unstored
    loses_nothing = not found.only_stored and not found.differing
    if not (found.errored.lineage and stored.lineage):
        # Terraform and OpenTofu compare no serials in this case.
        settled = says_the_same
        return RecoveryCase.STORED if settled else RecoveryCase.PUSH if loses_nothing else RecoveryCase.UNCLEAR
    if found.errored.lineage != stored.lineage:
        # A push to an empty location gives the state a new lineage.
        is_there = lacks_nothing and not _is_empty(found.errored)
        return RecoveryCase.STORED if is_there else RecoveryCase.OTHER_LINEAGE
    if says_the_same or (found.serials_ahead <= 0 and lacks_nothing):
        return RecoveryCase.STORED
    if found.serials_ahead <= 0:
        return RecoveryCase.BOTH
    return RecoveryCase.PUSH if found.serials_ahead == 1 or loses_nothing else RecoveryCase.UNCLEAR


def _has_content(changes: SnapshotDiff) -> bool:
    """Return whether the states differ in more than their top-level members."""
    return bool(changes.instances or changes.followed or changes.resources or changes.outputs or changes.check_results)


def _unstored(changes: SnapshotDiff) -> Iterator[str]:
    """Yield the contents of the errored state, except objects, that the stored state lacks."""
    yield from (f"output {change.name}" for change in changes.outputs if change.new is not None)
    results = changes.check_results.differing if changes.check_results else ()
    yield from (f"check result of {address}" for address, _, new in results if new is not None)
    for change in changes.instances:
        for member in change.members:
            if member.name == "dependencies" and not _names(member.new) <= _names(member.old):
                yield f"dependencies of {change.addr}"
    for resource in changes.resources:
        if resource.new is not None:
            yield f"resource {resource.new.addr}"
    yield from (f"member {one.name}" for one in changes.envelope if not one.is_known and one.new is not None)


def _names(dependencies: bytes | None) -> set[str]:
    return set() if dependencies is None else set(msgspec.json.decode(dependencies, type=list[str]))


def _is_empty(snapshot: Snapshot) -> bool:
    # Source: OpenTofu `internal/states/state.go` (Empty).
    return not snapshot.resources and not snapshot.outputs


def _lone(changes: SnapshotDiff, *, of_new: bool) -> Iterator[LoneObject]:
    """Yield the managed objects that exist on only one side, in list order."""
    for change in changes.instances:
        side, other = (change.new, change.old) if of_new else (change.old, change.new)
        if side is None or side.resource.addr.resource.mode is not ResourceMode.MANAGED:
            continue
        if other is None:
            yield from (LoneObject(side, obj) for obj in side.current_first)
            continue
        if _is_other_object(change) and side.current is not None:
            yield LoneObject(side, side.current, other.current)
        for part in change.objects:
            obj = part.new if of_new else part.old
            if obj is not None:
                yield LoneObject(side, obj)


def _is_other_object(change: InstanceChange) -> bool:
    """Return whether the two states have different real objects at one address."""
    one, other = change.old, change.new
    if one is None or other is None or change.is_moved or not may_be_replaced(one, other):
        return False
    mine, theirs = one.current, other.current
    return mine is None or theirs is None or mine.identity is None or mine.identity != theirs.identity


def _differs(change: InstanceChange) -> bool:
    """Return whether one managed object has different values on the two sides."""
    if change.old is None or change.new is None or change.addr.resource.resource.mode is not ResourceMode.MANAGED:
        return False
    return any(member.name != "dependencies" for member in change.members) and not _is_other_object(change)
