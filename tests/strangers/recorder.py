"""Records what a process opens, changes, runs and contacts, with an audit hook of Python.

The hook sees what Python does, and not what C libraries do by themselves, such as libpq and DuckDB: `traced.py` sees
these. Each event is a line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Event(NamedTuple):
    """Something that a process did.

    `kind` is `read`, `write` (which includes deleting, renaming and linking), `run`, `connect` or `resolve`. `subject`
    is a real path, the words of a command, or `HOST:PORT`.
    """

    kind: str
    subject: str


def record(descriptor: int) -> None:
    """Write all that this process and its forks do from now on to a descriptor."""
    folders: list[int | None] = [None]
    _tell_folder_of_open(folders)
    busy = False

    def hook(name: str, arguments: tuple[Any, ...]) -> None:
        nonlocal busy
        reader = _READERS.get(name)
        if reader is None or busy:
            return
        # Finding a real path must not be recorded.
        busy = True
        try:
            for event in reader(arguments, folders[0]):
                os.write(descriptor, json.dumps(event).encode("ascii") + b"\n")
        finally:
            busy = False

    sys.addaudithook(hook)


def _tell_folder_of_open(folders: list[int | None]) -> None:
    """Note `dir_fd` of os.open, which is the only function whose event does not have it."""
    opened = os.open

    def open_(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        folders[0] = dir_fd
        try:
            return opened(path, flags, mode, dir_fd=dir_fd)
        finally:
            folders[0] = None

    os.open = open_


def _path(path: Any, folder: int | None = None, *, follow: bool = True) -> str:
    """Return the real path: with all links followed or, of what is removed or made, those of its folder."""
    base = Path.cwd() if folder is None or folder < 0 else Path(f"/proc/self/fd/{folder}").readlink()
    whole = base / os.fsdecode(path)
    return os.path.realpath(whole) if follow else f"{os.path.realpath(whole.parent)}/{whole.name}"


def _opened(arguments: tuple[Any, ...], folder: int | None) -> list[Event]:
    path, mode, flags = arguments
    if isinstance(path, int) or path is None:
        return []
    writes = bool(isinstance(flags, int) and flags & _WRITES) or bool(isinstance(mode, str) and set(mode) & set("wax+"))
    return [Event("write" if writes else "read", _path(path, folder))]


def _changed(*positions: int, folders: tuple[int, ...] = ()) -> Callable[[tuple[Any, ...], int | None], list[Event]]:
    """Return what reads the event of a function that changes the paths at these positions of its arguments."""

    def read(arguments: tuple[Any, ...], _: int | None) -> list[Event]:
        found = []
        for number, position in enumerate(positions):
            folder = arguments[folders[number]] if number < len(folders) else None
            path = arguments[position]
            subject = Path(f"/proc/self/fd/{path}").readlink() if isinstance(path, int) else None
            found.append(Event("write", str(subject) if subject else _path(path, folder, follow=False)))
        return found

    return read


def _listed(arguments: tuple[Any, ...], _: int | None) -> list[Event]:
    path = arguments[0]
    if isinstance(path, int):
        return []
    return [Event("read", _path("." if path is None else path))]


def _run(program: int, words: int) -> Callable[[tuple[Any, ...], int | None], list[Event]]:
    def read(arguments: tuple[Any, ...], _: int | None) -> list[Event]:
        given = arguments[words]
        if isinstance(given, (str, bytes, os.PathLike)):
            given = [given]
        named = [arguments[program]] if given is None else given
        return [Event("run", " ".join(os.fsdecode(word) for word in named))]

    return read


def _connected(arguments: tuple[Any, ...], _: int | None) -> list[Event]:
    address = arguments[1]
    if isinstance(address, tuple):
        return [Event("connect", f"{address[0]}:{address[1]}")]
    return [Event("connect", os.fsdecode(address))]


def _resolved(arguments: tuple[Any, ...], _: int | None) -> list[Event]:
    host, port = arguments[0], arguments[1] if len(arguments) > 1 else ""
    return [Event("resolve", f"{os.fsdecode(host) if host is not None else ''}:{port}")]


def _loaded(arguments: tuple[Any, ...], _: int | None) -> list[Event]:
    return [Event("read", os.fsdecode(arguments[0]))] if arguments[0] else []


_READERS: Final[Mapping[str, Callable[[tuple[Any, ...], int | None], list[Event]]]] = {
    "open": _opened,
    "os.listdir": _listed,
    "os.scandir": _listed,
    "os.remove": _changed(0, folders=(1,)),
    "os.rename": _changed(0, 1, folders=(2, 3)),
    "os.mkdir": _changed(0, folders=(2,)),
    "os.rmdir": _changed(0, folders=(1,)),
    # The first path of a link is only named.
    "os.link": _changed(1, folders=(3,)),
    "os.symlink": _changed(1, folders=(2,)),
    "os.truncate": _changed(0),
    "os.chmod": _changed(0, folders=(2,)),
    "os.chown": _changed(0, folders=(3,)),
    "os.utime": _changed(0, folders=(3,)),
    "os.setxattr": _changed(0),
    "os.removexattr": _changed(0),
    "subprocess.Popen": _run(0, 1),
    "os.exec": _run(0, 1),
    "os.posix_spawn": _run(0, 1),
    "os.spawn": _run(1, 2),
    "os.system": _run(0, 0),
    "socket.connect": _connected,
    "socket.sendto": _connected,
    "socket.bind": _connected,
    "socket.getaddrinfo": _resolved,
    "socket.gethostbyname": _resolved,
    "sqlite3.connect": lambda arguments, _: [Event("write", _path(arguments[0]))],
    "ctypes.dlopen": _loaded,
}


def recorded(lines: str) -> list[Event]:
    """Return the events that a process wrote."""
    return [Event(*json.loads(line)) for line in lines.splitlines()]


def is_below(path: str, folder: Path | str) -> bool:
    """Return whether a real path is a folder, or below it."""
    return path == str(folder) or path.startswith(f"{str(folder).rstrip('/')}/")
