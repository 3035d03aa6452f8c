"""Commands that are killed at every call that reads or changes something, and again while the next one recovers."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.adversary.after import Sides, check_whole, sides
from tests.adversary.observed import Observed
from tests.adversary.runs import Call, Forks
from tests.adversary.scenes import JOURNAL, SCENES, STATE, Scene, copied, prepared
from tests.store.local.test_watched import NEEDS_STRACE

pytestmark = NEEDS_STRACE

# What changes nothing and reads nothing of what others change: a kill there is a kill at the next call.
_IDLE: Final = frozenset({"ioctl", "lseek", "getcwd", "brk", "close", "dup", "dup2"})
_TEARS: Final = 4


@pytest.mark.parametrize("scene", [SCENES[0], SCENES[5]], ids=lambda scene: scene.name)
def test_some_kills(scene: Scene, run: Forks, random: Random, observed: Observed, tmp_path: Path) -> None:
    _kill(scene, run, random, observed, tmp_path, most=10, most_in_recovery=1)


@pytest.mark.adversary
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_all_kills(scene: Scene, run: Forks, random: Random, observed: Observed, tmp_path: Path) -> None:
    _kill(scene, run, random, observed, tmp_path, most=1000, most_in_recovery=12)


def _kill(
    scene: Scene, run: Forks, random: Random, observed: Observed, folder: Path, *, most: int, most_in_recovery: int
) -> None:
    start = prepared(run, folder / "start", scene)
    done = copied(start, "done")
    calls = [call for call in run.calls(done, *scene.command) if call.name not in _IDLE]
    known = sides(run, start, done, scene)
    reached = 0
    for call in calls if len(calls) <= most else random.sample(calls, most):
        here = copied(start, "here")
        if run.killed(here, call, *scene.command):
            reached += 1
            observed.count("kills")
            if _is_whole(here / JOURNAL):
                _kill_recovery(scene, run, random, observed, here, call, known, most_in_recovery)
            check_whole(run, here, scene, known, observed, lambda c=call: _case(scene, c))  # type: ignore[misc]
        shutil.rmtree(here)
    assert reached > len(calls[:most]) / 2
    observed.settle()


def _kill_recovery(
    scene: Scene, run: Forks, random: Random, observed: Observed, torn: Path, first: Call, known: Sides, most: int
) -> None:
    """Kill the command that recovers; also where the disk had more or less of the content than the process wrote."""
    trial = copied(torn, "trial")
    calls = [call for call in run.calls(trial, "list", *scene.keys) if call.name not in _IDLE]
    shutil.rmtree(trial)
    for second in random.sample(calls, min(most, len(calls))):
        here = copied(torn, "again")
        if run.killed(here, second, "list", *scene.keys):
            observed.count("kills in a recovery")
            check_whole(
                run,
                here,
                scene,
                known,
                observed,
                lambda s=second: f"{_case(scene, first)}, then list {_at(s)}",  # type: ignore[misc]
            )
        shutil.rmtree(here)
    if scene.keys or scene.target != STATE:
        # A tear is made of both contents, and what is encrypted anew is another content each time.
        return
    for _ in range(min(most, _TEARS)):
        here = copied(torn, "again")
        sector = random.choice((1, 512, 4096))
        mixed = _mixed(random, known.state_before, known.state_after, sector)
        (here / STATE).write_bytes(mixed)
        observed.count("torn states")
        check_whole(
            run,
            here,
            scene,
            known,
            observed,
            lambda s=sector: f"{_case(scene, first)}, torn in sectors of {s}",  # type: ignore[misc]
        )
        shutil.rmtree(here)


def _is_whole(journal: Path) -> bool:
    """Whether a journal is there; it comes with one write."""
    return journal.exists() and journal.stat().st_size > 0


def _mixed(random: Random, old: bytes, new: bytes, sector: int) -> bytes:
    """Old and new content in one file: each sector is of one of them; with a sector of 1, they are cut once."""
    one, other = random.choice(((old, new), (new, old)))
    length = random.choice((len(old), len(new), max(len(old), len(new))))
    one, other = one.ljust(length, b"\0")[:length], other.ljust(length, b"\0")[:length]
    if sector == 1:
        place = random.randrange(length)
        return one[:place] + other[place:]
    places = range(0, length, sector)
    return b"".join(random.choice((one, other))[place : place + sector] for place in places)


def _case(scene: Scene, call: Call) -> str:
    return f"[{scene.name}] statetool {' '.join(scene.command)}, killed {_at(call)}"


def _at(call: Call) -> str:
    return f"at {call.name}:when={call.number} ({call.arguments[:90]})"
