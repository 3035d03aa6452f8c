"""Prints the defects of a state with their choices, and the file in which users decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from statefmt.edit.repairs import RepairResult, decision_places
from statefmt.edit.repairs.find import FoundDefects, is_fatal
from statefmt.edit.repairs.member_choices import Choice, Defect
from statefmt.render.findings import counts_text, finding_text, findings_text, message
from statefmt.render.json_output import document
from statefmt.render.terminal import Terminal, counted, one_line
from statefmt.store.reading import STANDARD_INPUT
from statefmt.text import printable, shell_line

_MOST: Final = 10
# Larger numbers of defects with one cause are shown as one.
_MOST_ALIKE: Final = 3
# A file of decisions is easier to read than a longer command.
_MOST_CHOICES: Final = 4
_NOT_YET: Final = "no choices until its other defects are mended"
_NO_CHOICE: Final = "no choice: mend this by hand with `statetool edit`, or go back with `statetool restore`"


def defects_text(found: FoundDefects, name: str, words: Sequence[str], terminal: Terminal) -> Iterator[str]:
    """Yield each defect with its choices, and the commands to run next; `words` name the state on the command line.

    Defects that prevent reading the state come first.
    """
    fatal = [defect for defect in found.defects if is_fatal(defect)]
    others = [defect for defect in found.defects if not is_fatal(defect)]
    if fatal:
        yield terminal.paint(f"{printable(name)} cannot be read: {counted(len(fatal), 'defect')}", "bold")
        yield from _defects(found, fatal, name, terminal)
    if others:
        number = counted(len(others), "defect")
        yield terminal.paint(f"{printable(name)}: {number} (the state can be read nevertheless)", "bold")
        yield from _defects(found, others, name, terminal)
    if any(defect.choices for defect in found.defects):
        yield from _next_steps(fatal, words, terminal)


def _defects(found: FoundDefects, defects: Sequence[Defect], name: str, terminal: Terminal) -> Iterator[str]:
    decidable = {defect.finding.address for defect in found.defects if defect.choices}
    before: tuple[Choice, ...] = ()
    for defect, others in _by_cause(defects):
        position = found.position(defect)
        place = name if position is None else f"{name}:{position.line}:{position.column}"
        yield finding_text(defect.finding, terminal, place=printable(place))
        if not defect.choices:
            yield terminal.wrap(_NOT_YET if defect.finding.address in decidable else _NO_CHOICE, "    ", "  ")
        elif _texts(defect.choices) == _texts(before):
            yield terminal.wrap("the same choices as above", "    ")
        else:
            yield from (choice_line(choice, terminal, "    ") for choice in defect.choices)
        before = defect.choices
        if others:
            yield terminal.wrap(f"the same in {counted(len(others), 'more place')}: {_places(others)}", "    ", "  ")
    yield ""


def _by_cause(defects: Sequence[Defect]) -> Iterator[tuple[Defect, Sequence[Defect]]]:
    """Yield each defect, and the others with the same cause and choices if there are more than a few."""
    causes: dict[object, list[Defect]] = {}
    for defect in defects:
        finding = defect.finding
        detail = finding.detail.replace(finding.address, "") if finding.address else finding.detail
        cause = (finding.code, finding.summary, detail, tuple(_texts(defect.choices)))
        causes.setdefault(cause, []).append(defect)
    for same in causes.values():
        if len(same) > _MOST_ALIKE:
            yield same[0], same[1:]
        else:
            yield from ((defect, ()) for defect in same)


def _places(defects: Sequence[Defect]) -> str:
    """List the first locations; the other formats list all."""
    shown = ", ".join(printable(defect.place) for defect in defects[:_MOST_ALIKE])
    more = len(defects) - _MOST_ALIKE
    return f"{shown} and {more} more, which `--format json` lists" if more > 0 else shown


def choice_line(choice: Choice, terminal: Terminal, indent: str) -> str:
    """Return a choice as written in a decision, and its effect."""
    label = printable(choice.label)
    line = terminal.wrap(f"{label}: {choice.text}", indent, "  ")
    return line.replace(label, terminal.paint(label, "bold"), 1)


def repair_text(result: RepairResult, terminal: Terminal) -> Iterator[str]:
    """Yield the repaired defects, the resulting losses, and the remaining work."""
    for one in result.mended:
        head = f"{one.defect.finding.code} {printable(one.defect.place)} {printable(one.decided.label)}"
        yield terminal.wrap(f"{head}: {one.decided.choice.text}", "", "  ")
    if result.forgotten:
        yield f"\nThe state no longer has {counted(len(result.forgotten), 'object or output', 'objects or outputs')}:"
        yield from (f"  {terminal.paint('-', 'red')} {printable(one)}" for one in result.forgotten)
    if result.left:
        yield f"\nNot decided: {counted(len(result.left), 'defect')}; `statetool repair` lists them."
    if result.findings:
        yield f"\n`statetool check` reports {counts_text(result.findings)} in the repaired state:"
        yield findings_text(result.findings[:_MOST], terminal)
        if len(result.findings) > _MOST:
            yield f"  … and {len(result.findings) - _MOST} more; `statetool check` shows all of them"


def _next_steps(defects: Sequence[Defect], words: Sequence[str], terminal: Terminal) -> Iterator[str]:
    """Yield the commands that repair defects, each on its own line for copying."""
    decidable = [defect for defect in defects if defect.choices]
    decisions = _first_choices(decidable)
    values = dict.fromkeys(defect.choices[0].value for defect in decidable if defect.choices[0].value)
    fill_in = f"; fill in {' and '.join(values)}" if values else ""
    if 0 < len(decisions) <= _MOST_CHOICES:
        chosen = [word for decision in decisions for word in ("--choose", decision)]
        yield terminal.wrap(f"Decide with --choose, for example to see what the first choices do{fill_in}:", "")
        yield f"  {shell_line(['statetool', 'repair', *chosen, '--dry-run', *words])}"
    state = shell_line(words)
    if STANDARD_INPUT not in words:
        yield "Decide one by one on the terminal:"
        yield f"  statetool repair --interactive {state}"
    yield "Decide in a file, which lists all choices:"
    yield f"  statetool repair --format decisions {state} > decisions.txt"
    yield f"  statetool repair --decisions decisions.txt --dry-run {state}"


def _first_choices(defects: Sequence[Defect]) -> list[str]:
    """Return decisions for the first choice of each defect: one for all defects of a code if it is the same."""
    labels: dict[str, Counter[str]] = {}
    for defect in defects:
        labels.setdefault(defect.finding.code, Counter())[defect.choices[0].label] += 1
    found = []
    for defect, place in zip(defects, decision_places(defects), strict=True):
        code, label = defect.finding.code, defect.choices[0].label
        for_all = len(labels[code]) == 1 and labels[code][label] > 1
        found.append(f"{code} {'*' if for_all else place} {label}")
    return list(dict.fromkeys(found))


def _texts(choices: Sequence[Choice]) -> list[tuple[str, str]]:
    return [(choice.label, choice.text) for choice in choices]


def defects_json(found: FoundDefects, name: str) -> bytes:
    """Render defects in file order (schema: `repair-output.schema.json`)."""
    places = decision_places(found.defects)
    listed = [_defect(found, defect, place) for defect, place in zip(found.defects, places, strict=True)]
    return document(path=name, defects=listed)


def _defect(found: FoundDefects, defect: Defect, place: str) -> dict[str, object]:
    finding, position = defect.finding, found.position(defect)
    return {
        "code": finding.code,
        "fatal": is_fatal(defect),
        "address": finding.address,
        "pointer": finding.pointer,
        "line": None if position is None else position.line,
        "column": None if position is None else position.column,
        "summary": finding.summary,
        "detail": finding.detail,
        "choices": [
            {
                "decision": f"{finding.code} {place} {choice.label}",
                "choice": choice.name,
                "value": choice.value or None,
                "text": choice.text,
            }
            for choice in defect.choices
        ],
    }


def decisions_text(found: FoundDefects, name: str, words: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the file; `words` name the state on the command line."""
    yield f"# Defects of {printable(name)}"
    yield "# Remove the # before one choice of each defect, and fill in words in capitals; then run"
    yield f"# statetool repair --decisions FILE --dry-run {shell_line(words)}"
    for defect, place in zip(found.defects, decision_places(found.defects), strict=True):
        position = found.position(defect)
        where = "" if position is None else f", line {position.line}"
        yield ""
        yield f"# {printable(defect.place)}{where}: {one_line(message(defect.finding))}"
        if not defect.choices:
            yield "# no choice"
        for choice in defect.choices:
            yield f"# {one_line(choice.text)}:"
            yield f"#{defect.finding.code} {place} {printable(choice.label)}"
