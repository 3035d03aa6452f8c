"""What `check --fix` promises of every state: fixed once is fixed, nothing is added, and the rest keeps its bytes."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec
from hypothesis import given, settings, strategies as st

from statefmt import run_context
from statefmt.edit.pipeline import EditOptions
from statefmt.lint.check import check
from statefmt.lint.registry import all_rules
from statefmt.rules import Fixable, FixedState, Gate, mend_state
from statefmt.testing import strategies
from tests.lint.test_fixtures import STATES
from tests.tables import each_row

# Each example checks a state eight times.
_EXAMPLES: Final = settings().max_examples // 3
_FIRST_DEPENDENCY: Final = re.compile(rb'("dependencies"\s*:\s*\[\s*)("(?:[^"\\]|\\.)*")')
# The mends that do not write canonical form.
_OF_DEPENDENCIES: Final = [
    code for code, rule in all_rules().items() if rule.mend and rule.mend.change and code.startswith("DEP")
]


def _fixed(path: Path, *, unsafe: bool, select: list[str] | None = None) -> FixedState:
    options = EditOptions("check --fix", "statetool check --fix", keep_backup=False)
    return mend_state(Gate(run_context(), select=select), str(path), options, unsafe=unsafe)


def _kinds(data: bytes) -> Counter[tuple[str, str]]:
    return Counter((finding.code, finding.address) for finding in check(data))


def _keeps_its_promises(data: bytes, folder: Path, *, unsafe: bool, select: list[str] | None = None) -> bytes:
    """Fix a state twice; return what the first time wrote."""
    path = folder / "terraform.tfstate"
    path.write_bytes(data)
    promised = Gate(run_context(), select=select).check(str(path))
    ways = (Fixable.SAFE, Fixable.UNSAFE) if unsafe else (Fixable.SAFE,)
    first = _fixed(path, unsafe=unsafe, select=select)
    after = path.read_bytes()
    assert _kinds(after) - _kinds(data) == Counter()
    left = {finding.code for finding in promised.fixable(*ways)} - {finding.code for finding in first.mended}
    assert not left or first.reason
    second = _fixed(path, unsafe=unsafe, select=select)
    assert (second.mended, path.read_bytes()) == ((), after)
    return after


def _twice(data: bytes) -> bytes:
    """List the first dependency of each object twice."""
    return _FIRST_DEPENDENCY.sub(rb"\1\2, \2", data)


@settings(max_examples=_EXAMPLES)
@given(strategies.states(odd=True).map(_twice), st.booleans())
def test_generated_states(data: bytes, unsafe: bool) -> None:
    with TemporaryDirectory() as folder:
        _keeps_its_promises(data, Path(folder), unsafe=unsafe)


@each_row("unsafe", [False, True], sample=100)
@each_row("fixture", STATES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_failing_fixtures(fixture: Path, unsafe: bool, tmp_path: Path) -> None:
    _keeps_its_promises(STATES[fixture], tmp_path, unsafe=unsafe)


def _rest(data: bytes) -> list[dict[str, msgspec.Raw]]:
    """The members of a state, its resources and their objects, but for what fixes of dependencies may change."""
    top = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    blocks = msgspec.json.decode(top.pop("resources", b"[]"), type=list[dict[str, msgspec.Raw]])
    parts = [top]
    for block in blocks:
        parts += msgspec.json.decode(block.pop("instances", b"[]"), type=list[dict[str, msgspec.Raw]])
    for part in parts:
        for name in ("serial", "dependencies"):
            part.pop(name, None)
    return [*parts, *blocks]


@settings(max_examples=_EXAMPLES)
@given(strategies.states().map(_twice))
def test_the_rest_keeps_its_bytes(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        after = _keeps_its_promises(data, Path(folder), unsafe=True, select=_OF_DEPENDENCIES)
    assert _rest(after) == _rest(data)


def test_what_was_mended_is_named(tmp_path: Path) -> None:
    """Of findings with one code, those that the mend leaves are not taken for those that it resolves."""
    fixture = next(path for path in STATES if path.match("STA009/fail-in-attributes.tfstate"))
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(fixture.read_bytes().replace(b'"resources"', b'"outputs": {}, "outputs": {}, "resources"'))
    fixed = _fixed(path, unsafe=True, select=["STA009"])
    assert ([finding.pointer for finding in fixed.mended], fixed.kept) == (["/outputs"], ())
