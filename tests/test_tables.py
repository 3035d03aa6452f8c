"""A test of a table checks every row, and names each that fails."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.tables import each_row

pytest_plugins = ["pytester"]

_TABLE = """
    from pathlib import Path
    import pytest
    from tests.tables import each_row

    @each_row("number", [pytest.param(3, id="odd"), 4, pytest.param(5, marks=pytest.mark.slow), 6])
    @each_row(("letter", "other"), [("a", 1), ("b", 2)], ids=lambda value: f"<{value}>")
    def test_rows(number, letter, other, tmp_path, request):
        assert tmp_path.is_dir()
        assert request.config
        print("checked", number, letter, other)
        assert not (letter == "b" and number in (4, 5, 6)), "wrong"
        if number == 6:
            pytest.skip("not here")

    @each_row("number", range(7), parts=3)
    def test_parts(number):
        print("part", number)
        with pytest.raises(KeyError):
            {}[number] if number != 6 else {6: 6}[number]

    @pytest.fixture
    def inside(tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    @each_row("number", range(3))
    def test_folders(number, inside, tmp_path):
        assert list(tmp_path.iterdir()) == []
        assert Path.cwd() == tmp_path
        Path("mine").touch()

    @each_row("number", range(100), sample=10)
    def test_sample(number):
        print("sampled", number)
"""


def _outcome(pytester: pytest.Pytester, *options: str) -> str:
    pytester.makeconftest("from tests.conftest import pytest_addoption")
    pytester.makeini("[pytest]\nmarkers = slow\nempty_parameter_set_mark = fail_at_collect")
    pytester.makepyfile(test_it=_TABLE)
    return str(pytester.runpytest_inprocess("-p", "no:cacheprovider", "-v", "-rA", *options).stdout)


def test_all_rows_are_checked_and_the_failing_ones_named(pytester: pytest.Pytester) -> None:
    text = _outcome(pytester, "-k", "test_rows and not slow")
    assert sorted(re.findall(r"^checked (.*)$", text, re.MULTILINE)) == [
        "3 a 1", "3 b 2", "4 a 1", "4 b 2", "6 a 1", "6 b 2",
    ]  # fmt: skip
    assert "3 of 6 rows failed: <b>-<2>-4, <a>-<1>-6, <b>-<2>-6" in text
    assert "Row: <b>-<2>-4" in text
    assert "AssertionError: wrong" in text
    assert "1 failed" in text


def test_slow_rows_are_a_test_of_their_own(pytester: pytest.Pytester) -> None:
    text = _outcome(pytester, "-k", "test_rows", "-m", "slow")
    assert "1 of 2 rows failed: <b>-<2>-5" in text
    assert "passed" not in text.splitlines()[-1]


def test_some_rows_are_chosen_by_name(pytester: pytest.Pytester) -> None:
    text = _outcome(pytester, "-k", "test_rows and not slow", "--row", "<?>-<?>-odd")
    assert re.findall(r"^checked (.*)$", text, re.MULTILINE) == ["3 a 1", "3 b 2"]
    assert "1 passed" in text


def test_parts_are_tests_of_their_own(pytester: pytest.Pytester) -> None:
    text = _outcome(pytester, "-k", "test_parts")
    assert sorted(re.findall(r"^part (.*)$", text, re.MULTILINE)) == list("0123456")
    # What pytest raises if nothing was raised is no Exception.
    assert re.findall(r"\d of \d rows failed: \d", text) == ["1 of 3 rows failed: 6"]
    assert "2 passed" in text


def test_each_row_has_a_folder_of_its_own(pytester: pytest.Pytester) -> None:
    assert "1 passed" in _outcome(pytester, "-k", "test_folders")


def test_a_sample_is_the_same_in_each_run_and_the_rest_slow(pytester: pytest.Pytester) -> None:
    usual, again, rest = (
        set(re.findall(r"^sampled (\d+)$", _outcome(pytester, "-k", "test_sample", "-m", mark), re.MULTILINE))
        for mark in ("not slow", "not slow", "slow")
    )
    assert usual == again
    assert (len(usual), len(rest), len(usual | rest)) == (10, 90, 100)


def test_a_table_has_rows() -> None:
    decorate: Callable[..., object] = each_row
    with pytest.raises(AssertionError, match="a table without rows"):
        decorate("case", [])
