"""How the annotations of a function become options and arguments."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import click
import pytest

from statefmt.cli.declared import Option, Positional, declared_command


class Colour(StrEnum):
    RED = "red"
    DARK_BLUE = "dark-blue"


def _command(
    name: Annotated[str, Positional(metavar="NAME", help="The name.")],
    others: Annotated[list[str] | None, Positional(metavar="[OTHER]...", help="More names.")] = None,
    colour: Annotated[Colour, Option("--colour", "-c", help="The colour.")] = Colour.RED,
    colours: Annotated[list[Colour] | None, Option(help="Colours.")] = None,
    paths: Annotated[list[Path], Option("--path", metavar="PATH", help="Paths.")] = [],  # noqa: B006
    count: Annotated[int | None, Option(metavar="N", help="A number.", min=1)] = None,
    dry_run: Annotated[bool, Option(help="Change nothing.")] = True,
    agreed: Annotated[bool | None, Option("--yes", help="Agree.", panel="Questions")] = None,
    *,
    context: click.Context,
) -> dict[str, Any]:
    """Do something."""
    given = dict(locals())
    assert given.pop("context").info_name == "do"
    return given


def run(*arguments: str) -> dict[str, Any]:
    command = declared_command(_command, click.Command, "do")
    with command.make_context("do", list(arguments)) as context:
        made = command.invoke(context)
        assert isinstance(made, dict)
        return made


def test_defaults() -> None:
    assert run("one") == {
        "name": "one", "others": None, "colour": Colour.RED, "colours": None, "paths": [], "count": None,
        "dry_run": True, "agreed": None,
    }  # fmt: skip


def test_values_have_the_declared_types() -> None:
    given = (
        "one two three -c dark-blue --colours red --colours dark-blue --path a --path b --count 2 --no-dry-run --yes"
    )
    made = run(*given.split())
    assert made == {
        "name": "one", "others": ["two", "three"], "colour": Colour.DARK_BLUE,
        "colours": [Colour.RED, Colour.DARK_BLUE], "paths": [Path("a"), Path("b")], "count": 2, "dry_run": False,
        "agreed": True,
    }  # fmt: skip
    assert isinstance(made["colour"], Colour)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "Missing argument 'NAME'"),
        ("one --count 0", "0 is not in the range x>=1"),
        ("one -c blue", "'blue' is not one of 'red', 'dark-blue'"),
        ("one --dry-run=yes", "does not take a value"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: str, message: str) -> None:
    with pytest.raises(click.UsageError) as raised:
        run(*arguments.split())
    assert message in raised.value.format_message()


def test_help() -> None:
    command = declared_command(_command, click.Command, "do")
    context = click.Context(command, info_name="do")
    records = dict(one.get_help_record(context) or ("", "") for one in command.params)
    assert command.help == "Do something."
    assert records["NAME"] == "The name.  [required]"
    assert records["[OTHER]..."] == "More names."
    assert records["-c, --colour [red|dark-blue]"] == "The colour.  [default: red]"
    assert records["--count N"] == "A number.  [x>=1]"
    assert records["--dry-run / --no-dry-run"] == "Change nothing.  [default: dry-run]"
    assert [getattr(one, "panel", "") for one in command.params][-1] == "Questions"
