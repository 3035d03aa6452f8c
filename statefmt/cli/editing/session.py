"""Runs the editor on a copy of a state until the result is written or given up."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Final

import typer

from statefmt import StatetoolError, TextEdit
from statefmt.cli.confirmation import asking
from statefmt.cli.editing.editors import Editor
from statefmt.cli.editing.private_copy import PrivateCopy
from statefmt.cli.editing.refusal import show_refusal
from statefmt.cli.editing.running import run_editor
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.options.surgery_options import SurgeryOptions
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.cli.surgery import show_result
from statefmt.cli.target import why_not
from statefmt.locations import STANDARD_INPUT
from statefmt.render.diff.items import Manner
from statefmt.text import printable

_NEXT: Final = "What now: edit again (e), keep the text for later (k), or discard it (d)?"
_AGAIN, _KEEP, _DISCARD = "e", "k", "d"
# In seconds. Nobody edits that fast.
_AT_ONCE: Final = 2.0


class EditingSession:
    """The edit of a text in an editor. The text is kept unless it is written, or the user discards it."""

    def __init__(self, name: str, edit: TextEdit, copy: PrivateCopy, editor: Editor, options: SurgeryOptions) -> None:
        """Edit the copy of the text of `edit`, the state `name`."""
        self._name = name
        self._edit = edit
        self._copy = copy
        self._editor = editor
        self._options = options
        self._manner = Manner(show_sensitive=options.show_sensitive)

    def run(self) -> int:
        """Run the editor until its text is written, or the user gives up; return the exit status."""
        try:
            return self._run()
        except BaseException:
            if not self._edit.is_written and self._changed() is not None:
                self._keep()
            raise

    def _run(self) -> int:
        line: int | None = None
        while True:
            try:
                ran = run_editor(self._editor, self._copy.path, run_context().environment, line)
                text = self._copy.read()
                if text == self._edit.text:
                    self._say_unchanged(at_once=ran < _AT_ONCE)
                    return FINE
                if self._written(text):
                    return FINE
            except StatetoolError as error:
                changed = self._changed()
                if changed is None:
                    raise
                line = show_refusal(error, self._edit, changed)
            answer = _next_step()
            if answer == _KEEP:
                self._keep()
            if answer != _AGAIN:
                say(f"{self._name}: nothing was written")
                return FAILED

    def _written(self, text: bytes) -> bool:
        """Show what an edited text changes, and write it; return False if the user prevents that."""
        write = self._options.write
        result = self._edit.propose(text)
        asks = bool(result.diff or result.notes) and not (write.yes or write.dry_run)
        show_result(result, self._manner, None, to_messages=asks or write.out == STANDARD_INPUT)
        target = "standard output" if write.out == STANDARD_INPUT else printable(write.out or self._name)
        ask = asking()
        if asks and (ask is None or not ask(f"Write this to {target}?")):
            return False
        self._edit.write()
        if not self._edit.is_written:
            there = write.out if result.diff else None
            say(f"{self._name}: {why_not(there, dry_run=write.dry_run)}; nothing was written")
        return True

    def _say_unchanged(self, *, at_once: bool) -> None:
        hint = ". If it still runs, give it an option to wait, such as `code --wait`" if at_once else ""
        what = f"the editor {self._editor.name} ended at once, and" if at_once else ""
        say(f"{self._name}: {what} nothing was edited; nothing was written{hint}".replace("  ", " "))

    def _changed(self) -> bytes | None:
        """Return the edited text; None if there is none to lose."""
        try:
            text = self._copy.read()
        except StatetoolError:
            return None
        return text if text.strip() and text != self._edit.text else None

    def _keep(self) -> None:
        path = self._copy.kept()
        # The terminal may be gone.
        with suppress(OSError):
            serial = f" --expect-serial {self._edit.serial}" if self._edit.damage is None else ""
            say(f"{self._name}: the edited text is kept, with all secrets. To continue, repeat the command with:")
            print(printable(f"  --text {path}{serial}"), file=sys.stderr)


def _next_step() -> str:
    """Ask whether to keep text that was not written. Without a terminal, keep it."""
    if asking() is None:
        return _KEEP
    return str(typer.prompt(_NEXT, value_proc=_answer, prompt_suffix=" ", err=True))


def _answer(text: str) -> str:
    choices = (_AGAIN, _KEEP, _DISCARD)
    if text not in choices:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(map(repr, choices))}.")
    return text
