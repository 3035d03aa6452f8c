"""An index made on a real Dask cluster: the same rows, what travels, and what happens when something dies."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from statefmt import run_context
from statefmt.cli.commands.fleet import read_states
from statefmt.fleet import Cluster, FleetError, IndexOptions, IndexRun, index_states, query
from statefmt.fleet._database import opened
from statefmt.fleet.tables import STATE_TABLES, columns
from tests.fleet import killing
from tests.fleet.test_index import state
from tests.fleet.test_secrets import SECRET, planted_state
from tests.servers.certificates import Authority
from tests.servers.cutting import PATIENCE, Line, proxied
from tests.servers.dask import DaskServers, dask_servers, recording, scheduler, worker

pytest.importorskip("duckdb")
pytest.importorskip("distributed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    states = tmp_path / "states"
    states.mkdir()
    for number in range(6):
        (states / f"{number}.tfstate").write_bytes(state(number, "main", f"other_{number}"))
    (states / "broken.tfstate").write_bytes(b'{"version": 4')
    (states / "planted.tfstate").write_bytes(planted_state())
    return states


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each state is a chunk."""
    monkeypatch.setattr("statefmt.fleet._work.CHUNK", 1)


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[DaskServers]:
    with dask_servers(tmp_path) as found:
        yield found


def indexed(into: Path, sources: Sequence[Path], address: str = "", entry: Any = read_states, **more: Any) -> IndexRun:
    cluster = Cluster(address, entry, **more) if address else None
    return index_states(run_context(), list(map(str, sources)), into, IndexOptions(cluster=cluster, workers=1))


def every_row(index: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of all states, without the number of the run and the version of a pipe."""
    found = {}
    for name, row in STATE_TABLES.items():
        names = [column.name for column in columns(row) if column.name not in {"run_id", "version"}]
        found[name] = query(index, f"SELECT {', '.join(names)} FROM {name} ORDER BY ALL").rows
    return {name: [tuple(row) for row in rows] for name, rows in found.items()}


def twins(tmp_path: Path) -> tuple[Path, Path]:
    """Two empty indexes with the same key."""
    first, second = tmp_path / "here.duckdb", tmp_path / "there.duckdb"
    with opened(first):
        pass
    shutil.copy(first, second)
    return first, second


def test_a_cluster_makes_the_same_rows_and_sees_no_secret(
    folder: Path, tmp_path: Path, one_by_one: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that passes between the scheduler and the others is recorded, and so are the logs."""
    # Its name is no text.
    (folder / os.fsdecode(b"\xff.tfstate")).write_bytes(state(7, "odd"))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", f"{SECRET}of-this-process")
    here, there = twins(tmp_path)
    indexed(here, [folder])
    record = bytearray()
    with scheduler(tmp_path) as (address, _):
        host, port = address.removeprefix("tcp://").split(":")
        with proxied((host, int(port)), recording(record), Line()) as (_, between):
            by_proxy = f"tcp://127.0.0.1:{between}"
            # A worker has what the machine gives it, which may be a secret of its own.
            hidden = {"AWS_SECRET_ACCESS_KEY": f"{SECRET}of-the-worker"}
            # Threads share what statetool keeps in memory.
            with worker(by_proxy, tmp_path / "w.log", ("--no-nanny", "--nthreads", "4"), hidden):
                run = indexed(there, [folder], by_proxy)
        logs = "".join(path.read_text() for path in tmp_path.glob("*.log"))

    assert (run.read, len(run.failed), run.deaths) == (9, 1, 0)
    assert every_row(there) == every_row(here)
    # What is not secret is in what was recorded, and so secrets would be.
    assert b"aws_iam_user.xaws_iam_user" in record
    assert SECRET.encode() not in record
    assert "Registered to" in logs
    assert SECRET not in logs
    assert "tfstate" not in logs


def test_a_worker_that_is_killed_in_the_middle(
    folder: Path, tmp_path: Path, one_by_one: None, servers: DaskServers
) -> None:
    """It is reading a pipe when it is killed; the other worker reads the pipe once more, and all the rest."""
    pipe = tmp_path / "pipe.tfstate"
    os.mkfifo(pipe)
    content = state(1, "piped")
    killed: list[int] = []

    def kill_then_write() -> None:
        # Opening waits until somebody reads. If it were closed too early, the other worker could read an empty state.
        with pipe.open("wb", buffering=0) as written:
            [reader] = [one for one in servers.workers if _has_open(one.pid, pipe)]
            reader.kill()
            reader.wait()
            killed.append(reader.pid)
            [other] = [one for one in servers.workers if one is not reader]
            end = time.monotonic() + PATIENCE
            while not _has_open(other.pid, pipe) and time.monotonic() < end:
                time.sleep(0.01)
            written.write(content)

    here, there = twins(tmp_path)
    thread = threading.Thread(target=kill_then_write)
    thread.start()
    run = indexed(there, [folder, pipe], servers.address)
    thread.join(PATIENCE)

    assert len(killed) == 1
    assert (run.states, run.read, run.deaths) == (9, 9, 1)
    assert [Path(uri).name for uri, _ in run.failed] == ["broken.tfstate"]
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    indexed(here, [folder, pipe])
    writer.join(PATIENCE)
    assert every_row(there) == every_row(here)


def test_only_the_state_that_kills_its_workers_is_blamed(folder: Path, tmp_path: Path) -> None:
    """It is in one chunk with all others."""
    (folder / killing.KILLER).write_bytes(state(1, "main"))
    once = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    # With nannies, which start other workers.
    with dask_servers(tmp_path, 1, options=("--nanny",), environment=once) as servers:
        run = indexed(tmp_path / "index", [folder], servers.address, killing.read_states)
    assert run.read == 9
    assert [(Path(uri).name, error) for uri, error in run.failed if "broken" not in uri] == [
        (killing.KILLER, "worker died")
    ]
    assert run.deaths == 2
    # It is read again by the next run, elsewhere.
    assert len(indexed(tmp_path / "index", [folder]).failed) == 1


def test_what_is_no_answer_is_refused(folder: Path, tmp_path: Path, servers: DaskServers) -> None:
    with pytest.raises(FleetError, match="sent rows of other states"):
        indexed(tmp_path / "index", [folder], servers.address, killing.no_rows)
    with pytest.raises(FleetError, match="a worker failed: ValueError"):
        indexed(tmp_path / "index", [folder], servers.address, killing.failing)
    assert query(tmp_path / "index", "SELECT count(*) FROM states").rows == [(0,)]
    # The connection is closed, and another one works.
    assert indexed(tmp_path / "index", [folder], servers.address).read == 8


def test_another_release_is_refused(folder: Path, tmp_path: Path) -> None:
    """The worker finds the metadata of another release first."""
    metadata = tmp_path / "other" / "statetool-0.0.1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: statetool\nVersion: 0.0.1\n")
    path = f"{metadata.parent}{os.pathsep}{Path(__file__).parents[2]}"
    with (
        scheduler(tmp_path) as (address, _),
        worker(address, tmp_path / "w.log", environment={"PYTHONPATH": path}),
        pytest.raises(FleetError, match=r"the worker tcp://.* has statetool 0\.0\.1 on Python"),
    ):
        indexed(tmp_path / "index", [folder], address)


def test_tls_with_certificates(folder: Path, tmp_path: Path) -> None:
    authority = Authority()
    issued = authority.issued("cluster")
    files = {"ca": authority.pem, "cert": issued.certificate, "key": issued.key}
    for name, text in files.items():
        (tmp_path / f"{name}.pem").write_text(text)
    ca, cert, key = (str(tmp_path / f"{name}.pem") for name in files)
    options = ("--tls-ca-file", ca, "--tls-cert", cert, "--tls-key", key)
    with scheduler(tmp_path, options) as (address, _):
        assert address.startswith("tls://")
        with worker(address, tmp_path / "w.log", ("--no-nanny", *options)):
            run = indexed(tmp_path / "index", [folder], address, tls_ca=ca, tls_cert=cert, tls_key=key)
            assert (run.read, len(run.failed)) == (8, 1)
            (tmp_path / "other.pem").write_text(Authority().pem)
            with pytest.raises(FleetError, match="cannot connect to this scheduler"):
                other = str(tmp_path / "other.pem")
                indexed(tmp_path / "new", [folder], address, tls_ca=other, tls_cert=cert, tls_key=key)


def test_ctrl_c_and_the_end_of_the_scheduler(
    folder: Path, tmp_path: Path, one_by_one: None, servers: DaskServers
) -> None:
    """Both while a worker reads a pipe that nobody writes to; the index has the states that were read before."""
    pipe = tmp_path / "pipe.tfstate"
    os.mkfifo(pipe)
    index = tmp_path / "index"
    indexed(index, [folder], servers.address)
    arguments = [sys.executable, "-m", "statefmt", "fleet", "index", str(pipe), str(folder), "--into", str(index)]
    for end, status, message in (
        (lambda process: process.send_signal(signal.SIGINT), 130, ""),
        (lambda process: servers.scheduler.kill(), 2, "the scheduler is gone"),
    ):
        process = subprocess.Popen([*arguments, "--scheduler", servers.address], stderr=subprocess.PIPE, text=True)
        # Opening waits until the worker reads.
        with pipe.open("wb"):
            end(process)
            _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == status, errors
        assert message in errors
        assert "Traceback" not in errors
        assert query(index, "SELECT count(*), count(error) FROM states").rows == [(8, 1)]


def _has_open(process: int, path: Path) -> bool:
    """Whether a process has a file open."""
    found = []
    for entry in Path(f"/proc/{process}/fd").iterdir():
        try:
            found.append(entry.readlink())
        except OSError:
            continue
    return path in found
