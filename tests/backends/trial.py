"""One edit on its way to a backend with something in its way, and what must hold afterwards."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from tests.backends.documents import Said, document, said
from tests.backends.runs import Folder, ended, interrupt, kill, reaching
from tests.backends.spots import Kind, S3Spot, Spot
from tests.cli.conftest import Result
from tests.servers.cutting import PATIENCE, Cut, Line

_EDIT: Final = ("mv", "terraform_data.a", "terraform_data.b")
_OLD: Final = Said(7, ["a"])
_NEW: Final = Said(8, ["b"])
# What a message names as the way out.
_UNLOCK: Final = re.compile(r"statetool unlock ([^\s`'\";,]+)")
_DIGEST: Final = re.compile(r"the attribute Digest of the item with the LockID '([^']+)' to ([0-9a-f]{32})")
_NOTHING: Final = re.compile(r"nothing was (written|changed|done)|is unchanged|was not written")


class Obstacle(NamedTuple):
    """What happens at a request: its connection is cut, the process gets a signal, or both."""

    cut: Cut | None = None
    stays_cut: bool = False
    signal: signal.Signals | None = None

    def __str__(self) -> str:
        """In a word or three."""
        parts = (self.signal and self.signal.name, self.cut and f"cut {self.cut.value}", self.stays_cut and "for good")
        return " ".join(part for part in parts if part)


class Trial:
    """An edit over a line, as a process; what goes wrong is a list of sentences."""

    def __init__(self, spot: Spot, path: Path, obstacle: Obstacle = Obstacle(), at: int = 0) -> None:
        self._spot: Final = spot
        self._path: Final = path
        self._obstacle: Final = obstacle
        self.line: Final = Line(at=at, cut=obstacle.cut, stays_cut=obstacle.stays_cut, call=self._signal)
        # Those of the edit, without those of the next one.
        self.requests: Final[list[str]] = []
        self._process: subprocess.Popen[bytes] | None = None

    def run(self) -> list[str]:
        """Run the edit, then the next one; return what does not hold."""
        self._spot.put(document(_OLD.names, _OLD.serial))
        with reaching(self._path, self._spot, self.line) as folder:
            self._process = folder.start(*_EDIT)
            result = ended(self._process)
            self.requests.extend(self.line.requests)
            self.line.mend()
            self._settle()
            problems = [*self._judged(result), *self._goes_on(folder)]
        if problems:
            problems.append(f"it ended with {result.status} and said: {result.err.strip()}")
        return problems

    def _settle(self) -> None:
        """Wait until the server has done what it was asked for, also by a process that is dead."""
        self.line.wait_until_idle()
        if self._spot.backend == "pg":
            # The session of a client that is gone ends when its server notices.
            _in_the_end(self._spot.locks)

    def _signal(self) -> None:
        assert self._process is not None
        match self._obstacle.signal:
            case None:
                pass
            case signal.SIGKILL:
                kill(self._process.pid)
            case number:
                interrupt(self._process.pid, number)

    def _judged(self, result: Result) -> Iterator[str]:
        """What is wrong right after the edit."""
        now = said(self._spot.stored())
        if now not in (_OLD, _NEW):
            yield f"neither the old nor the new state: {now}"
        if result.status == 0 and now != _NEW:
            yield "success, without the new state"
        if result.status == 0 and not _digest_fits(self._spot):
            yield "success, with a wrong digest"
        if _NOTHING.search(result.err) and now != _OLD:
            yield "it says that nothing was written, which is not so"
        if "Traceback" in result.err:
            yield "a traceback"
        if self._obstacle.signal is signal.SIGKILL:
            return
        if result.status not in (0, 2) and self._obstacle.signal is None:
            yield f"the exit status is {result.status}"
        # A signal that ends the process says so itself.
        if not result.err and result.status and self._obstacle.signal is None:
            yield "no message"
        if not self._obstacle.cut and (locks := _in_the_end(self._spot.locks)):
            yield f"still locked: {locks}"

    def _goes_on(self, folder: Folder) -> Iterator[str]:
        """What is wrong with the next edit, or the way there that is named."""
        before = said(self._spot.stored())
        if before is None:
            return
        after = Said(before.serial + 1, ["c"])
        edit = ("mv", f"terraform_data.{before.names[0]}", "terraform_data.c")
        result = folder(*edit)
        # A lock, then a digest that was not written.
        for _ in range(2):
            if result.status != 0:
                if said(self._spot.stored()) != before:
                    yield "the next command was refused, and has changed the state"
                if problem := self._way_out(folder, result):
                    yield problem
                    return
                result = folder(*edit)
        if (result.status, said(self._spot.stored())) != (0, after):
            yield f"the next command fails: {result.status}, {said(self._spot.stored())}, {result.err.strip()}"
            return
        if not _digest_fits(self._spot):
            yield "the next command leaves a wrong digest"
        undone = folder("undo", "--yes")
        if (undone.status, said(self._spot.stored())) != (0, Said(after.serial + 1, before.names)):
            yield f"undo fails: {undone.status}, {said(self._spot.stored())}, {undone.err.strip()}"
        if locks := _in_the_end(self._spot.locks):
            yield f"the next command leaves locks: {locks}"

    def _way_out(self, folder: Folder, refused: Result) -> str:
        """Do what a message says; return what is wrong with it."""
        if (way := _UNLOCK.search(refused.err)) is not None:
            freed = folder("unlock", way[1], "--yes")
            return "" if freed.status == 0 else f"the way out ({way[0]}) fails: {freed.err.strip()}"
        if (way := _DIGEST.search(refused.err)) is not None and isinstance(self._spot, S3Spot):
            self._spot.set_digest(way[1], way[2])
            return ""
        return f"the next command names no way out: {refused.err.strip()}"


class Obstacles:
    """Trials of one kind of place, at every request of an edit or at a sample of them.

    How many requests there are is found out once, by an edit without an obstacle.
    """

    def __init__(self) -> None:
        self._requests: Final[dict[str, list[str]]] = {}

    def check(self, kind: Kind, path: Path, obstacles: Sequence[Obstacle], sample: int | None = None) -> None:
        """Try obstacles at every request, or one at a request that `sample` chooses. Fails with all problems."""
        if kind.name not in self._requests:
            plain = Trial(kind.spot(), path / "plain")
            found = plain.run()
            assert not found, f"without an obstacle: {found}"
            self._requests[kind.name] = plain.requests
        requests = self._requests[kind.name]
        trials = [(number, obstacle) for number in range(1, len(requests) + 1) for obstacle in obstacles]
        if sample is not None:
            trials = [random.Random(f"{kind.name} {sample}").choice(trials)]
        problems: list[str] = []
        for each, (number, obstacle) in enumerate(trials):
            where = f"{obstacle} at request {number} of {len(requests)} ({requests[number - 1]})"
            found = Trial(kind.spot(), path / str(each), obstacle, number).run()
            problems += [f"{where}: {problem}" for problem in found]
        assert not problems, "\n".join(problems)


def _digest_fits(spot: Spot) -> bool:
    return not isinstance(spot, S3Spot) or spot.digest_fits()


def _in_the_end(locks: Callable[[], list[str]]) -> list[str]:
    """The locks that stay: a server learns of the end of a connection after the client, and no event tells."""
    until = time.monotonic() + PATIENCE / 6
    while (found := locks()) and time.monotonic() < until:
        time.sleep(0.05)
    return found
