"""What every command of statetool is to typer: its options with those that all commands share, and its help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import typer
from typer.core import TyperArgument, TyperCommand
from typer.main import get_command

from statefmt.cli.editing.left_copies import remove_left_copies
from statefmt.cli.options.backend_options import ConnectionOptions, FolderOptions, use_backend_options
from statefmt.cli.options.display import display_options
from statefmt.cli.options.encryption_files import EncryptionOptions, use_encryption
from statefmt.cli.options.groups import COMMON, GROUPS
from statefmt.cli.options.shared import StateOption
from statefmt.cli.options.takes import Declared, Examples, options_of, with_options
from statefmt.cli.run import current_run, use_run
from statefmt.cli.spellings import SpellingReader
from statefmt.cli.streams import end_paging
from statefmt.cli.usage_error import UsageError

_OWN: Final = "Options"


class ProgramCommand(TyperCommand):
    """A command of statetool. `examples` are shown in its help."""

    examples: Examples = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line, in whichever spelling."""
        line = SpellingReader(self.get_params(ctx)).read(args)
        use_run(replace(current_run(), options=line.options))
        if line.problem:
            raise UsageError(line.problem, ctx)
        return super().parse_args(ctx, [*line.words, "--", *line.arguments])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments without the braces that typer puts around required ones."""
        shown = [(one.metavar or "", one.required) for one in self.params if isinstance(one, TyperArgument)]
        return ["[OPTIONS]", *(name if needed or name.startswith("[") else f"[{name}]" for name, needed in shown)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the command's own options, the examples, and then the shared options by group."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], _OWN: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                # typer 0.29 adds its type to the name of an argument.
                name = parameter.metavar if isinstance(parameter, TyperArgument) else record[0]
                rows.setdefault(_group(parameter), []).append((name or "", record[1]))
        for title in ("Arguments", _OWN):
            _write_rows(formatter, title, rows.pop(title))
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("\n".join(example_lines(self.examples, " " * formatter.current_indent)))
        for title in sorted(rows, key=_place):
            _write_rows(formatter, title, rows[title])


def program_command(name: str, declaration: Declared) -> ProgramCommand:
    """Return the command of a declaration, with the shared options."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(name, cls=ProgramCommand)(_with_shared_options(name, declaration))
    command = get_command(app)
    assert isinstance(command, ProgramCommand)
    command.examples = declaration.examples
    return command


def example_lines(examples: Examples, indent: str) -> list[str]:
    """Return the lines of examples: what each does, and below it the command line, on one line to copy."""
    return [line for what, command in examples for line in (f"{indent}# {what}", f"{indent}{command}\n")]


def _with_shared_options(name: str, declaration: Declared) -> Callable[..., int]:
    """Return the function with the options that all commands share; they are put into the run."""
    function = declaration.function
    options = options_of(function)
    own = [option.name for option in options]
    groups: list[Callable[..., object]] = [display_options]
    if declaration.decrypts:
        groups.append(EncryptionOptions)
    # `reconcile` has a --state of its own.
    if any(option.annotation == StateOption or option.name == "stored" for option in options):
        groups.append(FolderOptions)
    if declaration.connects:
        groups.append(ConnectionOptions)
    for group in groups:
        options += options_of(group, {option.name for option in options})

    def command(**given: Any) -> int:
        use_run(replace(current_run(), command=name))
        if not declaration.paged:
            end_paging()
        remove_left_copies()
        if FolderOptions in groups or ConnectionOptions in groups:
            use_backend_options(given)
        if declaration.decrypts:
            use_encryption(given)
        return function(**{one: given[one] for one in own})

    return with_options(command, options, function)


def _group(parameter: Any) -> str:
    if isinstance(parameter, TyperArgument):
        return "Arguments"
    # typer makes --help itself.
    return COMMON if parameter.name == "help" else parameter.rich_help_panel or _OWN


def _place(title: str) -> int:
    """Return the place of a group: those of single commands come first."""
    return GROUPS.index(title) if title in GROUPS else -1


def _write_rows(formatter: Any, title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)
