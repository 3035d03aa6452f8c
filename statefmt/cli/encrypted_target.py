"""Writing one state in another form, encrypted or plain: what it says stays the same, to the byte."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from statefmt.cli.command_line import command_line
from statefmt.cli.streams import message_terminal
from statefmt.cli.target import Target
from statefmt.session import write_new
from statefmt.store.history_contents import compress_one
from statefmt.store.lock import lock_info
from statefmt.store.reading import STANDARD_INPUT, display_name
from statefmt.store.writing import replace_content


def write_form(name: str, old: bytes, new: bytes, target: Target, operation: str, done: str, *, replace: bool) -> None:
    """Write the new form of the state `name`, whose bytes were `old`, and tell that it was `done`.

    With `replace`, another file that exists is backed up and replaced.
    """
    if target.in_place:
        path = Path(name)
        backup = replace_content(path, old, new, lock_info(path, operation, command_line()), now=int(time.time()))
        compress_one(path)
    else:
        backup = write_new(target.path, new, command_line(), replace=replace)
    what = "the state" if target.in_place else "the file"
    kept = f"; {what} as it was is kept in {backup}" if backup else ""
    where = display_name(name) if target.path in (STANDARD_INPUT, name) else f"{display_name(name)} to {target.path}"
    print(message_terminal().wrap(f"{where}: {done}{kept}", "", "  "), file=sys.stderr)
