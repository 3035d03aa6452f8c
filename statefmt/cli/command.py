"""Declares commands: their properties, shared options, and help."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar, get_type_hints

import typer
from typer import BadParameter, Option
from typer.core import TyperArgument, TyperCommand, TyperOption
from typer.main import get_command

from statefmt.cli.copy_places import copy_places
from statefmt.cli.options.encryption import EXTERNAL_HELP, allows_external, encryption_options, use_encryption
from statefmt.cli.options.shared import BACKEND, COMMON, FOLDER, GROUPS, StateOption, display_options
from statefmt.cli.outcome import UsageError
from statefmt.cli.run import current_run, run_context, use_run
from statefmt.cli.spellings import SpellingReader
from statefmt.cli.streams import asking, end_paging, say

R = TypeVar("R")
# The effect of an example, and its command line.
Examples: TypeAlias = Sequence[tuple[str, str]]


class Declared(NamedTuple):
    """A command as its file declares it."""

    function: Callable[..., int]
    # Whether users read its output, so that long output goes to the pager.
    paged: bool
    # Whether it reads states, and so has the options about encryption.
    decrypts: bool
    # Whether it opens states, and so has the options about backends.
    connects: bool
    # Shown in its help.
    examples: Examples = ()


def declared(*, paged: bool, decrypts: bool, connects: bool) -> Callable[[Callable[..., int]], Declared]:
    """Declare a command. The name of its function, such as `mv_command`, names it; its parameters are its options.

    There are no defaults, so that no new command lacks the pager or the options of states by mistake.
    """
    return lambda function: Declared(function, paged=paged, decrypts=decrypts, connects=connects)


def examples(*pairs: tuple[str, str]) -> Callable[[Declared], Declared]:
    """Add examples to a command: pairs of an effect and a command line."""
    return lambda declaration: declaration._replace(examples=pairs)


def takes(**groups: Callable[..., object]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Replace parameters of a command by groups of options.

    `groups` maps each parameter to the function that takes the options and returns the parameter's value. If the
    command has its own option of the same name, the function uses its default. Options are read from the signature and
    their meaning from the annotations, so both are assembled here.
    """

    def decorate(command: Callable[..., R]) -> Callable[..., R]:
        own = inspect.signature(command).parameters
        made = {name: options_of(groups[name], own) for name in own if name in groups}
        plain = [name for name in own if name not in made]

        def taking(**given: Any) -> R:
            # A nested group is called without the command's own options.
            arguments = {name: given[name] for name in plain if name in given}
            for name, options in made.items():
                arguments[name] = groups[name](**{option.name: given[option.name] for option in options})
            return command(**arguments)

        hints = get_type_hints(command, include_extras=True)
        return with_options(
            taking,
            [option for name, one in own.items() for option in made.get(name) or [_keyword(one, hints)]],
            command,
        )

    return decorate


def options_of(function: Callable[..., object], but: Container[str] = ()) -> list[inspect.Parameter]:
    """Return the options that a function takes, except some, with their annotations."""
    hints = get_type_hints(function, include_extras=True)
    return [_keyword(one, hints) for name, one in inspect.signature(function).parameters.items() if name not in but]


def with_options(
    taking: Callable[..., R], options: list[inspect.Parameter], command: Callable[..., R]
) -> Callable[..., R]:
    """Give a function that takes keywords a signature with these options, and the docstring of a command."""
    vars(taking)["__signature__"] = inspect.Signature(options)
    taking.__annotations__ = {one.name: one.annotation for one in options}
    taking.__doc__ = command.__doc__
    return taking


def _keyword(one: inspect.Parameter, hints: dict[str, Any]) -> inspect.Parameter:
    return one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name])


_OWN: Final = "Options"


class ProgramCommand(TyperCommand):
    """A command of statetool. `examples` are shown in its help."""

    examples: Examples = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line in any spelling."""
        line = SpellingReader(self.get_params(ctx)).read(args)
        use_run(current_run()._replace(options=line.options))
        if line.problem:
            raise UsageError(line.problem, ctx)
        return super().parse_args(ctx, [*line.words, "--", *line.arguments])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments without typer's braces around required arguments."""
        shown = [(one.metavar or "", one.required) for one in self.params if isinstance(one, TyperArgument)]
        return ["[OPTIONS]", *(name if needed or name.startswith("[") else f"[{name}]" for name, needed in shown)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the command's own options, the examples, and then the shared options by group."""
        rows: dict[str, list[tuple[str, str]]] = {"Arguments": [], _OWN: []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                # typer 0.29 adds the type to the name of an argument.
                name = parameter.metavar if isinstance(parameter, TyperArgument) else record[0]
                rows.setdefault(_group(parameter), []).append((name or "", record[1]))
        for title in ("Arguments", _OWN):
            _write_rows(formatter, title, rows.pop(title))
        if self.examples:
            with formatter.section("Examples"):
                indent = " " * formatter.current_indent
                # Each command line is on one line, for copying.
                lines = [line for what, command in self.examples for line in (f"# {what}", f"{command}\n")]
                formatter.write("\n".join(f"{indent}{line}" for line in lines))
        # Groups of single commands come first.
        for title in sorted(rows, key=lambda title: GROUPS.index(title) if title in GROUPS else -1):
            _write_rows(formatter, title, rows[title])


def program_command(name: str, declaration: Declared) -> ProgramCommand:
    """Return the command of a declaration, with the shared options."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(name, cls=ProgramCommand)(_with_shared_options(name, declaration))
    command = get_command(app)
    assert isinstance(command, ProgramCommand)
    command.examples = declaration.examples
    for parameter in command.params:
        # The help of an option contains its default.
        if isinstance(parameter, (TyperArgument, TyperOption)):
            parameter.show_default = False
    return command


def _with_shared_options(name: str, declaration: Declared) -> Callable[..., int]:
    """Add the options that all commands share to a function; they become part of the run."""
    function = declaration.function
    options = options_of(function)
    own = [option.name for option in options]
    groups: list[Callable[..., object]] = [display_options]
    if declaration.decrypts:
        groups.append(encryption_options)
    # `reconcile` has its own --state.
    if any(option.annotation == StateOption or option.name == "stored" for option in options):
        groups.append(folder_options)
    if declaration.connects:
        groups.append(connection_options)
    for group in groups:
        options += options_of(group, {option.name for option in options})

    def command(**given: Any) -> int:
        use_run(current_run()._replace(command=name))
        if not declaration.paged:
            end_paging()
        remove_left_copies()
        if folder_options in groups or connection_options in groups:
            use_backend_options(given)
        if declaration.decrypts:
            use_encryption(given)
        return function(**{one: given[one] for one in own})

    return with_options(command, options, function)


def _group(parameter: Any) -> str:
    if isinstance(parameter, TyperArgument):
        return "Arguments"
    # typer creates --help itself.
    return COMMON if parameter.name == "help" else parameter.rich_help_panel or _OWN


def _write_rows(formatter: Any, title: str, rows: Sequence[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(title):
            formatter.write_dl(rows)


def remove_left_copies() -> None:
    """Remove the copies of edits that no longer run. Every command starts with this, and nearly always finds none."""
    for place in copy_places(run_context().environment):
        # Permissions may forbid even that.
        if os.path.lexists(place.folder):
            from statefmt.cli.private_copy import removed_copies

            for path in removed_copies(place.folder):
                run_context().note(f"removed {path}, the copy of a state that a killed edit left behind")


_OF_FOLDERS: Final = {"workspace": "--workspace", "backend_config": "--backend-config"}
# The parameters for states, which must be folders or URLs with these options.
_STATES: Final = ("state", "state_option", "states", "old", "new", "stored")


def folder_options(
    *,
    workspace: Annotated[
        str | None,
        Option(
            metavar="WORKSPACE",
            help="Use the state of this workspace, not that of TF_WORKSPACE or the selected one.",
            rich_help_panel=FOLDER,
        ),
    ] = None,
    backend_config: Annotated[
        list[str] | None,
        Option(
            metavar="KEY=VALUE|FILE", help="Set arguments of the backend block, as for init.", rich_help_panel=FOLDER
        ),
    ] = None,
) -> None:
    """The options of commands that find the state of a folder."""


def connection_options(
    *,
    allow_host: Annotated[
        list[str] | None,
        Option(
            metavar="HOST",
            help="Send credentials of the environment to this host, although only the folder names it.",
            rich_help_panel=BACKEND,
        ),
    ] = None,
    allow_env: Annotated[
        list[str] | None,
        Option(
            metavar="NAME",
            help="Let the backend block of the folder use this variable of the environment, such as TF_VAR_region.",
            rich_help_panel=BACKEND,
        ),
    ] = None,
    allow_path: Annotated[
        list[str] | None,
        Option(
            metavar="PATH",
            help="Let the folder, its configuration or the operations file use this file or folder elsewhere.",
            rich_help_panel=BACKEND,
        ),
    ] = None,
    no_verify: Annotated[
        bool,
        Option(
            "--no-verify",
            help="Do not verify certificates of servers: whoever is in between can read and change the state.",
            rich_help_panel=BACKEND,
        ),
    ] = False,
    debug: Annotated[
        bool,
        Option(
            "--debug",
            help="Show each request to a backend on standard error, without credentials.",
            rich_help_panel=BACKEND,
        ),
    ] = False,
    # Most commands have it anyway, for encrypted states.
    allow_external: Annotated[bool, Option("--allow-external", help=EXTERNAL_HELP, rich_help_panel=BACKEND)] = False,
) -> None:
    """The options of commands that open states."""


def use_backend_options(given: Mapping[str, Any]) -> None:
    """Add the options of a command to the run. Raises BadParameter, also if a file gets options of folders."""
    of_folder = [option for name, option in _OF_FOLDERS.items() if given.get(name) is not None]
    # os.path returns False if a parent may not be searched; Path raises.
    if of_folder and not all("://" in name or os.path.isdir(name) for name in _named(given)):  # noqa: PTH112
        raise BadParameter("only the state of a folder has it, and a file is named here", param_hint=of_folder[0])
    # Most runs are about a file; the other states of an edit may be in a backend.
    state = given.get("state")
    is_file = isinstance(state, str) and os.path.isfile(state)  # noqa: PTH113
    if is_file and not of_folder and not given.get("allow_path") and not given.get("states"):
        return
    from statefmt.locations import BackendOptions

    workspace, hosts = given.get("workspace"), tuple(given.get("allow_host") or ())
    variables, paths = tuple(given.get("allow_env") or ()), tuple(given.get("allow_path") or ())
    values = {"--workspace": (workspace,), "--allow-host": hosts, "--allow-env": variables, "--allow-path": paths}
    for option, texts in values.items():
        if "" in texts:
            raise BadParameter("must not be empty", param_hint=option)
    run = current_run()
    options = BackendOptions(
        workspace=workspace,
        settings=tuple(given.get("backend_config") or ()),
        allowed_hosts=hosts,
        allowed_env=variables,
        allowed_paths=paths,
        allow_external=allows_external(given),
        verify=not given.get("no_verify"),
        agree=asking(),
        debug=(lambda text: say(f"debug: {text}")) if given.get("debug") else None,
    )
    use_run(run._replace(context=replace(run.context, backend=options)))


def _named(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of states on the command line."""
    for parameter in _STATES:
        value = given.get(parameter)
        yield from [value] if isinstance(value, str) else value or ()
