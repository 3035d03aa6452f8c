"""What a stranger's folder may not decide or pass on: the origin of a value decides what is done with it."""

from __future__ import annotations

import base64
import http.server
import json
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


# Blocks that put a secret of the user, which they may use, into names and addresses.
PULLED = {
    "http": 'backend "http" {{\n    address = "{host}/s/${{{taken}}}"\n    lock_address = "{host}/l/${{{taken}}}"\n'
    '    unlock_address = "{host}/l/${{{taken}}}"\n    headers = {{ X = {taken} }}\n  }}',
    "http, an invalid address": 'backend "http" {{\n    address = "nowhere:${{{taken}}}"\n  }}',
    "s3": 'backend "s3" {{\n    bucket = "states"\n    key = "app/${{{taken}}}.tfstate"\n    region = "eu-west-1"\n'
    '    access_key = "AKID"\n    secret_key = "k"\n    endpoints = {{ s3 = "{host}" }}\n    use_path_style = true\n'
    "    skip_credentials_validation = true\n    skip_requesting_account_id = true\n    use_lockfile = true\n  }}",
    "pg": 'backend "pg" {{\n    conn_str = "postgres://u:${{{taken}}}@127.0.0.1:9/db?sslmode=disable"\n'
    '    schema_name = "s${{{taken}}}"\n  }}',
    "oss": 'backend "oss" {{\n    bucket = "b"\n    prefix = {taken}\n    region = "r"\n  }}',
}
USING = [
    "list --state clone", "list --debug --state clone", "where clone", "where clone --format json", "check clone",
    "mv a.b a.c --yes --state clone", "workspaces clone", "locks clone",
]  # fmt: skip


WRAPPED = ["{}", "upper({})", "base64encode({})", "local.wrapped"]


@pytest.mark.parametrize("declared", ["", "sensitive = true"])
@pytest.mark.parametrize(
    ("backend", "wrapped"),
    [
        # Nothing answers at the port of the database, and each command tries again for 3 seconds.
        pytest.param(backend, wrapped, marks=[pytest.mark.slow] if backend == "pg" and wrapped != "{}" else [])
        for backend in PULLED
        for wrapped in WRAPPED
    ],
)
def test_a_secret_that_a_block_may_use_is_not_shown(
    backend: str,
    wrapped: str,
    declared: str,
    host: tuple[str, list[str]],
    statetool: Statetool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, seen = host
    name = "plain" if declared else "db_password"
    taken = wrapped.format(f"var.{name}")
    monkeypatch.setenv(f"TF_VAR_{name}", CANARY)
    monkeypatch.setenv("STATETOOL_ALLOW_ENV", f"TF_VAR_{name}")
    monkeypatch.setenv("XDG_STATE_HOME", str(Path("home").absolute()))
    Path("clone").mkdir()
    block = PULLED[backend].format(host=address, taken=taken)
    Path("clone/main.tf").write_text(
        f'variable "{name}" {{\n  {declared}\n}}\nlocals {{\n  wrapped = upper(var.{name})\n}}\n'
        f"terraform {{\n  {block}\n}}\n"
    )
    forms = (CANARY, CANARY.upper(), base64.b64encode(CANARY.encode()).decode())
    for command in USING:
        done = statetool(*command.split())
        said = done.text + done.err
        assert [form for form in forms if form in said] == [], (command, said)
    if backend in ("http", "s3"):
        # The server has it, since the user said so.
        assert any(form in request for form in forms for request in seen)
    names = [str(path) for path in Path("home").rglob("*")]
    assert [name for name in names for form in forms if form in name] == []


def test_two_states_that_a_secret_tells_apart_have_their_own_histories(
    statetool: Statetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("clone").mkdir()
    Path("clone/main.tf").write_text(
        'variable "token" {}\nterraform {\n  backend "http" {\n    address = "https://h.example/${var.token}"\n  }\n}\n'
    )
    found = set()
    for value in (CANARY, "other-" + CANARY):
        monkeypatch.setenv("TF_VAR_token", value)
        monkeypatch.setenv("STATETOOL_ALLOW_ENV", "TF_VAR_token")
        done = json.loads(statetool("where", "clone", "--format", "json").out)
        assert done["location"] == "https://h.example/…"
        found.add(done["history"])
    assert len(found) == 2


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


@pytest.mark.parametrize(
    "command", ["check clone", "grep a clone", "fleet index clone --into index", "check clone/*.tfstate"]
)
def test_a_link_below_a_folder_leads_to_no_state_outside(command: str, statetool: Statetool) -> None:
    """A pull request has a job print no other state; what a glob of the user names is the user's."""
    Path("victim").mkdir()
    Path("victim/terraform.tfstate").write_bytes(state(resource("terraform_data", CANARY)))
    Path("clone/app").mkdir(parents=True)
    Path("clone/app/own.tfstate").write_bytes(STATE)
    Path("clone/inner.tfstate").symlink_to("app/own.tfstate")
    Path("clone/out.tfstate").symlink_to("../victim/terraform.tfstate")
    Path("clone/folder").symlink_to("../victim")
    done = statetool(*command.split())
    if "*" in command:
        assert done.status == 0
        return
    said = " ".join((done.text + done.err).split())
    assert done.status == 2
    assert "clone/out.tfstate: a symbolic link leads out of the folder" in said
    assert CANARY not in said
    assert said.count("leads out of the folder") == 1
    assert statetool(*command.split(), "--allow-path", "victim").status == (1 if command.startswith("grep") else 0)


def test_workspaces_elsewhere_are_not_listed(statetool: Statetool) -> None:
    Path("victim", CANARY).mkdir(parents=True)
    Path("clone").mkdir()
    Path("clone/main.tf").write_text('terraform {\n  backend "local" {\n    workspace_dir = "../victim"\n  }\n}\n')
    done = statetool("workspaces", "clone")
    assert (done.status, CANARY in done.text + done.err) == (2, False)
    assert f"--allow-path {os.path.realpath('victim')}" in " ".join(done.err.split())
    assert CANARY in statetool("workspaces", "clone", "--allow-path", "victim").text
    assert CANARY in statetool("workspaces", "clone", "--backend-config", "workspace_dir=../victim").text
