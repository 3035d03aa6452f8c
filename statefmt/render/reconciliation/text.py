"""Renders a reconciliation as text: the case first, then what only one side has, then what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from statefmt.analysis.object_id import id_is_sensitive, object_id
from statefmt.analysis.reconciliation import LoneObject, Reconciliation, RecoveryCase
from statefmt.golang import quote
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.snapshot import ObjectStatus, ResourceInstanceObject, Snapshot
from statefmt.redaction.partial import HIDDEN
from statefmt.render.printable import printable
from statefmt.render.reconciliation.commands import RecoveryPlaces
from statefmt.render.reconciliation.steps import RecoveryStep
from statefmt.render.terminal import Terminal
from statefmt.store.reading import display_name

_STEP: Final = "   "


def reconciliation_text(
    found: Reconciliation,
    places: RecoveryPlaces,
    steps: Iterable[RecoveryStep],
    terminal: Terminal,
    *,
    show_sensitive: bool,
) -> Iterator[str]:
    """Yield the lines."""
    errored, stored = (printable(display_name(name)) for name in (places.errored, places.stored))
    width = max(len(errored), len(stored))
    yield terminal.paint(terminal.wrap(case_sentence(found, errored), ""), "bold")
    yield ""
    yield f"{errored:{width}}  {_head(found.errored)}"
    yield f"{stored:{width}}  {_head(found.stored) if found.stored else 'no state yet'}"
    yield from _objects(f"Only {errored} has:", found.only_errored, terminal, show_sensitive)
    yield from _objects("Only the stored state has:", found.only_stored, terminal, show_sensitive)
    differing = [printable(str(change.addr)) for change in found.differing]
    yield from _list("Both have, with different values (`statetool diff` shows them):", differing, terminal)
    yield from _list("Outputs that differ:", [printable(one.name) for one in found.changes.outputs], terminal)
    rest = [printable(one) for one in found.unstored if not one.startswith("output ")]
    yield from _list(f"Other parts of {errored} that the stored state does not have like this:", rest, terminal)
    for heading, one, other in (
        (f"Providers that only {errored} uses:", found.errored, found.stored),
        ("Providers that only the stored state uses:", found.stored, found.errored),
    ):
        yield from _list(heading, sorted(_providers(one) - _providers(other)) if found.stored else [], terminal)
    yield ""
    yield terminal.paint("What to do:", "bold")
    for number, step in enumerate(steps, 1):
        yield terminal.wrap(f"{number}. {step.text}", "", _STEP)
        for index, command in enumerate(step.commands):
            yield f"{_STEP}  {'or: ' if index else ''}{command}"
        for block in step.blocks:
            yield ""
            yield from (f"{_STEP}  {line}" if line else "" for line in block.rstrip("\n").split("\n"))
        if step.blocks:
            yield ""


def case_sentence(found: Reconciliation, name: str) -> str:
    """Say what the case is; `name` is that of the errored state."""
    refusal = f" `state push` would refuse: {printable(found.refusal)}." if found.refusal else ""
    ahead = found.serials_ahead
    match found.case:
        case RecoveryCase.SAME:
            return f"The stored state is {name}, with the same serial."
        case RecoveryCase.STORED:
            new = " Its lineage differs, as after a push where nothing was stored." if _unrelated(found) else ""
            return f"The stored state has everything that {name} has.{new}"
        case RecoveryCase.PUSH if found.stored is None:
            return f"Nothing is stored yet: a plain `state push` of {name} suffices."
        case RecoveryCase.PUSH if ahead == 1:
            return f"The stored state is the one before the failed apply: a plain `state push` of {name} suffices."
        case RecoveryCase.PUSH:
            return f"The stored state has nothing that {name} lacks: a plain `state push` suffices."
        case RecoveryCase.UNCLEAR if not found.serials_known:
            return (
                "One of the states has no lineage, so their serials cannot be compared. `state push` would not refuse."
            )
        case RecoveryCase.UNCLEAR:
            return (
                f"The serial of {name} is {ahead:,} higher than the stored one, not 1: the failed apply tried to save "
                "several times, or somebody wrote the state in between. `state push` would not refuse, and would "
                "replace what only the stored state has."
            )
        case RecoveryCase.BOTH:
            return f"Somebody wrote the state after the failed apply had read it.{refusal or _EMPTIED}"
    return f"The lineages differ: these are not two versions of one state.{refusal}"


_EMPTIED: Final = " `state push` would not refuse, since the stored state is empty."


def object_note(addr: AbsResourceInstance, obj: ResourceInstanceObject, *, show_sensitive: bool) -> str:
    """Return the id of an object, "" if it has none."""
    name = object_id(obj)
    if not name:
        return ""
    return (
        str(HIDDEN)
        if id_is_sensitive(obj, addr.resource.resource.type) and not show_sensitive
        else printable(quote(name))
    )


def _unrelated(found: Reconciliation) -> bool:
    return found.stored is not None and found.errored.lineage != found.stored.lineage


def _head(snapshot: Snapshot) -> str:
    lineage = f"lineage {printable(snapshot.lineage)}" if snapshot.lineage else "no lineage"
    return f"serial {snapshot.serial}, {lineage}"


def _objects(heading: str, objects: Sequence[LoneObject], terminal: Terminal, show_sensitive: bool) -> Iterator[str]:
    yield from _list(heading, [_object(one, show_sensitive) for one in objects], terminal)


def _object(one: LoneObject, show_sensitive: bool) -> str:
    name = object_note(one.addr, one.obj, show_sensitive=show_sensitive)
    notes = [f"id {name}"] if name else []
    if not one.obj.is_current:
        notes.append(f"deposed object {printable(one.obj.deposed)}")
    if one.obj.status is ObjectStatus.TAINTED:
        notes.append("tainted")
    if one.other is not None:
        theirs = object_note(one.addr, one.other, show_sensitive=show_sensitive)
        notes.append(f"the other state has id {theirs} at this address" if theirs else "the other state has another")
    return printable(str(one.addr)) + (f" ({', '.join(notes)})" if notes else "")


def _list(heading: str, lines: Sequence[str], terminal: Terminal) -> Iterator[str]:
    if lines:
        yield ""
        yield terminal.wrap(heading, "")
        yield from (f"  {line}" for line in lines)


def _providers(snapshot: Snapshot | None) -> set[str]:
    resources = () if snapshot is None else snapshot.resources
    return {printable(str(one.provider_config)) for one in resources if one.provider_config is not None}
