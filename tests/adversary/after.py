"""What must hold after a command was killed or failed, whatever it was doing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.adversary.observed import Observed
from tests.adversary.runs import Forks
from tests.adversary.scenes import JOURNAL, STATE, Scene, left_behind, listed, plain, said, without_serial


class Sides(NamedTuple):
    """What the state and the file that is written say before the command, and after it."""

    state_before: bytes
    state_after: bytes
    before: bytes | None
    after: bytes


def sides(run: Forks, old: Path, new: Path, scene: Scene) -> Sides:
    """Both sides, from a folder in which the command did not run, and from one in which it did."""
    state_before, state_after = plain(run, old), plain(run, new)
    before, after = plain(run, old, scene.target), plain(run, new, scene.target)
    assert state_before is not None
    assert state_after is not None
    assert after is not None
    return Sides(state_before, state_after, before, after)


def check_whole(
    run: Forks, folder: Path, scene: Scene, known: Sides, observed: Observed, case: Callable[[], str]
) -> None:
    """The next command works; old or new is there in full; it can be undone; nothing is left beyond the next edit."""
    ended = listed(run, folder, scene)
    if not observed.expect(ended.status == 0, "`list` works afterwards", lambda: f"{case()}: {said(ended)}"):
        return
    state = plain(run, folder)
    observed.expect(state in (known.state_before, known.state_after), "the state is the old or the new one", case)
    written = plain(run, folder, scene.target)
    observed.expect(written in (known.before, known.after), "the file that is written is the old or the new one", case)
    observed.expect(not (folder / JOURNAL).exists(), "no journal stays after `list`", case)
    if scene.target != STATE:
        _check_again(run, folder, scene, known, observed, case)
        return
    if state == known.state_after != known.state_before:
        undone = run(folder, "undo", STATE, *scene.keys)
        back = plain(run, folder)
        observed.expect(
            undone.status == 0 and without_serial(back) == without_serial(known.state_before),
            "undo gives the old state back",
            lambda: f"{case()}: {said(undone)}",
        )
    # A state of an older format is edited once it is upgraded.
    upgraded = run(folder, *scene.command) if scene.name == "upgrade" else None
    # A folder other than that of the state is swept when it gets a backup again.
    backup = ("--backup", "elsewhere/next") if "--backup" in scene.command else ()
    edited = upgraded or run(folder, "set-serial", "123456", "-y", *backup, *scene.keys)
    if observed.expect(edited.status == 0, "an edit works afterwards", lambda: f"{case()}: {said(edited)}"):
        left = left_behind(folder)
        observed.expect(not left, "nothing is left beyond the next edit", lambda: f"{case()}: {left}")


def _check_again(
    run: Forks, folder: Path, scene: Scene, known: Sides, observed: Observed, case: Callable[[], str]
) -> None:
    """A command that writes another file can be given again."""
    again = run(folder, *scene.command, "-y")
    observed.expect(
        again.status == 0 and plain(run, folder, scene.target) == known.after,
        "the command can be given again",
        lambda: f"{case()}: {said(again)}",
    )
    # What is there already is not written again.
    run(folder, "set-serial", "123456", "-y", "--state", scene.target)
    left = left_behind(folder)
    observed.expect(not left, "nothing is left beyond the next edit", lambda: f"{case()}: {left}")
