"""An index that is damaged, or is another program's file: exit status 2, the file and a way out, in every command."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool
from tests.fleet.planting import indexed, made, planted

pytest.importorskip("duckdb")

_TABLES: Final = ("states", "objects", "outputs", "findings", "runs", "history")
_COMMANDS: Final = (
    *(("fleet", "query", f"SELECT hash({name}) FROM {name}", "--into") for name in _TABLES),
    ("fleet", "check", "--into"),
    ("fleet", "duplicates", "--into"),
    ("fleet", "graph", "--into"),
    ("fleet", "diff", "--into"),
    ("fleet", "index", "states", "--into"),
    ("report", "-o", "-", "--fleet"),
)
# Of DuckDB: three headers of 4 KiB, then blocks of 256 KiB.
_HEADERS: Final = 3 * 4096
_BLOCK: Final = 256 << 10


def _sqlite(folder: Path) -> bytes:
    with sqlite3.connect(folder / "other") as connection:
        connection.execute("CREATE TABLE states (state_id TEXT)")
    return (folder / "other").read_bytes()


_WHOLE_FILE: Final[dict[str, Callable[[bytes, Path], bytes]]] = {
    "empty": lambda index, folder: b"",
    "in the first header": lambda index, folder: index[:100],
    "headers only": lambda index, folder: index[:_HEADERS],
    "half": lambda index, folder: index[: len(index) // 2],
    "without the last byte": lambda index, folder: index[:-1],
    "without the last block": lambda index, folder: index[:-_BLOCK],
    "zeros": lambda index, folder: bytes(len(index)),
    "zeros after the headers": lambda index, folder: index[:_HEADERS] + bytes(len(index) - _HEADERS),
    "text": lambda index, folder: b"hello\n" * 10_000,
    "SQLite": lambda index, folder: _sqlite(folder),
    "another version": lambda index, folder: index[:12] + b"\x63" + index[13:],
    "random": lambda index, folder: random.Random(1).randbytes(len(index)),
}


# All commands open the database in the same way, which refuses the other damages.
_BY_ALL: Final = ("half", "without the last block")


@pytest.fixture(scope="module")
def whole_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    made_twice = {"a": planted(made("aws_vpc", "main", id="vpc-1")), "b": planted(made("aws_vpc", "x", id="vpc-1"))}
    indexed(folder, made_twice)
    return indexed(folder, made_twice)


@pytest.fixture
def index(whole_index: Path, folder: Path) -> Path:
    shutil.copytree(whole_index.parent, folder, dirs_exist_ok=True)
    return folder / whole_index.name


def _restored(
    index: Path, content: bytes, commands: Sequence[tuple[str, ...]] = _COMMANDS
) -> Iterator[tuple[str, ...]]:
    for command in commands:
        index.write_bytes(content)
        index.with_name(f"{index.name}.wal").unlink(missing_ok=True)
        yield (*command, index.name)


def _refused(statetool: Statetool, index: Path, command: tuple[str, ...]) -> None:
    outcome = statetool(*command)
    assert outcome.status == 2, (command, outcome)
    assert f"{index.name}: " in outcome.err
    assert any(text in outcome.err for text in ("index again", "name another file")), outcome.err
    assert "Traceback" not in outcome.err
    assert "_duckdb" not in outcome.err


@pytest.mark.parametrize("damage", _WHOLE_FILE)
def test_a_damaged_file(damage: str, index: Path, folder: Path, statetool: Statetool) -> None:
    content = _WHOLE_FILE[damage](index.read_bytes(), folder)
    chosen = _COMMANDS if damage in _BY_ALL else _COMMANDS[:1] + _COMMANDS[-2:]
    for command in _restored(index, content, chosen):
        outcome = statetool(*command)
        # Some commands do not need what is missing.
        if damage in _BY_ALL and outcome.status != 2:
            continue
        _refused(statetool, index, command)


def _each_block(index: Path, statetool: Statetool, blocks: Callable[[int], list[int]]) -> None:
    whole = index.read_bytes()
    expected = {command: statetool(*command) for command in _restored(index, whole)}
    refused = 0
    for block in blocks((len(whole) - _HEADERS) // _BLOCK):
        damaged = bytearray(whole)
        # The block starts with its checksum.
        damaged[_HEADERS + block * _BLOCK + 1000] ^= 0xFF
        for command in _restored(index, bytes(damaged)):
            outcome = statetool(*command)
            if command[1] != "index" and outcome == expected[command]:
                continue
            if command[1] == "index" and outcome.status == expected[command].status:
                continue
            refused += 1
            index.write_bytes(damaged)
            _refused(statetool, index, command)
    assert refused


def test_a_damaged_block(index: Path, statetool: Statetool) -> None:
    _each_block(index, statetool, lambda count: [0])


@pytest.mark.slow
def test_each_damaged_block(index: Path, statetool: Statetool) -> None:
    _each_block(index, statetool, lambda count: list(range(count)))
