"""What of a difference `statetool diff` shows, and what is said where it cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program, Statetool
from tests.cli.diffing import compare, vpc, web
from tests.cli.states import AWS, resource, state
from tests.cli.terminal import in_process


def test_name_only(statetool: Statetool) -> None:
    old, new = state(vpc("a"), web(0)), state(vpc("b"), outputs={"o": {"value": 1, "type": "number"}})
    assert compare(statetool, old, new, "--name-only").text == "aws_instance.web[0]\naws_vpc.b\noutput.o\n"


def test_stat(statetool: Statetool) -> None:
    old, new = state(vpc("a", n=1), web(0, 1), serial=8), state(vpc("b", n=2), web(0))
    assert compare(statetool, old, new, "--stat").text == (
        "resource          removed  changed  moved\n"
        "aws_instance.web        1\n"
        "aws_vpc.b                        1      1\n"
        "\n"
        "1 removed, 1 changed, 1 moved; serial 8 → 7\n"
    )


# Options, the exit status, and the names of what is left of one comparison.
CHOSEN: list[tuple[list[str], int, list[str]]] = [
    (["--only", "added"], 1, ["aws_subnet.n"]),
    (["--only", "added,removed"], 1, ["aws_instance.web[0]", "aws_subnet.n"]),
    (["--only", "added", "--only", "outputs"], 1, ["aws_subnet.n", "output.o"]),
    (["--only", "rebound"], 0, []),
    (["--ignore", "added,removed,outputs,envelope"], 1, ["aws_vpc.b"]),
    (["--ignore", "added,removed,outputs,envelope,moved"], 0, []),
    (["--select", "aws_vpc.a"], 1, ["aws_vpc.b"]),
    (["--select", "aws_vpc.*", "--select", "aws_subnet.n"], 1, ["aws_subnet.n", "aws_vpc.b"]),
    (["--exclude", "aws_vpc.*"], 1, ["aws_instance.web[0]", "aws_subnet.n"]),
    (["--select", "aws_vpc.a", "--only", "changed"], 0, []),
]


@pytest.mark.parametrize(("options", "status", "names"), CHOSEN, ids=[" ".join(case[0]) for case in CHOSEN])
def test_chosen(options: list[str], status: int, names: list[str], statetool: Statetool) -> None:
    old = state(vpc("a"), web(0))
    new = state(vpc("b"), resource("aws_subnet", "n"), outputs={"o": {"value": 1, "type": "number"}}, serial=8)
    result = compare(statetool, old, new, *options, "--name-only")
    assert (result.status, result.text.splitlines()) == (status, names)


def test_exact(statetool: Statetool) -> None:
    old, new = (state(vpc("a", n=0, j="")).replace(b'"n": 0', text) for text in (b'"n": 1', b'"n": 1.0'))
    assert compare(statetool, old, new).status == 0
    assert compare(statetool, old, new, "--exact").text == "~ aws_vpc.a\n    ~ n: 1 → 1.0\n\n1 changed\n"


def test_long_values_are_cut_where_they_differ(statetool: Statetool) -> None:
    old, new = (state(vpc("a", long="x" * 500 + end)) for end in ("old", "newer"))
    assert compare(statetool, old, new).text == (
        f'~ aws_vpc.a\n    ~ long: …{"x" * 86}old" (505 characters) → …{"x" * 86}newer" (507 characters)\n\n1 changed\n'
    )
    assert in_process("--color", "never", "diff", "old", "new").text == (
        "~ aws_vpc.a\n"
        "    ~ long:\n"
        f'          …{"x" * 46}old" (505 characters)\n'
        f'        → …{"x" * 46}newer" (507 characters)\n'
        "\n"
        "1 changed\n"
    )
    assert "x" * 500 + "newer" in compare(statetool, old, new, "--full").text


def test_lines_fit_the_terminal(statetool: Statetool) -> None:
    """All but addresses, which stay whole."""
    old, new = (state(vpc("a", long=end * 500, l=[end] * 90, o={end: {end: end * 30}})) for end in "xy")
    compare(statetool, old, new)
    assert max(map(len, in_process("--color", "never", "diff", "old", "new").text.splitlines())) <= 80


REGION = f'{AWS}.by_region["ap-southeast-3-{"x" * 20}"]'
ACCOUNT = f'{AWS}.by_account["production-{"y" * 20}"]'


def test_addresses_are_never_cut(statetool: Statetool) -> None:
    """The end of a provider address, its alias and key, is what matters: a short name stands for it."""
    old, new = (state({**vpc("a"), "provider": provider}) for provider in (f"{AWS}.x", f"{AWS}.{'z' * 80}"))
    compare(statetool, old, new)
    shown = in_process("--color", "never", "diff", "old", "new").text
    assert f"          aws.x\n        → aws.{'z' * 80}\n" in shown
    old, new = (
        state({**resource("aws_vpc", "a", {"provider": provider, "attributes": {"id": "v"}}), "provider": None})
        for provider in (REGION, ACCOUNT)
    )
    compare(statetool, old, new)
    lines = in_process("--color", "never", "diff", "old", "new").text.splitlines()
    assert [line.split()[-1] for line in lines[2:4]] == [each.replace(AWS, "aws") for each in (REGION, ACCOUNT)]
    piped = statetool("diff", "old", "new").text
    assert f"~ provider: {REGION} → {ACCOUNT}" in piped


def test_short_names_of_two_sources(statetool: Statetool) -> None:
    mine = AWS.replace("hashicorp", "acme")
    old, new = (state({**vpc("a"), "provider": f"{source}.{'z' * 80}"}) for source in (AWS, mine))
    compare(statetool, old, new)
    shown = in_process("--color", "never", "diff", "old", "new").text
    assert f"hashicorp/aws.{'z' * 80}\n" in shown
    assert f"acme/aws.{'z' * 80}\n" in shown


def test_another_lineage(statetool: Statetool) -> None:
    result = compare(statetool, state(), state(lineage="other"))
    assert result.status == 1
    assert result.err.startswith("statetool: warning: the lineages differ")
    assert "~ lineage:" in result.text


def test_standard_input(program: Program) -> None:
    Path("old").write_bytes(state(vpc("a")))
    for arguments, text in ((("-", "old"), "→ aws_vpc.b to aws_vpc.a"), (("old", "-"), "→ aws_vpc.a to aws_vpc.b")):
        result = program("diff", *arguments, stdin=state(vpc("b")))
        assert result.text.splitlines()[0] == text


def test_one_state_is_compared_with_that_of_the_workspace(statetool: Statetool, folder: Path) -> None:
    (folder / "old").write_bytes(state(vpc("a")))
    (folder / "terraform.tfstate").write_bytes(state(vpc("b")))
    assert statetool("diff", "old").text.splitlines()[0] == "→ aws_vpc.a to aws_vpc.b"
    (folder / ".terraform").mkdir()
    (folder / ".terraform" / "environment").write_text("dev")
    (folder / "terraform.tfstate.d" / "dev").mkdir(parents=True)
    (folder / "terraform.tfstate.d" / "dev" / "terraform.tfstate").write_bytes(state(vpc("c")))
    assert statetool("diff", "old").text.splitlines()[0] == "→ aws_vpc.a to aws_vpc.c"
    assert statetool("diff", "terraform.tfstate").text.splitlines()[0] == "→ aws_vpc.b to aws_vpc.c"


def test_the_state_of_the_workspace_is_not_compared_with_itself(statetool: Statetool, folder: Path) -> None:
    """That nothing differs would mislead."""
    (folder / "terraform.tfstate").write_bytes(state(vpc("a")))
    for name in ("terraform.tfstate", "./terraform.tfstate"):
        result = statetool("diff", name)
        assert (result.status, result.out) == (2, b"")
        assert f"{name} is the state of the current workspace itself; name the state to compare it with" in result.err


def test_one_state_from_a_pipe(program: Program, folder: Path) -> None:
    (folder / "terraform.tfstate").write_bytes(state(vpc("b")))
    result = program("diff", "-", stdin=state(vpc("a")))
    assert (result.status, result.text.splitlines()[0]) == (1, "→ aws_vpc.a to aws_vpc.b")


# Arguments, and what the message has in it.
FAILING: list[tuple[list[str], str]] = [
    (["old"], "there is no terraform.tfstate to compare old with; name the second state, too"),
    ([], "Missing argument 'OLD'"),
    (["-", "-"], "only one of the two can come from standard input"),
    (["old", "nowhere"], "nowhere: there is no such file"),
    (["old", "text"], "text: this state cannot be used"),
    (["old", "old", "--only", "sideways"], "'sideways' is not a kind; choose from: added, removed, moved,"),
    (["old", "old", "--stat", "--name-only"], "choose one of"),
    (["old", "old", "--select", "a.nope"], "no resource instance matches 'a.nope'"),
    (["old", "git:HEAD"], "write a version in git as git:REVISION:PATH"),
    (["old", "git:--help:old"], "write a version in git as git:REVISION:PATH"),
    (["old", "git:HEAD:old"], "not a git repository"),
]


@pytest.mark.parametrize(("arguments", "message"), FAILING, ids=[" ".join(case[0]) for case in FAILING])
def test_cannot_be_done(arguments: list[str], message: str, statetool: Statetool) -> None:
    Path("old").write_bytes(state(vpc("a")))
    Path("text").write_text("no state")
    result = statetool("diff", *arguments)
    assert (result.status, result.out) == (2, b"")
    assert message in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["old", "old"], 0),
        (["old", "new"], 2),
        (["old", "none"], 1),
        (["old", "new", "-x"], 1),
        # What stands in the place of a value is no option.
        (["old", "new", "--select"], 2),
    ],
)
def test_detailed_exit_status(arguments: list[str], status: int, statetool: Statetool) -> None:
    Path("old").write_bytes(state())
    Path("new").write_bytes(state(serial=8))
    assert statetool("diff", *arguments, "--detailed-exitcode").status == status
