"""Operations files and plans that somebody else has written, or changed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.edit.transactions.three_states import BEFORE, CHAIN, state
from tests.servers.http import state_server

FILE = "x.stateops.hcl"
STATES = "".join(f'state "{name}" {{ path = "{name}.tfstate" }}\n' for name in BEFORE)


@pytest.fixture
def states(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    for name, resources in BEFORE.items():
        Path(f"{name}.tfstate").write_bytes(state(name, resources))
    Path(FILE).write_text(STATES + CHAIN)


def contents() -> dict[str, bytes]:
    return {name: Path(f"{name}.tfstate").read_bytes() for name in BEFORE}


@pytest.mark.usefixtures("states")
@pytest.mark.parametrize("removed", [("app",), tuple(BEFORE)])
def test_a_plan_without_some_states(removed: tuple[str, ...], statetool: Statetool) -> None:
    """They would not be verified."""
    statetool("plan", FILE, "-o", "p.json")
    plan = json.loads(Path("p.json").read_bytes())
    plan["states"] = {name: one for name, one in plan["states"].items() if name not in removed}
    Path("p.json").write_text(json.dumps(plan))
    before = contents()
    refused = statetool("apply", "-y", "p.json")
    assert (refused.status, refused.out) == (2, b"")
    assert "the plan lacks the state app; nothing was written. Plan again" in refused.err
    assert contents() == before


@pytest.mark.usefixtures("states")
def test_a_plan_of_a_file_with_nul_in_its_name(statetool: Statetool) -> None:
    statetool("plan", FILE, "-o", "p.json")
    plan = json.loads(Path("p.json").read_bytes())
    plan["operations_file"]["path"] = "a\0b"
    Path("p.json").write_text(json.dumps(plan))
    refused = statetool("apply", "-y", "p.json")
    assert (refused.status, refused.err.startswith("statetool: p.json: invalid plan")) == (2, True)


@pytest.mark.usefixtures("states")
@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize(
    ("path", "message"),
    [
        (r"a\u0000b", "a\\x00b: the path of a state has no NUL"),
        ("file:///tmp/x.tfstate", "file:///tmp/x.tfstate: no backend has such URLs; name a file by its path"),
    ],
)
def test_a_path_that_is_none(path: str, message: str, create: bool, statetool: Statetool) -> None:
    block = f'state "far" {{\n  path = "{path}"\n  create = {str(create).lower()}\n}}\n'
    Path(FILE).write_text(
        'state "app" { path = "app.tfstate" }\nstate "net" { path = "net.tfstate" }\n' + block + CHAIN
    )
    refused = statetool("apply", "-y", FILE)
    assert (refused.status, refused.err) == (2, f"statetool: {message}\n")


@pytest.mark.usefixtures("states")
def test_a_plan_of_a_link_to_an_operations_file(statetool: Statetool) -> None:
    Path("shared").mkdir()
    Path(FILE).rename(Path("shared", FILE))
    Path(FILE).symlink_to(Path("shared", FILE))
    assert statetool("plan", FILE, "-o", "shared/p.json").status == 0
    assert json.loads(Path("shared/p.json").read_bytes())["operations_file"]["path"] == f"../{FILE}"
    refused = statetool("apply", "-y", "shared/p.json")
    assert refused.status == 2
    here = os.path.realpath(".")
    assert f"names an operations file outside of its folder, shared/../{FILE}; nothing was written" in refused.err
    assert f"use --allow-path {here}" in refused.err
    assert statetool("apply", "-y", "--allow-path", here, "shared/p.json").status == 0


def test_one_state_under_two_names(statetool: Statetool) -> None:
    """Without a lock, nothing else tells that they are one, and all objects would be gone."""
    with state_server() as server:
        server.state = before = state("far", BEFORE["far"])
        other = server.url.replace("127.0.0.1", "localhost")
        refused = statetool("join", "-y", "--no-lock", "--into", server.url, other)
        assert "have the same content, so they may be one state under two names; nothing was written" in refused.err
        assert (refused.status, server.state) == (2, before)


@pytest.mark.parametrize("layout", ["the same bytes", "another layout"])
@pytest.mark.parametrize("into", ["the server", "the file"])
def test_a_file_that_a_server_serves(layout: str, into: str, statetool: Statetool) -> None:
    """The lock of the file keeps nobody from writing through the server, and all objects would be gone."""
    with state_server() as server:
        served = json.loads(state("far", BEFORE["far"]))
        server.state = before = json.dumps(served, indent=None if layout == "another layout" else 2).encode()
        Path("far.tfstate").write_bytes(content := json.dumps(served, indent=2).encode())
        ends = (server.url, "far.tfstate") if into == "the server" else ("far.tfstate", server.url)
        refused = statetool("join", "-y", "--no-lock", "--into", *ends)
        assert "have the same content, so they may be one state under two names; nothing was written" in refused.err
        assert (refused.status, server.state, Path("far.tfstate").read_bytes()) == (2, before, content)


def test_another_state_on_a_server(statetool: Statetool) -> None:
    with state_server() as server:
        server.state = state("far", BEFORE["far"])
        Path("net.tfstate").write_bytes(state("net", BEFORE["net"]))
        joined = statetool(
            "join", "-y", "--no-lock", "--prefix", "net.tfstate=module.net", "--into", server.url, "net.tfstate"
        )
        assert joined.status == 0
