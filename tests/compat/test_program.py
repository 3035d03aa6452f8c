"""The real programs are found, answer, and keep to the folder and the environment they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.states import resource, state
from tests.compat.program import CHOICE, Library, Program, programs


def test_says_which_release_it_is(real: Program) -> None:
    assert real.engine in ("opentofu", "terraform")
    assert real.minor >= (1, 0)
    assert real.release == f"{real.engine}-{real.minor[0]}.{real.minor[1]}"
    assert real.version.startswith(f"{real.minor[0]}.{real.minor[1]}.")


def test_works_in_the_folder_it_is_given(real: Program, folder: Path) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "terraform.tfstate").write_bytes(state(resource("aws_vpc", name)))
    assert [real.run(folder / name, "state", "list").out for name in ("a", "b", "a")] == [
        "aws_vpc.a\n",
        "aws_vpc.b\n",
        "aws_vpc.a\n",
    ]


def test_says_no(real: Program, folder: Path) -> None:
    result = real.run(folder, "state", "list", "-state=nowhere.tfstate")
    assert (result.status, result.out) == (1, "")
    assert "nowhere" in result.err or "No state" in result.err


@pytest.mark.parametrize("name", ["TF_CLI_ARGS", "TF_CLI_ARGS_version", "TF_LOG"])
def test_no_setting_of_the_user_has_a_say(
    name: str, real: Program, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real.close()
    before = real.run(folder, "version")
    real.close()
    monkeypatch.setenv(name, "trace")
    assert real.run(folder, "version") == before
    assert before.err == ""


@pytest.mark.parametrize("library", [program for program in programs() if isinstance(program, Library)])
def test_after_a_crash_the_library_goes_on(library: Library, folder: Path) -> None:
    assert library.run(folder / "missing", "version").status != 0
    assert library.run(folder, "version").status == 0
    library.close()


def test_a_choice_that_is_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, "no-such-program")
    with pytest.raises(FileNotFoundError, match=f"{CHOICE} is 'no-such-program', which is no program"):
        programs.__wrapped__()
