"""A terminal as people have it: a shell on a screen of some size, with keys to type and a picture to read."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

# In seconds; only a shell that hangs takes this long.
_PATIENCE = 120.0
_NAP = 0.05


class Screen:
    """bash in tmux. `folder` is where it starts; `environment` is all that it gets."""

    def __init__(self, folder: Path, environment: Mapping[str, str], *, columns: int = 80, rows: int = 24) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not installed")
        self._side = folder.with_name(f"{folder.name}-tmux")
        self._side.mkdir()
        self._prompts = self._side / "prompts"
        (self._side / "conf").write_text("set -g status off\nset -g history-limit 10000\nset -g escape-time 0\n")
        (self._side / "rc").write_text(
            "unset HISTFILE; PS1='$ '; PS2='> '\nbind 'set enable-bracketed-paste off' 2>/dev/null\n"
            f"PROMPT_COMMAND='echo >> {self._prompts}'\n"
        )
        size = ("-x", str(columns), "-y", str(rows))
        self._tmux(
            *("-f", str(self._side / "conf"), "new-session", "-d", *size, "-c", str(folder)),
            *("bash", "--noprofile", "--rcfile", str(self._side / "rc")),
            environment={**environment, "TERM": "screen"},
        )
        self._wait(lambda: self._prompt_count() == 1, "the first prompt")

    def run(self, line: str) -> None:
        """Type a line, or the rest of one, and wait for the next prompt."""
        before = self._prompt_count()
        self._type(f"{line}\n")
        self._wait(lambda: self._prompt_count() > before, f"the prompt after {line}")

    def answer(self, line: str, question: str, answer: str) -> None:
        """Type a line, wait for a question, answer it, and wait for the next prompt."""
        before = self._prompt_count()
        self._type(f"{line}\n")
        self._wait(lambda: question in self.transcript().rsplit("$ ", 1)[-1], question)
        self._type(f"{answer}\n")
        self._wait(lambda: self._prompt_count() > before, f"the prompt after {line}")

    def complete(self, start: str, expected: str) -> None:
        """Type the start of a word and a tab, and wait until the line ends with what is expected."""
        self._type(start)
        self._type("\t")
        self._wait(lambda: self.transcript().rstrip().endswith(expected), f"{start} completed to {expected}")

    def transcript(self) -> str:
        """Everything that the terminal has shown, wrapped lines joined."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-").decode()

    def close(self) -> None:
        self._tmux("kill-server")

    def _type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def _prompt_count(self) -> int:
        return len(self._prompts.read_bytes()) if self._prompts.exists() else 0

    def _wait(self, is_there: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + _PATIENCE
        while not is_there():
            assert time.monotonic() < until, f"{what} did not come:\n{self.transcript()}"
            time.sleep(_NAP)

    def _tmux(self, *arguments: str, environment: Mapping[str, str] | None = None) -> bytes:
        # A socket needs a short path.
        command = ["tmux", "-S", f"/tmp/statetool-test-{os.getpid()}", *arguments]
        return subprocess.run(command, env=environment, check=True, capture_output=True).stdout
