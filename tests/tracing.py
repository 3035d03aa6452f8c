"""Coverage of a sample: lines are traced only in some cases of each test, and not where tests repeat much.

Tracing takes more time than the tests themselves, and the thousandth recorded case reaches no new line.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest
from coverage import Coverage

import statefmt

# The first cases of each test, and then one of so many: tables of functions have a function in each line.
_FIRST: Final = 3
_ONE_OF: Final = 8
# Tests that do the same over and over, on generated states, in counted work, or for each source file.
_REPETITIVE: Final = (
    "/adversary/",
    "/architecture/",
    "/property/",
    "linear_work.py",
    "_laws.py",
    "_size.py",
    "_large.py",
)


class Tracing:
    """Stops what `--cov` has started, and starts it again for each test of the sample."""

    def __init__(self) -> None:
        self._coverage: Coverage | None = None
        self._traced: frozenset[str] = frozenset()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> Iterator[None]:
        self._coverage = Coverage.current()
        if self._coverage is not None:
            # With -n, the process that only hands tests out imports nothing.
            if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", None):
                _import_everything()
            self._coverage.stop()
        return (yield)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if self._coverage is not None:
            self._traced = frozenset(_sample(item.nodeid for item in session.items))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if self._coverage is None or item.nodeid not in self._traced:
            return (yield)
        self._coverage.start()
        try:
            return (yield)
        finally:
            self._coverage.stop()


def _import_everything() -> None:
    """Reach the lines of modules while they are still traced: a module is imported once."""
    for module in pkgutil.walk_packages(statefmt.__path__, "statefmt."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _sample(tests: Iterator[str]) -> Iterator[str]:
    """Yield the cases to trace of each test."""
    cases = Counter[str]()
    for test in tests:
        function = test.partition("[")[0]
        cases[function] += 1
        number = cases[function]
        if (number <= _FIRST or number % _ONE_OF == 0) and not any(part in function for part in _REPETITIVE):
            yield test
