"""Says how to run a command on a state in a backend that statetool does not open: through a pipe, or on a copy."""

from __future__ import annotations

from typing import Final

from statefmt import RemoteStateError
from statefmt.cli.run import current_run
from statefmt.text import shell_line, shell_word

# Commands that write the edited state to standard output with `--state -`.
EDITS: Final = frozenset({
    "mv", "rm", "rekey", "rebind", "replace-provider", "taint", "untaint", "forget-deposed", "set", "unset",
    "set-serial", "new-lineage",
})  # fmt: skip
# Commands for which there is no pipe: what to say instead, and the arguments for the program of the folder.
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
# Commands whose result is not pushed back as it is, or that need the files beside a state.
COPIES: Final = frozenset(
    {
        "fmt",
        "upgrade",
        "downgrade",
        "encrypt",
        "decrypt",
        "reencrypt",
        "undo",
        "history",
        "restore",
        "copy",
        "edit",
        "repair",
    }
)


def remote_state_text(error: RemoteStateError) -> str:
    """Return the message of the error with the commands that work, for each program that the folder may belong to."""
    command = current_run().command or "COMMAND"
    lines = [line for program in error.programs for line in _lines(_in_folder(program, error), command)]
    if command in INSTEAD:
        what = INSTEAD[command][0]
    elif command == "copy":
        what = "Pull a state from there, or push one"
    else:
        what = "Work on a copy" if command in COPIES else "Use a pipe"
    return "\n".join([f"{error.on_command_line}. {what}:", *(f"  {line}" for line in lines)])


def _in_folder(program: str, error: RemoteStateError) -> str:
    """Return how to run a program on the folder and the workspace that were asked for."""
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
