"""Repairs states that can be parsed but not loaded: finds the defects and choices, and applies decisions."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from json import dumps, loads
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from msgspec import structs

from statefmt.context import RunContext
from statefmt.edit.operations.undo import loaded_to_mend, with_serial
from statefmt.edit.pipeline import Operation, Proposal
from statefmt.edit.repairs._instance_choices import shown_id
from statefmt.edit.repairs._loose_state import INSTANCES, RESOURCES, LooseDocument, LooseState, path_of, pointer
from statefmt.edit.repairs.find import defects, is_fatal
from statefmt.edit.repairs.member_choices import Choice, Defect
from statefmt.edit.session import LoadedState, StateFileError, with_next_serial
from statefmt.formats.raw_json import utf8_problem
from statefmt.formats.reading import inspect, read
from statefmt.formats.writing.changes import Changes, JsonPath, MovedText, changed
from statefmt.model.errors import NotAStateError, StateError, SurgeryError
from statefmt.model.findings import Code, Finding, Severity
from statefmt.pieces import Span
from statefmt.store.reading import display_name
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences


# Returns the choice for a defect without a decision, such as `keep=first`; None to leave the defect.
Ask: TypeAlias = Callable[[Defect], "str | None"]


def loaded_to_repair(context: RunContext, name: str, data: bytes) -> LoadedState:
    """Load a state like loaded(); if it can only be parsed, the snapshot has only its serial and lineage.

    Raises StateFileError if it is not a state of a known format, and EncryptionError if it cannot be decrypted.
    """
    state, error = loaded_to_mend(context, name, data)
    cause = None if error is None else error.__cause__
    # It may be JSON but for bytes that are not UTF-8.
    if isinstance(cause, NotAStateError) and any(finding.code != Code.NOT_UTF8 for finding in cause.findings):
        assert error is not None
        raise error
    return state


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The result of a repair, or of its dry run.

    `mended` are the repaired defects with their decisions, `left` the defects without a decision. `forgotten` names the
    objects and outputs that the state no longer has. `findings` are the errors of the rules in the result if the state
    was unreadable before. `serial` is the serial of the result, `backup` the path of the backup, None if there is none.
    `written` says whether the result was written, to the state or elsewhere.
    """

    mended: tuple[MendedDefect, ...]
    left: tuple[Defect, ...]
    forgotten: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    serial: int = 0
    backup: Path | None = None
    written: bool = False


def repairing(
    decisions: Collection[Decision],
    ask: Ask | None = None,
    references: ProviderReferences | None = None,
    *,
    show_sensitive: bool = False,
) -> Operation[RepairResult]:
    """Return the operation that applies decisions. The serial rises by one if anything changes.

    `ask` decides about defects without a decision. Choices also offer the providers of `references`, the configuration;
    `show_sensitive` shows secret ids. The operation raises SurgeryError if a decision matches no defect, or if the
    result is unreadable.
    """

    index = DecisionIndex(decisions)

    def decide(defect: Defect) -> Decided | None:
        found = index.decided(defect)
        if found is not None or ask is None or not defect.choices:
            return found
        choice = ask(defect)
        return None if choice is None else DecisionIndex([decision_for(defect, choice)]).decided(defect)

    def propose(state: LoadedState) -> Proposal[RepairResult]:
        repair = repaired(state.data, decide, references, show_sensitive=show_sensitive)
        _refuse_unused([decision for decision in decisions if decision not in repair.used], repair.left)
        if not repair.mended:
            return Proposal(RepairResult((), repair.left), [Span(0, len(state.data))], check=False)
        _refuse_unreadable([defect for defect in repair.left if is_fatal(defect)])
        try:
            after = read(repair.content).snapshot
        except StateError as error:
            raise StateFileError(f"{display_name(state.name)} (repaired, not written)", error) from error
        is_given = any(one.defect.finding.code == Code.SERIAL_ODD for one in repair.mended)
        serial = after.serial if is_given else max(after.serial, state.result.snapshot.serial)
        following = with_next_serial(structs.replace(after, serial=serial), display_name(state.name)).serial
        content = with_serial(repair.content, following)
        # An unreadable state has no findings of rules to compare with.
        was_read = inspect(state.data).snapshot is not None
        lost = forgotten(state.data, content, show_sensitive=show_sensitive)
        errors = list[Finding]()
        if not was_read:
            # Imported late: a list of defects needs no rules.
            from statefmt.lint.check import check

            found = check(content, name=state.name, opened=None if state.seal is None else state.seal.opened)
            errors = [finding for finding in found if finding.severity is Severity.ERROR]
        result = RepairResult(repair.mended, repair.left, lost, tuple(errors), following)
        return Proposal(result, [content], check=was_read)

    return propose


def _refuse_unused(unused: Sequence[Decision], left: Sequence[Defect]) -> None:
    if not unused:
        return
    first = unused[0]
    origin = f"{first.origin}: " if first.origin else ""
    if first.place == ANYWHERE and any(defect.finding.code == first.code and defect.choices for defect in left):
        raise SurgeryError(f"{origin}this choice fits one defect only, so name its place instead of *: {first}")
    raise SurgeryError(f"{origin}no defect for the decision: {first}")


def _refuse_unreadable(fatal: Sequence[Defect]) -> None:
    if not fatal:
        return
    first = fatal[0]
    count = f"{len(fatal)} such {'defect' if len(fatal) == 1 else 'defects'}"
    raise SurgeryError(
        f"without a decision on {first.finding.code} at {first.place or 'the whole file'} the state could still not be "
        f"read ({count}); nothing was written",
        address=first.finding.address or None,
    )


_NOT_ASCII: Final = bytes(range(0x80, 0x100))


def forgotten(before: bytes, after: bytes, *, show_sensitive: bool = False) -> tuple[str, ...]:
    """Return the objects and outputs that a repair removes, in file order.

    An object is named by its address, and by its id if it has one; `show_sensitive` shows ids that are marked as
    sensitive. An object with a new address is not forgotten. Only format version 4 is compared.
    """
    if before == after:
        return ()
    old = LooseState(before, show_sensitive=show_sensitive)
    new = LooseState(after)
    # Bytes that are not UTF-8 change everywhere.
    ignored = b"" if utf8_problem(before) is None else _NOT_ASCII
    left = Counter(text for one in _objects(new) for text in _attributes(new, one, ignored))
    found: list[str] = []
    for one in _objects(old):
        kept = [text for text in _attributes(old, one, ignored) if left[text]]
        if not kept:
            named = shown_id(old, one)
            found.append(old.instance_address(one) + (f" (id {named})" if named else ""))
        left.subtract(kept)
    outputs = set(new.names(("outputs",)))
    return (*found, *(f"output.{name}" for name in dict.fromkeys(old.names(("outputs",))) if name not in outputs))


def _objects(state: LooseState) -> Iterator[JsonPath]:
    for resource in state.parts((RESOURCES,)):
        yield from state.parts((*resource, INSTANCES))


def _attributes(state: LooseState, instance: JsonPath, ignored: bytes) -> list[bytes]:
    """Return both forms of an object's attributes, since a repair may remove one; at least one."""
    forms = [state.raw((*instance, name)) for name in ("attributes", "attributes_flat")]
    return [text.translate(None, ignored) for text in forms if text is not None and text != b"null"] or [b""]


ANYWHERE: Final = "*"
# An address may have spaces in the strings of its keys.
_PLACE: Final = pattern(r'(?:[^\s"]|"(?:[^"\\]|\\.)*")+')
_DECISION: Final = pattern(r'\s*([A-Z]{3}[0-9]{3})\s+((?:[^\s"]|"(?:[^"\\]|\\.)*")+)\s+(\S.*?)\s*')
# An address that ends in a key, with the address of the resource.
_INSTANCE: Final = pattern(r'(.+)\[(?:-?[0-9]+|"(?:[^"\\]|\\.)*")\](?: \(.*\))?')


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice for the defects of one code at a place: an address, the address of a resource, a pointer, or `*`.

    A pointer always refers to the original file, even for defects that only appear after other repairs.

    `origin` is the position of the decision, as `FILE:LINE`; "" if it is not from a file.
    """

    code: str
    place: str
    choice: str
    origin: str = field(default="", compare=False)

    def __str__(self) -> str:
        """Return the line that parse_decision() reads."""
        return f"{self.code} {written_place(self.place)} {self.choice}"


class Decided(NamedTuple):
    """The choice for a defect, its value, and the decision, if any."""

    choice: Choice
    value: str
    decision: Decision | None = None

    @property
    def label(self) -> str:
        """The name of the choice in decisions."""
        return f"{self.choice.name}={self.value}" if self.choice.value else self.choice.name


class DecisionIndex:
    """Decisions by code and place, since thousands of defects may have a decision each."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._by_place: dict[tuple[str, str], list[Decision]] = {}
        for decision in decisions:
            self._by_place.setdefault((decision.code, decision.place), []).append(decision)

    def decided(self, defect: Defect) -> Decided | None:
        """Return the decided choice for a defect, by its pointer, its address, its resource, or all places.

        The closest decision counts. Raises SurgeryError if the defect does not have the choice.
        """
        # Another decision may have to come first: a later round then applies this decision.
        if not defect.choices:
            return None
        finding = defect.finding
        instance = _INSTANCE.fullmatch(finding.address)
        for place in (finding.pointer, finding.address, instance[1] if instance else ANYWHERE, ANYWHERE):
            closest = self._by_place.get((finding.code, place))
            if closest:
                return _made(defect, closest)
        return None


def parse_decision(text: str, origin: str = "") -> Decision:
    """Parse `CODE PLACE CHOICE`, read at `origin`. Raises SurgeryError."""
    match = _DECISION.fullmatch(text)
    if match is None:
        raise SurgeryError(
            f"{origin and f'{origin}: '}invalid decision {text!r}: write CODE PLACE CHOICE, such as "
            "ADR002 aws_vpc.main keep=first"
        )
    place = match[2]
    if place.startswith('"/'):
        # A pointer with several words.
        with suppress(ValueError):
            place = str(loads(place))
    return Decision(match[1], place, match[3], origin)


def parse_decisions(text: str, name: str = "decisions") -> list[Decision]:
    """Parse the lines of a decisions file; empty lines and lines that start with # are skipped.

    Raises SurgeryError with the `name` of the file and the line.
    """
    # Only line feeds end a line: a key may contain the other line ends of Python.
    lines = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    return [parse_decision(line, f"{name}:{number}") for number, line in lines if line and not line.startswith("#")]


def keep_decision(kept: str) -> Decision:
    """Return the decision to keep one object of every duplicate instance.

    `kept` is `first`, `last`, `newest` or `id=VALUE`.
    """
    return Decision(Code.DUPLICATE_INSTANCE, ANYWHERE, f"keep={kept}")


def decision_for(defect: Defect, choice: str) -> Decision:
    """Return a decision for a single defect."""
    return Decision(defect.finding.code, defect.finding.pointer or defect.place, choice)


def check_choice(defect: Defect, choice: str) -> None:
    """Raise SurgeryError if a defect does not have a choice, or if its value is not valid."""
    found = _made(defect, [decision_for(defect, choice)])
    if found is not None:
        found.choice.changes(found.value)


def decision_places(defects: Sequence[Defect]) -> list[str]:
    """Return the place of each defect for decisions: its address, if no other defect of the code has it.

    A place that cannot be written on a line is a JSON pointer in quotes; the whole file is `*`.
    """
    findings = [defect.finding for defect in defects]
    count = Counter((one.code, one.address) for one in findings)

    def place(finding: Finding) -> str:
        if not finding.pointer:
            return finding.address or ANYWHERE
        is_alone = count[finding.code, finding.address] == 1
        return finding.address if is_alone and _is_word(finding.address) else written_place(finding.pointer)

    return list(map(place, findings))


def written_place(place: str) -> str:
    """Return a place as written in a decision: a pointer with spaces is a JSON string."""
    return place if _is_word(place) or not place.startswith("/") else dumps(place)


def _is_word(place: str) -> bool:
    return place.isprintable() and _PLACE.fullmatch(place) is not None and not place.startswith('"')


def _made(defect: Defect, closest: Sequence[Decision]) -> Decided | None:
    """Return the choice of several decisions on a defect, which must agree."""
    decision = closest[0]
    other = next((one for one in closest if one.choice != decision.choice), None)
    if other is not None:
        raise SurgeryError(
            f"{other.origin and f'{other.origin}: '}two decisions for {defect.finding.code} at {defect.place}: "
            f"{decision.choice} and {other.choice}",
            address=defect.finding.address or None,
        )
    found = chosen(defect.choices, decision.choice)
    if found is None:
        offered = ", ".join(choice.label for choice in defect.choices)
        raise SurgeryError(
            f"{decision.origin and f'{decision.origin}: '}{defect.finding.code} at {defect.place} has no choice "
            f"{decision.choice!r}; its choices are: {offered}",
            address=defect.finding.address or None,
        )
    if found[0].alone and decision.place == ANYWHERE:
        # Such as a provider outside this conflict.
        return None
    return Decided(*found, decision)


def chosen(choices: Sequence[Choice], text: str) -> tuple[Choice, str] | None:
    """Return the choice that a text names, with its value; None if there is none."""
    for choice in choices:
        if not choice.value and choice.name == text:
            return choice, ""
    for choice in choices:
        if choice.value and text.startswith(f"{choice.name}="):
            return choice, text[len(choice.name) + 1 :]
    return None


# Returns the decision for a defect, whose pointer refers to the original file.
Decide: TypeAlias = Callable[[Defect], Decided | None]


@dataclass(frozen=True, slots=True)
class MendedDefect:
    """A repaired defect and its decision."""

    defect: Defect
    decided: Decided


@dataclass(frozen=True, slots=True)
class Repair:
    """The content after a repair, the repaired defects, and the remaining defects."""

    content: bytes
    mended: tuple[MendedDefect, ...]
    left: tuple[Defect, ...]
    used: frozenset[Decision]


@dataclass(frozen=True, slots=True)
class Round:
    """The repairs of one round: the changes, the defects, and the defects without a decision.

    `used` are the decisions that matched a defect, even in a part that another decision removes.
    """

    changes: Changes
    mended: tuple[MendedDefect, ...]
    left: tuple[Defect, ...]
    used: frozenset[Decision]


def repaired(
    data: bytes, decide: Decide, references: ProviderReferences | None = None, *, show_sensitive: bool = False
) -> Repair:
    """Apply decisions in rounds: some defects only appear after the repair of others.

    `references` and `show_sensitive` are as for defects().

    Raises SurgeryError if a choice does not repair its defect, or if its value is invalid.
    """
    mended: list[MendedDefect] = []
    used: set[Decision] = set()
    origins, seen, done = Origins(), {_digest(data)}, set[tuple[str, str, str, str]]()
    while True:
        found = defects(data, references, show_sensitive=show_sensitive)
        step = one_round(found if not mended else [_as_read(defect, origins) for defect in found], decide)
        mended += step.mended
        used |= step.used
        if not step.changes:
            return Repair(data, tuple(mended), step.left, frozenset(used))
        origins.note(data, step.changes)
        data = changed(data, step.changes)
        # The repair of a defect may reveal others, but never the same defect again.
        again = next((one for one in step.mended if _key(one) in done), mended[-1] if _digest(data) in seen else None)
        if again is not None:
            raise SurgeryError(f"{again.defect.place}: {again.decided.label} does not mend {again.defect.finding.code}")
        done.update(_key(one) for one in step.mended)
        seen.add(_digest(data))


def one_round(found: Iterable[Defect], decide: Decide) -> Round:
    """Return the repairs that can be made at once. Raises SurgeryError if a value is invalid."""
    made = _Collected()
    mended: list[MendedDefect] = []
    left: list[Defect] = []
    later: list[tuple[Decided, Changes]] = []
    for defect in found:
        choice = decide(defect)
        if choice is None:
            left.append(defect)
            continue
        changes = _changes(defect, choice)
        if made.add(changes):
            mended.append(MendedDefect(defect, choice))
        else:
            later.append((choice, changes))
    used = [one.decided for one in mended]
    removed = made.removed() if later else frozenset()
    for choice, changes in later:
        if all(any(path[:length] in removed for length in range(len(path) + 1)) for path in changes):
            used.append(choice)
    decisions = frozenset(one.decision for one in used if one.decision is not None)
    return Round(made.changes, tuple(mended), tuple(left), decisions)


def _as_read(defect: Defect, origins: Origins) -> Defect:
    """Return a defect with its pointer in the original file."""
    finding = defect.finding
    if not finding.pointer:
        return defect
    return replace(defect, finding=replace(finding, pointer=pointer(origins.of(path_of(finding.pointer)))))


def _key(one: MendedDefect) -> tuple[str, str, str, str]:
    """Return the identity of a defect and its choice."""
    finding = one.defect.finding
    return finding.code, finding.pointer, finding.detail, one.decided.label


def _digest(data: bytes) -> bytes:
    return sha256(data).digest()


def _changes(defect: Defect, choice: Decided) -> Changes:
    try:
        return choice.choice.changes(choice.value)
    except SurgeryError as error:
        origin = "" if choice.decision is None or not choice.decision.origin else f"{choice.decision.origin}: "
        place = f"{defect.finding.code} at {defect.place}"
        raise SurgeryError(
            f"{origin}{place}: {choice.label}: {error}", address=defect.finding.address or None
        ) from error


class _Collected:
    """The changes of one round, which do not overlap."""

    def __init__(self) -> None:
        self.changes: dict[JsonPath, bytes | None] = {}
        self._above: set[JsonPath] = set()

    def add(self, changes: Changes) -> bool:
        """Add changes; return False, and add none, if one overlaps an earlier change: the next round makes them."""
        if not all(self._fits(path, text) for path, text in changes.items()):
            return False
        self.changes.update(changes)
        self._above.update(path[:length] for path in changes for length in range(len(path)))
        return True

    def removed(self) -> frozenset[JsonPath]:
        """Return the removed parts, without moved parts."""
        moved = {
            text.source[:length]
            for text in self.changes.values()
            if isinstance(text, MovedText)
            for length in range(len(text.source) + 1)
        }
        return frozenset(path for path, text in self.changes.items() if text is None and path not in moved)

    def _fits(self, path: JsonPath, text: bytes | None) -> bool:
        if path in self.changes:
            return self.changes[path] == text
        return path not in self._above and not any(path[:length] in self.changes for length in range(len(path)))


class _Array(NamedTuple):
    """A changed array: the number of removed elements before each element, and the origins of new elements."""

    removed: Sequence[int]
    remaining: int
    added: Sequence[JsonPath]


class Origins:
    """Maps the parts of a text to the parts of the original text."""

    def __init__(self) -> None:
        self._rounds: list[_Round] = []

    def note(self, data: bytes, changes: Changes) -> None:
        """Note the changes that are made to a text."""
        self._rounds.append(_Round(data, changes))

    def of(self, path: JsonPath) -> JsonPath:
        """Return the original path of a part. A new part keeps its path, unless it is an element of an array."""
        for one in reversed(self._rounds):
            path = one.before(path)
        return path


class _Round:
    def __init__(self, data: bytes, changes: Changes) -> None:
        document = LooseDocument(data)
        self._moved = {path: text.source for path, text in changes.items() if isinstance(text, MovedText)}
        touched = {path[:-1] for path, text in changes.items() if path and (text is None or path in self._moved)}
        arrays = {path for path in touched if document.is_array(path)}
        removed: dict[JsonPath, list[int]] = {path: [] for path in arrays}
        added: dict[JsonPath, list[JsonPath]] = {path: [] for path in arrays}
        for path, text in changes.items():
            if path[:-1] in arrays and text is None:
                removed[path[:-1]].append(int(path[-1]))
            elif path[:-1] in arrays and path in self._moved:
                added[path[:-1]].append(self._moved[path])
        self._arrays = {
            path: _Array(
                [place - number for number, place in enumerate(sorted(removed[path]))],
                sum(1 for _ in document.parts(path)) - len(removed[path]),
                added[path],
            )
            for path in arrays
        }

    def before(self, path: JsonPath) -> JsonPath:
        """Return the path of a part before the changes."""
        there: JsonPath = ()
        for name in path:
            array = self._arrays.get(there)
            if array is None:
                there = (*there, name)
                there = self._moved.get(there, there)
                continue
            number = int(name)
            if array.remaining <= number < array.remaining + len(array.added):
                there = array.added[number - array.remaining]
            else:
                there = (*there, str(number + bisect_right(array.removed, number)))
        return there
