"""`statetool check`: which states, and how much it prints."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from statefmt.cli.main import main
from tests.cli.states import SAMPLES
from tests.lint.gate.states import resource, write_state

CONFIGURATIONS = Path(__file__).parents[2] / "configurations"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TF_WORKSPACE", "TF_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(["check", *arguments])
    return (status, *capsys.readouterr())


def test_the_state_of_the_directory_comes_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_state(folder / "terraform.tfstate", resource("a"))
    write_state(folder / "below/other.tfstate", resource("b", status="tainted"))
    assert _run(capsys) == (0, "1 state checked: no findings\n", "")


def test_without_one_all_below_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_state(folder / "a/terraform.tfstate", resource("a"))
    write_state(folder / "b/other.tfstate", resource("b", status="tainted"))
    write_state(folder / ".terraform/modules/c/c.tfstate", resource("c"))
    status, out, err = _run(capsys, "--fail-on", "warning", "--select", "INS005")
    assert status == 1
    assert out.startswith("warning INS005 aws_vpc.b  b/other.tfstate:")
    assert "2 states checked" in out
    assert err == f"statetool: no terraform.tfstate in this directory; checking 2 states below {folder}\n"


def test_without_any_state_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = _run(capsys)
    assert (status, out) == (2, "")
    assert err.startswith("statetool: no state to check: there is no terraform.tfstate in this directory, and no *.tfs")


def test_other_states_do_not_replace_that_of_a_workspace(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_state(folder / "terraform.tfstate.d/prod/terraform.tfstate", resource("a"))
    monkeypatch.setenv("TF_WORKSPACE", "dev")
    status, out, err = _run(capsys)
    assert (status, out) == (2, "")
    assert "terraform.tfstate.d/dev/terraform.tfstate: there is no such file" in err


def test_other_states_are_not_compared_with_the_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_state(folder / "old/terraform.tfstate", resource("a"))
    status, _, err = _run(capsys, "--config", ".")
    assert status == 2
    assert "terraform.tfstate: there is no such file" in err


def test_a_dangling_link_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "terraform.tfstate").symlink_to("missing")
    write_state(folder / "a/terraform.tfstate", resource("a"))
    status, out, err = _run(capsys)
    assert (status, out) == (2, "")
    assert "terraform.tfstate" in err


@pytest.mark.parametrize("option", ["-q", "--quiet"])
@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        (["one.tfstate"], 0, ""),
        (["one.tfstate", "--fail-on", "warning"], 1, ""),
        (["one.tfstate", "missing"], 2, "statetool: missing: there is no such file\n"),
    ],
    ids=["fine", "found", "unreadable"],
)
def test_quiet(
    folder: Path, arguments: list[str], status: int, error: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_state(folder / "one.tfstate", resource("a", status="tainted"))
    assert _run(capsys, option, *arguments) == (status, "", error)


@pytest.mark.parametrize("other", [["--statistics"], ["--format", "json"], ["--format", "concise"]])
def test_quiet_and_a_report_exclude_each_other(
    folder: Path, other: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write_state(folder / "one.tfstate", resource("a"))
    status, out, err = _run(capsys, "-q", *other, "one.tfstate")
    assert (status, out) == (2, "")
    assert "--quiet" in err


def test_concise(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_state(folder / "one.tfstate", resource("a", status="tainted"), resource("b", status="tainted"))
    status, out, err = _run(capsys, "--format", "concise", "--select", "INS005", "one.tfstate")
    assert (status, err) == (0, "")
    assert [line.split(" ")[1:3] for line in out.splitlines()] == [["INS005", "aws_vpc.a"], ["INS005", "aws_vpc.b"]]
    assert all(line.startswith("one.tfstate:") and line.endswith(" [warning]") for line in out.splitlines())
    write_state(folder / "fine.tfstate", resource("a"))
    assert _run(capsys, "--format", "concise", "--select", "INS005", "fine.tfstate") == (0, "", "")


def test_formats_for_programs_keep_each_finding(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    shutil.copy(SAMPLES / "v3-legacy.tfstate", folder / "s")
    _, text, _ = _run(capsys, "s", "--select", "PRV007")
    assert "(7 findings)" in text
    counts = {
        "json": '"code":"PRV007"',
        "sarif": '"ruleId": "PRV007"',
        "junit": 'type="PRV007"',
        "github": "::warning ",
    }
    for name, mark in counts.items():
        _, out, _ = _run(capsys, "s", "--select", "PRV007", "--format", name, "--fail-on", "warning")
        assert out.replace('"code": ', '"code":').count(mark) == 8, name


def test_stranded_objects_share_one_block(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four objects of a provider configuration that is gone: one explanation, one block, one command."""
    shutil.copytree(CONFIGURATIONS / "configuration-removed-root", folder / "c")
    west = 'provider["registry.opentofu.org/hashicorp/aws"].west'
    old = [{**resource(f"old{n}"), "provider": west} for n in range(4)]
    write_state(folder / "s.tfstate", *old)
    status, out, _ = _run(capsys, "--config", "c", "s.tfstate", "--select", "CFS001")
    assert status == 1
    assert "CFS001 Provider configuration not present (4 findings)\n" in out
    assert out.count('provider "aws" {') == 1
    assert "`statetool rm aws_vpc.old0 aws_vpc.old1 aws_vpc.old2 aws_vpc.old3 " in out
