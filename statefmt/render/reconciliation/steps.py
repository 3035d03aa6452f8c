"""Says what to do with a state that an apply could not save, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from statefmt.analysis.reconciliation import LoneObject, PushAnswer, Reconciliation, RecoveryCase
from statefmt.render.counted import counted
from statefmt.render.diff.statements import import_block
from statefmt.render.printable import printable
from statefmt.render.reconciliation.commands import RecoveryPlaces


class RecoveryStep(Struct, frozen=True):
    """A step: a sentence, a command to run in the wording of each program, and blocks for the configuration."""

    text: str
    commands: tuple[str, ...] = ()
    blocks: tuple[str, ...] = ()


def recovery_steps(found: Reconciliation, places: RecoveryPlaces, *, show_sensitive: bool) -> Iterator[RecoveryStep]:
    """Yield what to do, in order."""
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
            # An apply that tried twice, and somebody who wrote once in between, leave serials with this distance, too.
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
    """Yield how to keep the stored state, and to add what it lacks."""
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
    """Say what a push would lose."""
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
