"""Accepts commands and options as `tofu` and `terraform` spell them, and says what was meant by the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import click

from statefmt.text.shell import shell_word

# Names that mean the same as a command.
ALIASES: Final = {"ls": "list", "output": "outputs", "force-unlock": "unlock"}
# The subcommands of `tofu state` that statetool has, too.
STATE_COMMANDS: Final = ("list", "show", "mv", "rm", "replace-provider", "pull")
# The first words of commands whose names have two.
GROUPED: Final = frozenset({"fleet"})
# What people type for a command of statetool.
_OTHER_NAMES: Final = {
    "accounts": "providers",
    "addresses": "list",
    "backup": "copy",
    "cat": "pull",
    "changes": "diff",
    "combine": "join",
    "compare": "diff",
    "convert": "upgrade",
    "count": "stats",
    "cp": "copy",
    "del": "rm",
    "delete": "rm",
    "dependencies": "graph",
    "deps": "graph",
    "dot": "graph",
    "download": "pull",
    "doctor": "check",
    "dup": "fleet duplicates",
    "duplicate": "fleet duplicates",
    "duplicates": "fleet duplicates",
    "dups": "fleet duplicates",
    "export": "pull",
    "find": "grep",
    "forget": "rm",
    "format": "fmt",
    "get-output": "outputs",
    "html": "report",
    "info": "stats",
    "inspect": "show",
    "lineage": "new-lineage",
    "lint": "check",
    "lock": "locks",
    "log": "history",
    "merge": "join",
    "migrate": "upgrade",
    "move": "mv",
    "provider": "providers",
    "query": "fleet query",
    "regions": "providers",
    "remove": "rm",
    "rename": "mv",
    "resources": "list",
    "revert": "undo",
    "rollback": "undo",
    "rules": "rule",
    "search": "grep",
    "separate": "split",
    "serial": "set-serial",
    "size": "stats",
    "sql": "fleet query",
    "summary": "stats",
    "tree": "graph",
    "validate": "check",
    "whereis": "where",
    "workspace": "workspaces",
}
_REPAIR: Final = (
    "`statetool check --fix` fixes what has one right answer, `statetool repair` mends a state that cannot be loaded, "
    "and `statetool salvage` reads a file that is no longer JSON."
)
_OPERATIONS: Final = (
    "To see what an operations file does: `statetool plan FILE`. To run the file: `statetool apply FILE`."
)
_ORPHANS: Final = (
    "`statetool check --config DIR` lists the objects whose provider or provider instance the configuration does not "
    "have, `statetool simulate --config DIR --without KEY` those that a change would orphan."
)
_RECOVERY: Final = (
    "`statetool undo` takes back an edit, `statetool restore` puts a backup back, `statetool salvage` reads a damaged "
    "file."
)
# What people type for a task that several commands do, or one with an option.
_TASKS: Final = {
    "csv": "To list the instances as CSV: `statetool list --format csv`.",
    "encryption": "`statetool encryption-info` shows how a state is encrypted, `statetool encrypt` encrypts it.",
    "fix": _REPAIR,
    "autofix": _REPAIR,
    "mend": _REPAIR,
    "heal": _REPAIR,
    "ids": "To list the instances with their ids: `statetool list --long`.",
    "json": "To print a state as JSON: `statetool show --format json`, or `statetool pull` for the file as it is.",
    "ops": _OPERATIONS,
    "operations": _OPERATIONS,
    "stateops": _OPERATIONS,
    "orphan": _ORPHANS,
    "orphans": _ORPHANS,
    "orphaned": _ORPHANS,
    "push": "To send a state to the backend of this folder: `statetool copy FILE .`, or `tofu state push FILE`.",
    "upload": "To send a state to the backend of this folder: `statetool copy FILE .`, or `tofu state push FILE`.",
    "recover": _RECOVERY,
    "rescue": _RECOVERY,
    "sarif": "To report findings as SARIF: `statetool check --format sarif`.",
}
# Commands of OpenTofu that read the configuration, run providers or reach a backend.
_OF_THE_ENGINE: Final = frozenset({"console", "destroy", "get", "import", "init", "login", "logout", "refresh", "test"})
# Options that mean the same as one of statetool's, with its value, if that is fixed.
_OTHER_OPTIONS: Final = {
    "-json": ("--format", "json"),
    "-no-color": ("--color", "never"),
    "-auto-approve": ("--yes", None),
    "-state-out": ("--out", None),
}
# What names mean in `mv`, which writes another state.
_IN_MOVES: Final = {"-state-out": ("--to-state", None)}
_TRUE: Final = frozenset({"true", "t", "1"})
_FALSE: Final = frozenset({"false", "f", "0"})
_ENOUGH_ALIKE: Final = 0.5


def command_arguments(arguments: Sequence[str]) -> list[str]:
    """Return the arguments that start with a command of statetool: `state mv A B` becomes `mv A B`.

    The two words of a command such as `fleet index` become one. Raises UsageError for a subcommand of `tofu state`
    that statetool does not have.
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
        raise click.UsageError(f"No such command 'state push'. {_TASKS['push']}")
    raise click.UsageError(f"After 'state', write one of: {family}. 'state' itself can be left out.")


def unknown_command(name: str, commands: Iterable[str]) -> str:
    """Return the message for a command that does not exist, with what was probably meant."""
    if name in GROUPED:
        family = ", ".join(one.partition(" ")[2] for one in commands if one.startswith(f"{name} "))
        return f"After '{name}', write one of: {family}."
    if name in _TASKS:
        return f"No such command '{name}'. {_TASKS[name]}"
    if name in _OF_THE_ENGINE:
        return f"No such command '{name}': statetool works offline on states. Use `tofu {name}`."
    if name.endswith(".tfstate") or Path(name).is_file():
        return f"No such command '{name}'. To check this state: statetool check {shell_word(name)}"
    near = _OTHER_NAMES.get(name) or next(iter(_alike(name, [*commands, *ALIASES])), None)
    return f"No such command '{name}'." + (f" Did you mean '{near}'?" if near else " `statetool --help` lists them.")


def accept_spellings(parser: Any, context: click.Context) -> None:
    """Let a parser of click accept `-state=PATH` for `--state`, `-lock=false` for `--no-lock`, and `-json`."""
    options: dict[str, Any] = parser._long_opt
    others = _OTHER_OPTIONS | (_IN_MOVES if "--to-state" in options else {})
    known = [name for name in options if name.startswith("--")]
    # A single dash and a single letter is a short option.
    options |= {name[1:]: options[name] for name in known if len(name) > len("--x")}
    for other, (name, _) in others.items():
        if name in options:
            options[other] = options[f"-{other}"] = options[name]
    match, match_short = parser._match_long_opt, parser._match_short_opt

    def match_long(name: str, value: str | None, state: Any) -> None:
        other = others.get(name.replace("--", "-", 1))
        if other is not None and other[0] in options and value is None:
            name, value = other
        elif value == "-" and other == _IN_MOVES.get("-state-out"):
            # Standard output can only be a copy.
            name = "--out"
        elif value is not None and name in options and not options[name].takes_value:
            negation = f"--no-{name.lstrip('-')}"
            if value in _FALSE and negation not in options:
                return
            name, value = negation if value in _FALSE else name, None if value in _TRUE | _FALSE else value
        if name not in options and name.startswith("--"):
            raise _unknown_option(name, known, context)
        match(name, value, state)

    takes_numbers = any("RUN" in (parameter.metavar or "") for parameter in context.command.params)

    def match_short_options(argument: str, state: Any) -> None:
        if takes_numbers and argument[1:].isdigit():
            # A place from the end, such as -1.
            state.largs.append(argument)
            return
        if argument[:2] not in parser._short_opt and not parser.ignore_unknown_options:
            raise _unknown_option(argument.partition("=")[0], known, context)
        match_short(argument, state)

    parser._match_long_opt, parser._match_short_opt = match_long, match_short_options


def _unknown_option(name: str, known: Sequence[str], context: click.Context) -> click.NoSuchOption:
    word = name.lstrip("-")
    containing = [option for option in known if word in option and len(word) > 1]
    near = [*containing, *_alike(f"--{word}", known, _ENOUGH_ALIKE)]
    message = f"No such option: {name}." + (f" Did you mean {near[0]}?" if near else "")
    return click.NoSuchOption(name, message, ctx=context)


def _alike(name: str, names: Sequence[str], cutoff: float = 0.6) -> list[str]:
    # Imported late: few command lines are wrong.
    from difflib import get_close_matches

    return get_close_matches(name, names, 1, cutoff)
