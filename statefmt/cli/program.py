"""The command line as a whole: the commands by section, and the group that imports and runs them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final

import click

from statefmt import __version__
from statefmt.cli.command import Completer, ProgramCommand
from statefmt.cli.declared import Option, declared_command
from statefmt.cli.habits import ALIASES, accept_spellings, command_arguments, unknown_command
from statefmt.cli.options.completion import completion_options
from statefmt.cli.options.display import display_options

# The sections of the help, with a summary of each command. The module of a command has its name, and is imported only
# when the command is used. A name of two words is typed as two.
SECTIONS: Final = {
    "Inspect": {
        "where": "Show where the state of a folder is, and what says so.",
        "workspaces": "List the workspaces of a folder.",
        "list": "List the resource instances in a state.",
        "show": "Show resource instances, with sensitive values hidden.",
        "providers": "Show provider configurations and what is bound to each.",
        "outputs": "Show the output values of the root module.",
        "grep": "Search attributes and outputs for text.",
        "stats": "Show what a state contains, in numbers and sizes.",
        "graph": "Show the dependencies between resources, as a tree or drawn.",
        "report": "Write a page about states, to read in a browser.",
        "pull": "Print a state, decrypted if it is encrypted.",
    },
    "Check and compare": {
        "check": "Check states and configurations against the rules.",
        "simulate": "Show what a configuration change would orphan.",
        "verify": "Compare an apply with its plan.",
        "rule": "List the rules of check and verify, or explain one.",
        "diff": "Show the differences between two states.",
        "plan-show": "Show the changes of a plan by provider instance.",
        "moves": "Find moves in plans that destroy and create.",
    },
    "Formats and releases": {
        "fmt": "Rewrite states in canonical form.",
        "upgrade": "Upgrade a state of any version to canonical version 4.",
        "downgrade": "Write a state for an older release or the other engine.",
        "releases": "Show what each release reads, writes and keeps.",
        "schemas": "Print the schemas of a configuration's providers.",
    },
    "Surgery": {
        "mv": "Move instances, resources and modules to other addresses.",
        "rm": "Forget instances without destroying the real objects.",
        "rekey": "Change instance keys, as from count to for_each.",
        "rebind": "Bind instances to another provider instance.",
        "replace-provider": "Bind resources to another provider or configuration.",
        "taint": "Mark instances to be replaced by the next plan.",
        "untaint": "Remove that mark from instances.",
        "forget-deposed": "Forget deposed objects without destroying them.",
        "set": "Set attributes of instances.",
        "unset": "Unset attributes of instances.",
        "edit": "Edit a state, or one instance, in an editor.",
        "set-serial": "Set the serial of a state.",
        "new-lineage": "Give a state a new lineage.",
    },
    "Several states": {
        "plan": "Show what an operations file does to its states.",
        "apply": "Run an operations file on all its states, or none.",
        "split": "Move parts of a state to new states.",
        "join": "Move everything in some states to another one.",
    },
    "Places and locks": {
        "locks": "Show who holds the locks of states.",
        "unlock": "Remove a lock that somebody left.",
        "copy": "Copy a state to another place, byte for byte.",
        "move-backend": "Copy the states of all workspaces to another backend.",
    },
    "Many states": {
        "fleet index": "Store what many states say in a database.",
        "fleet check": "Report what the rules found in all these states.",
        "fleet query": "Query such a database with SQL.",
        "fleet duplicates": "Find real objects that several states manage.",
        "fleet graph": "Show which states read the outputs of which.",
        "fleet diff": "Show what changed between two runs of fleet index.",
    },
    "Encryption": {
        "encryption-info": "Show how a state is encrypted.",
        "encrypt": "Encrypt a plain state as OpenTofu does.",
        "decrypt": "Decrypt a state to plain text.",
        "reencrypt": "Encrypt states again with the current method.",
    },
    "Repair and undo": {
        "undo": "Undo the last edit that statetool made to a state.",
        "restore": "Put a backup back in place of a state.",
        "history": "Show the edits that statetool made to a state.",
        "versions": "List the versions of a state that its service keeps.",
        "repair": "Mend a state that can be parsed but not loaded.",
        "reconcile": "Compare what an apply could not save with the state.",
        "salvage": "Take what is whole from a state that is no longer JSON.",
    },
    "Help": {"help": "Show the help of a command, or explain a topic.", "version": "Show the version."},
    "Git": {
        "git-config": "Set up git to compare states with statetool.",
        "git-driver": "Compare states for git (run by git).",
    },
}
COMMANDS: Final = {name: summary for commands in SECTIONS.values() for name, summary in commands.items()}
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


class LazyGroup(click.Group):
    """A command group that imports each command when it is used.

    `completers` is set while a shell completes a command line: what completes a parameter, by its metavar.
    """

    completers: Mapping[str, Completer] = MappingProxyType({})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"statefmt.cli.commands.{cmd_name.replace('-', '_').replace(' ', '_')}")
        command = declared_command(module.command, ProgramCommand, cmd_name)
        command.examples = module.EXAMPLES
        command.add_shared_options()
        for parameter in command.params:
            name = (parameter.metavar or "").removesuffix("...").removeprefix("[").removesuffix("]")
            completer = self.completers.get(name) or self.completers.get(parameter.metavar or "")
            if completer is not None:
                parameter._custom_shell_complete = completer
        return command

    def make_parser(self, ctx: click.Context) -> Any:
        parser = super().make_parser(ctx)
        accept_spellings(parser, ctx)
        return parser

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, *rest = command_arguments(args)
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing:
            raise click.UsageError(unknown_command(name, COMMANDS), ctx)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                # Align the summaries of all sections.
                formatter.write_dl([(name.ljust(_WIDEST), summary) for name, summary in commands.items()])


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        click.echo(f"statetool {__version__}")
        context.exit()


def _program(
    ctx: click.Context,
    version: Annotated[
        bool, Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Read, check, migrate and edit OpenTofu and Terraform state snapshots."""
    if ctx.invoked_subcommand is None:
        commands = "\n".join(f"  {name:{_WIDEST}}  {COMMANDS[name]}" for name in _FIRST)
        click.echo(_FIRST_SCREEN.format(commands=commands))


def program() -> LazyGroup:
    """Return the whole command line."""
    group = declared_command(
        _program,
        LazyGroup,
        "statetool",
        epilog="Exit status: 0 success, 1 findings or differences, 2 failure.",
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    group.params += [*display_options(), *completion_options()]
    return group
