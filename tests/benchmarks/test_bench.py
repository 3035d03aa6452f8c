"""`python -m benchmarks` compares with what is there, shows the worst shape first, and says what is missing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from benchmarks import results
from benchmarks.case import Case
from benchmarks.commands import LINES
from benchmarks.hostile import HOSTILE
from benchmarks.measure import Process, RunError, Runs, run
from benchmarks.results import Row, ratio_text
from benchmarks.shapes import SHAPES

_ROOT: Final = Path(__file__).parents[2]
_SLEEP: Final = "import time; time.sleep(0.2)"
_BUSY: Final = "held = bytearray(100 << 20); print('done')"


def bench(*arguments: str, path: str = os.environ["PATH"]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", "--size", "20kB", *arguments]
    environment = {**os.environ, "PATH": path}
    return subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=False)


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, str]]:
    assert done.returncode == 0, done.stderr
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def test_worst_shape_comes_first() -> None:
    found = rows(bench("-n", "1", "--only", "show", "--shape", "singles,format-3,modules"))
    ratios = [float(row["time"]) for row in found]
    assert {row["shape"] for row in found} == {"singles", "format-3", "modules"}
    assert ratios == sorted(ratios, reverse=True)


def test_missing_program_and_refusal_are_told(tmp_path: Path) -> None:
    done = bench("-n", "1", "--only", "start-up,fmt", "--shape", "singles,format-3", path=str(tmp_path))
    found = {(row["command"], row["shape"]): row for row in rows(done)}
    assert found["start-up", ""]["against"] == "terraform is missing"
    assert found["fmt", "singles"]["against"] == "jq is missing"
    assert " s, " in found["fmt", "singles"]["statetool"]
    assert found["fmt", "format-3"]["statetool"] == "refused"
    assert "format version 3" in done.stderr


def test_against_another_statetool() -> None:
    own = Path(sys.executable).with_name("statetool")
    found = rows(bench("--against", str(own), "--only", "list,start-up", "--shape", "singles"))
    assert [row["size"] for row in found] == ["", "0.0002 MB", "0.02 MB", "0.2 MB"]
    assert not any(row["floor"] for row in found)
    for row in found:
        assert row["against"] == "other"
        assert re.fullmatch(r"\d+\.\d{3} \(\d+\.\d\d to \d+\.\d\d(, all (more|less))?\)", row["time"])


@pytest.mark.parametrize(
    ("ratios", "text"),
    [
        ([1.3, 1.01, 1.1], "1.100 (1.01 to 1.30, all more)"),
        ([0.5, 0.99, 0.7], "0.700 (0.50 to 0.99, all less)"),
        ([0.9, 1.2, 1.1], "1.100 (0.90 to 1.20)"),
    ],
)
def test_only_what_all_pairs_agree_on_is_a_difference(ratios: list[float], text: str) -> None:
    assert ratio_text(ratios, spread=True) == text
    assert ratio_text(ratios) == text[:5]


def test_limits_are_judged() -> None:
    assert ratio_text([0.1, 0.2, 0.9], 0.2) == "0.200 ≤ 0.2 ✓"
    assert ratio_text([0.1, 0.21, 0.9], 0.2) == "0.210 > 0.2 ✗"
    assert ratio_text([], 0.2) == ""


def test_limits_depend_on_the_shape() -> None:
    limits = {line.ours: line.time for line in LINES}
    assert {name: limits["check --no-settings {state}"](shape) for name, shape in SHAPES.items()} == {
        **dict.fromkeys(SHAPES, 2),
        **dict.fromkeys(("singles", "dependencies", "compact", "not-canonical", "format-3"), 3),
    }
    assert [limits["fmt --stdout {state}"](SHAPES[name]) for name in ("outputs", "compact", "not-canonical")] == [
        0.25,
        0.25,
        0.5,
    ]


def test_start_up_has_a_verdict_at_each_size() -> None:
    (row,) = rows(bench("-n", "1", "--only", "start-up", "--shape", "singles"))
    assert re.search(r"[✓✗]|missing", row["time"] + row["against"])


def test_hostile_states_are_checked() -> None:
    done = bench("-n", "1", "--only", "check", "--shape", "hostile")
    found = rows(done)
    assert {row["shape"] for row in found} == set(HOSTILE)
    assert {row["against"] for row in found} == {"orjson.loads of 0.04 MB"}
    ratios = [float(row["time"]) for row in found]
    assert ratios == sorted(ratios, reverse=True)


def test_a_part_measured_anew_keeps_the_other_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "_ROWS", tmp_path / "results.json")
    one, two, anew = (Row("list", shape, ratio, (shape,)) for shape, ratio in (("a", 1), ("b", 2), ("a", 3)))
    assert results.kept([one, two]) == [one, two]
    assert results.kept([anew]) == [two, anew]
    assert results.kept([]) == [two, anew]


def test_runs_are_shared_and_slow_programs_run_once(tmp_path: Path) -> None:
    counted = tmp_path / "counted"
    process = Process([sys.executable, "-c", f"open({str(counted)!r}, 'a').write('x')"])
    other = Process([sys.executable, "-c", _SLEEP])
    runs = Runs(0.15)
    for _ in range(2):
        pairs = runs.in_turn(process, other, 3)
    assert counted.read_text() == "xxx"
    assert len({slow for _, slow in pairs}) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--only", "lst"], ["--shape", "single"], ["--size", "20"], ["-n", "0"],
        ["--against", "statetool", "-n", "4"], ["--write", "--against", "statetool"],
    ],
)  # fmt: skip
def test_bad_arguments(arguments: list[str]) -> None:
    done = bench(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")


def test_each_line_can_be_filled_in(tmp_path: Path) -> None:
    case = Case(tmp_path, SHAPES["singles"], 20_000)
    for line in LINES:
        for words in (line.ours.split(), line.other.command):
            assert not any("{" in word for word in case.process(tuple(words), "ours").command)


def test_a_process_is_measured_by_itself(tmp_path: Path) -> None:
    output = tmp_path / "output"
    sleeping, busy = (Process([sys.executable, "-c", code]) for code in (_SLEEP, _BUSY))
    held = bytearray(200 << 20)
    slept, held_much = run(sleeping), run(busy, output)
    del held
    assert slept.clock >= 0.2
    assert slept.memory < 100 <= held_much.memory < 200
    assert output.read_text() == "done\n"


@pytest.mark.parametrize(
    "code", ["raise SystemExit(2)", "raise ValueError('no')", "import os; os.kill(os.getpid(), 9)"]
)
def test_failure_is_an_error(code: str) -> None:
    with pytest.raises(RunError, match="exit status"):
        run(Process([sys.executable, "-c", code]))


def test_a_refusal_can_be_a_result() -> None:
    refusing = [sys.executable, "-c", "raise SystemExit(2)"]
    assert run(Process(refusing, may_refuse=True)).clock > 0
    with pytest.raises(RunError):
        run(Process([sys.executable, "-c", "raise SystemExit(3)"], may_refuse=True))


def test_differences_are_no_failure() -> None:
    run(Process([sys.executable, "-c", "raise SystemExit(1)"]))
