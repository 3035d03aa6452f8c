"""What no command may do in a stranger's folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from tests.adversary.runs import Ended
from tests.strangers.recorder import is_below
from tests.strangers.scene import NOWHERE, User, canaries, events_of


def faults(user: User, ended: Ended, *, may_contact: bool = True) -> Iterator[str]:
    """Yield what a command must not have done; with `may_contact` False, any request is a fault."""
    if ended.timed_out:
        yield "it hangs"
    if "Traceback" in ended.err:
        yield f"traceback: {ended.err[-500:]}"
    if found := canaries(ended.out + ended.err):
        yield f"prints {found}: {(ended.out + ended.err)[:500]}"
    for sent in user.listener.taken():
        if not may_contact:
            yield f"a request is made with a value of the user's: {sent[:300]!r}"
        if found := canaries(sent):
            yield f"sends {found}: {sent[:500]!r}"
    writable = (user.clone, user.out, user.home / ".local/state/statetool", user.home / ".local", user.root / "bare")
    for kind, subject in events_of(ended):
        if kind == "run" and not subject.startswith((_editor(), "git ")):
            yield f"runs {subject}"
        if kind in ("connect", "resolve") and subject.rpartition(":")[0] not in ("127.0.0.1", NOWHERE, ""):
            yield f"contacts {subject}"
        if kind == "write" and not any(is_below(subject, one) for one in writable) and not _is_temporary(subject):
            yield f"writes {subject}"
        if "PRIVATE" in subject or (kind == "read" and is_below(subject, user.home / ".ssh")):
            yield f"reads {subject}"


def _editor() -> str:
    return f"{shutil.which('true')} "


def _is_temporary(path: str) -> bool:
    return path.startswith(("/tmp/statetool-", "/dev/shm/statetool-")) or path == "/dev/null"
