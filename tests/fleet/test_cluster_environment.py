"""Workers read states in a bucket and encrypted ones with what their own environment has."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt import run_context
from statefmt.cli.commands.fleet import read_states
from statefmt.fleet import Cluster, IndexOptions, IndexRun, index_states, query
from tests.cli.states import SAMPLES
from tests.fleet.test_index import state
from tests.servers.cutting import Line, proxied
from tests.servers.dask import recording, scheduler, worker
from tests.servers.s3 import ACCESS_KEY, SECRET_KEY, S3Server, moto

pytest.importorskip("duckdb")
pytest.importorskip("distributed")
pytestmark = [pytest.mark.process, pytest.mark.xdist_group("moto")]

__all__ = ["moto"]

# See samples/README.md.
_PASSPHRASE: Final = "a sample passphrase, never to be used"
_CONFIGURATION: Final = {
    "key_provider": {"pbkdf2": {"sample": {"passphrase": _PASSPHRASE}}},
    "method": {"aes_gcm": {"sample": {"keys": "${key_provider.pbkdf2.sample}"}}},
    "state": {"method": "method.aes_gcm.sample"},
}


@pytest.fixture
def sources(tmp_path: Path, moto: S3Server) -> list[str]:
    """Objects below a prefix, a folder whose state is in the bucket, and an encrypted file."""
    bucket = moto.new_bucket(versioned=False)
    for number in range(3):
        moto.s3().put_object(Bucket=bucket, Key=f"prod/{number}.tfstate", Body=state(number, "main"))
    moto.s3().put_object(Bucket=bucket, Key="env:/eu/of-a-folder", Body=state(9, "main"))
    record = tmp_path / "infra" / ".terraform" / "terraform.tfstate"
    record.parent.mkdir(parents=True)
    config: dict[str, Any] = {"bucket": bucket, "key": "of-a-folder", "use_path_style": True, "region": "eu-west-1"}
    record.write_text(json.dumps({"version": 3, "backend": {"type": "s3", "config": config, "hash": 1}}))
    files = tmp_path / "files"
    files.mkdir()
    shutil.copy(SAMPLES / "encrypted.tfstate", files)
    return [f"s3://{bucket}/prod/?use_path_style=true", str(tmp_path / "infra"), str(files)]


def test_workers_use_their_own_environment(
    sources: list[str], moto: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run has what listing needs; that, and what opens the encrypted state, does not travel."""
    monkeypatch.chdir(tmp_path)
    here = replace(run_context(), environment={**moto.environment, "HOME": str(tmp_path), "PATH": os.environ["PATH"]})
    there = {**moto.environment, "TF_ENCRYPTION": json.dumps(_CONFIGURATION)}
    record = bytearray()

    def indexed(into: str, address: str) -> IndexRun:
        return index_states(here, sources, tmp_path / into, IndexOptions(cluster=Cluster(address, read_states)))

    with scheduler(tmp_path) as (address, _):
        host, port = address.removeprefix("tcp://").split(":")
        with proxied((host, int(port)), recording(record), Line()) as (_, between):
            by_proxy = f"tcp://127.0.0.1:{between}"
            with worker(by_proxy, tmp_path / "w.log", environment=there):
                run = indexed("index", by_proxy)
        with worker(address, tmp_path / "bare.log", environment={"AWS_EC2_METADATA_DISABLED": "true"}):
            without = indexed("other", address)

    assert (run.states, list(run.failed), list(run.missing)) == (5, [], [])
    sql = "SELECT serial, workspace, encrypted FROM states ORDER BY ALL"
    expected = [(0, "default", False), (1, "default", False), (2, "default", False), (9, "eu", False)]
    assert [tuple(row) for row in query(tmp_path / "index", sql).rows] == [*expected, (41, "default", True)]
    # The message names the folder, but no settings or credentials.
    assert b"s3://" in record
    for secret in (SECRET_KEY, ACCESS_KEY, _PASSPHRASE):
        assert secret.encode() not in record
    # A worker without them says so.
    assert len(without.failed) == 5
