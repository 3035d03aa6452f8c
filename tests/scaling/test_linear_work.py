"""No command and no rule takes more than linear time in the bytes that it reads, whatever their shape; work is counted.

What is counted are Python's instructions, and the bytes that come out: a loop in C over all that there is, once for
each part, is seen by neither of them where nothing comes out.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

import pytest

from benchmarks.hostile import HOSTILE
from benchmarks.shapes import SHAPES, Shape
from statefmt.cli.names import COMMANDS as ALL_COMMANDS
from statefmt.cli.program import command_named
from statefmt.formats.reading import Inspection, inspect
from statefmt.lint.registry import all_rules
from statefmt.lint.rule import Rule, found_while_reading
from statefmt.lint.subject import Subject
from tests.adversary.in_process import unguarded
from tests.instructions import instructions
from tests.scaling.commands import COMMANDS, GIVEN, LEFT_OUT
from tests.scaling.folder import fill
from tests.tables import each_row

_SIZE: Final = 4_000
# For shapes whose parts are larger than that.
_LARGER: Final = {
    "dependencies": 1_000_000, "diverse": 100_000, "format-3": 400_000, "instances": 100_000,
    "large-attributes": 400_000, "long-cycles": 40_000, "outputs": 100_000, "provider-keys": 20_000,
}  # fmt: skip
# What the search for short cycles may visit in these small states.
_EFFORT: Final = 300
# For each byte, as much work in the second half of a state as in the first, give or take; quadratic work is twice that.
_HIGHEST_STEP: Final = 1.25
# What a cache, a table that is cut off, or another number of digits can make of it.
_NOISE: Final = 6_000
_SOME: Final = 2
_SEED: Final = 26


def _joined(shape: Shape, size: int) -> bytes:
    return b"".join(shape.pieces(size))


_SHAPES: Final[dict[str, Callable[[int], bytes]]] = {
    **HOSTILE,
    **{name: partial(_joined, shape) for name, shape in SHAPES.items()},
}
_RUNS: Final = [(name, *arguments) for name, runs in COMMANDS.items() for arguments in runs]
_CHECKS: Final = [rule for rule in all_rules().values() if rule.check is not found_while_reading]


@pytest.fixture(autouse=True)
def _bounded_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("statefmt.analysis.cycles._EFFORT", _EFFORT)


def _some(of: object) -> list[str]:
    return Random(f"{_SEED} {of}").sample(list(HOSTILE), _SOME)


def test_each_command_is_counted_or_left_out_with_a_reason() -> None:
    assert COMMANDS.keys() | LEFT_OUT.keys() == ALL_COMMANDS.keys()
    assert not COMMANDS.keys() & LEFT_OUT.keys()
    for name in COMMANDS.keys() - GIVEN.keys():
        options = command_named(name).params
        takes_state = any("--state" in one.opts for one in options)
        message = f"{name}: add its arguments, or why it is not counted, to tests/scaling/commands.py"
        assert takes_state and not any(one.required for one in options), message


@each_row("run", _RUNS, ids=[" ".join(run) for run in _RUNS], sample=24, parts=4)
def test_commands(run: Sequence[str], tmp_path: Path) -> None:
    _assert_command(run, _some(run), tmp_path)


@each_row("shape", _SHAPES, sample=16, parts=2)
def test_check_of_each_shape(shape: str, tmp_path: Path) -> None:
    _assert_command(("check", "--no-settings", "s.tfstate"), [shape], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("run", _RUNS, ids=" ".join)
def test_commands_on_each_shape(run: Sequence[str], tmp_path: Path) -> None:
    _assert_command(run, _SHAPES, tmp_path)


@each_row("rule", _CHECKS, ids=lambda rule: rule.code, sample=20, parts=2)
def test_rules(rule: Rule) -> None:
    _assert_rule(rule, _some(rule.code))


@pytest.mark.slow
@pytest.mark.parametrize("rule", _CHECKS, ids=lambda rule: rule.code)
def test_rules_on_each_shape(rule: Rule) -> None:
    _assert_rule(rule, _SHAPES)


def _assert_rule(rule: Rule, shapes: Iterable[str]) -> None:
    for shape in shapes:
        _assert_linear(shape, lambda text: (instructions(partial(_found, rule, inspect(text))),))


def _found(rule: Rule, state: Inspection) -> None:
    list(rule.check(Subject(state)))


def _assert_command(run: Sequence[str], shapes: Iterable[str], folder: Path) -> None:
    for shape in shapes:
        _assert_linear(shape, lambda text: _work(run, text, folder / "work"))


def _work(run: Sequence[str], text: bytes, folder: Path) -> tuple[int, int]:
    """The number of instructions that a command runs, and of the bytes that it prints and writes."""
    name, *arguments = run
    written = 0

    def once() -> None:
        nonlocal written
        before = _bytes_in(folder)
        found = unguarded(folder, *name.split(), *arguments)
        assert found.status is not None, found.err
        written = len(found.out.encode()) + len(found.err.encode()) + _bytes_in(folder) - before

    return instructions(once, prepare=lambda: _refill(folder, text)), written


def _bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _refill(folder: Path, text: bytes) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    fill(folder, text)


def _assert_linear(shape: str, work: Callable[[bytes], Sequence[int]]) -> None:
    """Do some work on states of which each is twice as large as the one before.

    One step may be high, as where a search begins to take another way; then the next one may not.
    """
    sizes, counts = [], []
    for factor in (1, 2, 4, 8):
        text = _SHAPES[shape](_LARGER.get(shape, _SIZE) * factor)
        sizes.append(len(text))
        counts.append(work(text))
        if factor >= 4 and all(_is_linear(sizes[-3:], each[-3:]) for each in zip(*counts, strict=True)):
            return
    raise AssertionError(f"{shape}: {counts} instructions and bytes for {sizes} bytes")


def _is_linear(sizes: Sequence[int], counts: Sequence[int]) -> bool:
    first, second = ((counts[n + 1] - counts[n]) / (sizes[n + 1] - sizes[n]) for n in (0, 1))
    return second <= _HIGHEST_STEP * max(first, 0) + _NOISE / (sizes[2] - sizes[1])
