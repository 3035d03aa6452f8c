"""A program that asks for no lock writes the state while its backup is made: it is not overwritten."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.local.transaction import open_state
from statefmt.store.protocol import LockInfo, WriteTerms
from tests.adversary.fork_server import attached, stop_to_be_attached
from tests.store.local.test_watched import NEEDS_STRACE

pytestmark = NEEDS_STRACE


@pytest.mark.parametrize("keeps_stamp", [False, True], ids=["another time", "the same time"])
@pytest.mark.parametrize("foreign", [b"foreign", b"new", b"odl"], ids=["longer", "the same result", "as long"])
def test_what_came_in_between_stays(foreign: bytes, keeps_stamp: bool, tmp_path: Path) -> None:
    """Also if the program keeps the modification time, as a copy with its attributes does."""
    state = tmp_path / "x.tfstate"
    state.write_bytes(b"old")
    child = os.fork()
    if child == 0:
        os._exit(_edited(state))
    os.waitpid(child, os.WUNTRACED)
    # It stops in the first call of this kind, which publishes the backup.
    tracer = attached(child, ["-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:signal=SIGSTOP:when=1"])
    os.kill(child, signal.SIGCONT)
    _, status = os.waitpid(child, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    before = state.stat()
    state.write_bytes(foreign)
    if keeps_stamp:
        os.utime(state, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.kill(child, signal.SIGCONT)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    tracer.communicate()
    assert state.read_bytes() == foreign
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["x.tfstate"]


def _edited(state: Path) -> int:
    stop_to_be_attached()
    try:
        with open_state(state, LockInfo("1", "rm", "", "", "", "", ""), lambda _: None) as opened:
            opened.commit(b"new", WriteTerms(0))
    except StoreError as error:
        return 2 if "the file changed during the edit; nothing was written" in str(error) else 3
    return 0
