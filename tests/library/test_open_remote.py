"""States in backends in a program: opened by folder and URL, edited under the lock, undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import statefmt
from statefmt import LockedError, StoreError
from statefmt.locations import RemoteName
from tests.cli.states import SAMPLES
from tests.servers.http import StateServer, state_server

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as running:
        running.state = REGIONS
        yield running


@pytest.fixture
def context(tmp_path: Path) -> statefmt.RunContext:
    return statefmt.run_context(environment={"XDG_STATE_HOME": str(tmp_path / "home")})


def _url(server: StateServer) -> str:
    return f"{server.url}?lock_address={server.url}&unlock_address={server.url}"


def test_a_folder_and_a_url(server: StateServer, context: statefmt.RunContext, tmp_path: Path) -> None:
    arguments = "".join(f'{name} = "{server.url}"\n' for name in ("address", "lock_address", "unlock_address"))
    (tmp_path / "main.tf").write_text(f'terraform {{\nbackend "http" {{\n{arguments}}}\n}}\n')
    for location in (tmp_path, str(tmp_path), _url(server)):
        state = statefmt.open(location, context=context)
        assert isinstance(state.location, RemoteName)
        assert state.location == server.url
        assert state.data == REGIONS
        # A name can be opened again.
        assert statefmt.open(state.location, context=context).serial == state.serial


def test_a_local_folder(tmp_path: Path) -> None:
    (tmp_path / "terraform.tfstate").write_bytes(REGIONS)
    state = statefmt.open(tmp_path)
    assert (state.location, state.data) == (str(tmp_path / "terraform.tfstate"), REGIONS)
    (tmp_path / "main.tf").write_text('terraform {\nbackend "local" {\npath = "../other.tfstate"\n}\n}\n')
    with pytest.raises(StoreError, match=r"pass its path to statefmt.open\(\)"):
        statefmt.open(tmp_path)
    (tmp_path / "main.tf").write_text('terraform {\nbackend "gcs" {\nbucket = "b"\n}\n}\n')
    with pytest.raises(statefmt.RemoteStateError):
        statefmt.open(tmp_path)


def test_edit_and_undo(server: StateServer, context: statefmt.RunContext) -> None:
    state = statefmt.open(_url(server), context=context)
    with state.edit("move the network") as edit:
        edit.move("aws_vpc.main", "aws_vpc.net")
        assert "LOCK" in server.methods
        other = statefmt.open(_url(server), context=context)
        with pytest.raises(LockedError), other.edit():
            pass
        with pytest.raises(StoreError, match="an edit is open"):
            state.reload()
    assert server.methods[-1] == "UNLOCK"
    assert statefmt.read(server.state or b"").snapshot.serial == edit.serial == state.serial
    assert [entry.command for entry in state.history()] == ["move the network"]
    assert edit.backup is not None
    assert Path(edit.backup).read_bytes() == REGIONS
    undone = state.undo()
    assert undone.serial == edit.serial + 1
    assert state.snapshot.resources == statefmt.read(REGIONS).snapshot.resources
    assert server.methods.count("LOCK") - 1 == server.methods.count("UNLOCK") == 2


def test_a_bare_url_is_not_written(server: StateServer, context: statefmt.RunContext) -> None:
    state = statefmt.open(server.url, context=context)
    with pytest.raises(StoreError, match="lock=False writes without a lock"), state.edit() as edit:
        edit.move("aws_vpc.main", "aws_vpc.net")
    assert server.state == REGIONS


def test_a_password_is_not_in_the_error(context: statefmt.RunContext) -> None:
    with pytest.raises(StoreError) as caught:
        statefmt.open("https://me:s3cr3t@h/s", context=context)
    assert caught.value.location is None
    assert "s3cr3t" not in repr(caught.value)
