"""Reports in a real browser: without a network, without their script, by keyboard, at three sizes."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from statefmt.testing import FakeResource, make_state
from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.render.report.conftest import Reader
from tests.render.report.reports import report_on, state_of

ROWS = "#rows tr"
PASSPHRASE = "a sample passphrase, never to be used"
ENCRYPTION = f"""
key_provider "pbkdf2" "sample" {{
  passphrase = "{PASSPHRASE}"
}}
method "aes_gcm" "sample" {{
  keys = key_provider.pbkdf2.sample
}}
state {{
  method = method.aes_gcm.sample
}}
"""


@cache
def _report(size: int) -> bytes:
    with TemporaryDirectory() as folder:
        return _report_on(state_of(size), Path(folder))


def _report_on(state: bytes, folder: Path) -> bytes:
    path = folder / "terraform.tfstate"
    path.write_bytes(state)
    return report_on(path)


@pytest.mark.parametrize("size", [1, 1000, 10_000])
def test_filter_and_sort(reader: Reader, size: int) -> None:
    opened = reader.open(_report(size))
    page = opened.page
    rows = page.locator(ROWS)
    assert rows.count() == min(size, 100)
    page.keyboard.press("/")
    page.keyboard.insert_text(f"web_{(size - 1) // 50:04} part_{(size - 1) % 50:02}")
    assert rows.count() == 1
    assert rows.inner_text().startswith(f"module.part_{(size - 1) % 50:02}.aws_instance.web_")
    assert page.locator("#count").inner_text().startswith(f"1 of {size:,} resources")
    page.locator("#filter").fill("")
    heading = page.locator("#table th", has_text="Size")
    first = rows.first.locator("td").nth(3)
    # Numbers begin with the largest.
    heading.locator("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    largest = int(first.get_attribute("data-n") or "")
    heading.locator("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    smallest = int(first.get_attribute("data-n") or "")
    assert smallest == largest if size == 1 else smallest < largest
    assert opened.console == []
    assert opened.requests == []


def test_more_rows_are_shown_when_asked_for(reader: Reader) -> None:
    page = reader.open(_report(1000)).page
    page.get_by_role("button", name="Show 1,000 more").click()
    assert page.locator(ROWS).count() == 1000
    assert page.locator("#more").is_hidden()
    assert page.locator(ROWS).last.is_visible()


def test_rows_that_the_script_takes_out_are_not_laid_out_before(reader: Reader) -> None:
    """Here that script never runs, but the first one has."""
    begun = re.sub(rb'<script>"use strict".*?</script>', b"", _report(1000), flags=re.DOTALL)
    rows = reader.open(begun).page.locator(ROWS)
    assert rows.count() == 1000
    assert rows.nth(99).is_visible()
    assert not rows.nth(100).is_visible()


def test_neighbours_of_a_resource(reader: Reader) -> None:
    opened = reader.open(_report(1000))
    page = opened.page
    page.get_by_label("Find a resource").fill("part_07 web_0005")
    page.keyboard.press("Enter")
    assert page.locator("#said").inner_text() == "module.part_07.aws_instance.web_0005: 1 dependency, 1 dependent"
    # From there to its dependency, by keyboard.
    page.get_by_role("button", name="module.part_07.aws_instance.web_0004").press("Enter")
    assert page.locator("#said").inner_text().startswith("module.part_07.aws_instance.web_0004:")
    assert opened.console == []


def test_what_is_folded_opens(reader: Reader) -> None:
    page = reader.open(_report(1000)).page
    resource = page.locator("#provider-map li").first
    assert resource.is_hidden()
    page.locator("#provider-map summary").nth(1).click()
    assert resource.is_visible()


def test_without_the_script_everything_is_there(reader: Reader) -> None:
    page = reader.open(_report(1000), script=False).page
    assert page.locator(ROWS).count() == 1000
    assert page.locator(ROWS).last.is_visible()
    assert page.locator("[data-script]:visible").count() == 0
    assert page.locator("svg.room rect.cell").count() > 50
    page.locator("#rows details summary").first.click()
    assert page.locator("#rows details[open] li").first.is_visible()


def test_the_accessibility_tree_names_the_parts(reader: Reader) -> None:
    page = reader.open(_report(1)).page
    assert page.locator("main").aria_snapshot()
    for name in ("Totals", "Findings", "Provider map", "What takes up space", "Dependencies", "Resources", "Outputs"):
        assert page.get_by_role("region", name=name, exact=True).first.is_visible(), name
    assert page.get_by_role("img", name="Modules and their resources by size").is_visible()


def test_nothing_in_a_state_is_markup(reader: Reader, tmp_path: Path) -> None:
    """Keys and outputs may be anything, also what ends the script or the data in a page."""
    hostile = "</script><script>document.title='hit'</script><img src=x onerror=document.title='hit'>"
    first = FakeResource(f'aws_instance.a["{hostile}"]')
    second = FakeResource("aws_instance.b", dependencies=["aws_instance.a"])
    opened = reader.open(_report_on(make_state([first, second], {"o": hostile}), tmp_path))
    assert "state report" in opened.page.title()
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("#outputs pre").inner_text().count("<img") == 1
    assert opened.console == []
    assert opened.requests == []


def test_the_policy_holds(reader: Reader) -> None:
    """A script that is added to the page is not run, and an image is not requested."""
    added = b"<script>document.title='hit'</script><img src='http://127.0.0.1:1/x'></body>"
    opened = reader.open(_report(1).replace(b"</body>", added))
    assert "state report" in opened.page.title()
    assert len(opened.console) == 2
    assert all("Content Security Policy" in message for message in opened.console)


def test_all_rows_are_printed(reader: Reader) -> None:
    page = reader.open(_report(1000)).page
    page.evaluate(
        "addEventListener('beforeprint', () => { window.printed = document.querySelectorAll('#rows tr').length })"
    )
    page.pdf()
    assert page.evaluate("window.printed") == 1000
    assert page.locator(ROWS).count() == 100


def test_dark_and_light_differ(reader: Reader) -> None:
    colours = {
        reader.open(_report(1), dark=dark).page.evaluate("getComputedStyle(document.body).backgroundColor")
        for dark in (False, True)
    }
    assert len(colours) == 2


def test_links_to_sections_leave_room_on_a_phone(reader: Reader) -> None:
    page = reader.open(_report(1)).page
    for width, position in ((1280, "sticky"), (390, "static")):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.locator("nav").evaluate("nav => getComputedStyle(nav).position") == position


def test_an_encrypted_state(reader: Reader, statetool: Statetool, folder: Path) -> None:
    """It is shown decrypted, and says how it is encrypted."""
    (folder / "encryption.hcl").write_text(ENCRYPTION)
    opened = reader.open(statetool("report", str(SAMPLES / "encrypted.tfstate"), "--encryption", "encryption.hcl").out)
    section = opened.page.get_by_role("region", name="Encryption")
    assert "aes_gcm" in section.inner_text()
    assert PASSPHRASE not in opened.page.content()
    assert opened.page.locator(ROWS).count() > 0
    assert opened.console == []


def test_huge_names_and_direction_marks(reader: Reader, tmp_path: Path) -> None:
    """A name may have 100,000 characters, and marks that reverse what follows."""
    state = make_state(
        [FakeResource(f'aws_instance.a["{"x" * 100_000}"]'), FakeResource('aws_instance.b["\u202egnp"]')]
    )
    opened = reader.open(_report_on(state, tmp_path))
    assert "\u202e" not in opened.page.content()
    # Nothing is wider than the page.
    assert opened.page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert opened.console == []
