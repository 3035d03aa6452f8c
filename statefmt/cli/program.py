"""The command line as a whole: the group that imports and runs the commands."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from statefmt import __version__
from statefmt.cli.habits import command_arguments, unknown_command
from statefmt.cli.names import ALIASES, COMMANDS, MODULES, SECTIONS
from statefmt.cli.options.completion import InstallOption, ShowOption
from statefmt.cli.options.display import ColourOption, NoPagerOption
from statefmt.cli.spellings import SpellingReader
from statefmt.cli.usage_error import UsageError

if TYPE_CHECKING:
    from statefmt.cli.command import ProgramCommand
    from statefmt.cli.options.takes import Declared

# For typer, which has only --help.
HELP_OPTIONS: Final[dict[str, Any]] = {"help_option_names": ["-h", "--help"]}
_WIDEST: Final = max(map(len, COMMANDS))
# What people start with, in the screen that statetool without arguments shows.
_FIRST: Final = ("list", "show", "check", "upgrade", "mv", "undo")
_FIRST_SCREEN: Final = """\
statetool reads, checks, migrates and edits OpenTofu and Terraform states.

Usage: statetool COMMAND [OPTIONS] ARGS

{commands}

Without --state, a command uses the state of the current workspace.
A command that edits a state locks it, keeps a backup, and can be undone.

  statetool --help        all commands
  statetool help COMMAND  one command, with examples
  statetool help topics   selectors, exit statuses, backends, habits from tofu\
"""


class LazyGroup(TyperGroup):
    """A command group that imports each command when it is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, by section."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> ProgramCommand | None:
        """Import a command; an alias is one, too."""
        name = ALIASES.get(cmd_name, cmd_name)
        return command_named(name) if name in COMMANDS else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command, in whichever spelling."""
        line = SpellingReader(self.get_params(ctx), of_group=True).read(args)
        if line.problem:
            raise UsageError(line.problem, ctx)
        return super().parse_args(ctx, [*line.words, *line.arguments])

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, ProgramCommand | None, list[str]]:
        """Return the command that the arguments start with, by the name that was typed, and the rest."""
        name, *rest = command_arguments(args)
        command = self.get_command(ctx, name)
        if command is None:
            raise UsageError(unknown_command(name, COMMANDS), ctx)
        return name, command, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by section."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                # Align the summaries of all sections.
                formatter.write_dl([(name.ljust(_WIDEST), summary) for name, summary in commands.items()])


def command_named(name: str) -> ProgramCommand:
    """Import a command."""
    # Imported late: the list of commands needs no options.
    from statefmt.cli.command import program_command

    return program_command(name, declaration(name))


def declaration(name: str) -> Declared:
    """Import what the module of a command declares about it."""
    module = importlib.import_module(MODULES[name])
    declared: Declared = getattr(module, f"{name.replace('-', '_').replace(' ', '_')}_command")
    return declared


def program() -> LazyGroup:
    """Return the whole command line."""
    app = typer.Typer(
        cls=LazyGroup,
        callback=_statetool,
        epilog="Exit status: 0 success, 1 findings or differences, 2 failure.",
        invoke_without_command=True,
        context_settings=HELP_OPTIONS,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    group = get_command(app)
    assert isinstance(group, LazyGroup)
    return group


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"statetool {__version__}")
        raise typer.Exit


def _statetool(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    color: ColourOption = None,
    no_pager: NoPagerOption = False,
    install_completion: InstallOption = None,
    show_completion: ShowOption = None,
) -> None:
    """Read, check, migrate and edit OpenTofu and Terraform state snapshots."""
    if ctx.invoked_subcommand is None:
        commands = "\n".join(f"  {name:{_WIDEST}}  {COMMANDS[name]}" for name in _FIRST)
        typer.echo(_FIRST_SCREEN.format(commands=commands))
