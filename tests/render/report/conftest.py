"""A real browser that opens reports from files, and remembers what its console says and what it requests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import folder, statetool

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["browser", "folder", "reader", "statetool"]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Opened:
    """A page, the messages of its console, and the addresses it has requested other than its own."""

    page: Page
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@dataclass
class Reader:
    """Opens reports, each in a context of its own."""

    browser: Browser
    folder: Path

    def open(self, report: bytes, *, script: bool = True, dark: bool = False) -> Opened:
        """Open a report without a network; `script` says whether its script may run."""
        path = self.folder / "report.html"
        path.write_bytes(report)
        context = self.browser.new_context(
            java_script_enabled=script, color_scheme="dark" if dark else "light", offline=True
        )
        opened = Opened(context.new_page())
        opened.page.on("console", lambda message: opened.console.append(message.text))
        opened.page.on("pageerror", lambda error: opened.console.append(str(error)))
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        opened.page.goto(path.as_uri())
        opened.requests.remove(path.as_uri())
        return opened


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if program is None:
        pytest.skip("there is no chromium")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@pytest.fixture
def reader(browser: Browser, tmp_path: Path) -> Iterator[Reader]:
    yield Reader(browser, tmp_path)
    for context in browser.contexts:
        context.close()
