"""Reports as findings what the target release would lose of a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from statefmt.formats.releases.downgrade import losses
from statefmt.formats.releases.loss import CONSEQUENCES, Cause, Loss, reason, way_out
from statefmt.formats.releases.releases import Release
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def loss_findings(subject: Subject, code: Code, summary: str, belongs: Callable[[Loss], bool]) -> Iterable[Finding]:
    """Yield a finding for each loss that belongs to a rule; none if no release was given."""
    release = subject.release
    if release is None:
        return
    for loss in subject.once(_losses):
        if belongs(loss):
            yield code.finding(
                summary, _detail(loss, release), loss.address, loss.pointer, way_out(loss.cause, release)
            )


def _losses(subject: Subject) -> Sequence[Loss]:
    snapshot = subject.inspection.snapshot
    return () if snapshot is None or subject.release is None else losses(snapshot, subject.release)


def _detail(loss: Loss, release: Release) -> str:
    where = loss.at or "the state"
    if loss.loses_object:
        bound = f"bound to {loss.provider}" if loss.provider else "bound to no provider"
        return f"{where} is {bound}. {release.title} {reason(loss.cause, release)}."
    told = f": {CONSEQUENCES[loss.field]}" if loss.field in CONSEQUENCES else ""
    match loss.cause:
        case Cause.REFUSED:
            return f'{release.title} cannot read the state because of "{loss.field}" of {where}{told}.'
        case Cause.UNKNOWN:
            return f'{release.title} drops "{loss.field}" of {where}, which statetool does not know either.'
        case _:
            return f'{release.title} does not keep "{loss.field}" of {where}{told}.'
