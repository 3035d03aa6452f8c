"""`statetool help` and `version`: show the help of a command, a topic, or the version."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer
from typer.core import TyperGroup

from statefmt import __version__
from statefmt.cli.command import declared, examples
from statefmt.cli.options.shared import FormatOption, OutputFormat
from statefmt.cli.outcome import FINE, UsageError
from statefmt.cli.program import command_arguments, unknown_command

_TOPICS: Final = Path(__file__).parents[1] / "topics"


@examples(
    ("Show the options of mv, with examples.", "statetool help mv"),
    ("Explain how to select resource instances.", "statetool help selectors"),
)
@declared(paged=True, decrypts=False, connects=False)
def help_command(
    context: typer.Context,
    name: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND | TOPIC]", help="A command, a topic, or `topics` for a list of topics."),
    ] = None,
) -> int:
    """Show the help of a command, or explain a topic."""
    program = context.parent
    assert program is not None
    assert isinstance(program.command, TyperGroup)
    if not name:
        typer.echo(program.get_help())
        return FINE
    if name == ["topics"]:
        titles = {one: topic(one).partition("\n")[0] for one in topics()}
        width = max(map(len, titles))
        typer.echo(
            "\n".join(["Topics, for `statetool help TOPIC`:", *(f"  {n:{width}}  {t}" for n, t in titles.items())])
        )
        return FINE
    wanted, *rest = command_arguments(name)
    found = program.command.get_command(program, wanted)
    if found is not None and not rest:
        with typer.Context(found, info_name=found.name, parent=program) as inner:
            typer.echo(found.get_help(inner))
    elif wanted in topics() and not rest:
        typer.echo(topic(wanted), nl=False)
    else:
        message = unknown_command(" ".join([wanted, *rest]), [*program.command.list_commands(program), *topics()])
        raise UsageError(message, context)
    return FINE


def topics() -> list[str]:
    """Return the names of all topics."""
    return sorted(path.stem for path in _TOPICS.glob("*.txt"))


def topic(name: str) -> str:
    """Return the text of a topic."""
    return (_TOPICS / f"{name}.txt").read_text(encoding="utf-8")


@examples(("Show the version.", "statetool version"), ("Print it for a program.", "statetool version --format json"))
@declared(paged=False, decrypts=False, connects=False)
def version_command(output_format: FormatOption = OutputFormat.TEXT) -> int:
    """Show the version of statetool, like `statetool --version`."""
    if output_format is OutputFormat.JSON:
        from statefmt.render.json_output import document

        sys.stdout.buffer.write(document(version=__version__))
    else:
        print(f"statetool {__version__}")
    return FINE
