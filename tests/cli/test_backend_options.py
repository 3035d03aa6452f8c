"""What a run allows on the way to a backend: --allow-host, --no-verify, --allow-external and --debug."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import ROOT, SAMPLES
from tests.cli.terminal import on_terminal
from tests.servers.certificates import Authority
from tests.servers.http import StateServer, state_server

SECRET: Final = "hunter2"


@pytest.fixture
def server(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StateServer]:
    """A server, whose address only the folder names, while the password is the user's."""
    monkeypatch.setenv("TF_HTTP_PASSWORD", SECRET)
    with state_server() as running:
        running.state = (SAMPLES / "v4-regions.tfstate").read_bytes()
        _configure(folder, running)
        yield running


def _configure(folder: Path, server: StateServer) -> None:
    block = f'backend "http" {{\n    address = "{server.url}"\n    username = "me"\n  }}'
    (folder / "main.tf").write_text(f"terraform {{\n  {block}\n}}\n")


def _host(server: StateServer) -> str:
    return server.url.split("/")[2]


def test_credentials_of_the_environment(server: StateServer, statetool: Statetool) -> None:
    host = _host(server)
    refused = statetool("list")
    assert (refused.status, refused.out, server.requests) == (2, b"", [])
    assert refused.err == (
        f"statetool: TF_HTTP_PASSWORD would be sent to {host}, which only main.tf:3 names; nothing was sent. If you "
        f"trust this host, use --allow-host {host}, or STATETOOL_ALLOW_HOST={host} for all commands\n"
    )
    for options in (("--allow-host", "127.0.0.1"), ("--allow-host", "other.example", "--allow-host", host)):
        done = statetool("list", *options)
        assert (done.status, done.err) == (0, "")
    assert statetool("list", "--allow-host", "other.example").status == 2
    assert statetool("list", "--allow-host", "").status == 2
    assert "authorization" in server.requests[0].headers


def test_hosts_of_the_environment(server: StateServer, statetool: Statetool, monkeypatch: pytest.MonkeyPatch) -> None:
    for hosts, status in (("127.0.0.1", 0), (f"other.example, {_host(server).upper()}", 0), ("127.0.0.2,,*", 2)):
        monkeypatch.setenv("STATETOOL_ALLOW_HOST", hosts)
        assert statetool("list").status == status, hosts


def test_a_suggested_command_allows_the_host_again(server: StateServer, statetool: Statetool) -> None:
    host = _host(server)
    done = statetool("mv", "--allow-host", host, "aws_vpc.main", "aws_vpc.r", "--no-lock")
    assert done.status == 0, done.err
    done = statetool("undo", "--allow-host", host, "--no-lock")
    assert f"`statetool undo --allow-host {host}` now reverts this undo" in done.err


def test_a_suggested_command_opens_an_encrypted_state(
    server: StateServer, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATETOOL_ALLOW_HOST", "127.0.0.1")
    plain = server.state
    assert plain is not None
    (folder / "key.json").write_text(json.dumps(configuration("new")))
    server.state = encrypted(plain, "new")
    options = ("--no-lock", "--encryption", "key.json")
    assert statetool("mv", "aws_vpc.main", "aws_vpc.r", *options).status == 0
    done = statetool("undo", *options)
    assert "`statetool undo --encryption key.json` now reverts this undo" in done.err


@pytest.mark.parametrize("page", sorted((ROOT / "docs/backends").glob("*.md")), ids=lambda page: page.stem)
def test_a_url_in_the_documentation_names_a_state(page: Path, statetool: Statetool) -> None:
    """`list URL` would take it for an address."""
    for line in page.read_text().splitlines():
        if line.startswith("statetool list "):
            said = statetool(*shlex.split(line)[1:], "--backend-config", "nope=1").err
            assert "no argument 'nope'" in said, line


def test_an_address_of_the_user(
    server: StateServer, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert statetool("list", "--backend-config", f"address={server.url}").status == 0
    (folder / "main.tf").write_text('terraform {\n  backend "http" {}\n}\n')
    monkeypatch.setenv("TF_HTTP_ADDRESS", server.url)
    monkeypatch.setenv("TF_HTTP_USERNAME", "me")
    assert statetool("list").status == 0


def test_credentials_of_the_folder(
    server: StateServer, statetool: Statetool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TF_HTTP_PASSWORD")
    assert statetool("list").status == 0


@pytest.mark.parametrize(("typed", "status"), [("y\n", 0), ("n\n", 2)])
def test_a_question(typed: str, status: int, server: StateServer, program: Program) -> None:
    shown = on_terminal(program, "statetool list", typed=typed, columns=200, environment={"TF_HTTP_PASSWORD": SECRET})
    assert shown.status == status
    assert f"Send TF_HTTP_PASSWORD to {_host(server)}, which only main.tf:3 names? [y/N]" in shown.text
    assert len(server.requests) == (status == 0)


@pytest.mark.parametrize("fails", [False, True])
def test_a_host_is_named_before_it_answers_or_if_something_fails(
    fails: bool, server: StateServer, statetool: Statetool, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TF_HTTP_PASSWORD")
    server.state = b"{" if fails else server.state
    line = f"statetool: connecting to {_host(server)} …"
    assert statetool("list").err.splitlines()[:1] == ([line] if fails else [])
    shown = on_terminal(program, "statetool list", columns=200)
    assert (shown.text.count(line), shown.text.index(line)) == (1, 0)


def test_requests_are_shown(server: StateServer, statetool: Statetool) -> None:
    done = statetool("list", "--debug", "--allow-host", "127.0.0.1")
    [line] = done.err.splitlines()
    assert line.startswith(f"debug: GET {server.url}: 200; ")
    assert line.endswith(f" ms, 0 bytes sent, {len(server.state or b'')} received")
    assert SECRET not in done.err


def test_without_verification(folder: Path, statetool: Statetool) -> None:
    with state_server(Authority().server(folder)) as server:
        server.state = (SAMPLES / "v4-regions.tfstate").read_bytes()
        _configure(folder, server)
        refused = statetool("list")
        assert refused.status == 2
        assert "cannot be verified" in refused.err
        done = statetool("list", "--no-verify")
        assert done.status == 0
        assert "is not verified: whoever is in between" in done.err


def test_a_file_needs_none_of_it(folder: Path, statetool: Statetool) -> None:
    (folder / "terraform.tfstate").write_bytes((SAMPLES / "v4-regions.tfstate").read_bytes())
    for arguments in ((), ("--state", "terraform.tfstate")):
        done = statetool("list", "--allow-host", "x", "--no-verify", "--debug", "--allow-external", *arguments)
        assert (done.status, done.err) == (0, "")
