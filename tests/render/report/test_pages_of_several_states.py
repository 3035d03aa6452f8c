"""Reports on several states and pages of differences, in a real browser, and as text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from statefmt.render.report import drawn
from statefmt.testing import FakeOutput, FakeResource, make_state
from tests.cli.conftest import Statetool
from tests.cli.states import SAMPLES
from tests.render.report.conftest import Reader
from tests.render.report.reports import SECRET, state_of

pytest.importorskip("duckdb")
HOSTILE = "</script><script>document.title='hit'</script><img src=x onerror=document.title='hit'>"


def _fleet(folder: Path) -> None:
    """Write states of every kind: with findings, broken, old, managing one object twice, and with stale references."""
    vpc = {"id": "vpc-1", "arn": "arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-1"}
    config = {"value": {"path": str(folder / "gone.tfstate")}, "type": ["object", {"path": "string"}]}
    reference = FakeResource("data.terraform_remote_state.up", {"backend": "local", "config": config})
    states = {
        "a/large.tfstate": state_of(30),
        "a/vpc.tfstate": make_state(
            [FakeResource("aws_vpc.main", vpc)], lineage="11111111-0000-4000-8000-000000000000"
        ),
        "b/vpc.tfstate": make_state(
            [FakeResource("aws_vpc.other", vpc), reference], lineage="22222222-0000-4000-8000-000000000000"
        ),
        "regions.tfstate": (SAMPLES / "v4-regions.tfstate").read_bytes(),
        "old.tfstate": (SAMPLES / "v3-legacy.tfstate").read_bytes(),
        "broken.tfstate": b'{"version": 4, "serial"',
        "b/<img src=x>.tfstate": make_state([FakeResource(f'aws_instance.a["{HOSTILE}"]')], {"o": FakeOutput(SECRET)}),
    }
    for name, data in states.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


@pytest.fixture
def fleet_report(statetool: Statetool, folder: Path) -> bytes:
    _fleet(folder)
    for _ in range(2):
        assert statetool("fleet", "index", ".", "--into", "x.duckdb").status == 2
    return statetool("report", "--fleet", "x.duckdb").out


def test_a_fleet_in_a_browser(reader: Reader, fleet_report: bytes) -> None:
    opened = reader.open(fleet_report)
    page = opened.page
    for name in ("Totals", "Findings", "Releases and formats", "What takes up space", "Duplicates", "States"):
        assert page.get_by_role("region", name=name, exact=True).first.is_visible(), name
    assert page.get_by_role("img", name="Findings by severity over time").is_visible()
    assert page.locator("#rows tr").count() == 7
    page.keyboard.press("/")
    page.keyboard.insert_text("readable broken")
    assert page.locator("#rows tr").count() == 1
    assert page.locator("#count").inner_text() == "1 of 7 states"
    page.locator("#filter").fill("")
    page.get_by_role("button", name="Size").press("Enter")
    assert page.locator("#rows tr").first.inner_text().startswith("a/large.tfstate")
    card = page.locator("#duplicates details").first
    card.locator("summary").press("Enter")
    assert card.locator("li").all_inner_texts() == ["a/vpc.tfstate: aws_vpc.main", "b/vpc.tfstate: aws_vpc.other"]
    assert page.locator("#stale tbody tr").count() == 1
    page.get_by_label("Find a state").fill("gone")
    page.keyboard.press("Enter")
    assert page.locator("#said").inner_text().endswith("gone.tfstate: 0 dependencies, 1 dependent")
    assert page.locator("img").count() == 0
    assert opened.console == []
    assert opened.requests == []


def test_a_fleet_without_the_script(reader: Reader, fleet_report: bytes) -> None:
    page = reader.open(fleet_report, script=False).page
    assert page.locator("#rows tr").count() == 7
    assert page.locator("[data-script]:visible").count() == 0
    page.locator("#findings details summary").first.click()
    assert page.locator("#findings details[open] li").first.is_visible()


def test_what_a_fleet_report_says(fleet_report: bytes) -> None:
    text = fleet_report.decode()
    assert SECRET not in text
    assert "Hidden in this report: all attributes" in text
    assert "INS006" in text
    assert "Unsupported state file format" in text
    assert not re.search(r"<[^>]*\sstyle=", text)


def test_the_folder_with_most_of_the_bytes_is_divided(statetool: Statetool, folder: Path) -> None:
    for name in ("infra/a/x", "infra/a/y", "infra/b/x", "infra/c", "other"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.tfstate").write_bytes(state_of(3))
    statetool("fleet", "index", ".", "--into", "x.duckdb", "--no-check")
    report = statetool("report", "--fleet", "x.duckdb").text
    assert set(re.findall(r'class="heading"[^>]*>([^<]*)<', report)) == {"infra/a", "infra/b", "infra", "states"}


def test_every_edge_between_folders_is_seen() -> None:
    """Those that would run behind other folders, and those back, pass below them."""
    drawing = drawn({"a": "a", "b": "b", "c": "c"}, {"a": ["b", "c"], "b": ["c"], "c": ["a"]})
    nodes = {node.name: node for node in drawing.nodes}
    assert len({node.y for node in drawing.nodes}) == 1
    assert max(node.x + node.width for node in drawing.nodes) < drawing.width
    below = nodes["a"].y + nodes["a"].height
    for edge in drawing.lines:
        *_, heights = zip(
            *(map(float, point.split()) for point in re.findall(r"[\d.]+ [\d.]+", edge.path)), strict=True
        )
        straight = (edge.source, edge.target) in (("a", "b"), ("b", "c"))
        assert (max(heights) > below) != straight
        assert max(heights) < drawing.height + 20


def test_settings_apply_to_a_fleet(statetool: Statetool, folder: Path, fleet_report: bytes) -> None:
    (folder / "statetool.toml").write_text('ignore = ["INS"]\n')
    report = statetool("report", "--fleet", "x.duckdb").out
    assert b"INS006" in fleet_report
    assert b"INS006" not in report


def test_an_index_without_checks_has_a_report(statetool: Statetool, folder: Path) -> None:
    _fleet(folder)
    statetool("fleet", "index", ".", "--into", "x.duckdb", "--no-check")
    result = statetool("report", "--fleet", "x.duckdb")
    assert result.status == 0
    assert b"were not checked with the rules of this release" in result.out


def test_several_states_have_one_report(statetool: Statetool, folder: Path) -> None:
    _fleet(folder)
    result = statetool("report", "a/vpc.tfstate", "b/vpc.tfstate", "-o", "report.html")
    assert (result.status, result.err) == (0, "report.html: written\n")
    assert b"vpc-1" in (folder / "report.html").read_bytes()
    result = statetool("report", "a/vpc.tfstate", "broken.tfstate", "-o", "report.html")
    assert result.status == 2
    assert "broken.tfstate: Unsupported state file format" in result.err
    assert b"not readable" in (folder / "report.html").read_bytes()


def _difference(statetool: Statetool, folder: Path, count: int = 3, *options: str) -> bytes:
    """Return the page for a state in which resources got another size and another password, and one a hostile tag."""

    def of(size: str, secret: str, tag: str) -> bytes:
        many = [
            FakeResource(f"aws_instance.web_{n}", {"size": size, "password": secret}, sensitive=["password"])
            for n in range(count)
        ]
        return make_state([*many, FakeResource("aws_instance.tagged", {"tag": tag})])

    (folder / "old.tfstate").write_bytes(of("small", SECRET, "plain"))
    (folder / "new.tfstate").write_bytes(of("large", f"{SECRET}-2", HOSTILE))
    result = statetool("diff", "--format", "html", *options, "old.tfstate", "new.tfstate")
    assert result.status == 1
    return result.out


def test_a_difference_in_a_browser(reader: Reader, statetool: Statetool, folder: Path) -> None:
    report = _difference(statetool, folder)
    assert SECRET.encode() not in report
    opened = reader.open(report)
    page = opened.page
    card = page.locator("details.change").filter(has_text="web_1")
    assert card.locator("del").inner_text().endswith('"small"')
    assert card.locator("ins").inner_text().endswith('"large"')
    assert "(sensitive value), changed" in card.inner_text()
    assert page.locator("img").count() == 0
    page.keyboard.press("/")
    page.keyboard.insert_text("web_2 large")
    assert page.locator(".change:visible").count() == 1
    assert page.locator("#card-count").inner_text() == "1 of 4"
    assert opened.console == []
    assert opened.requests == []


def test_a_difference_says_when_it_shows_secrets(statetool: Statetool, folder: Path) -> None:
    report = _difference(statetool, folder, 3, "--show-sensitive")
    assert SECRET.encode() in report
    assert b"This page shows sensitive values in clear." in report


def test_many_differences_are_closed(reader: Reader, statetool: Statetool, folder: Path) -> None:
    page = reader.open(_difference(statetool, folder, 1000)).page
    assert page.locator("details.change[open]").count() == 0
    page.locator("#card-filter").fill("web_999")
    assert page.locator("details.change:visible").count() == 1


def test_equal_states_have_a_page(statetool: Statetool) -> None:
    sample = str(SAMPLES / "v4-regions.tfstate")
    result = statetool("diff", "--format", "html", sample, str(SAMPLES / "v4-regions.tfstate"))
    assert result.status == 0
    assert b"<!doctype html>" in result.out
