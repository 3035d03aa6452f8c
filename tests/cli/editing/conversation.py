"""A program in a pseudo-terminal, for which keys are typed when it shows what they answer."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import termios
import time

from tests.cli.conftest import Program
from tests.cli.terminal import Shown

# In seconds; only a fault takes this long.
_PATIENCE = 40.0


def conversation(program: Program, line: str, *steps: tuple[str, str], **environment: str) -> Shown:
    """Run a line of sh in a terminal; for each step, wait until a text is shown, and type keys.

    An editor reads all that was typed ahead, also what is for the program after it.
    """
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        ["sh", "-c", line],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={"PAGER": "cat", **program.environment, **environment},
        start_new_session=True,
        # Ctrl-C reaches only the programs whose terminal this is.
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no test has threads then
    )
    os.close(terminal)
    until = time.monotonic() + _PATIENCE
    text, seen, waiting = "", 0, list(steps)
    try:
        while True:
            if waiting and waiting[0][0] in text[seen:]:
                seen = len(text)
                # An editor draws the text before it reads keys.
                time.sleep(0.3)
                os.write(controller, waiting.pop(0)[1].encode())
            assert time.monotonic() < until, text
            if select.select([controller], [], [], 0.1)[0]:
                try:
                    part = os.read(controller, 65536)
                except OSError:
                    # Linux says so when nobody has the terminal open any more.
                    break
                if not part:
                    break
                text += part.decode("utf-8", "replace").replace("\r\n", "\n")
        return Shown(process.wait(), text)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(controller)
