"""Hypothesis as all tests use it: the same examples in every run; `HYPOTHESIS_PROFILE=long` searches for new ones."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests.adversary.runs import Forks, forks

# No deadline: how fast an example runs says nothing on a shared machine.
settings.register_profile(
    "ci",
    # `make slow` takes 300.
    max_examples=25,
    deadline=None,
    derandomize=True,
    print_blob=True,
    # Many generated states have nothing of what a test is about.
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile("sweep", settings.get_profile("ci"), derandomize=False, max_examples=300)
settings.register_profile("long", settings.get_profile("ci"), derandomize=False, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# Fixtures, and the function that edits a state in a child.
_STARTING: Final = frozenset({"program", "forked", "editing_process"})
_FOLDERS: Final = ("compat", "packaging")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--row", metavar="PATTERN", help="of the tests of tables, check only the rows of this name")


def pytest_configure(config: pytest.Config) -> None:
    # A shell without job control starts what runs in the background with interrupts ignored, and programs inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Leave what is collected to itself: it is never garbage, and there are hundreds of megabytes of it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """Let libraries that look for leaks as Python ends find none."""
    gc.unfreeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by what they use, so that `make test-fast` can leave out what takes long."""
    for item in items:
        folder = item.path.relative_to(Path(__file__).parent).parts[0]
        if folder in _FOLDERS:
            item.add_marker(folder)
        if isinstance(item, pytest.Function) and (
            _STARTING.intersection((*item.fixturenames, *item.function.__code__.co_names))
            or _starts_processes(item.module)
        ):
            item.add_marker("process")


def _starts_processes(module: ModuleType) -> bool:
    """Whether a module of tests imports what starts processes: `subprocess`, or the child that writes states."""
    names = vars(module)
    return "subprocess" in names or getattr(names.get("replace"), "__module__", None) == "tests.store.local.child"


@pytest.fixture(scope="session")
def forked() -> Iterator[Forks]:
    """Runs commands in children of a process that has all of statetool imported."""
    with forks() as server:
        yield server
