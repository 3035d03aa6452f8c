"""Prints plans with the provider instance of each change, as text and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from statefmt.analysis.diff.values import ValueChange
from statefmt.analysis.plans import changes_nothing, is_shown, open_checks, plan_counts
from statefmt.analysis.plans.bindings import BoundChange, PlanBindings
from statefmt.analysis.plans.members import unknown_pointers
from statefmt.analysis.plans.values import (
    DriftDetails,
    attribute_places,
    change_details,
    drift_details,
    output_places,
    overlaps,
    reason_text,
    relevant_paths,
    shown_identity,
)
from statefmt.analysis.providers import config_order
from statefmt.lifecycle.plan import Action, ActionInvocation, Change, PlannedChange, ShownPlan, read_mask
from statefmt.model.addrs import AbsProviderInstance, AbsResourceInstance, key_order
from statefmt.pairing import BlockPairing
from statefmt.redaction.partial import HIDDEN, path_text
from statefmt.redaction.secrets import SecretSteps
from statefmt.render.diff import TOO_DEEP, Item, Line, Manner, remark, shown, side_text, value_line
from statefmt.render.diff.reports import code, escaped, fitted
from statefmt.render.terminal import READABLE_WIDTH, Terminal, counted
from statefmt.text import pattern, printable

_COLOURS: Final = MappingProxyType({
    "+": "green", "-": "red", "~": "yellow", "-/+": "red", "+/-": "red", "<=": "cyan", ".": "red", "./+": "red",
    "+/.": "red",
})  # fmt: skip
_INDENT: Final = "  "
# Width reserved for the text around a value on its own line.
_MARGIN: Final = 12


def plan_text(plan: ShownPlan, bindings: PlanBindings, manner: Manner, terminal: Terminal) -> Iterator[str]:
    """Yield the plan in pieces of one or more lines, without a final newline; the last piece is the summary."""
    manner = replace(manner, width=min(terminal.width, READABLE_WIDTH) - _MARGIN)
    for text in remarks(plan):
        yield terminal.paint(terminal.wrap(printable(text), ""), "bold", "red") + "\n"
    for section in sections(plan, bindings, manner):
        styles = ("bold", "red") if section.heading == MISSING else ("bold",)
        yield terminal.paint(f"{section.heading}:", *styles)
        yield from (_item_text(item, terminal) for item in section.items)
        if section.advice:
            yield terminal.wrap(f"→ {section.advice}", _INDENT, _INDENT)
        yield ""
    yield terminal.paint(summary(plan), "bold")


def _item_text(item: Item, terminal: Terminal) -> str:
    head = f"{_INDENT}{_sign(item.sign, terminal)} {item.title}"
    length = len(_INDENT) + len(item.sign) + 1 + len(item.title)
    if len(item.lines) == 1 and not item.lines[0].label:
        # The value of an output, or the provider instances.
        return "\n".join([_with_note(head, length, item.note, terminal), *_sides(item.lines[0], _INDENT * 3)])
    lines = [text for line in item.lines for text in _line_text(line, terminal)]
    return "\n".join([_with_note(head, length, item.note, terminal), *lines])


def _with_note(head: str, length: int, note: str, terminal: Terminal) -> str:
    if not note:
        return head
    if length + len(note) + 3 <= terminal.width:
        return f"{head} {terminal.paint(f'({note})', 'dim')}"
    return f"{head}\n{terminal.paint(terminal.wrap(f'({note})', _INDENT * 3), 'dim')}"


def _line_text(line: Line, terminal: Terminal) -> list[str]:
    indent = _INDENT * 3
    head = f"{indent}{_sign(line.sign, terminal)} {line.label}"
    sides = [side for side in (line.old, line.new) if side is not None]
    if not sides:
        return [head]
    length = len(indent) + 2 + len(line.label) + sum(map(len, sides)) + len(":  → ")
    if length <= terminal.width and not any("\n" in side for side in sides):
        return [f"{head}: {' → '.join(sides)}"]
    return [f"{head}:", *_sides(line, _INDENT * 5)]


def _sides(line: Line, indent: str) -> list[str]:
    if line.old is None or line.new is None:
        return [f"{indent}{line.old if line.old is not None else line.new}"]
    return [f"{indent}  {line.old}", f"{indent}→ {line.new}"]


def _sign(sign: str, terminal: Terminal) -> str:
    return terminal.paint(sign, _COLOURS[sign]) if sign in _COLOURS else sign


# Prefixes of coloured lines in a `diff` code block.
_FIRST: Final = MappingProxyType(
    {"+": "+", "-": "-", "~": "!", ".": "-", "-/+": "-", "+/-": "-", "./+": "-", "+/.": "-"}
)
_WIDTH: Final = 100


def plan_markdown(plan: ShownPlan, bindings: PlanBindings, manner: Manner, name: str) -> str:
    """Return the plan with folded details, truncated at MOST_CHARACTERS with a note; `name` is its file.

    Text from the plan appears only in code, so that none of it is markup, a link or a mention.
    """
    parts = [f"### Plan\n\n{code(name)}\n\n", *(f"**{escaped(text)}**\n\n" for text in remarks(plan))]
    parts.append(f"**{escaped(summary(plan).removeprefix('Plan: ').rstrip('.'))}**\n")
    return fitted(parts, map(_section, sections(plan, bindings, replace(manner, width=_WIDTH))), "plan-show")


def _section(section: PlanSection) -> tuple[str, list[str], str]:
    """Return the head, the lines and the end of a section. Notices are not folded."""
    lines = [line for item in section.items for line in _item_lines(item)]
    title = code(section.heading) if section.is_address else escaped(section.heading)
    title += f" ({counted(len(section.items), 'entry', 'entries')})"
    head, end = f"\n<details><summary>{title}</summary>\n\n", "\n</details>\n"
    if section.is_notice:
        head, end = f"\n**{title}**\n\n", f"\n{section.advice}\n" if section.advice else ""
    return head, lines, end


def _item_lines(item: Item) -> Iterator[str]:
    first = _FIRST.get(item.sign, " ")
    sign = "" if item.sign in ("", " ", first) else f"{item.sign} "
    yield f"{first} {sign}{item.title}{f' ({item.note})' if item.note else ''}"
    for line in item.lines:
        yield from _line_markdown(line)


def _line_markdown(line: Line) -> Iterator[str]:
    sides = [side for side in (line.old, line.new) if side is not None]
    separator = ": " if line.label and sides else ""
    first, *more = f"    {line.label}{separator}{' → '.join(sides)}".split("\n")
    sign = _FIRST[line.sign]
    yield f"{sign} {first}"
    yield from (f"{sign} {text}" for text in more)


def summary(plan: ShownPlan) -> str:
    """Return `No changes.`, or `Plan: 3 to add, 1 to change, 2 to destroy.` with all other effects."""
    return "No changes." if changes_nothing(plan) else f"Plan: {counts(plan)}."


def counts(plan: ShownPlan) -> str:
    """Return `3 to add, 1 to change, 2 to destroy`, with moves, reads, actions, outputs, drift and checks if any."""
    outputs = sum(change.action is not Action.NO_OP for change in plan.output_changes.values())
    every = sum(change.action is not Action.NO_OP for change in plan.resource_drift)
    forms = sum(map(_is_form, plan.resource_drift))
    drift = every - forms
    moved = sum(change.previous_address is not None for change in plan.resource_drift)
    deferred = len(plan.deferred_changes) + len(plan.deferred_action_invocations)
    failed = sum(check.failed for check in open_checks(plan))
    unknown = len(open_checks(plan)) - failed
    # A plan that only refreshes lists its moves in the drift.
    moved = 0 if plan.resource_changes else moved
    more = [
        f"{counted(moved, 'object')} moved" if moved else "",
        f"{counted(len(plan.action_invocations), 'action')} to invoke" if plan.action_invocations else "",
        f"{counted(outputs, 'output')} to change" if outputs else "",
        f"{counted(drift, 'object')} changed outside" if drift else "",
        f"{counted(forms, 'object')} different only in form" if forms else "",
        f"{counted(deferred, 'change')} deferred" if deferred else "",
        f"{counted(failed, 'check')} failed" if failed else "",
        f"{counted(unknown, 'check')} not known before the apply" if unknown else "",
    ]
    return "; ".join(filter(None, [plan_counts(plan), *more]))


def _is_form(change: PlannedChange) -> bool:
    """Return whether an object differs only in form from the object of the last apply."""
    if change.action is not Action.UPDATE:
        return False
    try:
        return not drift_details(change.change, (), show_sensitive=True).is_drift
    except ValueError:
        # Nested too deeply.
        return False


def remarks(plan: ShownPlan) -> Iterator[str]:
    """Yield warnings to show before the changes."""
    if plan.errored:
        yield "Planning failed: this plan is not complete and cannot be applied."
    elif not plan.is_complete:
        yield "This plan is not complete: after applying it, another one is needed."
    if unknown := unknown_pointers(plan):
        yield f"This plan has members that this version does not know, and does not show: {', '.join(unknown)}."


SIGNS: Final = MappingProxyType({
    Action.NO_OP: " ",
    Action.CREATE: "+",
    Action.READ: "<=",
    Action.OPEN: "<=",
    Action.UPDATE: "~",
    Action.DELETE: "-",
    Action.DELETE_THEN_CREATE: "-/+",
    Action.CREATE_THEN_DELETE: "+/-",
    Action.FORGET: ".",
    Action.FORGET_THEN_CREATE: "./+",
    Action.CREATE_THEN_FORGET: "+/.",
})  # fmt: skip
_WORDS: Final = MappingProxyType({
    Action.READ: "read during apply",
    Action.OPEN: "opened during apply, and not stored",
    Action.DELETE: "destroyed",
    Action.DELETE_THEN_CREATE: "replaced",
    Action.CREATE_THEN_DELETE: "replaced, created first",
    Action.FORGET: "forgotten",
    Action.FORGET_THEN_CREATE: "forgotten, then created",
    Action.CREATE_THEN_FORGET: "created, then forgotten",
})  # fmt: skip
MISSING: Final = "Provider instance missing"
_PUT_BACK: Final = (
    "OpenTofu stops with an error. Put the provider block or its for_each key back until one apply has destroyed the "
    "objects; `statetool check --config DIR STATE` shows the block to paste, and other ways out."
)
_REBOUND: Final = "Provider instance changes"
_REMOVED: Final = "Removed"
_NOT_KNOWN: Final = "Provider instance not known"
_DRIFT: Final = "Changed outside of OpenTofu"
_RELEVANT: Final = "the plan depends on it"
# Source: Terraform `internal/configs/action.go`. An apply stops by default.
_FAILURES: Final = MappingProxyType({
    "ActionOnFailureHalt": "",
    "ActionOnFailureTaint": "a failure taints the object",
    "ActionOnFailureContinue": "the apply goes on after a failure",
})  # fmt: skip
# Between the words of `AfterCreate`.
_WORD: Final = pattern(r"(?<=[a-z])(?=[A-Z])")
_NO_DETAILS: Final = frozenset({Action.NO_OP, Action.CREATE, Action.READ, Action.OPEN, Action.DELETE, Action.FORGET})


@dataclass(frozen=True, slots=True)
class PlanSection:
    """Items under a heading, which is an address if `is_address` is set. Sections with `is_notice` come first.

    `advice` is advice for the section.
    """

    heading: str
    items: tuple[Item, ...]
    is_notice: bool = False
    is_address: bool = False
    advice: str = ""


def sections(plan: ShownPlan, bindings: PlanBindings, manner: Manner) -> Iterator[PlanSection]:
    """Yield the sections that are not empty: notices, the changes by provider instance, and the rest."""
    changes = [each for each in bindings.changes if is_shown(each.change)]
    found = (
        PlanSection(MISSING, tuple(_missing(bindings)), True, advice=_PUT_BACK),
        PlanSection(_REBOUND, tuple(map(_rebound, filter(lambda each: each.is_rebound, bindings.changes))), True),
        PlanSection(_REMOVED, tuple(_removed(changes, manner)), True),
        *_by_provider(changes, manner),
        PlanSection("Actions", tuple(_action(each, "") for each in plan.action_invocations)),
        PlanSection("Deferred to a later plan", tuple(_deferred(plan))),
        PlanSection(_DRIFT, tuple(_drift(plan, manner))),
        PlanSection("Different only in form", tuple(_forms(plan, manner))),
        PlanSection("Outputs", tuple(_outputs(plan, manner))),
        PlanSection(
            "Checks that do not pass",
            # Omits the messages, which a configuration may build from sensitive values.
            tuple(Item(" ", printable(one.address), note=printable(one.status)) for one in open_checks(plan)),
        ),
    )
    yield from (section for section in found if section.items)


def _missing(bindings: PlanBindings) -> Iterator[Item]:
    for each in bindings.changes:
        if each.planned.is_missing:
            yield Item(SIGNS[each.change.action], _name(each.change), note=printable(each.planned.reason))
    for one in bindings.stranded:
        reason = printable(f"not in the plan; {one.planned.reason}")
        yield Item(" ", _object_name(one.address, one.deposed), note=reason)


def _rebound(bound: BoundChange) -> Item:
    line = Line("~", "", _provider_text(bound.prior), _provider_text(bound.planned.provider))
    return Item(SIGNS[bound.change.action], _name(bound.change), lines=(line,))


def _removed(changes: Iterable[BoundChange], manner: Manner) -> Iterator[Item]:
    for each in changes:
        if each.change.action.removes and not each.change.action.creates:
            yield Item(SIGNS[each.change.action], _name(each.change), note=_note(each.change, manner))


def _by_provider(changes: Iterable[BoundChange], manner: Manner) -> Iterator[PlanSection]:
    groups: dict[AbsProviderInstance | None, list[BoundChange]] = {}
    for each in changes:
        groups.setdefault(each.planned.provider, []).append(each)
    unknown = groups.pop(None, [])
    for provider in sorted(filter(None, groups), key=lambda one: (config_order(one.config), key_order(one.key))):
        items = tuple(_item(each.change, _note(each.change, manner), manner) for each in groups[provider])
        yield PlanSection(_provider_text(provider), items, is_address=True)
    notes = ((_note(each.change, manner), printable(each.planned.reason)) for each in unknown)
    items = tuple(
        _item(each.change, "; ".join(filter(None, note)), manner) for each, note in zip(unknown, notes, strict=True)
    )
    yield PlanSection(_NOT_KNOWN, items)


def _deferred(plan: ShownPlan) -> Iterator[Item]:
    for each in plan.deferred_changes:
        importing = each.change.importing
        imported = "imported, id not known" if importing and importing.unknown else "imported" if importing else ""
        notes = [each.reason.replace("_", " "), imported]
        note = printable("; ".join(filter(None, notes)))
        yield Item(SIGNS[each.change.action], _object_name(each.address, each.deposed), note=note)
    for action in plan.deferred_action_invocations:
        yield _action(action.action_invocation, action.reason.replace("_", " "))


def _action(action: ActionInvocation, reason: str) -> Item:
    """Return an action without a sign: its configuration, which may contain secrets, is not shown."""
    trigger, invoked = action.lifecycle_action_trigger, action.invoke_action_trigger
    parts = [reason]
    if trigger is not None:
        event = _WORD.sub(" ", trigger.action_trigger_event).lower()
        failure = _FAILURES.get(trigger.on_failure, trigger.on_failure)
        parts = [f"{event} of {trigger.triggering_resource_address}", failure, reason]
    elif invoked is not None:
        caller = invoked.calling_resource_address
        parts = [f"invoked for {caller}" if caller else "invoked by request", reason]
    return Item(" ", printable(action.address), note=printable("; ".join(filter(None, parts))))


def _drift(plan: ShownPlan, manner: Manner) -> Iterator[Item]:
    relevant = relevant_paths(plan)
    for change in plan.resource_drift:
        needed = relevant.get(str(change.address), ())
        if change.action is Action.DELETE:
            yield Item("-", _name(change), note=f"deleted; {_RELEVANT}" if needed else "deleted")
        elif change.action is not Action.NO_OP:
            details = _drift_details(change, manner, manner.pairing)
            if details is None:
                yield Item(SIGNS[change.action], _name(change), lines=(Line("~", TOO_DEEP),))
            elif details.is_drift:
                lines = tuple(_line(one, change.change, manner) for one in details.changes)
                lines = lines or (Line("~", "only what is marked as sensitive"),)
                note = _RELEVANT if overlaps(needed, details.changes) else ""
                yield Item(SIGNS[change.action], _name(change), lines=lines, note=note)
        elif change.previous_address is not None and not plan.resource_changes:
            # A plan that only refreshes lists its moves here.
            yield Item(SIGNS[change.action], _name(change), note=_note(change, manner))


def _forms(plan: ShownPlan, manner: Manner) -> Iterator[Item]:
    for change in plan.resource_drift:
        details = _drift_details(change, manner) if change.action is Action.UPDATE else None
        if details is not None and details.in_form:
            yield Item(" ", _name(change), note=printable(", ".join(details.in_form)))


def _drift_details(change: PlannedChange, manner: Manner, pairing: BlockPairing | None = None) -> DriftDetails | None:
    """Return how an object changed outside; None if it is nested too deeply."""
    try:
        return drift_details(
            change.change,
            attribute_places(change),
            show_sensitive=manner.show_sensitive,
            exact=manner.exact,
            pairing=pairing,
        )
    except ValueError:
        return None


def _outputs(plan: ShownPlan, manner: Manner) -> Iterator[Item]:
    for name, change in plan.output_changes.items():
        if change.action is Action.NO_OP:
            continue
        lines = tuple(_lines(change, output_places(name, change), manner))
        yield Item(SIGNS[change.action], printable(name), lines=lines)


def _item(change: PlannedChange, note: str, manner: Manner) -> Item:
    lines = () if change.action in _NO_DETAILS else tuple(_lines(change.change, attribute_places(change), manner))
    return Item(SIGNS[change.action], _name(change), lines, note=note)


def _note(change: PlannedChange, manner: Manner) -> str:
    reason = reason_text(change, show_sensitive=manner.show_sensitive)
    words = _WORDS.get(change.action, "")
    parts = [f"{words}{' ' if words else ''}because {reason}" if reason else words]
    if change.action is Action.FORGET:
        parts.append("the real object is kept")
    if change.previous_address is not None:
        parts.append(f"moved from {change.previous_address}")
    if change.change.importing is not None:
        named = change.change.importing.id
        text = str(HIDDEN) if _hides_id(change, manner) else shown(named, manner)
        identity = shown_identity(change.change, show_sensitive=manner.show_sensitive)
        parts.append("imported")
        parts[-1] += f", id {text}" if named else "" if identity is None else f", identity {shown(identity, manner)}"
    if change.change.generated_config:
        parts.append("its configuration is generated")
    return printable("; ".join(filter(None, parts)))


def _hides_id(planned: PlannedChange, manner: Manner) -> bool:
    """Return whether the attribute that receives an import's id is sensitive."""
    if manner.show_sensitive:
        return False
    change = planned.change
    masks = map(read_mask, (change.before_sensitive, change.after_sensitive))
    return any(steps[:1] in ((), ("id",)) for steps in attribute_places(planned)) or any(
        mask is True or (isinstance(mask, dict) and mask.get("id") is True) for mask in masks
    )


def _name(change: PlannedChange) -> str:
    return _object_name(change.address, change.deposed)


def _object_name(address: AbsResourceInstance | str, deposed: str) -> str:
    return printable(f"{address} (deposed object {deposed})" if deposed else str(address))


def _provider_text(provider: AbsProviderInstance | None) -> str:
    return "" if provider is None else printable(str(provider))


def _lines(change: Change, secret: Sequence[SecretSteps], manner: Manner) -> Iterator[Line]:
    try:
        found = change_details(
            change, secret, show_sensitive=manner.show_sensitive, exact=manner.exact, pairing=manner.pairing
        )
    except (ValueError, RecursionError):
        yield Line("~", TOO_DEEP)
        return
    if not found:
        yield Line("~", "only what is marked as sensitive")
    for one in found:
        yield _line(one, change, manner)


def _line(one: ValueChange, change: Change, manner: Manner) -> Line:
    label = printable(path_text([step for step in one.path if isinstance(step, (str, int))]))
    if said := remark(one):
        return Line("~", f"{label} ({said})".lstrip())
    old, new = side_text(one.old, manner, False), side_text(one.new, manner, False)
    if not one.path:
        # A whole value: an output, or a created object.
        old, new = (None if change.action.creates else old), (None if not change.action.leaves_object else new)
    return value_line(label, old, new, manner)
