"""Applies the fixes of rules to a state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from statefmt.analysis.diff import diff
from statefmt.analysis.diff.model import SnapshotDiff
from statefmt.edit.pipeline import EditOptions, Proposal, edit
from statefmt.edit.provider_sources import SourceRequest
from statefmt.edit.session import (
    LoadedState,
    StateFileError,
    loaded,
    loaded_plain,
    repeated_members,
    rewrite,
    store_at,
    with_next_serial,
)
from statefmt.formats.providers import KEEP, SourceChoice, short_addresses
from statefmt.formats.reading import CURRENT_VERSION, inspect
from statefmt.formats.writing.write import splice
from statefmt.lint.baseline import Baseline
from statefmt.lint.checked import mend_for, mend_of
from statefmt.lint.gate import Gate
from statefmt.lint.rule import Mending
from statefmt.lint.settings import Settings
from statefmt.model.findings import Code, Finding, Severity
from statefmt.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class FixedState:
    """The result of fixing a state, or of its dry run.

    `mended` are the resolved findings, `kept` the findings whose fix does not apply. `changes` are the changes of
    content, with the serial; they are empty if only the layout changed. `is_canonical` says whether the state was
    rewritten in canonical form. `reason` says why nothing was fixed, or is "".
    """

    mended: tuple[Finding, ...] = ()
    kept: tuple[Finding, ...] = ()
    changes: SnapshotDiff | None = None
    is_canonical: bool = False
    reason: str = ""


class _UnusableError(Exception):
    """The state cannot be read, so nothing can be fixed."""


def mend_state(
    gate: Gate,
    name: str,
    options: EditOptions,
    *,
    unsafe: bool = False,
    written: Callable[[FixedState, str | None], None] = lambda _mended, _backup: None,
) -> FixedState:
    """Fix the findings of a gate in the state at `name`, in one edit.

    Leaves findings that the settings or the baseline of the gate hide. All other bytes stay, unless the fix is the
    canonical form. The serial rises by one if the content changes. `written` is called right after the write, with the
    path of the backup. Raises StatetoolError and leaves the state unchanged if it is locked or cannot be written, or if
    the edit would add an error finding.
    """

    def opening(data: bytes) -> LoadedState:
        try:
            return loaded(gate.context, name, data)
        except StateFileError as error:
            raise _UnusableError from error

    def operation(state: LoadedState) -> Proposal[FixedState]:
        return _proposal(gate, state, unsafe=unsafe)

    try:
        return edit(gate.context, store_at(gate.context, name), options, operation, opening=opening, written=written)
    except _UnusableError:
        return FixedState(reason="this state cannot be used, so no finding was fixed")


def _proposal(gate: Gate, state: LoadedState, *, unsafe: bool) -> Proposal[FixedState]:
    opened = None if state.seal is None else state.seal.opened
    before, _ = gate.found(state.name, state.data, opened)
    chosen = [one for one in before if (mend := mend_for(one)) is not None and (mend.is_safe or unsafe)]
    if state.result.version != CURRENT_VERSION:
        reason = f"this state has format version {state.result.version}; upgrade it first"
        return Proposal(FixedState(kept=tuple(chosen), reason=reason if chosen else ""), [state.data], check=False)
    if repeated := repeated_members(state):
        # Terraform and OpenTofu read only the canonical form; the next run fixes the other findings.
        if Code.DUPLICATE_MEMBER not in {finding.code for finding in chosen}:
            reason = f"nothing was fixed: {repeated}" if chosen else ""
            return Proposal(FixedState(kept=tuple(chosen), reason=reason), [state.data], check=False)
        chosen = [finding for finding in chosen if _has_canonical_mend(finding)]
    after = _changed(state.result.snapshot, chosen, _sources(gate, state, chosen))
    changes = diff(state.result.snapshot, after, exact=True)
    content = state.data
    if changes:
        after = with_next_serial(after, state.name)
        assert state.result.snapshot.source is not None
        content = splice(state.result.snapshot.source, after)
    spliced, reason = content, ""
    if any(_has_canonical_mend(finding) for finding in chosen):
        codes = {finding.code for finding in chosen}
        content, reason = _canonical(state, content, codes)
        if content != spliced:
            reason = _side_effect(gate, state, spliced, content, codes)
            content = spliced if reason else content
    left, _ = gate.found(state.name, content, opened) if content != state.data else (before, 0)
    mended = _without(filter(_may_go, before), filter(_may_go, left))
    outcome = FixedState(
        mended=mended,
        kept=tuple(found for found in chosen if found not in mended),
        changes=diff(state.result.snapshot, after, exact=True),
        is_canonical=content != spliced,
        reason=reason,
    )
    return Proposal(outcome, [content])


def _may_go(finding: Finding) -> bool:
    """Return whether an edit may resolve a finding: not if its rule has a fix that does not apply to it."""
    return mend_of(finding.code) is None or mend_for(finding) is not None


def _side_effect(gate: Gate, state: LoadedState, content: bytes, canonical: bytes, chosen: Collection[str]) -> str:
    """Return why the canonical form must not be written; "" if it may be.

    The canonical form must have no new findings of any rule, and only findings of `chosen` codes and of severity info
    may disappear. A second rewrite must not change it again.
    """
    everything = replace(gate, select=None, ignore=(), settings=Settings(), baseline=Baseline())
    opened = None if state.seal is None else state.seal.opened
    before, _ = everything.found(state.name, content, opened)
    after, _ = everything.found(state.name, canonical, opened)
    added = {found.code for found in _without(after, before)}
    decided = {found.code for found in _without(before, after) if found.severity is not Severity.INFO} - set(chosen)
    again = {found.code for found in after if found.code == Code.NOT_CANONICAL}
    if decided:
        return f"not rewritten in canonical form, since that would also decide what {_listed(decided)}"
    if added or again:
        return f"not rewritten in canonical form, since it would then have what {_listed(added | again)}"
    return ""


def _listed(codes: Collection[str]) -> str:
    reports = "reports" if len(codes) == 1 else "report"
    return f"{' and '.join(sorted(codes))} {reports}; `statetool rule CODE` explains them"


def _without(findings: Iterable[Finding], others: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings without those in `others`, by code and address: details may contain counts."""
    rest = Counter((finding.code, finding.address) for finding in others)
    result = []
    for finding in findings:
        if rest[finding.code, finding.address]:
            rest[finding.code, finding.address] -= 1
        else:
            result.append(finding)
    return tuple(result)


def _canonical(state: LoadedState, content: bytes, chosen: Collection[str]) -> tuple[bytes, str]:
    """Return the content in canonical form; or unchanged, with the reason.

    The reason is a loss that a rule outside `chosen` reports, and that only a user may accept.
    """
    document = inspect(content).document
    if document is not None and short_addresses(document):
        return content, (
            "not rewritten in canonical form, since it names providers by their type only, and Terraform would drop "
            "their resources. Set their sources first with `statetool fmt --registry ENGINE`"
        )
    same = loaded_plain(state.name, content, seal=state.seal)
    rewritten = rewrite(same, same.result.style, drop_unknown=False)
    lost = {note.code for note in rewritten.notes if note.code not in chosen and not _is_safe(note)}
    if lost:
        return content, f"not rewritten in canonical form, since that would also decide what {_listed(lost)}"
    return rewritten.content, ""


def _is_safe(finding: Finding) -> bool:
    mend = mend_of(finding.code)
    return mend is None or mend.is_safe or mend.change is not None


def _changed(snapshot: Snapshot, chosen: Sequence[Finding], sources: SourceChoice) -> Snapshot:
    """Apply the fixes of findings in the order of their codes."""
    for code in sorted({finding.code for finding in chosen}):
        mend = mend_of(code)
        if mend is not None and mend.change is not None:
            addresses = frozenset(finding.address for finding in chosen if finding.code == code)
            snapshot = mend.change(Mending(snapshot, addresses, sources))
    return snapshot


def _sources(gate: Gate, state: LoadedState, chosen: Sequence[Finding]) -> SourceChoice:
    references = gate.configuration
    if references is None or not chosen:
        return KEEP
    request = SourceRequest(directory=references.configuration.directory, references=lambda: references)
    return request.configured(state)


def _has_canonical_mend(finding: Finding) -> bool:
    mend = mend_of(finding.code)
    return mend is not None and mend.change is None
