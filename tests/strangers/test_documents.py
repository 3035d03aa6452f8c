"""Files that a stranger writes beside a state: operations, migrations, settings, links and indexes."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Final

import pytest

from tests.strangers.faults import faults
from tests.strangers.folders import Files
from tests.strangers.scene import NOWHERE, STATE, User, write_clone

duckdb = pytest.importorskip("duckdb")

# States in the words of an operations file; PORT is that of the listener.
_PLACES: Final = (
    "http://127.0.0.1:PORT/s",
    "http://user@127.0.0.1:PORT/s",
    f"http://{NOWHERE}/s",
    "pg://127.0.0.1:PORT/db?sslmode=disable",
    "s3://bucket/key?region=eu-west-1&endpoint=http://127.0.0.1:PORT",
    '${file("../home/secret.txt")}',
    "${var.token}",
    "http://127.0.0.1:PORT/${env.TF_VAR_token}",
    "~/.ssh/id_rsa",
    "git:HEAD:x",
    "-",
)
_OPERATIONS: Final = (
    'state "a" {{\n  path = "terraform.tfstate"\n}}\nstate "b" {{\n  path = "{}"\n}}\n'
    "move {{\n  from = state.a.terraform_data.a\n  to   = state.b.terraform_data.b\n}}\n"
)
_MIGRATION: Final = (
    'migration "multi_state" "m" {{\n  from_dir = "."\n  to_dir = "{}"\n  actions = [\n'
    '    "mv terraform_data.a terraform_data.b",\n  ]\n}}\n'
)
_SETTINGS: Final = ("../home/secret.txt", "linked.json", "HOME/secret.txt", "~/secret.txt", "/dev/zero")
_LINKS: Final = (
    "home/.ssh/id_rsa", "home/.terraform.d/credentials.tfrc.json", "home/.aws/credentials", "home/.netrc",
    "home/secret.txt", "home/.kube/config", "victim/variables.tfvars",
)  # fmt: skip
_LINKED: Final = (
    ".terraform/terraform.tfstate", ".terraform/environment", "terraform.tfstate", "a.tfstate", "statetool.toml",
    "main.tf", "x.auto.tfvars", ".terraform.lock.hcl", ".terraform.tfstate.statetool.journal",
    ".terraform.tfstate.statetool/history.json",
    ".terraform.tfstate.lock.info", "terraform.tfstate.backup", ".gitattributes",
)  # fmt: skip
_READING: Final = (
    "list", "check .", "check --config .", "show **", "where", "locks", "history", "fmt --check .", "encryption-info",
    "grep x .", "repair -y", "undo", "workspaces", "salvage terraform.tfstate",
)  # fmt: skip
# What a view or a macro in a stranger's index would read.
_CHANGES: Final = (
    ("ALTER TABLE states RENAME TO s", "CREATE VIEW states AS SELECT s.* FROM s, read_text('HOME/secret.txt')"),
    ("ALTER TABLE findings RENAME TO f", "CREATE VIEW findings AS SELECT f.* FROM f, glob('HOME/.ssh/*')"),
    ("CREATE MACRO lower(x) AS (SELECT content FROM read_text('HOME/secret.txt'))",),
)


def _filled(text: str, user: User) -> str:
    return text.replace("PORT", str(user.listener.port)).replace("HOME", str(user.home))


def _try(user: User, name: str, files: Files, *commands: str) -> list[str]:
    """Run commands in a folder with these files; return what they must not have done."""
    found, before = list[str](), user.belongings()
    for command in commands:
        user.prepare()
        write_clone(user.clone, files)
        ended = user.run(*command.split())
        found += [f"{name}: statetool {command}: {fault}" for fault in faults(user, ended)]
        if user.belongings() != before:
            found.append(f"{name}: statetool {command}: changes {user.belongings().items() ^ before.items()}")
            before = user.belongings()
    return found


def test_operations_and_migrations(user: User) -> None:
    failures = []
    for place in _PLACES:
        operations = _OPERATIONS.format(_filled(place, user))
        files: Files = {"terraform.tfstate": STATE, "ops.stateops.hcl": operations}
        failures += _try(user, place, files, "plan ops.stateops.hcl", "apply -y ops.stateops.hcl")
        files = {"terraform.tfstate": STATE, "m.hcl": _MIGRATION.format(_filled(place, user))}
        failures += _try(user, place, files, "plan --from-tfmigrate m.hcl --root .")
    assert not failures, "\n".join(failures)


def test_settings(user: User) -> None:
    failures = []
    for baseline in _SETTINGS:
        files: Files = {
            "terraform.tfstate": STATE,
            "statetool.toml": f"baseline = '{_filled(baseline, user)}'\n",
            "linked.json": "-> ../home/secret.txt",
        }
        failures += _try(user, baseline, files, "check", "report -o OUT/r.html", "check --write-baseline OUT/b.json .")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_links_to_secrets(every: int, user: User) -> None:
    """`.ssh` may be opened here, as any file that a link leads to; its content is not shown."""
    failures = []
    for target, link in list(product(_LINKS, _LINKED))[::every]:
        up = "../" * (len(Path(link).parts) - 1)
        files: Files = {"terraform.tfstate": STATE, "a/terraform.tfstate": STATE}
        files[link] = f"-> {up}../{target}"
        failures += _try(user, f"{link} → {target}", files, *_READING)
    assert not [failure for failure in failures if ": reads " not in failure], "\n".join(failures)


@pytest.mark.parametrize("changes", _CHANGES)
def test_indexes(changes: tuple[str, ...], user: User) -> None:
    user.prepare()
    write_clone(user.clone, {"terraform.tfstate": STATE})
    made = user.run("fleet", "index", "terraform.tfstate", "--workers", "1", "--into", "OUT/index.duckdb")
    assert made.status == 0, made
    index = user.out / "index.duckdb"
    with duckdb.connect(str(index)) as connection:
        for sql in changes:
            connection.execute(_filled(sql, user))
    commands = [f"fleet {name} --into index.duckdb" for name in ("check", "duplicates", "graph", "diff", "query")]
    commands += ["fleet query --into index.duckdb --saved versions-in-use", "report --fleet index.duckdb -o OUT/r.html"]
    failures = _try(user, changes[-1], {"index.duckdb": index.read_bytes()}, *commands)
    assert not failures, "\n".join(failures)
