"""The pipeline knows nothing of files: what is done to a file is done to a state in memory, to the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import structs

import statefmt
from statefmt.cli.main import main
from statefmt.cli.run import system_context
from statefmt.context import RunContext
from statefmt.edit.changes import Edit
from statefmt.edit.pipeline import EditOptions, EditOutcome, Proposal, edit, surgical
from statefmt.edit.session import StateFileError
from statefmt.model.errors import LockedError, StoreError
from statefmt.model.snapshot import Snapshot
from statefmt.store.local.journal import checksum
from tests.edit.memory_store import MemoryStore

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
GOOD = (SAMPLES / "v4-resource-level.tfstate").read_bytes()
CONTEXT: RunContext = replace(
    system_context(), clock=lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), user=lambda: "me@here"
)
OPTIONS = EditOptions("set-serial", "set-serial 99")
KEYS = """
key_provider "pbkdf2" "p" {
  passphrase = "correct horse battery staple"
}
method "aes_gcm" "m" {
  keys = key_provider.pbkdf2.p
}
method "unencrypted" "u" {
}
state {
  method = method.aes_gcm.m
  fallback {
    method = method.unencrypted.u
  }
}
"""


def _with_serial(serial: int) -> Callable[[Snapshot], Edit]:
    return lambda snapshot: Edit(_changed(snapshot, serial))


def _changed(snapshot: Snapshot, serial: int) -> Snapshot:
    return structs.replace(snapshot, serial=serial)


def test_edit_is_written_and_kept() -> None:
    store = MemoryStore(GOOD)
    outcome = edit(CONTEXT, store, OPTIONS, surgical(_with_serial(99)))
    assert isinstance(outcome, EditOutcome)
    assert b'"serial": 99,' in store.data
    (entry,) = store.versions()
    assert (entry.user, entry.time, entry.command) == ("me@here", "2026-01-02T03:04:05Z", "set-serial 99")
    assert store.content(entry.before) == GOOD
    assert (entry.after, store.holder) == (checksum(store.data), None)


def test_dry_run_and_no_change_leave_everything() -> None:
    store = MemoryStore(GOOD)
    edit(CONTEXT, store, replace(OPTIONS, dry_run=True), surgical(_with_serial(99)))
    edit(CONTEXT, store, OPTIONS, surgical(Edit))
    edit(CONTEXT, store, OPTIONS, surgical(_with_serial(99)), agreed=lambda _: False)
    assert (store.data, store.version) == (GOOD, 1)


def test_somebody_else_holds_the_lock() -> None:
    store = MemoryStore(GOOD, holder=CONTEXT.lock_info("memory", "apply"))
    with pytest.raises(LockedError, match="locked by me@here"):
        edit(CONTEXT, store, OPTIONS, surgical(_with_serial(99)))
    edit(CONTEXT, store, replace(OPTIONS, lock=False), surgical(_with_serial(99)))
    assert store.version == 2


def test_something_else_writes_meanwhile() -> None:
    store = MemoryStore(GOOD)

    def operation(snapshot: Snapshot) -> Edit:
        store.version += 1
        return Edit(_changed(snapshot, 99))

    with pytest.raises(StoreError, match="something else has written it"):
        edit(CONTEXT, store, OPTIONS, surgical(operation))
    assert (store.data, store.holder) == (GOOD, None)


@pytest.mark.parametrize("options", [replace(OPTIONS, expect_serial=98), replace(OPTIONS, expect_hash="0" * 64)])
def test_another_state_than_expected(options: EditOptions) -> None:
    store = MemoryStore(GOOD)
    with pytest.raises(StoreError, match="nothing was done"):
        edit(CONTEXT, store, options, surgical(_with_serial(99)))
    assert store.version == 1


def test_new_error_is_refused() -> None:
    store = MemoryStore(GOOD)

    with pytest.raises(StateFileError):
        edit(CONTEXT, store, OPTIONS, lambda state: Proposal(None, [state.data[:-10]]))
    assert store.version == 1


COMMANDS = [
    ["mv", "aws_instance.web[0]", "aws_instance.web[7]"],
    ["rm", "--yes", "aws_instance.web[0]"],
    ["taint", "aws_instance.web[0]"],
    ["set-serial", "99"],
    ["fmt", "--style", "compact"],
    ["upgrade", "-i", "--style", "compact"],
    ["downgrade", "-i", "--for", "opentofu-1.8", "--style", "compact"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=[command[0] for command in COMMANDS])
def test_commands_write_the_same_to_memory(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state"
    path.write_bytes(GOOD)
    main([*command, "--state", str(path)])
    written = path.read_bytes()
    path.write_bytes(GOOD)
    store = MemoryStore(GOOD, name=str(path))
    _keep_in(store, monkeypatch)
    assert main([*command, "--state", str(path)]) == 0
    assert (path.read_bytes(), store.data) == (GOOD, written)
    assert main(["undo", "--state", str(path)]) == 0
    serial, old = (statefmt.read(data).snapshot.serial for data in (store.data, GOOD))
    assert serial > old
    assert statefmt.write(_changed(statefmt.read(store.data).snapshot, old)) == statefmt.write(
        statefmt.read(GOOD).snapshot
    )


def test_encryption_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, keys = tmp_path / "state", tmp_path / "keys.hcl"
    path.write_bytes(GOOD)
    keys.write_text(KEYS)
    store = MemoryStore(GOOD, name=str(path))
    _keep_in(store, monkeypatch)
    given = ["-i", "--encryption", str(keys), "--state", str(path)]
    assert main(["encrypt", *given]) == 0
    assert store.data.startswith(b'{"serial":')
    encrypted = store.data
    assert main(["reencrypt", "--anew", *given]) == 0
    assert store.data != encrypted
    assert main(["decrypt", *given]) == 0
    assert (store.data, path.read_bytes(), store.version) == (GOOD, GOOD, 4)


def _keep_in(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all commands find this store."""
    monkeypatch.setattr("statefmt.edit.session.store_at", lambda context, name: store)
