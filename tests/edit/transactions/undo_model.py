"""Random edits of three states and their undos, against a model: each object is in exactly one state at any time.

The model knows which objects each state had before each of its edits, and what was taken out of all states on purpose:
by a removal, or by the deletion of a state. Run as a program, `undo_model SEED COUNT [kill]` prints each failure and a
count.
"""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import statefmt
from statefmt.cli.run import system_context
from statefmt.context import RunContext
from statefmt.edit.changes import Ending
from statefmt.edit.operations.undo import read_timeline, undo_request
from statefmt.edit.operations_file.model import JoinBlock, MoveBlock, StateBlock, operations_text
from statefmt.edit.pipeline import EditOptions
from statefmt.edit.transactions.by_history import end_undo, undo_together
from statefmt.edit.transactions.operations import CommandOperations, applied_in_memory, ended_in_memory
from statefmt.model.errors import StatetoolError
from statefmt.store.local.store import LocalFile
from tests.edit.transactions.three_states import state

NAMES: Final = ("a", "b", "c")
STEPS: Final = 12
_WRITES: Final = 4
_WAY: Final = re.compile(r"`statetool undo --to (\d+) (--state [^`]*)`")


class Crash(BaseException):
    """The process ends here."""


@dataclass
class World:
    """Three states in a folder. `seen` has the objects of a state before each of its edits, by the numbers of these.

    `removed` were taken out on purpose; `whole` is what each state had before the last edit, with the states that it
    wrote. `crashed` ends a change that has begun. Without `is_closed`, something else than an undoable edit happened.
    """

    folder: Path
    random: random.Random
    kills: bool = False
    seen: dict[str, dict[int, Counter[str]]] = field(default_factory=lambda: {name: {} for name in NAMES})
    removed: set[str] = field(default_factory=set)
    whole: tuple[dict[str, dict[str, str]], set[str]] | None = None
    crashed: Callable[[Ending], object] | None = None
    crash_at: int = 0
    is_closed: bool = True
    count: int = 0
    log: list[str] = field(default_factory=list)

    @property
    def context(self) -> RunContext:
        environment = {"XDG_STATE_HOME": str(self.folder / "home"), "HOME": str(self.folder)}
        left = self.crash_at

        def progress(name: str, _done: int, _total: int, unit: str) -> None:
            nonlocal left
            if left and name == "writing" and unit == "states":
                left -= 1
                if not left:
                    if self.kills:
                        os.kill(os.getpid(), signal.SIGKILL)
                    raise Crash

        return replace(system_context(), environment=environment, note=lambda _: None, progress=progress)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.tfstate"

    def objects(self, name: str) -> dict[str, str]:
        """The addresses of the objects of a state, by their IDs; none without a file."""
        content = self.path(name).read_bytes() if self.path(name).exists() else b""
        found: dict[str, str] = {}
        for resource in json.loads(content)["resources"] if content else ():
            for instance in resource["instances"]:
                assert instance["attributes"]["id"] not in found, "twice in one state"
                found[instance["attributes"]["id"]] = resource["name"]
        return found

    def all(self) -> dict[str, dict[str, str]]:
        return {name: self.objects(name) for name in NAMES}

    def numbers(self, name: str) -> list[int]:
        history = self.folder / f".{name}.tfstate.statetool/history.json"
        return [entry["number"] for entry in json.loads(history.read_bytes())["entries"]] if history.exists() else []

    def existing(self) -> list[str]:
        return [name for name in NAMES if self.path(name).exists()]


def begun(folder: Path, seed: int, *, kills: bool = False) -> World:
    """Make the three states, or two of them."""
    world = World(folder, random.Random(seed), kills)
    for name in NAMES[: world.random.choice((2, 3, 3))]:
        count = world.random.randint(1, 4)
        world.path(name).write_bytes(state(name, tuple(f"{name}{one}" for one in range(count))))
    return world


def sequence(folder: Path, seed: int, *, kills: bool = False) -> list[str]:
    """Run one sequence; return what was wrong, with the steps before it."""
    world = begun(folder, seed, kills=kills)
    first, known = world.all(), set[str]()
    try:
        for _ in range(world.random.randint(1, STEPS)):
            step(world)
            known = _checked(world, known)
        if world.crashed is not None:
            _ended(world)
            _checked(world, known)
        if world.is_closed:
            _all_the_way_back(world, first)
    except Exception:
        return [*world.log, traceback.format_exc()]
    return []


def step(world: World) -> None:
    """Make a random step: the end of a change that has begun, if there is one, or something that may be refused."""
    if world.crashed is not None:
        _refused_while_unfinished(world)
        _ended(world)
        return
    choices = [_move, _move, _move, _exchange, _join, _rename, _remove, _undo, _undo, _undo_to, _undo_to, _create]
    rare = [_delete, _recreate, _foreign]
    chosen = world.random.choice(rare if world.random.random() < 0.08 else choices)
    world.crash_at = world.random.randint(1, _WRITES) if world.random.random() < (0.5 if world.kills else 0.2) else 0
    try:
        chosen(world)
    finally:
        world.crash_at = 0


def _checked(world: World, known: set[str]) -> set[str]:
    """Assert that each object is in one state, or was taken out on purpose; return all objects so far."""
    found = Counter(one for objects in world.all().values() for one in objects)
    if world.crashed is None:
        assert not (twice := [one for one, count in found.items() if count > 1]), f"in two states: {twice}"
        assert not (left := list(world.folder.glob(".*.hold"))), left
        assert not (left := list(world.folder.glob("home/statetool/applies/*/journal.json"))), left
    lost = known - found.keys() - world.removed
    assert not lost, f"in no state: {lost}"
    return known | found.keys()


def _joint(world: World, states: dict[str, bool], blocks: Sequence[MoveBlock | JoinBlock], what: str) -> None:
    """Run operations on states, which may be created; crash if this is to happen."""
    world.log.append(f"{what} crash_at={world.crash_at}")
    made = CommandOperations(
        operations_text({one: StateBlock(str(world.path(one)), create=new) for one, new in states.items()}, blocks),
        ("mv", what),
    )

    def end(ending: Ending) -> object:
        return ended_in_memory(world.context, made, ending)

    _edit(world, set(states), lambda: applied_in_memory(world.context, made, EditOptions(command=what)), end)


def _edit(world: World, states: set[str], edit: Callable[[], object], end: Callable[[Ending], object] | None) -> bool:
    """Make an edit of states and remember what was before it; False if it was refused, and then nothing may change."""
    before, counts = world.all(), {name: world.numbers(name) for name in NAMES}
    try:
        is_over = _in_a_process(edit) if world.kills and world.crash_at else _in_this_process(edit)
    except StatetoolError as error:
        world.log.append(f"  refused: {error}")
        assert world.all() == before, "refused, and written"
        return False
    if not is_over:
        world.crashed = end
    written = {name for name in NAMES if world.numbers(name) != counts[name]}
    for name in written:
        for number in set(world.numbers(name)) - set(counts[name]):
            world.seen[name].setdefault(number, Counter(before[name]))
    if is_over:
        world.whole = (before, written)
        assert {name for name in NAMES if before[name] != world.objects(name)} <= states, "written by another edit"
    return True


def _in_this_process(edit: Callable[[], object]) -> bool:
    try:
        edit()
    except Crash:
        return False
    return True


def _in_a_process(edit: Callable[[], object]) -> bool:
    """Run an edit in a child; False if that was killed. Raises StatetoolError if it refuses."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            edit()
            os._exit(0)
        except StatetoolError as error:
            os.write(writing, str(error).encode())
            os._exit(2)
        except BaseException:
            os.write(writing, traceback.format_exc().encode())
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        text = stream.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 2:
        raise StatetoolError(text)
    assert status in (0, -signal.SIGKILL), text
    return status == 0


def _pick(world: World) -> tuple[str, str, str] | None:
    """A state, another one, and the name of an object of the first."""
    existing = world.existing()
    sources = [name for name in existing if world.objects(name)]
    if not sources or len(existing) < 2:
        return None
    source = world.random.choice(sources)
    target = world.random.choice([name for name in existing if name != source])
    return source, target, world.random.choice(sorted(world.objects(source).values()))


def _new_name(world: World) -> str:
    world.count += 1
    return f"n{world.count}"


def _block(world: World, source: str, target: str, name: str) -> MoveBlock:
    new = name if world.random.random() < 0.6 else _new_name(world)
    return MoveBlock(f"state.{source}.terraform_data.{name}", f"state.{target}.terraform_data.{new}")


def _move(world: World) -> None:
    if (picked := _pick(world)) is not None:
        source, target, name = picked
        _joint(world, {source: False, target: False}, [_block(world, source, target, name)], f"mv {picked}")


def _exchange(world: World) -> None:
    """Objects go round in a circle."""
    names = [name for name in world.existing() if world.objects(name)]
    if len(names) < 2:
        return
    world.random.shuffle(names)
    blocks = [
        _block(world, one, names[(place + 1) % len(names)], world.random.choice(sorted(world.objects(one).values())))
        for place, one in enumerate(names)
    ]
    _joint(world, dict.fromkeys(names, False), blocks, f"exchange {names}")


def _join(world: World) -> None:
    if (picked := _pick(world)) is not None:
        source, target, _ = picked
        blocks = [JoinBlock(f"state.{source}", f"state.{target}")]
        _joint(world, {source: False, target: False}, blocks, f"join {source} {target}")


def _create(world: World) -> None:
    """Split some objects off to a state that is not there."""
    missing = [name for name in NAMES if name not in world.existing()]
    sources = [name for name in world.existing() if world.objects(name)]
    if not missing or not sources:
        _move(world)
        return
    source, target = world.random.choice(sources), missing[0]
    names = sorted(world.objects(source).values())
    chosen = world.random.sample(names, world.random.randint(1, len(names)))
    blocks = [_block(world, source, target, name) for name in chosen]
    _joint(world, {source: False, target: True}, blocks, f"split {source} {target} {chosen}")


def _rename(world: World) -> None:
    if (picked := _pick(world)) is not None:
        name, _, old = picked
        new = _new_name(world)
        world.log.append(f"rename {name} {old} {new}")

        def rename() -> None:
            with statefmt.open(world.path(name), context=world.context).edit("rename") as edit:
                edit.move(f"terraform_data.{old}", f"terraform_data.{new}")

        _edit(world, {name}, rename, None)


def _remove(world: World) -> None:
    if (picked := _pick(world)) is not None:
        name, _, old = picked
        world.log.append(f"rm {name} {old}")
        world.removed |= {one for one, known in world.objects(name).items() if known == old}

        def remove() -> None:
            with statefmt.open(world.path(name), context=world.context).edit("rm") as edit:
                edit.remove(f"terraform_data.{old}")

        _edit(world, {name}, remove, None)


def _delete(world: World) -> None:
    existing = world.existing()
    if len(existing) > 1:
        name = world.random.choice(existing)
        world.log.append(f"delete {name}")
        world.removed |= world.objects(name).keys()
        world.path(name).unlink()
        world.is_closed, world.whole = False, None


def _recreate(world: World) -> None:
    """Another state comes to the place of one."""
    name = world.random.choice(NAMES)
    world.log.append(f"recreate {name}")
    world.removed |= world.objects(name).keys()
    world.count += 1
    content = state(f"{name}-{world.count}", tuple(f"r{world.count}x{one}" for one in range(2)))
    world.path(name).write_bytes(content)
    world.is_closed, world.whole = False, None


def _foreign(world: World) -> None:
    """Another program adds an object."""
    name = world.random.choice(world.existing())
    world.count += 1
    world.log.append(f"foreign {name} f{world.count}")
    data = json.loads(world.path(name).read_bytes())
    data["resources"] += json.loads(state("foreign", (f"f{world.count}",)))["resources"]
    data["serial"] += 1
    world.path(name).write_text(json.dumps(data, indent=2) + "\n")
    world.is_closed, world.whole = False, None


def _undo(world: World) -> None:
    """Undo the last edit; if it was the last one of all states that it wrote, all is as before it."""
    expected = world.whole
    name = world.random.choice(sorted(expected[1]) if expected and expected[1] else world.existing())
    crashes = world.crash_at
    is_made = _undone(world, name, None)
    if expected and expected[1] and not (crashes and world.crashed):
        assert is_made, "the last edit of all cannot be undone"
        assert world.all() == expected[0], "not as before the last edit"


def _undo_to(world: World) -> None:
    name = world.random.choice(world.existing())
    if numbers := world.numbers(name):
        _undone(world, name, world.random.choice(numbers))


def _undone(world: World, name: str, number: int | None) -> bool:
    world.log.append(f"undo {name} to={number} crash_at={world.crash_at}")
    path, chosen = str(world.path(name)), 0

    def undo() -> None:
        request = undo_request(LocalFile(path, world.context), number)
        if request.joint:
            undo_together(world.context, path, number, EditOptions(command=f"undo {name} {number}"))
        else:
            statefmt.open(path, context=world.context).undo(number, message=f"undo {name} {number}")

    with _numbered(world, name, number) as found:
        is_made = _edit(world, set(NAMES), undo, lambda ending: end_undo(world.context, path, ending))
        chosen = found[0]
    if is_made and world.crashed is None and chosen in world.seen[name]:
        assert Counter(world.objects(name)) == world.seen[name][chosen], f"not as before edit {chosen}"
    return is_made


@contextmanager
def _numbered(world: World, name: str, number: int | None) -> Iterator[list[int]]:
    """Yield the number of the edit before which the state is after an undo, 0 if there is none."""
    try:
        yield [undo_request(LocalFile(str(world.path(name)), world.context), number).entry.number]
    except StatetoolError:
        yield [0]


def _refused_while_unfinished(world: World) -> None:
    """Nothing else writes a state that is half changed."""
    before = world.all()
    held = [name for name in NAMES if (world.folder / f".{name}.tfstate.statetool.hold").exists()]
    for name in held:
        try:
            statefmt.open(world.path(name), context=world.context).undo(only=True)
        except StatetoolError:
            continue
        raise AssertionError(f"{name} was written while it is held")
    assert world.all() == before


def _ended(world: World) -> None:
    ending = world.random.choice((Ending.FINISH, Ending.TAKE_BACK))
    world.log.append(f"end {ending}")
    end, world.crashed, world.whole = world.crashed, None, None
    assert end is not None
    try:
        end(ending)
    except StatetoolError as error:
        # It was killed before its journal was written, or is over.
        world.log.append(f"  refused: {error}")
        assert "there is no unfinished" in str(error) or "has no unfinished undo" in str(error), error


def _all_the_way_back(world: World, first: dict[str, dict[str, str]]) -> None:
    """Every state goes back to its first edit, with the commands that refusals name; all is as it was."""
    world.log.append("all the way back")
    for _ in range(2):
        for name in NAMES:
            if name in world.existing() and (
                points := read_timeline(LocalFile(str(world.path(name)), world.context)).points
            ):
                _back(world, name, points[0].number, 0)
    assert world.all() == first, "not as in the beginning"


def _back(world: World, name: str, number: int, depth: int) -> None:
    assert depth < 30, "the advice leads nowhere"
    for _ in range(10):
        size = len(world.log)
        if _undone(world, name, number):
            return
        refusal = next(line for line in world.log[size:] if "refused" in line)
        way = _WAY.search(refusal)
        assert way is not None, refusal
        other = Path(shlex.split(way[2])[1]).name.removesuffix(".tfstate")
        _back(world, other, int(way[1]), depth + 1)
    raise AssertionError("the advice leads back to the same refusal")


def failures(seeds: range, *, kills: bool = False) -> list[str]:
    """Run a sequence for each seed; return what was wrong."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    found: list[str] = []
    for seed in seeds:
        with tempfile.TemporaryDirectory(dir=base, prefix="statetool-undo-") as folder:
            wrong = sequence(Path(folder), seed, kills=kills)
        if wrong:
            found.append("\n".join([f"seed {seed}", *wrong]))
    return found


def main() -> None:
    """Run sequences, and print failures and the time."""
    began, first, count = time.monotonic(), int(sys.argv[1]), int(sys.argv[2])
    wrong = failures(range(first, first + count), kills=sys.argv[3:] == ["kill"])
    print("\n\n".join(wrong))
    print(f"{count} sequences, {len(wrong)} failures, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
