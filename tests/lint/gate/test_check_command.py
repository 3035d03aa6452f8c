"""`statetool check` as a gate: settings, ignores, baselines, many files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from statefmt.cli.main import main
from tests.lint.gate.states import resource, write_state


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one state that has a tainted instance (INS005, a warning) at aws_vpc.a."""
    write_state(tmp_path / "envs/one.tfstate", resource("a", status="tainted"), resource("b"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _found(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """`CODE ADDRESS` of what JSON output on standard output holds."""
    document = json.loads(capsys.readouterr().out)
    return [f"{finding['code']} {finding['address']}" for file in document["files"] for finding in file["findings"]]


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["envs"], 0),
        (["envs", "--fail-on", "warning"], 1),
        (["envs", "--fail-on", "warning", "--exit-zero"], 0),
        (["envs", "--fail-on", "warning", "--ignore", "INS005"], 0),
        (["envs", "--fail-on", "warning", "--ignore", "INS"], 0),
        (["envs", "--fail-on", "warning", "--select", "PRV"], 0),
        (["envs", "--fail-on", "warning", "--select", "PRV,INS"], 1),
        (["envs", "--select", "XYZ"], 2),
        (["envs", "missing.tfstate"], 2),
        (["envs", "missing.tfstate", "--exit-zero"], 2),
        (["nothing/*"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_exit_status(arguments: list[str], status: int) -> None:
    assert main(["check", *arguments]) == status


def test_settings_hold_and_the_command_line_wins(folder: Path) -> None:
    (folder / "statetool.toml").write_text('fail-on = "warning"\n', encoding="utf-8")
    assert main(["check", "envs"]) == 1
    assert main(["check", "envs", "--fail-on", "error"]) == 0
    assert main(["check", "envs", "--no-settings"]) == 0


def test_settings_hold_in_folders_below(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "statetool.toml").write_text(
        'fail-on = "warning"\n[per-file-ignores]\n"envs/*" = ["INS005"]\n', encoding="utf-8"
    )
    monkeypatch.chdir(folder / "envs")
    assert main(["check", "one.tfstate"]) == 0


def test_per_address_ignores(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_state(folder / "envs/one.tfstate", resource("a", status="tainted"), resource("b", status="tainted"))
    (folder / "statetool.toml").write_text('[per-address-ignores]\n"aws_vpc.a" = ["INS"]\n', encoding="utf-8")
    main(["check", "envs", "--select", "INS005", "--format", "json"])
    assert _found(capsys) == ["INS005 aws_vpc.b"]


def test_no_setting_hides_that_a_file_is_no_state(folder: Path) -> None:
    (folder / "envs/one.tfstate").write_text("{", encoding="utf-8")
    (folder / "statetool.toml").write_text('ignore = ["STA"]\n[per-file-ignores]\n"*" = ["STA"]\n', encoding="utf-8")
    assert main(["check", "envs"]) == 2


def test_bad_settings_are_a_usage_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "statetool.toml").write_text("fail = 1\n", encoding="utf-8")
    assert main(["check", "envs"]) == 2
    assert "statetool.toml" in capsys.readouterr().err


def test_baseline_lets_only_new_findings_through(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "envs", "--write-baseline", "known.json"]) == 0
    assert main(["check", "envs", "--baseline", "known.json", "--fail-on", "info"]) == 0
    write_state(
        folder / "envs/one.tfstate",
        resource("new", status="tainted"),
        resource("a", status="tainted"),
        resource("b"),
        serial=99,
    )
    capsys.readouterr()
    assert main(["check", "envs", "--baseline", "known.json", "--fail-on", "warning", "--format", "json"]) == 1
    assert _found(capsys) == ["INS005 aws_vpc.new"]


def test_baseline_in_the_settings(folder: Path) -> None:
    (folder / "statetool.toml").write_text('fail-on = "warning"\nbaseline = "known.json"\n', encoding="utf-8")
    assert main(["check", "envs"]) == 2
    assert main(["check", "envs", "--write-baseline", "known.json"]) == 0
    assert main(["check", "envs"]) == 0


@pytest.mark.parametrize(
    "name", ["../known.json", "{above}/known.json", "link.json", "linked/known.json", "a/../../known.json"]
)
def test_a_baseline_in_the_settings_stays_in_their_folder(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    known = b'{"format_version": "1.0", "states": {}}'
    (folder.parent / "known.json").write_bytes(known)
    (folder / "link.json").symlink_to("../known.json")
    (folder / "linked").symlink_to("..")
    (folder / "a").mkdir()
    setting = name.format(above=folder.parent)
    (folder / "statetool.toml").write_text(f'baseline = "{setting}"\n', encoding="utf-8")
    assert main(["check", "envs"]) == 2
    assert "must be in their folder or below it" in " ".join(capsys.readouterr().err.split())
    assert main(["check", "envs", "--baseline", setting]) == 0
    assert main(["check", "envs", "--write-baseline", "other.json"]) == 0
    assert (folder.parent / "known.json").read_bytes() == known


def test_a_folder_that_is_reached_by_a_link(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "statetool.toml").write_text('baseline = "known.json"\n', encoding="utf-8")
    (folder.parent / "link").symlink_to(folder)
    monkeypatch.chdir(folder.parent)
    assert main(["check", "link/envs", "--settings", "link/statetool.toml", "--write-baseline", "link/known.json"]) == 0
    assert main(["check", "link/envs", "--settings", "link/statetool.toml"]) == 0


@pytest.mark.parametrize("kind", ["link", "dangling link", "fifo", "folder"])
def test_a_baseline_is_written_to_a_regular_file_only(
    folder: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    precious = folder / "precious"
    if kind == "link":
        precious.write_bytes(b"precious")
    if "link" in kind:
        (folder / "known.json").symlink_to("precious")
    elif kind == "fifo":
        os.mkfifo(folder / "known.json")
    else:
        (folder / "known.json").mkdir()
    assert main(["check", "envs", "--write-baseline", "known.json"]) == 2
    assert "the baseline was not written" in " ".join(capsys.readouterr().err.split())
    assert precious.exists() == (kind == "link")
    assert kind != "link" or precious.read_bytes() == b"precious"


@pytest.mark.parametrize("name", ["statetool.toml", "known.json"])
def test_files_that_never_end(folder: Path, name: str) -> None:
    (folder / "statetool.toml").write_text('baseline = "known.json"\n', encoding="utf-8")
    (folder / name).unlink(missing_ok=True)
    with (folder / name).open("wb") as file:
        file.truncate(1 << 40)
    assert main(["check", "envs"]) == 2


def test_two_findings_alike_need_two_in_the_baseline(folder: Path) -> None:
    deposed = {"deposed": "0000000a", "schema_version": 0, "attributes": {"id": "x"}, "sensitive_attributes": []}
    one = resource("a")
    one["instances"].append(deposed)
    write_state(folder / "envs/one.tfstate", one)
    main(["check", "envs", "--write-baseline", "known.json"])
    one["instances"].append(deposed | {"deposed": "0000000b"})
    write_state(folder / "envs/one.tfstate", one)
    assert main(["check", "envs", "--baseline", "known.json", "--fail-on", "warning"]) == 1


@pytest.mark.parametrize("text", ["", "[]", '{"format_version": "9.0"}', '{"states": {"a": 1}}'])
def test_bad_baseline_is_refused(folder: Path, text: str) -> None:
    (folder / "known.json").write_text(text, encoding="utf-8")
    assert main(["check", "envs", "--baseline", "known.json"]) == 2


def test_statistics_count_by_rule(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "envs", "--statistics", "--select", "INS005"])
    assert capsys.readouterr().out.splitlines()[0].split() == ["1", "INS005", "warning", "tainted"]


def test_the_same_twice(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "envs"])
    first = capsys.readouterr().out
    main(["check", "envs"])
    assert capsys.readouterr().out == first


def test_a_hundred_defects_in_one_run_sorted_by_address(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_state(folder / "envs/one.tfstate", *(resource(f"r{n:03}", status="broken") for n in range(100)))
    assert main(["check", "envs", "--select", "INS001", "--format", "json"]) == 1
    assert _found(capsys) == [f"INS001 aws_vpc.r{n:03}" for n in range(100)]
