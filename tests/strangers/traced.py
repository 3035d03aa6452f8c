"""Reads what a process opens, changes, runs and contacts from strace, which sees C libraries too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.strangers.recorder import Event

# Names of files are never longer.
OPTIONS: Final = ("-y", "-s", "5000", "-e", "trace=%file,connect,sendto,bind")
_CALL: Final = re.compile(r"^(?:\[?pid +)?(?:\d+\]? +)?(\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?")
_OPENS: Final = frozenset({"open", "openat", "openat2", "creat"})
_LOOKS: Final = frozenset({
    "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "statfs",
    "getcwd", "chdir", "fstat", "getxattr", "lgetxattr", "listxattr", "llistxattr", "inotify_add_watch",
})  # fmt: skip
_WRITES: Final = re.compile("O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND")
# A path with the folder that it is relative to, if the call has one.
_PATH: Final = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_WORD: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_INTERNET: Final = re.compile(r'sin6?_port=htons\((\d+)\).*?"([^"]*)"')
_UNIX: Final = re.compile(r'sun_path="([^"]*)"')


def traced(log: Path, folder: Path) -> list[Event]:
    """Return the events of a log, each once; paths are relative to the folder unless the call says so."""
    lines = log.read_text("utf-8", "replace").splitlines()
    return list(dict.fromkeys(event for line in lines for event in _events(line, folder)))


def _events(line: str, folder: Path) -> Iterator[Event]:
    match = _CALL.match(line)
    if match is None:
        return
    name, arguments, result, opened = match.groups()
    if name in ("connect", "sendto", "bind"):
        # An attempt counts: somebody else may answer tomorrow.
        if found := _INTERNET.search(arguments):
            yield Event("connect", f"{found[2]}:{found[1]}")
        elif found := _UNIX.search(arguments):
            yield Event("connect", found[1])
    elif int(result) < 0 or name in _LOOKS:
        return
    elif name == "execve":
        yield Event("run", " ".join(_WORD.findall(arguments.partition("[")[2])))
    elif name in _OPENS:
        yield Event("write" if name == "creat" or _WRITES.search(arguments) else "read", opened or "")
    else:
        for base, path in _PATH.findall(arguments):
            whole = Path(base or folder) / path
            yield Event("write", f"{whole.parent.resolve()}/{whole.name}")
