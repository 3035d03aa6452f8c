"""Runs a command in a process that lacks what Python lacks on Windows: modules, functions, signals and flags.

It cannot show that statetool works there, only that nothing of these is needed. `python -m tests.cli.windows COMMAND …`
"""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

_MODULES: Final = ("fcntl", "grp", "pwd", "pty", "readline", "resource", "syslog", "termios", "tty")
_FUNCTIONS: Final = (
    "chown", "fchmod", "fchown", "fdatasync", "fork", "get_blocking", "getegid", "geteuid", "getgid", "getuid",
    "killpg", "lchown", "mkfifo", "posix_fallocate", "pread", "preadv", "pwrite", "pwritev", "sched_getaffinity",
    "set_blocking", "uname",
)  # fmt: skip
_FLAGS: Final = ("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH", "O_SYNC")
_SIGNALS: Final = ("SIGALRM", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGTSTP", "SIGWINCH")
_RELATIVE: Final = ("link", "mkdir", "rename", "rmdir", "stat", "unlink")


def _without_folders(function: Callable[..., Any]) -> Callable[..., Any]:
    """Windows knows no files relative to an open folder, and opens no folders."""

    @functools.wraps(function)
    def call(path: Any, *arguments: Any, **options: Any) -> Any:
        if any(name.endswith("dir_fd") and value is not None for name, value in options.items()):
            raise NotImplementedError(f"dir_fd unavailable: {function.__name__}")
        if function.__name__ == "open" and os.path.isdir(path):  # noqa: PTH112 - pathlib calls what is replaced here
            raise PermissionError(13, "Permission denied", path)
        return function(path, *arguments, **options)

    return call


def main() -> int:
    """Take everything away, then run the command of this process's arguments."""
    # The libraries that statetool stands on are made for Windows, too: they are imported as they are here.
    import subprocess  # noqa: F401
    import tempfile  # noqa: F401

    import typer  # noqa: F401

    for name in _MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for name in (*_FUNCTIONS, *_FLAGS):
        if hasattr(os, name):
            delattr(os, name)
    for name in _SIGNALS:
        if hasattr(signal, name):
            delattr(signal, name)
    for name in ("open", *_RELATIVE):
        setattr(os, name, _without_folders(getattr(os, name)))
    os.supports_dir_fd = set()
    sys.platform = "win32"
    os.environ.setdefault("USERNAME", "somebody")

    from statefmt.cli.main import main as run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
