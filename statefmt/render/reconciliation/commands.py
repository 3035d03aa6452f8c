"""Writes the commands that store a state, for the program and the folder that it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from statefmt.model.addrs.provider import DEFAULT_HOST, TERRAFORM_HOST
from statefmt.model.snapshot import Snapshot
from statefmt.store.backends import state_words
from statefmt.store.reading import GIT, STANDARD_INPUT
from statefmt.text import shell_line, shell_word
from statefmt.whereabouts.find import folder_programs

_BACKUP: Final = "before-push.tfstate"
_HOSTS: Final = {DEFAULT_HOST: "tofu", TERRAFORM_HOST: "terraform"}


class RecoveryPlaces(Struct, frozen=True):
    """The names of both states, as for a command, and the folder and workspace of the configuration.

    `workspace` is the one that was asked for, "" for the current one. `is_encrypted` is about the errored state.
    """

    errored: str
    stored: str
    folder: Path
    workspace: str = ""
    is_encrypted: bool = False

    def programs(self, errored: Snapshot) -> tuple[str, ...]:
        """Return the program that made the state, or both if neither the folder nor its providers say which."""
        if self.is_encrypted:
            # Only OpenTofu encrypts states.
            return ("tofu",)
        found = folder_programs(self.folder)
        configs = (resource.provider_config for resource in errored.resources)
        hosts = {config.provider.hostname for config in configs if config is not None}
        named = tuple(program for host, program in _HOSTS.items() if host in hosts)
        return named if len(found) > 1 and len(named) == 1 else found

    def run(self, program: str, *words: str) -> str:
        """Return the command line that runs a program on the folder and the workspace."""
        chdir = [] if self._is_here else [f"-chdir={self.folder}"]
        workspace = f"TF_WORKSPACE={shell_word(self.workspace)} " if self.workspace else ""
        return workspace + shell_line([program, *chdir, *words])

    def push(self, program: str, *, force: bool = False) -> str:
        """Return the command line that stores the errored state."""
        options = ["-force"] if force else []
        if self.is_encrypted:
            # OpenTofu encrypts errored.tfstate, but `state push` does not decrypt the file that it reads.
            # Source: OpenTofu `internal/command/state_push.go`.
            pull = shell_line(["statetool", "pull", self.errored])
            return f"{pull} | {self.run(program, 'state', 'push', *options, STANDARD_INPUT)}"
        return self.run(program, "state", "push", *options, self._errored_in_folder)

    def backup(self) -> str:
        """Return the command line that saves the stored state; "" if it came from standard input or from git."""
        if self.stored == STANDARD_INPUT or self.stored.startswith(GIT):
            return ""
        words = list(state_words(self.stored))
        if "--backend-config" in words:
            # `copy` takes no settings of a backend.
            return f"(umask 077; {shell_line(['statetool', 'pull', *words])} > {_BACKUP})"
        options = ["--from-workspace" if word == "--workspace" else word for word in words[2:]]
        return shell_line(["statetool", "copy", words[1], _BACKUP, *options])

    @property
    def _is_here(self) -> bool:
        return str(self.folder) == "."

    @property
    def _errored_in_folder(self) -> str:
        """The path of the errored state as the program takes it, which `-chdir` moves to the folder."""
        path = Path(self.errored)
        if self._is_here or self.errored == STANDARD_INPUT:
            return self.errored
        return path.name if path.parent == self.folder else str(path.absolute())
