"""The click command behind each command of statetool: its help, its parser and its shared options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

from statefmt.cli.command_line import observe_parser
from statefmt.cli.editing.left_copies import remove_left_copies
from statefmt.cli.habits import accept_spellings
from statefmt.cli.options.backend_options import connection_options, folder_options, use_backend_options
from statefmt.cli.options.display import display_options
from statefmt.cli.options.encryption_files import encryption_options, use_encryption
from statefmt.cli.options.groups import COMMON, GROUPS
from statefmt.cli.streams import end_paging

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# Commands that read no state.
WITHOUT_ENCRYPTION: Final = frozenset(
    {
        *(
            "git-config",
            "help",
            "history",
            "locks",
            "moves",
            "releases",
            "rule",
            "schemas",
            "unlock",
            "version",
            "versions",
        ),
        *("fleet check", "fleet diff", "fleet duplicates", "fleet graph", "fleet query", "where", "workspaces"),
    }
)
# Commands whose output people read, so that a long one goes to the pager.
_PAGED: Final = frozenset(
    {
        *("list", "show", "providers", "outputs", "stats", "graph", "grep", "check", "simulate", "verify", "rule"),
        *("diff", "plan-show", "releases", "history", "help", "encryption-info", "where", "workspaces", "locks"),
        *(
            "versions",
            "reconcile",
            "plan",
            "fleet check",
            "fleet diff",
            "fleet duplicates",
            "fleet graph",
            "fleet query",
        ),
    }
)
_OWN: Final = "Options"
# Commands that take the place of a state, and connect to nothing.
_WITHOUT_CONNECTION: Final = frozenset({"where"})
# The parameters that name states.
_STATES: Final = frozenset(
    {"state", "states", "state_option", "old", "new", "source", "sources", "target", "stored", "operations"}
)

# Finds values of a parameter that start with what was typed, for a shell that completes them.
Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]
# What an example does, and its command line.
Examples: TypeAlias = Sequence[tuple[str, str]]


class ProgramCommand(click.Command):
    """A command of statetool. `examples` are shown in its help."""

    examples: Examples = ()

    def add_shared_options(self) -> None:
        """Add the options that all commands have."""
        self.params += display_options()
        if self.name not in WITHOUT_ENCRYPTION:
            self.params += encryption_options({parameter.name for parameter in self.params})
        if any("--state" in parameter.opts for parameter in self.params):
            self.params += folder_options()
        if self._names_states and self.name not in _WITHOUT_CONNECTION:
            self.params += connection_options({parameter.name for parameter in self.params})
        for parameter in self.params:
            if isinstance(parameter, click.Option):
                # Otherwise messages mention an environment variable None.
                parameter.show_envvar = False

    @property
    def _names_states(self) -> bool:
        return any(parameter.name in _STATES for parameter in self.params)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, the command's own options, the examples, and then the shared options by group."""
        rows = _rows(self, ctx)
        for title in ("Arguments", _OWN):
            _write_rows(formatter, title, rows.pop(title, []))
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("\n".join(example_lines(self.examples, " " * formatter.current_indent)))
        for title in sorted(rows, key=_place):
            _write_rows(formatter, title, rows[title])

    def make_parser(self, ctx: click.Context) -> Any:
        parser = super().make_parser(ctx)
        observe_parser(parser, ctx)
        accept_spellings(parser, ctx)
        return parser

    def invoke(self, ctx: click.Context) -> Any:
        if self.name not in _PAGED:
            end_paging()
        remove_left_copies()
        if self._names_states:
            use_backend_options(ctx)
        if self.name not in WITHOUT_ENCRYPTION:
            use_encryption(ctx)
        return super().invoke(ctx)


def example_lines(examples: Examples, indent: str) -> list[str]:
    """Return the lines of examples: what each does, and below it the command line, on one line to copy."""
    return [line for what, command in examples for line in (f"{indent}# {what}", f"{indent}{command}\n")]


def _rows(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """Return the rows of the help by group."""
    rows: dict[str, list[tuple[str, str]]] = {}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            rows.setdefault(_group(parameter), []).append(record)
    return rows


def _group(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return "Arguments"
    # click makes --help itself.
    return COMMON if parameter.name == "help" else getattr(parameter, "panel", "") or _OWN


def _place(title: str) -> int:
    """Return the place of a group: those of single commands come first."""
    return GROUPS.index(title) if title in GROUPS else -1


def _write_rows(formatter: click.HelpFormatter, title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
