"""What a stranger's folder may not decide or pass on: the origin of a value decides what is done with it."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool, folder, statetool
from tests.cli.states import resource, state

__all__ = ["folder", "statetool"]

CANARY = "CANARY-7f3a"
STATE = state(resource("terraform_data", "a"))


@pytest.fixture
def host() -> Iterator[tuple[str, list[str]]]:
    """The address of a server on this machine, and all that it was sent."""
    seen: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen.append(f"{self.command} {self.path} {dict(self.headers)} {body!r}")
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    for method in ("GET", "POST", "PUT", "LOCK", "UNLOCK", "HEAD", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.answer)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
        server.shutdown()


# Expressions that take something of the user's, whatever wraps it.
TAKEN = [
    "var.token", 'file("../secret")', 'filebase64("../secret")', 'base64encode(file("../secret"))',
    'filesha256("../secret")', 'templatefile("../secret", {})', 'join("", tolist(fileset("..", "*")))',
    'fileexists("../secret") ? "yes" : "no"', 'pathexpand("~")', 'abspath(".")', "path.cwd", "local.wrapped",
    'try(file("../secret"), "fallback")', 'can(file("../secret")) ? "yes" : "no"', 'upper(var.token)', "var.linked",
    'core::file("../secret")', '[for c in [file("../secret")] : c][0]',
    'templatestring("${file(\\"../secret\\")}", {})',
]  # fmt: skip
ARGUMENTS = {
    "address": 'address = "{host}/${{{taken}}}"',
    "header": 'address = "{host}/s"\n    headers = {{ X-A = {taken} }}',
    "password": 'address = "{host}/s"\n    username = "u"\n    password = {taken}',
    "lock_address": 'address = "{host}/s"\n    lock_address = "{host}/${{{taken}}}"',
}
COMMANDS = ["list --state clone", "check clone", "where clone", "mv a.b a.c --yes --state clone"]


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("argument", ARGUMENTS)
def test_a_backend_block_takes_nothing_of_the_user(
    argument: str, taken: str, host: tuple[str, list[str]], statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, seen = host
    Path("secret").write_text(CANARY)
    Path("other.tfvars").write_text(f'linked = "{CANARY}"\n')
    Path("clone").mkdir()
    Path("clone/x.auto.tfvars").symlink_to("../other.tfvars")
    monkeypatch.setenv("TF_VAR_token", CANARY)
    monkeypatch.setenv("HOME", f"/home/{CANARY}")
    block = ARGUMENTS[argument].format(host=address, taken=taken)
    Path("clone/main.tf").write_text(
        f'variable "token" {{}}\nvariable "linked" {{}}\nlocals {{\n  wrapped = file("../secret")\n}}\n'
        f'terraform {{\n  backend "http" {{\n    {block}\n  }}\n}}\n'
    )
    for command in COMMANDS:
        done = statetool(*command.split())
        assert CANARY not in done.text + done.err, command
        assert done.status == 2, command
        assert seen == [], command


def test_a_variable_is_used_if_the_user_names_it(
    host: tuple[str, list[str]], statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, seen = host
    Path("clone").mkdir()
    Path("clone/main.tf").write_text(
        f'variable "team" {{}}\nterraform {{\n  backend "http" {{\n    address = "{address}/${{var.team}}"\n  }}\n}}\n'
    )
    monkeypatch.setenv("TF_VAR_team", "net")
    refused = statetool("list", "--state", "clone")
    assert "let the block use TF_VAR_team with --allow-env TF_VAR_team" in " ".join(refused.err.split())
    assert seen == []
    statetool("list", "--state", "clone", "--allow-env", "TF_VAR_team")
    assert seen[0].startswith("GET /net ")
    monkeypatch.setenv("STATETOOL_ALLOW_ENV", "TF_VAR_other, TF_VAR_team")
    statetool("list", "--state", "clone")
    assert seen[-1].startswith("GET /net ")


@pytest.mark.parametrize("command", ["plan ops.hcl", "apply ops.hcl --yes"])
@pytest.mark.parametrize("suffix", [".hcl", ".json"])
def test_an_operations_file_names_no_host_for_credentials(
    suffix: str, command: str, host: tuple[str, list[str]], statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, seen = host
    monkeypatch.setenv("TF_HTTP_USERNAME", "u")
    monkeypatch.setenv("TF_HTTP_PASSWORD", CANARY)
    Path("a").write_bytes(STATE)
    text = (
        f'{{"state": {{"a": {{"path": "a"}}, "b": {{"path": "{address}/s"}}}}, '
        '"move": [{"from": "state.a.terraform_data.a", "to": "state.b.terraform_data.a"}]}'
        if suffix == ".json"
        else f'state "a" {{\n  path = "a"\n}}\nstate "b" {{\n  path = "{address}/s"\n}}\n'
        "move {\n  from = state.a.terraform_data.a\n  to = state.b.terraform_data.a\n}\n"
    )
    Path(f"ops{suffix}").write_text(text)
    done = statetool(*command.replace(".hcl", suffix).split())
    assert done.status == 2
    assert seen == []
    line = 1 if suffix == ".json" else 5
    assert f"which only ops{suffix}:{line} names; nothing was sent" in " ".join(done.err.split())
    statetool(*command.replace(".hcl", suffix).split(), "--allow-host", address.removeprefix("http://"))
    assert "Authorization" in seen[0]


# A clone whose files are links out of it: the name of the link, and what it leads to.
LINKS = {
    "the state": ("terraform.tfstate", "victim/terraform.tfstate"),
    "a folder of the path": ("sub", "victim"),
    "the folder of workspaces": ("terraform.tfstate.d", "victim/workspaces"),
    "what init recorded": (".terraform/terraform.tfstate", "victim/record"),
    "the data folder": (".terraform", "victim/data"),
    "the selected workspace": (".terraform/environment", "victim/environment"),
}


@pytest.mark.parametrize("name", LINKS)
@pytest.mark.parametrize("command", ["rm --yes terraform_data.a", "mv --yes terraform_data.a terraform_data.b"])
def test_links_lead_to_no_state_outside(name: str, command: str, statetool: Statetool) -> None:
    Path("victim/workspaces/default").mkdir(parents=True)
    Path("victim/data").mkdir()
    for path in ("victim/terraform.tfstate", "victim/workspaces/default/terraform.tfstate"):
        Path(path).write_bytes(STATE)
    record = '{"version": 3, "backend": {"type": "local", "config": {"path": "terraform.tfstate"}}}'
    Path("victim/record").write_text(record)
    Path("victim/data/terraform.tfstate").write_text(record)
    Path("victim/environment").write_text("default")
    before = {path: path.read_bytes() for path in Path("victim").rglob("*") if path.is_file()}
    link, target = LINKS[name]
    Path("clone", link).parent.mkdir(parents=True, exist_ok=True)
    Path("clone", link).symlink_to(os.path.relpath(target, Path("clone", link).parent))
    if link == "sub":
        Path("clone/main.tf").write_text(
            'terraform {\n  backend "local" {\n    path = "sub/terraform.tfstate"\n  }\n}\n'
        )
    elif link == "terraform.tfstate.d":
        Path("clone/main.tf").write_text(
            'terraform {\n  backend "local" {\n    path = "terraform.tfstate.d/default/terraform.tfstate"\n  }\n}\n'
        )
    elif link != "terraform.tfstate":
        Path("clone/terraform.tfstate").write_bytes(STATE)
    os.chdir("clone")
    done = statetool(*command.split())
    os.chdir("..")
    assert done.status == 2, done
    assert {path: path.read_bytes() for path in Path("victim").rglob("*") if path.is_file()} == before


def test_a_link_that_the_user_names_is_followed(statetool: Statetool) -> None:
    Path("real").mkdir()
    Path("real/terraform.tfstate").write_bytes(STATE)
    Path("link").symlink_to("real/terraform.tfstate")
    assert statetool("mv", "--yes", "terraform_data.a", "terraform_data.b", "--state", "link").status == 0
    assert b'"b"' in Path("real/terraform.tfstate").read_bytes()
