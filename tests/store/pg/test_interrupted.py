"""A signal while the server works on a statement."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Final

import pytest

from statefmt.store.remote.interruption import TerminatedError
from tests.servers.pg import PgServer
from tests.store.pg.conftest import INFO, Clients, Rows

_WAITING: Final = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%states%'"
_PATIENCE: Final = 60


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise TerminatedError


@pytest.fixture
def interrupting() -> Iterator[None]:
    before = signal.signal(signal.SIGUSR1, _interrupt)
    yield
    signal.signal(signal.SIGUSR1, before)


@pytest.mark.usefixtures("interrupting")
def test_the_lock_is_given_back_all_the_same(
    pg: PgServer, database: str, clients: Clients, rows: Rows, state: bytes
) -> None:
    """The connection that the statement runs on takes no other statement."""
    client = clients()
    client.lock(INFO)
    main = threading.get_ident()

    def signals_once_it_waits() -> None:
        with pg.connect(database) as looking:
            while not looking.execute(_WAITING).fetchall():
                pass
        signal.pthread_kill(main, signal.SIGUSR1)

    with rows.transaction():
        rows.execute("LOCK TABLE terraform_remote_state.states IN ACCESS EXCLUSIVE MODE")
        thread = threading.Thread(target=signals_once_it_waits)
        thread.start()
        with pytest.raises(TerminatedError):
            client.read()
        thread.join(_PATIENCE)
    client.unlock(INFO)
    assert rows.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'").fetchall() == []
    other = clients()
    other.lock(INFO)
    assert other.read() is not None
