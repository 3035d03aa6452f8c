"""Kills a change of three states at one call after the other that writes, and looks at what is left of it.

It runs as a process of its own, which forks: a change starts within milliseconds this way. It prints a line of JSON for
each kill. strace does the killing; it can also make a call fail, as on a full disk: `fsync:ENOSPC`.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from statefmt.model.errors import StatetoolError, StoreError
from tests.adversary.fork_server import attached, stop_to_be_attached
from tests.edit.transactions.split_scene import split_scene
from tests.edit.transactions.three_states import Scene, owners, scene, undo_scene

# Before the operations: the change is their undo.
UNDO: Final = "undo:"
# Before the operations: they have been undone, and the change makes them again.
AGAIN: Final = "again:"
# Before what kind of state it is: the change is a split.
SPLIT: Final = "split:"
# A guard against an endless sweep.
_MOST: Final = 300
_REFUSED: Final = 2


@dataclass(frozen=True)
class Ways:
    """The contents before and after the change, and its operations."""

    operations: str
    old: dict[str, bytes]
    new: dict[str, bytes]


def ways(folder: Path, operations: str) -> Ways:
    """Make the change, and import all that it needs."""
    # The same path: the lineages of new states may depend on it.
    made = begun(folder, operations)
    old = made.contents
    made.apply()
    new = made.contents
    shutil.rmtree(folder)
    return Ways(operations, old, new)


def begun(folder: Path, operations: str) -> Scene:
    """Make the states before the change, before its undo or after that, or before a split."""
    if operations.startswith(SPLIT):
        return split_scene(folder, operations.removeprefix(SPLIT))
    if operations.startswith(UNDO):
        return undo_scene(folder, operations.removeprefix(UNDO))
    made = scene(folder, operations.removeprefix(AGAIN))
    if operations.startswith(AGAIN):
        made.apply()
        made.undo()
    return made


def killed(made: Scene, call: str, number: int, change: str = "apply") -> bool:
    """Make a change, or end it, in a process that is killed at a call or whose call fails; False if it has no such."""
    call, _, error = call.partition(":")
    child = os.fork()
    if child == 0:
        try:
            stop_to_be_attached()
            made.apply() if change == "apply" else made.end(back=change == "abort")
            os._exit(0)
        except StatetoolError:
            os._exit(_REFUSED)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    os.waitpid(child, os.WUNTRACED)
    fault = f"error={error}" if error else "signal=SIGKILL"
    log = made.folder.with_name("log")
    tracer = attached(child, ["-o", str(log), "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}"])
    os.kill(child, signal.SIGCONT)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    tracer.communicate()
    assert status in ((0, _REFUSED) if error else (0, -signal.SIGKILL)), (call, number, change, status)
    return "INJECTED" in log.read_text() if error else status != 0


def problems(made: Scene, known: Ways) -> list[str]:
    """What is wrong after a kill: before it is cleared up, and after it was finished and taken back."""
    aside = made.folder.with_name("aside")
    made.folder.rename(aside)
    found: list[str] = []
    for way in ("look", "resume", "abort"):
        # The same path: it tells the operations file from others.
        shutil.copytree(aside, made.folder, symlinks=True)
        wrong = _half_done(made, known) if way == "look" else _ended(made, known, back=way == "abort")
        found += [f"{way}: {one}" for one in wrong]
        shutil.rmtree(made.folder)
    shutil.rmtree(aside)
    return found


def _half_done(made: Scene, known: Ways) -> list[str]:
    contents = made.contents
    contents |= {name: made.settled(name) for name in contents if name in made.local}
    held = {name for name in made.local if (made.folder / f".{name}.tfstate.statetool.hold").exists()}
    held |= {"far"} if (made.far / "lock").exists() else set()
    where = owners(contents)
    lost = sorted(owners(known.old).keys() - where.keys())
    twice = [f"{one}: {names}" for one, names in where.items() if len(names) > 1 and not held.issuperset(names)]
    return [*(f"in none: {one}" for one in lost), *(f"unmarked in two: {one}" for one in twice)]


def _ended(made: Scene, known: Ways, *, back: bool) -> list[str]:
    try:
        made.end(back=back)
    except StoreError as error:
        if "there is no unfinished" not in str(error):
            return [str(error)]
        # It has not begun, or has ended. What a killed edit leaves is cleared up by the next one.
        whole = made.contents in (known.old, known.new)
        left = {one for one in made.leftovers if not one.endswith((".tmp", ".tfstate"))}
        left -= {"lock"} if made.contents == known.old else set()
        return [f"left: {left}"] if left else [] if whole else ["not whole"]
    if made.contents != (known.old if back else known.new):
        return [f"the states are {owners(made.contents)}"]
    return [f"left: {made.leftovers}"] if made.leftovers else []


def main() -> None:
    """Sweep over calls, one in SHARE of each: `sweep FOLDER OPERATIONS SHARE CALL[,CALL…] [FIRST]`.

    With FIRST, such as `abort:ftruncate:2`, the change is killed there first, and then its end is killed.
    """
    folder, operations, share, calls = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4].split(",")
    change, *first = sys.argv[5].split(":") if len(sys.argv) > 5 else ["apply"]
    known = ways(folder / "s", operations)
    gc.freeze()
    for call in calls:
        for number in range(1, _MOST, share):
            made = begun(folder / "s", operations)
            if first:
                assert killed(made, first[0], int(first[1]))
            was_killed = killed(made, call, number, change)
            if not was_killed:
                shutil.rmtree(made.folder)
                break
            print(json.dumps([call, number, problems(made, known)]), flush=True)
        else:
            raise AssertionError(call)


if __name__ == "__main__":
    main()
