"""The pytest plugin, in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
_TESTS: Final = """
from statefmt.testing import FakeResource, as_state, assert_same_state, make_state

OLD = make_state([FakeResource("a.b", {"id": "1", "password": "hunter2"}, sensitive=["password"])])
NEW = make_state([FakeResource("a.b", {"id": "1", "password": "s3cret"}, tainted=True, sensitive=["password"])])

def test_marked():
    assert as_state(OLD) == as_state(NEW)

def test_bytes():
    assert OLD == NEW.replace(b"hunter2", b"")

def test_function():
    assert_same_state(OLD, NEW)

def test_equal():
    assert as_state(OLD) == as_state(OLD)

def test_file(state_file, tmp_path):
    path = state_file(["aws_vpc.main"], serial=7, name="prod/terraform.tfstate")
    assert path == tmp_path / "prod" / "terraform.tfstate"
    assert path.read_bytes() == make_state(["aws_vpc.main"], serial=7)
    assert state_file().name == "terraform.tfstate"
"""


def _pytest(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest with the plugin and no others in a folder with the tests above."""
    (folder / "test_states.py").write_text(_TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "statefmt.testing.plugin", *arguments]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "", "COLUMNS": "120"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _failure(output: str, test: str) -> str:
    """What pytest prints about one failed test."""
    return output.partition(f"__ {test} __")[2].partition("\n____")[0].partition("\n====")[0]


def test_failed_assertions(tmp_path: Path) -> None:
    done = _pytest(tmp_path, "-vv")
    assert "3 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    marked, function = (_failure(done.stdout, name) for name in ("test_marked", "test_function"))
    for text in (marked, function):
        assert "~ a.b" in text
        assert "+ tainted" in text
        assert "1 changed" in text
    assert "<state with serial 1 and 1 resources> == <state with" in marked
    assert "the states differ:" in function
    # The line of the test, and none of the function that compares.
    assert "> " in function.partition("assert_same_state(OLD, NEW)")[0]
    assert "difference_lines" not in function
    assert "hunter2" not in marked + function
    # Bytes are left to pytest.
    assert "hunter2" in _failure(done.stdout, "test_bytes")


def test_the_fixture_is_described(tmp_path: Path) -> None:
    assert "state_file" in _pytest(tmp_path, "--fixtures").stdout


def test_the_entry_point_leads_to_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ((name, module),) = project["entry-points"]["pytest11"].items()
    assert name == module
    assert callable(import_module(module).pytest_assertrepr_compare)


def test_the_extra_needs_no_other_versions_than_development() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extra = document["project"]["optional-dependencies"]["testing"]
    assert [name.partition(">")[0] for name in extra] == ["hypothesis", "pytest"]
    assert all(requirement in document["dependency-groups"]["dev"] for requirement in extra)


@pytest.mark.parametrize("used", [False, True])
def test_it_loads_nothing_before_it_is_used(tmp_path: Path, used: bool) -> None:
    use = "request.getfixturevalue('state_file')(['a.b'])" if used else "pass"
    check = f"assert ('statefmt.formats' in sys.modules, 'msgspec' in sys.modules) == ({used}, {used})"
    test = f"import sys\ndef test_it(request):\n    {use}\n    {check}\n"
    (tmp_path / "test_loaded.py").write_text(test, encoding="utf-8")
    done = _pytest(tmp_path, "test_loaded.py")
    assert done.returncode == 0, done.stdout
