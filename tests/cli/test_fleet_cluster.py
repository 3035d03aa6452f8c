"""The options of `fleet index` for a cluster: what each needs and excludes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.fleet.test_index import state

pytest.importorskip("duckdb")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tls-ca", "a"], "--tls-ca: requires --scheduler"),
        (["--insecure-scheduler"], "--insecure-scheduler: requires --scheduler"),
        (["--scheduler", "tls://a:1", "--workers", "2"], "--workers: cannot be combined with --scheduler"),
        (["--scheduler", "tls://a:1", "--encryption", "x.hcl"], "--encryption: cannot be combined with --scheduler"),
        (["--scheduler", "tcp://10.0.0.1:1"], "use tls://, or --insecure-scheduler"),
    ],
)
def test_options_of_the_command(arguments: list[str], message: str, folder: Path, statetool: Statetool) -> None:
    (folder / "x.hcl").write_text(json.dumps({}))
    (folder / "a.tfstate").write_bytes(state(1, "main"))
    result = statetool("fleet", "index", "a.tfstate", *arguments)
    assert result.status == 2
    assert message in " ".join(result.err.split())
    assert not (folder / "statetool.duckdb").exists()
