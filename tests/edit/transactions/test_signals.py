"""A signal waits until all states are written; a second one leaves the states held, and says how to go on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.edit.transactions.three_states import CIRCLE, Scene, scene

_ROOT = Path(__file__).resolve().parents[3]
_PROGRAM = """
import sys
from pathlib import Path
from tests.edit.transactions.three_states import Scene
class Printed(list):
    def append(self, note): print(note, file=sys.stderr, flush=True)
Scene(Path(sys.argv[1]), Printed()).apply()
"""


@contextmanager
def applying(made: Scene, step: str) -> Iterator[subprocess.Popen[str]]:
    """Apply in a process of its own, which waits at a step of the second write."""
    (made.far / f"{step}.wait").touch()
    command = [sys.executable, "-c", _PROGRAM, str(made.folder)]
    with subprocess.Popen(command, cwd=_ROOT, stderr=subprocess.PIPE, text=True) as process:
        while not (made.far / f"{step}.reached").exists():
            assert process.poll() is None
            time.sleep(0.005)
        yield process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal(number: signal.Signals, tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CIRCLE)
    wanted = scene(tmp_path / "other", CIRCLE)
    wanted.apply()
    with applying(made, "write.before") as process:
        process.send_signal(number)
        (made.far / "write.before.wait").unlink()
        _, err = process.communicate()
    assert process.returncode == -number, err
    assert made.contents == wanted.contents
    assert made.leftovers == set()


@pytest.mark.parametrize("back", [False, True])
def test_a_second_signal(back: bool, tmp_path: Path) -> None:
    made = scene(tmp_path / "s", CIRCLE)
    old = made.contents
    with applying(made, "write.before") as process:
        while process.poll() is None:
            # The first one is only remembered.
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        _, err = process.communicate()
    assert "interrupted; the states stay locked. `statetool apply --resume" in err
    assert made.leftovers >= {".app.tfstate.statetool.hold", "journal.json", "lock"}
    (made.far / "write.before.wait").unlink()
    made.end(back=back)
    assert (made.contents == old) is back
    assert made.leftovers == set()
