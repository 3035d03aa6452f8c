"""Ends commands: exit statuses, usage errors, and messages about failures, with suggested commands."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import typer
from typer import BadParameter

from statefmt import InvalidAddressError, NoMatchError, RemoteStateError, StateError, StatetoolError, StoreError
from statefmt.cli.run import current_run, run_context, use_run
from statefmt.cli.streams import message_terminal, say
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.text import advice, printable, running_shell, shell_line, shell_word

# Success.
FINE: Final = 0
# Findings at or above the failing level, or differences.
FOUND: Final = 1
# Failure: bad usage, not a state, refused.
FAILED: Final = 2

# With this option, `diff` exits like `tofu plan -detailed-exitcode`.
DETAILED_EXITCODE: Final = "--detailed-exitcode"
AS_PLANS_DO: Final = {FOUND: 2, FAILED: 1}


class UsageError(BadParameter):
    """A wrong command line, with the whole message; typer adds the name of the command."""

    def format_message(self) -> str:
        return self.message


# Enough to act on; `check` shows all findings.
_MOST_FINDINGS: Final = 10


def show_failure(error: StatetoolError, name: str = "") -> None:
    """Print an error to standard error; for a StateError, with the findings that caused it."""
    _name_hosts()
    if isinstance(error, RemoteStateError):
        error = StatetoolError(remote_state_text(error))
    if not isinstance(error, StateError):
        text = f"statetool: {error.on_command_line}"
        if isinstance(error, InvalidAddressError) and error.meant:
            text += f"; write {advice(error.meant, running_shell(run_context().environment))}"
        # The lines after ":\n" are lists and commands for copying, so they are not wrapped. Any other newline is part
        # of a name.
        first, colon, rest = text.partition(":\n")
        listed = rest.split("\n") if colon else []
        first += colon.rstrip("\n")
        # Keep the program name and a long path on one line.
        first = message_terminal().wrap(first, "", "  ").replace("statetool:\n  ", "statetool: ", 1)
        print("\n".join([first, *map(printable, listed)]), file=sys.stderr)
        if isinstance(error, NoMatchError) and "\0" not in error.selector and os.path.lexists(error.selector):
            # An unquoted pattern that the shell expanded to the name of a file.
            text = "statetool: a file has this name; if you typed a pattern, put it in single quotes"
            print(message_terminal().wrap(text, "", "  "), file=sys.stderr)
        return
    from statefmt.render.findings import findings_text

    reasons = error.reasons
    print(f"statetool: {printable(error.name or name)}: this state cannot be used", file=sys.stderr)
    print(findings_text(reasons[:_MOST_FINDINGS], message_terminal()), file=sys.stderr)
    if len(reasons) > _MOST_FINDINGS:
        print(f"  … and {len(reasons) - _MOST_FINDINGS} more; `statetool check` shows all of them", file=sys.stderr)
    _point_to_repair(error, error.name or name)


def _name_hosts() -> None:
    """Print the hosts that the run has approached, once: one of them may be the cause of the failure."""
    run = current_run()
    hosts = () if run.context.names_hosts else tuple(run.context.hosts.keys() - run.named_hosts)
    for host in hosts:
        print(f"statetool: connecting to {host} …", file=sys.stderr)
    use_run(run._replace(named_hosts=run.named_hosts.union(hosts)))


def _point_to_repair(error: StateError, name: str) -> None:
    """Suggest the command that repairs the state, unless the findings contain advice or cannot be repaired."""
    from statefmt.repairs import can_mend

    said = any(command.name == "repair" for finding in error.reasons for command in finding.fix.commands)
    said = said or all(finding.fix.advice for finding in error.reasons)
    if said or not any(map(can_mend, error.reasons)):
        return
    words = ["statetool", "repair", *(["--state", name] if os.path.isfile(name) else [])]  # noqa: PTH113 - also "\0"
    say(f"`{shell_line(words)}` lists what can be done about it", "  ")


def show_usage_error(error: typer.TyperException) -> None:
    """Print a usage error to standard error, with the usage of the command."""
    # Errors of typer's parser are not public, but have the context of the command, too.
    context: typer.Context | None = getattr(error, "ctx", None)
    if context is not None:
        print(context.get_usage(), file=sys.stderr)
        print(f"Try '{context.command_path} --help' for help.\n", file=sys.stderr)
    print(message_terminal().wrap(f"Error: {error.format_message()}", "", "  "), file=sys.stderr)


def require_templates() -> None:
    """Raise StoreError if pages cannot be made; call it before the work for a page."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        from statefmt.installation import how_to_install

        raise StoreError(f"pages need the package jinja2: {how_to_install('fleet')}") from error


def printed_text(name: str, out: str | None) -> str:
    """Return a sentence that the result was only printed, with advice on writing it; "" without a file to write."""
    if name == STANDARD_INPUT:
        return ""
    way = "; add --in-place to write the result to it" if out is None else ""
    return f"printed to standard output; {display_name(name)} was not written{way}"


def why_not(target: str | None, *, dry_run: bool) -> str:
    """Return the reason why nothing was written to another file, or to the state."""
    if dry_run:
        return "dry run"
    return f"{target} already has this content" if target else "nothing to change"


def kept_text(backup: str | Path | None, what: str = "file") -> str:
    """Return the end of a message with the path of the backup of the previous `file` or `state`."""
    return f"; the previous {what} is kept in {backup}" if backup else ""


# Commands that write the edited state to standard output with `--state -`.
EDITS: Final = frozenset({
    "mv", "rm", "rekey", "rebind", "replace-provider", "taint", "untaint", "forget-deposed", "set", "unset",
    "set-serial", "new-lineage",
})  # fmt: skip
# Commands that cannot use a pipe: the advice instead, and the arguments for the program of the folder.
INSTEAD: Final = {
    "workspaces": ("Run", "workspace list"),
    "locks": ("If the state is locked, a plan says by whom", "plan -refresh=false"),
    "unlock": ("Run", "force-unlock ID"),
    "plan": ("Name a copy in the file", "state pull > copy.tfstate"),
    "apply": ("Name a copy in the file, and push it", "state pull > copy.tfstate"),
    "split": ("Split a copy, and push all states", "state pull > copy.tfstate"),
    "join": ("Join copies, and push all states", "state pull > copy.tfstate"),
    "move-backend": ("Change the backend block, and run", "init -migrate-state"),
}
# Commands whose result is not pushed back unchanged, or that need the files beside a state.
COPIES: Final = frozenset({
    "fmt", "upgrade", "downgrade", "encrypt", "decrypt", "reencrypt", "undo", "history", "restore", "copy", "edit",
    "repair", "merge",
})  # fmt: skip


def remote_state_text(error: RemoteStateError) -> str:
    """Return the message of the error with equivalent commands, for each program that the folder may belong to."""
    command = current_run().command or "COMMAND"
    lines = [line for program in error.programs for line in _lines(_in_folder(program, error), command)]
    what = "Work on a copy" if command in COPIES else "Use a pipe"
    if command in INSTEAD:
        what = INSTEAD[command][0]
    elif command == "copy":
        what = "Pull a state from there, or push one"
    return "\n".join([f"{error.on_command_line}. {what}:", *(f"  {line}" for line in lines)])


def _in_folder(program: str, error: RemoteStateError) -> str:
    """Return the command of a program for the folder and workspace of the error."""
    options = ["--working-dir", error.folder] if program == "terragrunt" else [f"-chdir={error.folder}"]
    words = [program, *(options if error.folder else [])]
    workspace = f"TF_WORKSPACE={shell_word(error.workspace)} " if error.workspace else ""
    return workspace + shell_line(words)


def _lines(program: str, command: str) -> list[str]:
    if command in INSTEAD:
        return [f"{program} {INSTEAD[command][1]}"]
    pull = f"(umask 077; {program} state pull > copy.tfstate)"
    if command == "copy":
        return [pull, f"{program} state push copy.tfstate"]
    if command in COPIES:
        return [pull, f"statetool {command} --state copy.tfstate …"]
    if command in EDITS:
        edit = f"{program} state pull | statetool {command} --state - …"
        return [f"{edit} --dry-run", f"{edit} | {program} state push -"]
    state = {"diff": "- …", "reconcile": "… --with -"}.get(command, "--state -")
    return [f"{program} state pull | statetool {command} {state}"]
