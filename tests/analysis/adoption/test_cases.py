"""`adopt` finds every right pair, takes no wrong one, and lists exactly what cannot be decided."""

from pathlib import Path

import pytest

from tests.analysis.adoption.case import CASES, lines_of, read_case

_FILES = sorted(CASES.glob("*.txt"))


@pytest.mark.parametrize("file", _FILES, ids=[file.stem for file in _FILES])
def test_a_case(file: Path, tmp_path: Path) -> None:
    case = read_case(file.read_text(), tmp_path)
    assert lines_of(case.adopted()) == case.result
