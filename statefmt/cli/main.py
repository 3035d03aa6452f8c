"""The program `statetool`: finds the command, runs it, and turns every problem into a message and a status."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any, Final

import click
import typer
from typer.core import TyperCommand, TyperGroup

from statefmt.cli.command_line import observe_parser, was_given
from statefmt.cli.exit_status import (
    AS_PLANS_DO,
    DETAILED_EXITCODE,
    FAILED,
    FINE,
)
from statefmt.cli.failure import show_failure, show_usage_error
from statefmt.cli.options.encryption_files import encryption_options, use_encryption
from statefmt.cli.progress import Progress, can_be_shown
from statefmt.cli.run import Run, current_run, system_context
from statefmt.cli.streams import discard_output, open_streams, output_problem
from statefmt.model.errors import StatetoolError, StoreError
from statefmt.version import __version__

# What help shows: the commands by what they are for, with one line each. The module of a command has its name, and is
# imported only when the command is used.
SECTIONS: Final = {
    "Look": {
        "list": "List the resource instances in a state.",
        "show": "Show resource instances, with what is sensitive hidden.",
        "providers": "Show provider configurations, and what is bound to each.",
        "outputs": "Show the output values of the root module.",
        "stats": "Count what a state holds, and tell what takes the room.",
        "graph": "Draw which resource depends on which.",
    },
    "Check and compare": {
        "check": "Run the rules over states, and gate on what they find.",
        "simulate": "Tell what a change of a configuration would orphan.",
        "rule": "List the rules of check, or explain one.",
        "diff": "Show what really differs between two states.",
    },
    "Formats and releases": {
        "fmt": "Rewrite states in canonical form.",
        "upgrade": "Upgrade a state of any version to canonical version 4.",
        "downgrade": "Write a state for an older release, or the other engine.",
        "releases": "Show what each release reads, writes and keeps.",
    },
    "Surgery": {
        "mv": "Move instances, resources and modules to other addresses.",
        "rm": "Forget instances, and keep the objects they stand for.",
        "rekey": "Give instances other keys, as from count to for_each.",
        "rebind": "Bind instances to another provider instance.",
        "replace-provider": "Bind resources to another provider or configuration.",
        "taint": "Mark instances, so that the next plan replaces them.",
        "untaint": "Take that mark away again.",
        "forget-deposed": "Forget what replacements left over.",
        "set": "Set single attributes of instances.",
        "unset": "Unset single attributes of instances.",
        "set-serial": "Set the serial of a state.",
        "new-lineage": "Make a copy of a state a state of its own.",
    },
    "Encryption": {
        "encryption-info": "Show what an encrypted state tells, and what reads it.",
        "encrypt": "Encrypt a plain state as OpenTofu does.",
        "decrypt": "Write an encrypted state in plain text.",
        "reencrypt": "Encrypt states by the first method of a configuration.",
    },
    "Step back": {
        "undo": "Take back the last edit that statetool made to a state.",
        "history": "Show the edits that statetool made to a state.",
    },
    "Git": {
        "git-config": "Let git compare states with statetool, or no longer.",
        "git-driver": "What git runs where git-config has set it up.",
    },
}
COMMANDS: Final = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}
_OBJECTS_BETWEEN_COLLECTIONS: Final = 1_000_000
# They read no state.
_WITHOUT_ENCRYPTION: Final = frozenset({"git-config", "rule", "releases", "history"})
_WIDEST: Final = max(map(len, COMMANDS))
ALIASES: Final = {"ls": "list"}


class PlainCommand(TyperCommand):
    """A command whose help has no escapes in it, which typer means for another printer of texts."""

    def get_help(self, ctx: click.Context) -> str:
        return super().get_help(ctx).replace("\\[", "[")

    def make_parser(self, ctx: click.Context) -> Any:
        parser = super().make_parser(ctx)
        observe_parser(parser, ctx)
        return parser

    def invoke(self, ctx: click.Context) -> Any:
        if self.name not in _WITHOUT_ENCRYPTION:
            use_encryption(ctx)
        return super().invoke(ctx)


class LazyGroup(TyperGroup):
    """The commands by name, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = ALIASES.get(cmd_name, cmd_name)
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"statefmt.cli.commands.{name.replace('-', '_')}")
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(name, cls=PlainCommand)(module.command)
        command = typer.main.get_command(app)
        if name not in _WITHOUT_ENCRYPTION:
            command.params += encryption_options({parameter.name for parameter in command.params})
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                # Else messages speak of an environment variable that is called None.
                parameter.show_envvar = False
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                # The widest name of all, so that the sections stand in line.
                formatter.write_dl([(name.ljust(_WIDEST), summary) for name, summary in commands.items()])


app = typer.Typer(
    cls=LazyGroup,
    name="statetool",
    add_completion=False,
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"statetool {__version__}")
        raise typer.Exit


@app.callback(epilog="Exit status: 0 fine, 1 findings or differences, 2 could not do it.")
def globals_(
    ctx: typer.Context,
    color: str = typer.Option(
        "auto",
        metavar="WHEN",
        show_default=False,
        help="Use colour: auto (the default), always or never. NO_COLOR is honoured.",
    ),
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """Read, check, migrate and edit OpenTofu and Terraform state snapshots."""
    if color not in ("auto", "always", "never"):
        raise typer.BadParameter("must be auto, always or never", param_hint="--color")
    ctx.obj = replace(current_run(), colour=color)


def run() -> None:
    """Run the command that the process was started with, and end the process with its exit status."""
    # A state makes objects by the hundred thousand and hardly any cycles: looking for these after every 700 new
    # objects, which is Python's default, takes a quarter of the time of `list`.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 100)
    gc.enable()
    progress = Progress()
    if can_be_shown():
        open_streams(progress)
        progress.begin()
    else:
        open_streams()
    status = main(sys.argv[1:])
    progress.end()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    # All is written, and nothing is open but what the system closes: taking a large state apart takes time.
    os._exit(status)


def main(arguments: list[str]) -> int:
    """Run one command and give its exit status; every problem has become a message on standard error."""
    # The context outlives all that fails: the option holds for arguments that are not valid, too.
    with ExitStack() as contexts:
        status = _run(arguments, contexts)
        return AS_PLANS_DO.get(status, status) if was_given(DETAILED_EXITCODE) else status


def _run(arguments: list[str], contexts: ExitStack) -> int:
    try:
        command = typer.main.get_command(app)
        # Not command.main(), which takes a closed pipe for status 1, and 1 means that something was found.
        run = Run(system_context(), tuple(arguments))
        context = contexts.enter_context(command.make_context("statetool", list(arguments), obj=run))
        status = command.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        # --help and --version
        return stop.exit_code
    except BrokenPipeError:
        # Whoever reads has gone.
        discard_output()
        return 128 + signal.SIGPIPE
    except OSError as error:
        discard_output()
        show_failure(StoreError(output_problem(error)))
        return FAILED
    except RecursionError:
        show_failure(StatetoolError("a module path or a value is nested too deeply for this command"))
        return FAILED
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except click.Abort:
        return 128 + signal.SIGINT
    except click.ClickException as error:
        show_usage_error(error)
        return FAILED
    except StatetoolError as error:
        show_failure(error)
        return FAILED
    return status if isinstance(status, int) else FINE
