"""A signal in any phase leaves no lock, and no state that is neither old nor new."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.store.remote.conftest import NEW, OLD, Place, editing_process, reached

# The steps at which a process waits when the signal arrives, and what the state is after that.
_PHASES = [
    ("lock.before", OLD),
    ("lock.after", OLD),
    ("holder.before", OLD),
    ("read.before", OLD),
    ("write.before", NEW),
    ("write.after", NEW),
    ("unlock.before", NEW),
    ("unlock.after", NEW),
]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(("step", "state"), _PHASES)
def test_one_signal(place: Place, step: str, state: bytes, number: signal.Signals) -> None:
    place.mark(f"{step}.wait")
    with editing_process(place) as process:
        reached(place, step, process)
        process.send_signal(number)
        if step.startswith(("write", "unlock")):
            # It goes on first.
            (place.backend / f"{step}.wait").unlink()
        else:
            # Finding out may come to the same step again.
            (place.backend / f"{step}.wait").rename(place.backend / "was")
        _, err = process.communicate()
    assert (place.state, place.is_locked) == (state, False), err
    # The parent sees a signal, as of any program that has no handler.
    assert process.returncode == -number
    assert len(place.store.versions()) == (state == NEW)
    assert len(place.backups) == (state == NEW)


def test_several_kinds_at_once(place: Place) -> None:
    """A terminal that is closed, and a scheduler, may both send one."""
    place.mark("lock.after.wait")
    with editing_process(place) as process:
        reached(place, "lock.after", process)
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            process.send_signal(number)
        _, err = process.communicate()
    assert (place.state, place.is_locked) == (OLD, False), err
    assert process.returncode < 0


def test_interrupted_while_waiting_for_the_lock(place: Place) -> None:
    other = place.backend / "lock"
    other.write_bytes(b'{"ID":"theirs"}')
    with editing_process(place, timeout="3600") as process:
        reached(place, "lock.before", process)
        process.send_signal(signal.SIGINT)
        process.communicate()
    assert other.read_bytes() == b'{"ID":"theirs"}'
    assert process.returncode == -signal.SIGINT


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_says_what_is_left(place: Place, number: signal.Signals) -> None:
    """The first one came while the state was being locked, and the backend hangs when it is asked about the lock."""
    place.mark("lock.after.wait")
    place.mark("holder.before.wait")
    with editing_process(place) as process:
        reached(place, "lock.after", process)
        process.send_signal(number)
        reached(place, "holder.before", process)
        process.send_signal(number)
        _, err = process.communicate()
    lock_id = (place.backend / "lock").read_text().split('"')[3]
    assert f"interrupted again; The lock {lock_id} of this command may be left" in err.decode()
    assert f"`statetool unlock {lock_id}`" in err.decode()
    assert (place.state, process.returncode) == (OLD, -number)


def test_a_second_signal_ends_a_hanging_unlock(place: Place) -> None:
    place.mark("unlock.before.wait")
    with editing_process(place) as process:
        reached(place, "unlock.before", process)
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)
        err = b""
        while b"interrupted again" not in err:
            # The first one is only remembered.
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
            err += process.stderr.read() or b""
    assert (place.state, place.is_locked) == (NEW, True)


def test_a_second_signal_ends_a_hanging_write(place: Place) -> None:
    """A server may answer with a byte a second, which no timeout ends."""
    place.mark("write.before.wait")
    with editing_process(place) as process:
        reached(place, "write.before", process)
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)
        err = b""
        while b"interrupted again" not in err:
            # The first one is only remembered.
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
            err += process.stderr.read() or b""
        process.wait()
    (backup,) = place.backups
    assert f"whether it was is not known. The previous content is in {backup}" in err.decode()
    assert (place.state, backup.read_bytes()) == (OLD, OLD)
    (place.backend / "write.before.wait").unlink()
    place.store.settle()
    assert "whose outcome was unknown, was not written" in place.notes[-1]


def test_a_signal_does_not_hide_an_unknown_outcome(place: Place) -> None:
    place.mark("write.before.wait")
    place.mark("write.after.lost")
    with editing_process(place) as process:
        reached(place, "write.before", process)
        process.send_signal(signal.SIGINT)
        place.mark("read.before.broken")
        (place.backend / "write.before.wait").unlink()
        _, err = process.communicate()
    assert "the write could not be confirmed" in err.decode()
    assert "The previous content is in" in err.decode()


def test_a_thread_is_left_alone(place: Place) -> None:
    """Only the main thread may handle signals."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(place.edit).result()
    place.edit(b"{}")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before
    assert (place.state, place.is_locked) == (b"{}", False)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_at_any_instant(place: Place, number: signal.Signals) -> None:
    """From the lock request on, in steps that are smaller than the time between two of its requests."""
    seen = set()
    for attempt in range(25):
        for name in ("steps", "lock"):
            (place.backend / name).unlink(missing_ok=True)
        (place.backend / "state").write_bytes(OLD)
        with editing_process(place) as process:
            reached(place, "lock.before", process)
            for _ in range(attempt * 1000):
                pass
            process.send_signal(number)
            _, err = process.communicate()
        assert place.state in (OLD, NEW)
        assert not place.is_locked, (attempt, err)
        seen.add((place.state, process.returncode))
    assert len(seen) > 1
