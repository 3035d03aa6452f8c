"""Prints the relation between the stored state and the state that an apply could not save, and the commands to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from statefmt.analysis.object_id import object_id, shown_id
from statefmt.analysis.reconciliation import LoneObject, PushAnswer, Reconciliation, RecoveryCase
from statefmt.golang import quote
from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.snapshot import ObjectStatus, ResourceInstanceObject, Snapshot
from statefmt.redaction.partial import Hidden
from statefmt.render.diff.blocks import import_block
from statefmt.render.json_output import document
from statefmt.render.terminal import Terminal, counted
from statefmt.store.backends import state_words
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name
from statefmt.text import printable, shell_line, shell_word
from statefmt.whereabouts.find import folder_programs

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
    """Describe the case; `name` is the name of the errored state."""
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


def _unrelated(found: Reconciliation) -> bool:
    return found.stored is not None and found.errored.lineage != found.stored.lineage


def _head(snapshot: Snapshot) -> str:
    lineage = f"lineage {printable(snapshot.lineage)}" if snapshot.lineage else "no lineage"
    return f"serial {snapshot.serial}, {lineage}"


def _objects(heading: str, objects: Sequence[LoneObject], terminal: Terminal, show_sensitive: bool) -> Iterator[str]:
    yield from _list(heading, [_object_text(one, show_sensitive) for one in objects], terminal)


def _object_text(one: LoneObject, show_sensitive: bool) -> str:
    name = _id_text(one, one.obj, show_sensitive)
    notes = [f"id {name}"] if name else []
    if not one.obj.is_current:
        notes.append(f"deposed object {printable(one.obj.deposed)}")
    if one.obj.status is ObjectStatus.TAINTED:
        notes.append("tainted")
    if one.other is not None:
        theirs = _id_text(one, one.other, show_sensitive)
        notes.append(f"the other state has id {theirs} at this address" if theirs else "the other state has another")
    return printable(str(one.addr)) + (f" ({', '.join(notes)})" if notes else "")


def _id_text(one: LoneObject, obj: ResourceInstanceObject, show_sensitive: bool) -> str:
    name = _id(one, obj, show_sensitive)
    return printable(name if isinstance(name, Hidden) else quote(name)) if name else ""


def _list(heading: str, lines: Sequence[str], terminal: Terminal) -> Iterator[str]:
    if lines:
        yield ""
        yield terminal.wrap(heading, "")
        yield from (f"  {line}" for line in lines)


def _providers(snapshot: Snapshot | None) -> set[str]:
    resources = () if snapshot is None else snapshot.resources
    return {printable(str(one.provider_config)) for one in resources if one.provider_config is not None}


def reconciliation_json(
    found: Reconciliation, places: RecoveryPlaces, steps: Iterable[RecoveryStep], *, show_sensitive: bool
) -> bytes:
    """Return the JSON document."""
    return document(
        case=found.case.value,
        settled=found.is_settled,
        push={"answer": found.push.value, "refusal": found.refusal},
        errored=_side(places.errored, found.errored),
        stored=_side(places.stored, found.stored),
        only_errored=[_object_json(one, show_sensitive) for one in found.only_errored],
        only_stored=[_object_json(one, show_sensitive) for one in found.only_stored],
        differing=[str(change.addr) for change in found.differing],
        outputs=[change.name for change in found.changes.outputs],
        unstored=list(found.unstored),
        steps=[
            {"text": step.text, "commands": step.commands, "blocks": [block.rstrip("\n") for block in step.blocks]}
            for step in steps
        ],
    )


def _side(name: str, snapshot: Snapshot | None) -> dict[str, object]:
    head: dict[str, object] = {"location": display_name(name), "exists": snapshot is not None}
    return head if snapshot is None else {**head, "serial": snapshot.serial, "lineage": snapshot.lineage}


def _object_json(one: LoneObject, show_sensitive: bool) -> dict[str, object]:
    return {
        "address": str(one.addr),
        "deposed_key": one.obj.deposed or None,
        "id": _id(one, one.obj, show_sensitive),
        "tainted": one.obj.status is ObjectStatus.TAINTED,
        **({} if one.other is None else {"other_id": _id(one, one.other, show_sensitive)}),
    }


def _id(one: LoneObject, obj: ResourceInstanceObject, show_sensitive: bool) -> str | None:
    name = object_id(obj)
    return name and shown_id(obj, one.addr.resource.resource.type, show_sensitive=show_sensitive)


class RecoveryStep(Struct, frozen=True):
    """A step: a sentence, a command to run in the wording of each program, and blocks for the configuration."""

    text: str
    commands: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()


def recovery_steps(found: Reconciliation, places: RecoveryPlaces, *, show_sensitive: bool) -> Iterator[RecoveryStep]:
    """Yield the steps in order."""
    programs = places.programs(found.errored)
    plans = tuple(places.run(program, "plan") for program in programs)
    if found.is_settled:
        yield RecoveryStep(f"Nothing is left to do: {_name(places)} can be deleted.")
    elif found.case is RecoveryCase.OTHER_LINEAGE:
        yield RecoveryStep(
            "Check that this is the state that the apply worked on: the folder, the workspace and the backend. If it "
            "is, something made the state anew since, such as a second apply when nothing was stored.",
            ("statetool where",),
        )
        yield from _kept_apart(found, places, plans, show_sensitive)
    elif found.case is RecoveryCase.BOTH:
        if found.only_errored or found.only_stored or found.differing:
            yield RecoveryStep("Do not run apply yet: it would create objects again that only one of the states has.")
        else:
            yield RecoveryStep(
                f"Keep {_name(places)} for now. The stored state has all its objects, but not all of its outputs, "
                "check results and dependencies. An apply computes them again from the configuration."
            )
        yield from _kept_apart(found, places, plans, show_sensitive)
    else:
        yield RecoveryStep("Do not run apply before the state is stored: it would create its objects again.")
        if found.case is RecoveryCase.UNCLEAR:
            yield RecoveryStep(
                "Find out what became of the objects that only the stored state has. If the failed apply destroyed "
                "them, and the values are its own, go on. If they exist, somebody added them: do not push, but import "
                f"the objects that only {_name(places)} has."
            )
        elif found.only_stored:
            # An apply that tried to save twice, with another write in between, leaves the same difference of serials.
            yield RecoveryStep(
                "Check in the output of the failed apply that it destroyed or replaced the objects that only the "
                "stored state has: a push drops them from the state. If it did not, somebody added them: do not push, "
                f"but import the objects that only {_name(places)} has."
            )
        yield from _backup(found, places)
        yield RecoveryStep("Store the state of the failed apply:", tuple(places.push(program) for program in programs))
        yield RecoveryStep(f"Check that a plan proposes nothing unexpected, then delete {_name(places)}:", plans)


def _kept_apart(
    found: Reconciliation, places: RecoveryPlaces, plans: tuple[str, ...], show_sensitive: bool
) -> Iterator[RecoveryStep]:
    """Yield the steps to keep the stored state and add the missing objects."""
    blocks = tuple(
        import_block(one.addr, one.obj, show_sensitive=show_sensitive)
        for one in found.only_errored
        if one.obj.is_current and one.other is None
    )
    doubled = [one for one in found.only_errored if one.other is not None]
    deposed = [one for one in found.only_errored if not one.obj.is_current]
    yield from _backup(found, places)
    if blocks:
        yield RecoveryStep(
            f"Import the objects that only {_name(places)} has, with these blocks in the root module. The "
            "configuration must declare the resources, too.",
            blocks=blocks,
        )
    if doubled:
        yield RecoveryStep(
            f"Each state has an object of its own at {_addresses(doubled)}. Keep one, and destroy the other outside of "
            f"the state. To keep that of {_name(places)}, forget the other with `statetool rm` and import it."
        )
    if deposed:
        yield RecoveryStep(
            f"Deposed objects cannot be imported. If they still exist, destroy them yourself: {_addresses(deposed)}."
        )
    yield RecoveryStep(
        "Check with a plan, which reads the real values of the objects that both states have. Then apply it:"
        if blocks or doubled
        else "Check with a plan, which reads the real values:",
        plans,
    )
    if found.case is RecoveryCase.BOTH:
        yield RecoveryStep(_forced(found, places))


def _forced(found: Reconciliation, places: RecoveryPlaces) -> str:
    """Describe the losses of a push."""
    push = "A push" if found.push is PushAnswer.ACCEPTED else "A push with -force"
    kept = counted(len(found.differing), "object")
    values = f" It would also replace the values of {kept}." if found.differing else ""
    if found.only_stored:
        lost = counted(len(found.only_stored), "object")
        return (
            f"Do not push {_name(places)}. {push} would drop {lost} from the state that only the stored state has; the "
            f"real objects would go on existing without being managed.{values}"
        )
    return f"{push} would drop no object.{values or ' It would undo what was written in between.'}"


def _backup(found: Reconciliation, places: RecoveryPlaces) -> Iterator[RecoveryStep]:
    command = places.backup()
    if found.stored is not None and command:
        yield RecoveryStep("Save the stored state first:", (command,))


def _addresses(objects: list[LoneObject]) -> str:
    return ", ".join(dict.fromkeys(printable(str(one.addr)) for one in objects))


def _name(places: RecoveryPlaces) -> str:
    return printable(places.errored)


_BACKUP: Final = "before-push.tfstate"
_HOSTS: Final = {DEFAULT_HOST: "tofu", TERRAFORM_HOST: "terraform"}


class RecoveryPlaces(Struct, frozen=True):
    """The names of both states in commands, and the folder and workspace of the configuration.

    `workspace` is the requested workspace, "" for the current one. `is_encrypted` concerns the errored state.
    """

    errored: str
    stored: str
    folder: Path
    workspace: str = ""
    is_encrypted: bool = False

    def programs(self, errored: Snapshot) -> tuple[str, ...]:
        """Return the program that wrote the state, or both if neither the folder nor its providers determine it."""
        if self.is_encrypted:
            # Only OpenTofu encrypts states.
            return ("tofu",)
        found = folder_programs(self.folder)
        configs = (resource.provider_config for resource in errored.resources)
        hosts = {config.provider.hostname for config in configs if config is not None}
        named = tuple(program for host, program in _HOSTS.items() if host in hosts)
        return named if len(found) > 1 and len(named) == 1 else found

    def run(self, program: str, *words: str) -> str:
        """Return the command line that runs a program on the folder and the workspace."""
        chdir = [] if self._is_here else [f"-chdir={self.folder}"]
        workspace = f"TF_WORKSPACE={shell_word(self.workspace)} " if self.workspace else ""
        return workspace + shell_line([program, *chdir, *words])

    def push(self, program: str, *, force: bool = False) -> str:
        """Return the command line that stores the errored state."""
        options = ["-force"] if force else []
        if self.is_encrypted:
            # OpenTofu encrypts errored.tfstate, but `state push` does not decrypt its input.
            # Source: OpenTofu `internal/command/state_push.go`.
            pull = shell_line(["statetool", "pull", self.errored])
            return f"{pull} | {self.run(program, 'state', 'push', *options, STANDARD_INPUT)}"
        return self.run(program, "state", "push", *options, self._errored_in_folder)

    def backup(self) -> str:
        """Return the command line that saves the stored state; "" if it came from standard input or from git."""
        if self.stored == STANDARD_INPUT or self.stored.startswith(GIT):
            return ""
        words = list(state_words(self.stored))
        if "--backend-config" in words:
            # `copy` accepts no backend settings.
            return f"(umask 077; {shell_line(['statetool', 'pull', *words])} > {_BACKUP})"
        options = ["--from-workspace" if word == "--workspace" else word for word in words[2:]]
        return shell_line(["statetool", "copy", words[1], _BACKUP, *options])

    @property
    def _is_here(self) -> bool:
        return str(self.folder) == "."

    @property
    def _errored_in_folder(self) -> str:
        """The path of the errored state for the program, which `-chdir` moves to the folder."""
        path = Path(self.errored)
        if self._is_here or self.errored == STANDARD_INPUT:
            return self.errored
        return path.name if path.parent == self.folder else str(path.absolute())
