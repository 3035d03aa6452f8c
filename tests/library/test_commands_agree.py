"""The same edits through commands and through the library give the same bytes, or are both refused."""

from __future__ import annotations

import random
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from msgspec.structs import replace

import statefmt
from statefmt.cli.main import main
from statefmt.cli.names import SECTIONS
from tests.library.generated_edits import COMMANDS, GeneratedEdit, generated_edit, generated_state, write_files

_SAMPLE: Final = 60
_ALL: Final = 1000


class Outcome(NamedTuple):
    """The bytes of the state after an edit, and whether it was refused."""

    data: bytes
    refused: bool


def test_every_command_of_surgery_is_generated() -> None:
    # An editor is no operation of the library, and adopt needs configurations: tests/analysis/adoption has those.
    assert COMMANDS | {"new-lineage", "edit", "adopt"} == SECTIONS["Surgery"].keys()


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.slow] if seed >= _SAMPLE else []) for seed in range(_ALL)]
)
def test_an_edit(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    state = generated_state(chance)
    edit = generated_edit(chance, state)
    write_files(edit, tmp_path)
    by_command, by_method = Path("command.tfstate"), Path("library.tfstate")
    for path in (by_command, by_method):
        path.write_bytes(state)
    assert _through_the_library(edit, by_method) == _through_the_command(edit, by_command), edit.command


def test_most_edits_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the others: edits that are all refused would agree as well."""
    monkeypatch.chdir(tmp_path)
    path, made = Path("library.tfstate"), set()
    for seed in range(300):
        chance = random.Random(seed)
        state = generated_state(chance)
        edit = generated_edit(chance, state)
        path.write_bytes(state)
        try:
            with statefmt.open(path).edit(dry_run=True) as transaction:
                edit.method(transaction)
        except statefmt.StatetoolError:
            continue
        if transaction.diff:
            made.add((edit.command[0], seed))
    assert len(made) > 100
    assert {command for command, _ in made} == COMMANDS


def _through_the_command(edit: GeneratedEdit, path: Path) -> Outcome:
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        status = main([*edit.command, "--yes", "--state", str(path)])
    assert status in (0, 2)
    return Outcome(path.read_bytes(), status == 2)


def _through_the_library(edit: GeneratedEdit, path: Path) -> Outcome:
    try:
        with statefmt.open(path).edit() as transaction:
            edit.method(transaction)
    except statefmt.StatetoolError:
        return Outcome(path.read_bytes(), True)
    assert statefmt.open(path).serial == transaction.serial
    return Outcome(path.read_bytes(), False)


@pytest.mark.parametrize("seed", range(20))
def test_a_transaction_does_what_its_edits_do_one_after_the_other(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(seed)
    separate, together = Path("separate.tfstate"), Path("together.tfstate")
    for path in (separate, together):
        path.write_bytes(generated_state(random.Random(seed)))
    made: list[GeneratedEdit] = []
    state = statefmt.open(separate)
    while len(made) < 3 and state.select():
        edit = generated_edit(chance, separate.read_bytes())
        try:
            with state.edit() as transaction:
                edit.method(transaction)
        except statefmt.StatetoolError:
            continue
        made.append(edit)
    with statefmt.open(together).edit() as transaction:
        for edit in made:
            edit.method(transaction)
    one, other = (replace(statefmt.open(path).snapshot, serial=1) for path in (separate, together))
    assert statefmt.write(one) == statefmt.write(other), [edit.command for edit in made]
