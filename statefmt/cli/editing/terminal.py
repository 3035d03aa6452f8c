"""Restores the terminal after an editor that was killed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

# Leave the other screen; show the cursor; end colours and the mode of the keypad.
_CAPABILITIES: Final = ("rmcup", "cnorm", "sgr0", "rmkx")
# What terminfo does not have: reports of the mouse and of the focus, and marks around pasted text.
_MODES: Final = b"\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1004l\033[?2004l"


@contextmanager
def terminal_kept() -> Iterator[Callable[[], None]]:
    """Restore the settings of the terminal at the end; gives what resets its screen, too."""
    if not (sys.stdin and sys.stdin.isatty()):
        yield lambda: None
        return
    import termios

    settings = termios.tcgetattr(sys.stdin)
    try:
        yield _reset_screen
    finally:
        # The terminal may be gone.
        with suppress(termios.error):
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)


def _reset_screen() -> None:
    if not sys.stderr.isatty():
        return
    # Not every build of Python has it, nor does it know every terminal.
    with suppress(Exception):
        import curses

        curses.setupterm(fd=sys.stderr.fileno())
        leave = curses.tigetstr("rmcup")
        if leave:
            found = [curses.tigetstr(name) or b"" for name in _CAPABILITIES]
            sys.stderr.flush()
            sys.stderr.buffer.write(b"".join(found) + _MODES)
            sys.stderr.flush()
