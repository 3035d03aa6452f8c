"""Command lines in any spelling, as they are passed to typer."""

from __future__ import annotations

from typing import Annotated

import typer

from statefmt.cli.spellings import CommandLine, SpellingReader
from tests.tables import each_row


def _command(
    states: Annotated[list[str] | None, typer.Argument(metavar="[STATE]...")] = None,
    state: Annotated[str | None, typer.Option("--state")] = None,
    out: Annotated[str | None, typer.Option("--out", "--output", "-o")] = None,
    lock: Annotated[bool, typer.Option("--lock/--no-lock")] = True,
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False,
    long: Annotated[bool, typer.Option("--long", "-l")] = False,
    regex: Annotated[bool, typer.Option("--regex/--fixed", "-E/-F")] = False,
    output_format: Annotated[str | None, typer.Option("--format")] = None,
) -> None: ...


def read(line: str) -> CommandLine:
    app = typer.Typer(add_completion=False)
    app.command()(_command)
    return SpellingReader(typer.main.get_command(app).params).read(line.split(" "))


@each_row(
    ("line", "words", "arguments"),
    [
        ("--state s", "--state=s", ""),
        ("-state s", "--state=s", ""),
        ("-state=s", "--state=s", ""),
        ("--state=", "--state=", ""),
        ("--state=a=b", "--state=a=b", ""),
        # An explicit value may look like an option.
        ("--state=--yes", "--state=--yes", ""),
        ("--output o", "--out=o", ""),
        ("-o o", "--out=o", ""),
        ("-oo", "--out=o", ""),
        ("-out=o", "--out=o", ""),
        ("-state-out o", "--out=o", ""),
        ("-state-out=o", "--out=o", ""),
        ("-o -", "--out=-", ""),
        ("-lo o", "--long --out=o", ""),
        ("-ly", "--long --yes", ""),
        ("-lyo=o", "--long --yes --out==o", ""),
        ("-lock=false", "--no-lock", ""),
        ("-lock=true", "--lock", ""),
        ("--no-lock=false", "", ""),
        ("-yes=0", "", ""),
        ("-yes=t", "--yes", ""),
        ("-auto-approve", "--yes", ""),
        ("-F", "--fixed", ""),
        ("-E", "--regex", ""),
        ("-json", "--format=json", ""),
        ("--json", "--format=json", ""),
        ("a -y b", "--yes", "a b"),
        ("- -y", "--yes", "-"),
        ("-y -- -l --state", "--yes", "-l --state"),
    ],
)
def test_options_and_arguments(line: str, words: str, arguments: str) -> None:
    found = read(line)
    assert (" ".join(found.words), " ".join(found.arguments), found.problem) == (words, arguments, "")


@each_row(
    ("line", "problem"),
    [
        ("--stat s", "No such option: --stat. Did you mean --state?"),
        ("-stat=s", "No such option: -stat. Did you mean --state?"),
        ("-q", "No such option: -q."),
        ("-lq", "No such option: -lq."),
        ("-lenient=false", "No such option: -lenient."),
        ("--no-color", "No such option: --no-color."),
        ("--state", "Option '--state' requires an argument."),
        ("-state -y", "Option '-state' requires an argument."),
        ("-o --yes", "Option '-o' requires an argument."),
        ("--state -lock=false", "Option '--state' requires an argument."),
        ("--yes=maybe", "Option '--yes' does not take a value."),
        ("-q --state", "No such option: -q."),
    ],
)
def test_the_first_problem_is_reported(line: str, problem: str) -> None:
    assert read(line).problem.startswith(problem)


def test_what_follows_a_problem_is_read() -> None:
    """`--detailed-exitcode` decides about the exit status of a wrong command line, too."""
    found = read("--frobnicate -y -o x --state")
    assert found.options == (("--yes", ""), ("--out", "x"))
    assert found.problem.startswith("No such option: --frobnicate")
    assert found.waiting == "--state"


def test_an_option_in_place_of_a_value_is_not_given() -> None:
    assert read("--state --yes -l").options == (("--long", ""),)


def test_options_keep_their_order() -> None:
    assert read("-o a -y --output=b").options == (("--out", "a"), ("--yes", ""), ("--out", "b"))
