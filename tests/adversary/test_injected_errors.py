"""Errors of the system at every call: the command says what is true, and nothing is lost."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

import pytest

from tests.adversary.after import Sides, check_whole, sides
from tests.adversary.observed import Observed
from tests.adversary.runs import Call, Ended, Forks
from tests.adversary.scenes import SAYS_SO, SCENES, STATE, Scene, copied, plain, prepared, said
from tests.store.local.test_watched import NEEDS_STRACE

pytestmark = NEEDS_STRACE

_BROKEN_PYTHON: Final = re.compile("ModuleNotFoundError|ImportError")
_ERRORS: Final = {
    "openat": ("EIO", "EACCES", "EMFILE", "ENOSPC", "EINTR"),
    "read": ("EIO", "EINTR"),
    "write": ("EIO", "ENOSPC", "EINTR"),
    "pwrite64": ("EIO", "ENOSPC"),
    "fsync": ("EIO", "ENOSPC", "EINTR"),
    "fdatasync": ("EIO",),
    "ftruncate": ("EIO", "EINTR"),
    "close": ("EIO", "EINTR"),
    "link": ("EIO", "EACCES", "ENOSPC"),
    "linkat": ("EIO", "EACCES", "ENOSPC"),
    "rename": ("EIO", "EACCES", "ENOSPC"),
    "renameat": ("EIO", "EACCES", "ENOSPC"),
    "renameat2": ("EIO", "EACCES", "ENOSPC"),
    "unlink": ("EIO", "EACCES"),
    "unlinkat": ("EIO", "EACCES"),
    "mkdir": ("EIO", "EACCES", "ENOSPC"),
    "mkdirat": ("EIO", "EACCES", "ENOSPC"),
    "fcntl": ("EIO", "EACCES", "EINTR"),
    "fstat": ("EIO",),
    "newfstatat": ("EIO", "EACCES"),
    "getdents64": ("EIO",),
}


@pytest.mark.parametrize("scene", [SCENES[0]], ids=lambda scene: scene.name)
def test_some_errors(scene: Scene, run: Forks, random: Random, observed: Observed, tmp_path: Path) -> None:
    _inject(scene, run, random, observed, tmp_path, most=20)


@pytest.mark.adversary
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_all_errors(scene: Scene, run: Forks, random: Random, observed: Observed, tmp_path: Path) -> None:
    _inject(scene, run, random, observed, tmp_path, most=60)


def _inject(scene: Scene, run: Forks, random: Random, observed: Observed, folder: Path, *, most: int) -> None:
    start = prepared(run, folder / "start", scene)
    done = copied(start, "done")
    calls = run.calls(done, *scene.command)
    known = sides(run, start, done, scene)
    cases = [
        (call, error, for_good)
        for call in calls
        for error in _ERRORS.get(call.name, ())
        for for_good in (False, True)
        # Python asks again until an interrupted call is done.
        if not (for_good and error == "EINTR")
    ]
    for call, error, for_good in cases if len(cases) <= most else random.sample(cases, most):
        here = copied(start, "here")
        old = (here / STATE).read_bytes()
        ended = run.failing(here, call, error, *scene.command, for_good=for_good)
        observed.count("injected errors")

        def case(call: Call = call, error: str = error, for_good: bool = for_good, ended: Ended = ended) -> str:
            when = f"{call.name}:error={error}:when={call.number}{'+' if for_good else ''} ({call.arguments[:60]})"
            return f"[{scene.name}] statetool {' '.join(scene.command)}, {when}: {ended.status} {said(ended)[-300:]}"

        _check_claims(run, here, scene, known, observed, case, ended, old, call, for_good)
        check_whole(run, here, scene, known, observed, case)
        shutil.rmtree(here)
    observed.settle()


def _check_claims(
    run: Forks,
    folder: Path,
    scene: Scene,
    known: Sides,
    observed: Observed,
    case: Callable[[], str],
    ended: Ended,
    old: bytes,
    call: Call,
    for_good: bool,
) -> None:
    """What the command said of itself is true."""
    words = said(ended)
    if _BROKEN_PYTHON.search(ended.err):
        # The error hit Python while it imported a module of its own.
        return
    observed.expect(ended.status in (0, 2), "the exit status is 0 or 2", case)
    observed.expect("Traceback" not in words, "no traceback", case)
    observed.expect(not ended.timed_out, "no hang", case)
    # Where every write fails from some time on, nothing can be said either.
    is_output = call.name == "write" and (for_good or call.arguments.startswith(("1, ", "2, ")))
    observed.expect(
        "standard output:" not in words or is_output, "standard output is blamed only for its own errors", case
    )
    now = (folder / STATE).read_bytes()
    if "nothing was written" in words or "not written" in words or "content is as before" in words:
        observed.expect(now == old, "where nothing was written, the state has its old bytes", case)
    elif ended.status != 0 and now != old and not is_output:
        observed.expect(bool(SAYS_SO.search(words)), "what was changed is said to be", case)
    if ended.status == 0:
        observed.expect(
            plain(run, folder, scene.target) == known.after, "with exit status 0 the new content is there", case
        )
