"""Which clusters are refused before anything is sent, and what a job says."""

from __future__ import annotations

import socket
from pathlib import Path

import msgspec
import pytest

from statefmt import run_context
from statefmt.fleet import Cluster, FleetError, IndexOptions, answer_job, index_states
from tests.fleet.test_index import state
from tests.tables import each_row


def never(job: bytes) -> bytes:
    raise AssertionError(job)


@pytest.mark.parametrize(
    "address",
    ["tcp://127.0.0.1:8786", "tcp://127.8.9.1:1", "tcp://localhost:8786", "tcp://[::1]:8786", "tls://10.0.0.1:8786"],
)
def test_addresses_that_are_used(address: str) -> None:
    Cluster(address, never).check()


@each_row(
    "address",
    [
        *("", "localhost:8786", "tcp://", "tcp://localhost", "tcp://:8786", "tcp://localhost:0", "tcp://localhost:x"),
        *("tcp://localhost:99999", "inproc://localhost:1", "ws://localhost:1", "tcp://me@localhost:1"),
        *("tcp://localhost:1/path", "tls://localhost:1?a=b", "tls://a b:1", "tcp://[::1:8786", "TCP://localhost:1"),
    ],
)
def test_addresses_that_are_malformed(address: str) -> None:
    with pytest.raises(FleetError, match="invalid scheduler"):
        Cluster(address, never, insecure=True).check()


@pytest.mark.parametrize(
    "address",
    [
        *("tcp://10.0.0.1:8786", "tcp://localhost.example.com:8786", "tcp://0.0.0.0:8786", "tcp://[::]:8786"),
        # Resolvers read both as 127.0.0.1, and others might not.
        *("tcp://127.1:8786", "tcp://2130706433:8786"),
    ],
)
def test_other_machines_need_tls(address: str) -> None:
    with pytest.raises(FleetError, match="would not be encrypted") as refused:
        Cluster(address, never).check()
    assert "insecure=True" in str(refused.value)
    assert "--insecure-scheduler" in refused.value.on_command_line
    Cluster(address, never, insecure=True).check()


def test_certificates_are_given_together() -> None:
    with pytest.raises(FleetError, match="must be given together"):
        Cluster("tls://localhost:1", never, tls_cert="c").check()
    with pytest.raises(FleetError, match="an address that starts with tls"):
        Cluster("tcp://localhost:1", never, tls_ca="a", tls_cert="c").check()
    Cluster("tls://localhost:1", never, tls_ca="a", tls_cert="c").check()


def test_a_refused_cluster_leaves_no_index(tmp_path: Path) -> None:
    options = IndexOptions(cluster=Cluster("tcp://10.0.0.1:8786", never))
    with pytest.raises(FleetError):
        index_states(run_context(), [str(tmp_path)], tmp_path / "index", options)
    assert not (tmp_path / "index").exists()


def test_a_worker_of_another_release_refuses() -> None:
    """It does not look at the job, whose form it may not know."""
    job = msgspec.msgpack.encode(("0.0.1", {"some": "thing"}))
    refused = msgspec.msgpack.decode(answer_job(run_context(), job))
    assert (refused["done"], refused["refused"][:17]) == (None, "it has statetool ")


def test_a_server_that_never_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It accepts connections, as a server of another protocol does."""
    monkeypatch.setattr("statefmt.fleet._dask._PATIENCE", 0.5)
    (tmp_path / "a.tfstate").write_bytes(state(1, "main"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(FleetError, match=r"no answer|cannot connect to this scheduler"):
            index_states(
                run_context(), [str(tmp_path)], tmp_path / "index", IndexOptions(cluster=Cluster(address, never))
            )
