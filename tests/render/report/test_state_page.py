"""The report on one state, as text: what it shows, what it hides, and what it never contains."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from statefmt.analysis.dependencies import dependency_graph
from statefmt.render.report import embedded
from statefmt.render.report.state_pages import overview
from statefmt.testing import FakeResource, make_state
from tests.cli.states import SAMPLES
from tests.edit.operations.build import snapshot_of
from tests.render.report.reports import SECRET, report_on, state_of


def _written(tmp_path: Path, state: bytes) -> Path:
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(state)
    return path


def test_no_secret_is_in_it_and_it_says_what_is_hidden(tmp_path: Path) -> None:
    report = report_on(_written(tmp_path, state_of(20))).decode()
    assert SECRET not in report
    assert "2 of which have sensitive ones; the value of 1 sensitive output." in report
    assert report.count("(sensitive value)") == 1


def test_only_its_own_style_and_script_may_run(tmp_path: Path) -> None:
    report = report_on(SAMPLES / "v4-regions.tfstate").decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', report)
    assert policy is not None
    directives = policy[1].replace("&#39;", "'").split("; ")
    assert directives[0] == "default-src 'none'"
    for element, directive in (("style", directives[1]), ("script", directives[2])):
        contents = re.findall(rf"<{element}>(.*?)</{element}>", report, re.DOTALL)
        digests = (base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() for content in contents)
        assert directive.split() == [f"{element}-src", *(f"'sha256-{digest}'" for digest in digests)]
        assert contents
    assert not re.search(r"<[^>]*\sstyle=", report)
    assert not re.search(r"""\s(?:src|href)="(?!#)""", report)


def test_every_sample_has_a_report() -> None:
    """Of every format, also of those that have findings."""
    reports = [report_on(SAMPLES / name) for name in ("v1-legacy.tfstate", "v4-empty.tfstate", "v4-regions.tfstate")]
    assert all(report.endswith(b"</html>") for report in reports)
    assert b"INS006" in reports[2]
    assert b"The state has no resources." in reports[1]


def test_control_characters_are_escaped(tmp_path: Path) -> None:
    state = make_state([FakeResource("aws_instance.a")]).replace(b"00000000-0000", b"x\xe2\x80\xaey")
    report = report_on(_written(tmp_path, state)).decode()
    assert "\u202e" not in report
    assert "x\\u202ey" in report


def test_embedded_data_cannot_end_its_element() -> None:
    assert embedded(["</script><!--", "a&b"]) == r'["\u003c/script\u003e\u003c!--","a\u0026b"]'


def test_a_circle_of_dependencies_is_drawn(tmp_path: Path) -> None:
    state = make_state(
        [
            FakeResource("aws_instance.a", dependencies=["aws_instance.b"]),
            FakeResource("aws_instance.b", dependencies=["aws_instance.a"]),
        ]
    )
    report = report_on(_written(tmp_path, state)).decode()
    assert report.count('class="edge"') == 2


@pytest.mark.parametrize(
    ("modules", "number", "groups"),
    [(1, 80, ""), (1, 81, "types"), (2, 40, ""), (2, 41, "modules"), (3, 30, "modules")],
)
def test_what_a_large_graph_shows(modules: int, number: int, groups: str) -> None:
    """More than 80 resources are drawn as their modules, or as their types if there is only one module."""
    addresses = [f"module.m{m}.t.n{n}" for m in range(modules) for n in range(number)]
    drawn = overview(dependency_graph(snapshot_of(*addresses)))
    assert (drawn.groups, drawn.omitted) == (groups, 0)
