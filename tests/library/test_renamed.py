"""A renamed public name works for a while, and warns about its new name."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import statefmt


def test_an_old_name_is_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(statefmt._RENAMED, "load", "open")
    with pytest.warns(DeprecationWarning) as warned:
        found = getattr(statefmt, "load")  # noqa: B009 - type checkers do not know the name
    assert found is statefmt.open
    (warning,) = warned
    assert str(warning.message) == "statefmt.load has been renamed; use statefmt.open"
    assert warning.filename == __file__


def test_an_old_name_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(statefmt._RENAMED, "load", "open")
    assert "load" not in dir(statefmt)


def test_other_names_do_not_warn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(statefmt._RENAMED, "load", "open")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert statefmt.open is statefmt.open


def test_the_warning_is_for_the_line_that_imports_the_name(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("import statefmt\nstatefmt._RENAMED['load'] = 'open'\nfrom statefmt import load\n")
    command = [sys.executable, "-W", "default::DeprecationWarning", "old.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    first = done.stderr.splitlines()[0]
    assert first.endswith("old.py:3: DeprecationWarning: statefmt.load has been renamed; use statefmt.open")


def test_renamed_names_lead_to_public_ones() -> None:
    assert set(statefmt._RENAMED.values()) <= set(dir(statefmt))
    assert not statefmt._RENAMED.keys() & set(dir(statefmt))
