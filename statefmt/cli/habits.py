"""Accepts commands as `tofu` and `terraform` name them, and says what was meant by other names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from statefmt.cli.names import ALIASES, GROUPED, STATE_COMMANDS
from statefmt.cli.spellings import alike
from statefmt.cli.usage_error import UsageError
from statefmt.text import shell_word

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
        raise UsageError(f"No such command 'state push'. {_TASKS['push']}")
    raise UsageError(f"After 'state', write one of: {family}. 'state' itself can be left out.")


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
    near = _OTHER_NAMES.get(name) or next(iter(alike(name, [*commands, *ALIASES])), None)
    return f"No such command '{name}'." + (f" Did you mean '{near}'?" if near else " `statetool --help` lists them.")
