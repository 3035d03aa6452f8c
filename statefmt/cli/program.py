"""The command line as a whole: the group that imports and runs the commands, and the options before a command.

Commands also accept their names in `tofu` and `terraform`; other names are explained.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer
from typer.core import TyperGroup
from typer.main import get_command

from statefmt import __version__
from statefmt.cli.names import ALIASES, COMMANDS, GROUPED, MODULES, SECTIONS, STATE_COMMANDS
from statefmt.cli.options.shared import ColourOption, NoPagerOption
from statefmt.cli.outcome import UsageError
from statefmt.cli.run import run_context
from statefmt.cli.spellings import SpellingReader, alike
from statefmt.text import shell_word

if TYPE_CHECKING:
    from statefmt.cli.command import Declared, ProgramCommand


# typer itself has only --help.
HELP_OPTIONS: Final[dict[str, Any]] = {"help_option_names": ["-h", "--help"]}
_WIDEST: Final = max(map(len, COMMANDS))
# The commands for beginners on the screen of statetool without arguments.
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
    """A command group that imports each command on first use."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands, by section."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> ProgramCommand | None:
        """Import a command or the target of an alias."""
        name = ALIASES.get(cmd_name, cmd_name)
        return command_named(name) if name in COMMANDS else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options before the command, in any spelling."""
        line = SpellingReader(self.get_params(ctx), of_group=True).read(args)
        if line.problem:
            raise UsageError(line.problem, ctx)
        return super().parse_args(ctx, [*line.words, *line.arguments])

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, ProgramCommand | None, list[str]]:
        """Return the command at the start of the arguments, its typed name, and the remaining arguments."""
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
    """Import the declaration of a command from its module."""
    module = importlib.import_module(f"statefmt.cli.commands.{MODULES[name]}")
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


# Other words for commands of statetool.
_ALSO: Final = {
    "where": "whereis",
    "workspaces": "workspace",
    "list": "addresses resources",
    "show": "inspect",
    "providers": "accounts provider regions",
    "outputs": "get-output",
    "grep": "find search",
    "stats": "count info size summary",
    "graph": "dependencies deps dot tree",
    "report": "html",
    "pull": "cat download export",
    "check": "doctor lint validate",
    "rule": "rules",
    "diff": "changes compare",
    "fmt": "format",
    "upgrade": "convert migrate",
    "mv": "move rename",
    "rm": "del delete forget remove",
    "set-serial": "serial",
    "new-lineage": "lineage",
    "split": "separate",
    "join": "combine",
    "locks": "lock",
    "copy": "backup cp",
    "fleet query": "query sql",
    "fleet duplicates": "dup duplicate duplicates dups",
    "undo": "revert rollback",
    "blame": "annotate praise",
}
_OTHER_NAMES: Final = {other: name for name, others in _ALSO.items() for other in others.split()}
# Other words for tasks of several commands, or of a command with an option.
_TASKS: Final = {
    **dict.fromkeys(
        ("fix", "autofix", "mend", "heal"),
        "`statetool check --fix` fixes what has one right answer, `statetool repair` mends a state that cannot be "
        "loaded, and `statetool salvage` reads a file that is no longer JSON.",
    ),
    **dict.fromkeys(
        ("ops", "operations", "stateops"),
        "To see what an operations file does: `statetool plan FILE`. To run the file: `statetool apply FILE`.",
    ),
    **dict.fromkeys(
        ("orphan", "orphans", "orphaned"),
        "`statetool check --config DIR` lists the objects whose provider or provider instance the configuration does "
        "not have, `statetool simulate --config DIR --without KEY` those that a change would orphan.",
    ),
    **dict.fromkeys(
        ("push", "upload"),
        "To send a state to the backend of this folder: `statetool copy FILE .`, or `tofu state push FILE`.",
    ),
    **dict.fromkeys(
        ("recover", "rescue"),
        "`statetool undo` takes back an edit, `statetool restore` puts a backup back, `statetool salvage` reads a "
        "damaged file.",
    ),
    "csv": "To list the instances as CSV: `statetool list --format csv`.",
    "encryption": "`statetool encryption-info` shows how a state is encrypted, `statetool encrypt` encrypts it.",
    "ids": "To list the instances with their ids: `statetool list --long`.",
    "json": "To print a state as JSON: `statetool show --format json`, or `statetool pull` for the file as it is.",
    "sarif": "To report findings as SARIF: `statetool check --format sarif`.",
}
# Commands of OpenTofu that read the configuration, run providers or reach a backend.
_OF_THE_ENGINE: Final = frozenset({"console", "destroy", "get", "import", "init", "login", "logout", "refresh", "test"})


def command_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments that start with a command of statetool: `state mv A B` becomes `mv A B`.

    The two words of a command such as `fleet index` become one. Raises UsageError for an unsupported subcommand of
    `tofu state`.
    """
    name, *rest = arguments
    if name in GROUPED and rest and not rest[0].startswith("-"):
        return [f"{name} {rest[0]}", *rest[1:]]
    if name != "state":
        return [*arguments]
    if rest and rest[0] in STATE_COMMANDS:
        return rest
    family = ", ".join(STATE_COMMANDS)
    if rest and rest[0] == "push":
        raise UsageError(f"No such command 'state push'. {_TASKS['push']}")
    raise UsageError(f"After 'state', write one of: {family}. 'state' itself can be left out.")


def unknown_command(name: str, commands: Iterable[str]) -> str:
    """Return the message for an unknown command, with suggestions."""
    if name in GROUPED:
        family = ", ".join(one.partition(" ")[2] for one in commands if one.startswith(f"{name} "))
        return f"After '{name}', write one of: {family}."
    if name in _TASKS:
        return f"No such command '{name}'. {_TASKS[name]}"
    if name in _OF_THE_ENGINE:
        return f"No such command '{name}': statetool works offline on states. Use `tofu {name}`."
    if name.endswith(".tfstate") or Path(name).is_file():
        return f"No such command '{name}'. To check this state: statetool check {shell_word(name)}"
    near = _OTHER_NAMES.get(name) or next(iter(alike(name, [*commands, *ALIASES])), None)
    return f"No such command '{name}'." + (f" Did you mean '{near}'?" if near else " `statetool --help` lists them.")


SHELLS: Final = ("bash", "zsh", "fish")
_DETECT: Final = "detect"
_REMARKS: Final = {
    "bash": (
        "It needs the package bash-completion. Without that, add this line to ~/.bashrc:\n"
        '  eval "$(statetool --show-completion bash)"\n'
    ),
    "zsh": (
        "If your ~/.zshrc does not have these lines, add them:\n"
        "  fpath=({folder} $fpath)\n  autoload -Uz compinit && compinit\n"
    ),
}


def _install(shell: str | None) -> None:
    if shell is None:
        return
    environment = run_context().environment
    if shell == _DETECT:
        shell = Path(environment.get("SHELL", "")).name
        if shell not in SHELLS:
            raise typer.BadParameter(
                f"SHELL does not name one of {', '.join(SHELLS)}: add the shell", param_hint="--install-completion"
            )
    path = place(shell, environment)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script(shell), encoding="utf-8")
    typer.echo(f"Completion for {shell} is installed in {path}. It works in new shells.")
    typer.echo(_REMARKS.get(shell, "").format(folder=path.parent), nl=False)
    raise typer.Exit


def _show(shell: str | None) -> None:
    if shell is not None:
        typer.echo(script(shell), nl=False)
        raise typer.Exit


InstallOption = Annotated[
    Literal["bash", "zsh", "fish", "detect"] | None,
    typer.Option(
        "--install-completion",
        metavar="[SHELL]",
        is_eager=True,
        callback=_install,
        help="Install completion for bash, zsh or fish; default: the shell in SHELL.",
    ),
]
ShowOption = Annotated[
    Literal["bash", "zsh", "fish"] | None,
    typer.Option(
        "--show-completion", metavar="SHELL", is_eager=True, callback=_show, help="Print the completion script."
    ),
]


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    return (Path(__file__).parent / "completion_scripts" / f"statetool.{shell}").read_text(encoding="utf-8")


def place(shell: str, environment: Mapping[str, str]) -> Path:
    """Return the file from which a shell loads completions by default."""
    home = Path(environment.get("HOME") or Path.home())
    data = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    if shell == "bash":
        return data / "bash-completion" / "completions" / "statetool"
    if shell == "fish":
        return Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "completions" / "statetool.fish"
    return data / "zsh" / "site-functions" / "_statetool"
