"""`restore` puts any backup back, over whatever is there, and loses nothing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from statefmt.store.local.journal import Journal, checksum, write_journal
from statefmt.store.local.state_file import around
from statefmt.store.protocol import HistoryEntry
from tests.cli.conftest import Program, Statetool
from tests.cli.encrypted import configuration, encrypted
from tests.cli.states import SAMPLES
from tests.cli.terminal import on_terminal

REGIONS = (SAMPLES / "v4-regions.tfstate").read_bytes()
LEGACY = (SAMPLES / "v3-legacy.tfstate").read_bytes()
OTHER = (SAMPLES / "v4-deposed.tfstate").read_bytes()
NAME = "terraform.tfstate"
BACKUP = f"{NAME}.backup"
REMOVE = ("rm", "--yes", "module.database")


@pytest.fixture(autouse=True)
def state(folder: Path) -> Path:
    (folder / BACKUP).write_bytes(REGIONS)
    path = folder / NAME
    path.write_bytes(REGIONS)
    return path


def _with_serial(serial: int) -> bytes:
    return REGIONS.replace(b'"serial": 58', b'"serial": %d' % serial)


def _said(text: str) -> str:
    return " ".join(text.split())


def test_over_a_later_state(state: Path, folder: Path, statetool: Statetool) -> None:
    statetool(*REMOVE)
    later = state.read_bytes()
    done = statetool("restore", BACKUP, "--yes")
    assert done.status == 0
    assert '+ module.database["eu-west-1"].aws_db_instance.this' in done.text
    assert "~ serial: 59 → 60" in done.text
    assert (state.read_bytes(), (folder / BACKUP).read_bytes()) == (_with_serial(60), REGIONS)
    assert statetool("undo").status == 0
    assert state.read_bytes() == later.replace(b'"serial": 59', b'"serial": 61')


def test_own_backup_and_standard_input(state: Path, folder: Path, program: Program) -> None:
    program(*REMOVE)
    [own] = [path for path in folder.glob("*.backup") if path.name != BACKUP]
    assert program("restore", own.name, "--yes").status == 0
    assert state.read_bytes() == _with_serial(60)
    program("undo")
    assert program("restore", "-", "--yes", stdin=REGIONS).status == 0
    assert state.read_bytes() == _with_serial(62)


def test_a_serial_above_that_of_the_backup(state: Path, folder: Path, statetool: Statetool) -> None:
    (folder / BACKUP).write_bytes(_with_serial(80))
    statetool(*REMOVE)
    assert statetool("restore", BACKUP, "--yes").status == 0
    assert state.read_bytes() == _with_serial(81)


def test_the_same_content(state: Path, folder: Path, statetool: Statetool) -> None:
    """Another serial alone is no reason to write."""
    state.write_bytes(_with_serial(70))
    done = statetool("restore", BACKUP)
    assert (done.status, state.read_bytes()) == (0, _with_serial(70))
    assert "nothing to change; nothing was written" in done.err
    # Nor is the state itself, under any name.
    (folder / "same").hardlink_to(state)
    assert statetool("restore", "same").status == 0
    assert state.read_bytes() == _with_serial(70)


def test_a_dry_run_and_another_file(state: Path, folder: Path, statetool: Statetool) -> None:
    statetool(*REMOVE)
    later = state.read_bytes()
    assert statetool("restore", BACKUP, "--dry-run").status == 0
    assert statetool("restore", BACKUP, "--out", "new", "-y").status == 0
    assert (state.read_bytes(), (folder / "new").read_bytes()) == (later, _with_serial(60))


def test_asks(state: Path, folder: Path, program: Program) -> None:
    program(*REMOVE)
    later = state.read_bytes()
    refused = program("restore", BACKUP)
    assert (refused.status, state.read_bytes()) == (2, later)
    assert "restore needs confirmation, and there is no terminal" in _said(refused.err)
    assert on_terminal(program, f"statetool restore {BACKUP}", typed="n\n").status == 2
    assert state.read_bytes() == later
    shown = on_terminal(program, f"statetool restore {BACKUP}", typed="y\n")
    assert (shown.status, state.read_bytes()) == (0, _with_serial(60))


def test_format_3(state: Path, folder: Path, statetool: Statetool) -> None:
    """As undo does: byte for byte, and the change of format is shown."""
    (folder / BACKUP).write_bytes(LEGACY)
    state.write_bytes(LEGACY)
    assert statetool("upgrade", "--registry", "keep", "-i").status == 0
    done = statetool("restore", BACKUP, "--yes")
    assert done.status == 0
    assert "~ format version: 4 → 3\n" in done.text
    assert state.read_bytes() == LEGACY.replace(b'"serial": 87', b'"serial": 88')


def test_another_lineage(state: Path, folder: Path, statetool: Statetool) -> None:
    (folder / BACKUP).write_bytes(OTHER)
    done = statetool("restore", BACKUP, "--yes")
    assert (done.status, state.read_bytes()) == (2, REGIONS)
    said = _said(done.err)
    assert f"{BACKUP}: this is a backup of another state: its lineage is {json.loads(OTHER)['lineage']}" in said
    assert f"move {NAME} away first: restore then creates the state" in said
    # The way out.
    state.rename(folder / "away")
    assert statetool("restore", BACKUP).status == 0
    assert json.loads(state.read_bytes())["lineage"] == json.loads(OTHER)["lineage"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (REGIONS[:3000], "The file is not JSON"),
        (b"", "STA001"),
        (b"{}", 'The file has no member "version"'),
        (gzip.compress(REGIONS), "STA001"),
        (encrypted(REGIONS, "new"), "encrypted"),
        ((SAMPLES / "broken" / "duplicate-instance.tfstate").read_bytes(), "error "),
    ],
    ids=["cut off", "empty", "no state", "compressed", "encrypted", "not usable"],
)
def test_a_damaged_backup(content: bytes, said: str, state: Path, folder: Path, statetool: Statetool) -> None:
    (folder / BACKUP).write_bytes(content)
    done = statetool("restore", BACKUP, "--yes")
    assert (done.status, state.read_bytes()) == (2, REGIONS)
    assert f"statetool: {BACKUP}: this state cannot be used" in done.err
    assert said in _said(done.err)


def test_errors_that_it_would_add(state: Path, folder: Path, statetool: Statetool) -> None:
    # It can be read, but two addresses have one real object.
    document = json.loads(REGIONS)
    role = next(one for one in document["resources"] if one["type"] == "aws_iam_role")
    document["resources"].append({**role, "name": "copy"})
    (folder / BACKUP).write_text(json.dumps(document))
    done = statetool("restore", BACKUP, "--yes")
    assert (done.status, state.read_bytes()) == (2, REGIONS)
    assert f"{BACKUP} (not restored; to restore it in spite of these errors, move {NAME} away)" in _said(done.err)
    assert "error ADR008" in done.err
    state.rename(folder / "away")
    assert statetool("restore", BACKUP).status == 0


TORN = {
    "cut off": REGIONS[:3000],
    "empty": b"",
    "zeroed": bytes(4096) + REGIONS[4096:],
    "zeros at the end": REGIONS[:4096] + bytes(2000),
    "not usable": (SAMPLES / "broken" / "duplicate-instance.tfstate").read_bytes().replace(
        json.loads((SAMPLES / "broken" / "duplicate-instance.tfstate").read_bytes())["lineage"].encode(),
        json.loads(REGIONS)["lineage"].encode(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TORN)
def test_over_a_damaged_state(case: str, state: Path, folder: Path, statetool: Statetool) -> None:
    damaged = TORN[case]
    state.write_bytes(damaged)
    done = statetool("restore", BACKUP, "--yes")
    assert done.status == 0, done.err
    assert f"{NAME} is damaged, so everything in the backup counts as added" in _said(done.text)
    assert state.read_bytes().replace(b'"serial": 59', b'"serial": 58') == REGIONS or case == "not usable"
    # What was there is kept, and undo puts it back.
    [kept] = [path for path in folder.glob("*.backup") if path.name != BACKUP]
    assert kept.read_bytes() == damaged
    assert statetool("history", "--content", "1").out == damaged
    undone = statetool("undo")
    assert undone.status == 0
    assert "the restored content is damaged" in _said(undone.text)
    assert state.read_bytes() == damaged or case == "not usable"


def test_the_serial_and_the_lineage_of_a_damaged_state(state: Path, folder: Path, statetool: Statetool) -> None:
    state.write_bytes(_with_serial(90)[:3000])
    refused = statetool("restore", BACKUP, "--yes", "--expect-serial", "90")
    assert refused.status == 2
    assert "its serial cannot be compared with 90" in _said(refused.err)
    assert statetool("restore", BACKUP, "--yes").status == 0
    assert state.read_bytes() == _with_serial(91)
    state.write_bytes(OTHER[: len(OTHER) // 2])
    refused = statetool("restore", BACKUP, "--yes")
    assert refused.status == 2
    assert "this is a backup of another state" in _said(refused.err)


@pytest.mark.parametrize("content", [b'{"a": 1}', b"resource {}", b"[1,", b"\x1f\x8b"])
def test_a_file_that_is_no_state(content: bytes, state: Path, statetool: Statetool) -> None:
    """A misspelt path must not cost a file."""
    state.write_bytes(content)
    done = statetool("restore", BACKUP, "--yes")
    assert (done.status, state.read_bytes()) == (2, content)
    assert "this file is not a state, not even a damaged one" in _said(done.err)


def test_a_state_that_is_missing(state: Path, folder: Path, statetool: Statetool) -> None:
    state.unlink()
    refused = statetool("restore", BACKUP, "--expect-serial", "58")
    assert (refused.status, state.exists()) == (2, False)
    assert statetool("restore", BACKUP, "--dry-run").status == 0
    assert not state.exists()
    done = statetool("restore", BACKUP)
    assert done.status == 0
    assert f"{NAME}: created" in done.err
    assert state.read_bytes() == _with_serial(59)
    assert oct(state.stat().st_mode & 0o777) == "0o600"
    assert sorted(path.name for path in folder.iterdir()) == [NAME, BACKUP]


def test_a_journal_that_cannot_be_used(state: Path, folder: Path, statetool: Statetool) -> None:
    """A write was cut off, and its journal is damaged: nothing else writes this state."""
    journal = folder / f".{NAME}.statetool.journal"
    journal.write_bytes(b"damaged")
    state.write_bytes(REGIONS[:4096] + bytes(512) + REGIONS[4608:])
    torn = state.read_bytes()
    assert statetool("list").status == 2
    assert statetool("restore", BACKUP, "--dry-run").status == 0
    assert (state.read_bytes(), journal.read_bytes()) == (torn, b"damaged")
    done = statetool("restore", BACKUP, "--yes")
    assert done.status == 0, done.err
    assert "its journal is damaged" in _said(done.err)
    assert (state.read_bytes(), journal.exists()) == (_with_serial(59), False)
    assert statetool("list").status == 0
    assert statetool("history", "--content", "1").out == torn


def test_a_write_that_can_be_neither_finished_nor_undone(state: Path, folder: Path, statetool: Statetool) -> None:
    """A write was cut off, and then its backup was deleted. The message names restore, and restore mends it."""
    new = REGIONS.replace(b'"shop-eu"', b'"other-e"')
    entry = HistoryEntry(1, "2026-01-01T00:00:00Z", "me@here", "mv", checksum(REGIONS), checksum(new))
    with around(state) as opened:
        write_journal(opened, Journal("gone.backup", (new,), entry, NAME, state.stat().st_ino))
    half = new[:6000] + REGIONS[6000:]
    torn = half[:6100] + bytes(300) + half[6400:]
    state.write_bytes(torn)
    said = _said(statetool("list").err)
    assert "can neither be finished nor undone" in said
    assert f"`statetool restore BACKUP --state {NAME}`" in said
    assert statetool("restore", BACKUP, "--yes").status == 0
    assert state.read_bytes() == _with_serial(59)
    assert statetool("list").status == 0


def test_a_journal_that_cannot_be_read(state: Path, folder: Path, program: Program) -> None:
    """It may be readable later, or by another user: restore does not replace it."""
    journal = folder / f".{NAME}.statetool.journal"
    journal.mkdir()
    done = program("restore", BACKUP, "--yes")
    assert (done.status, state.read_bytes()) == (2, REGIONS)
    assert journal.is_dir()


def test_a_journal_without_its_state(state: Path, folder: Path, statetool: Statetool) -> None:
    (folder / f".{NAME}.statetool.journal").write_bytes(b"damaged")
    state.unlink()
    done = statetool("restore", BACKUP)
    assert (done.status, state.exists()) == (2, False)
    assert "Move the journal to where the file went" in _said(done.err)


class TestEncrypted:
    """What is encrypted stays so, and nothing is written in plain text without being asked for."""

    @pytest.fixture(autouse=True)
    def configured(self, folder: Path) -> None:
        (folder / "keys.json").write_text(json.dumps(configuration("new")))

    KEYS = ("--encryption", "keys.json", "--yes")

    def _plain(self, statetool: Statetool) -> bytes:
        return statetool("decrypt", NAME, "--encryption", "keys.json", "-o", "-", "--yes").out

    @pytest.mark.parametrize("backup", [REGIONS, encrypted(REGIONS, "new")], ids=["plain", "encrypted"])
    def test_over_an_encrypted_state(self, backup: bytes, state: Path, folder: Path, statetool: Statetool) -> None:
        (folder / BACKUP).write_bytes(backup)
        state.write_bytes(encrypted(REGIONS.replace(b'"shop-eu"', b'"other"').replace(b": 58", b": 60"), "new"))
        assert statetool("restore", BACKUP, *self.KEYS).status == 0
        assert b"shop-eu" not in state.read_bytes()
        assert self._plain(statetool) == _with_serial(61)

    @pytest.mark.parametrize("current", [None, encrypted(REGIONS, "new")[:2000], encrypted(REGIONS, "old")])
    def test_an_encrypted_backup_without_a_readable_state(
        self, current: bytes | None, state: Path, folder: Path, statetool: Statetool
    ) -> None:
        (folder / BACKUP).write_bytes(encrypted(REGIONS, "new"))
        state.unlink()
        if current is not None:
            state.write_bytes(current)
        done = statetool("restore", BACKUP, *self.KEYS)
        assert done.status == 0, done.err
        assert b"shop-eu" not in state.read_bytes()
        assert self._plain(statetool) == _with_serial(59)
        assert not any(b"shop-eu" in path.read_bytes() for path in folder.rglob("*") if path.is_file())

    def test_an_encrypted_backup_over_a_plain_state(self, state: Path, folder: Path, statetool: Statetool) -> None:
        """As with undo, what the state says comes back, not how it is kept; that is said before."""
        (folder / BACKUP).write_bytes(encrypted(REGIONS, "new"))
        statetool(*REMOVE)
        done = statetool("restore", BACKUP, *self.KEYS)
        assert (done.status, state.read_bytes()) == (0, _with_serial(60))
        assert f"the backup is encrypted; {NAME} is in plain text, and so is the result" in _said(done.text)

    @pytest.mark.parametrize("keys", [KEYS, ("--yes",)], ids=["configured", "not configured"])
    @pytest.mark.parametrize("current", [encrypted(REGIONS, "new")[:2000], encrypted(REGIONS, "old")])
    def test_a_plain_backup_over_what_cannot_be_decrypted(
        self, current: bytes, keys: tuple[str, ...], state: Path, statetool: Statetool
    ) -> None:
        state.write_bytes(current)
        done = statetool("restore", BACKUP, *keys)
        assert (done.status, state.read_bytes()) == (2, current)
        assert "encrypted" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("restore",), "Missing argument 'BACKUP'"),
        (("restore", "none"), "none: there is no such file"),
        (("restore", BACKUP, "--state", "-"), "standard input cannot be restored"),
        (("restore", BACKUP, "--expect-serial", "1"), "the serial is 58, not 1"),
        (("restore", "."), "this is a folder, not a state file"),
    ],
)
def test_refused(arguments: tuple[str, ...], message: str, state: Path, statetool: Statetool) -> None:
    done = statetool(*arguments)
    assert (done.status, state.read_bytes()) == (2, REGIONS)
    assert message in _said(done.err)
