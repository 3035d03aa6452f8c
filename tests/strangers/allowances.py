"""The tables of SECURITY.md, as data: what statetool may read, write, run and contact, and the tests of each row."""

from __future__ import annotations

import re
import shutil
import site
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.strangers.commands import COMMANDS
from tests.strangers.recorder import Event, is_below
from tests.strangers.scene import NOWHERE, User

ROOT: Final = Path(__file__).resolve().parents[2]
_CODE: Final = re.compile(r"`([^`]+)`")
_KINDS: Final = {"reads": ("read",), "writes": ("write",), "runs": ("run",), "connects": ("connect", "resolve")}
# The commands that write states: all others leave every file alone that the command line does not name.
EDITING: Final = frozenset({
    "apply", "check", "copy", "decrypt", "edit", "encrypt", "fmt", "forget-deposed", "history", "join", "merge",
    "move-backend", "mv", "new-lineage", "rebind", "reencrypt", "rekey", "repair", "replace-provider", "restore", "rm",
    "set", "set-serial", "split", "taint", "undo", "unset", "untaint", "upgrade",
})  # fmt: skip
_GROUPS: Final[dict[str, frozenset[str]]] = {
    "every command": frozenset(COMMANDS),
    "every command that edits": EDITING,
    # What has no state cannot find its backend.
    "every command that opens a state": frozenset(COMMANDS) - {"rule", "releases", "help", "version", "schemas"},
    "every command that opens a state in a backend": frozenset(COMMANDS) - {"rule", "releases", "help", "version"},
}


_LIBRARY: Final = f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
_PROGRAM: Final = (
    *(Path(one).resolve() for one in (sys.prefix, sys.base_prefix, *sysconfig.get_paths().values())),
    *map(Path, site.getsitepackages()),
    Path(sys.base_prefix, "lib", _LIBRARY),
    ROOT / "statefmt",
    ROOT / "schemas",
)


class Row(NamedTuple):
    """A row of the last table: a kind of event, a subject as the page names it, commands, and tests."""

    kind: str
    subject: str
    commands: frozenset[str]


def tables() -> dict[str, list[list[str]]]:
    """Return the cells of each table of SECURITY.md by its heading."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for line in (ROOT / "SECURITY.md").read_text().splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| ") and not line.startswith("| ---"):
            found.setdefault(heading, []).append([cell.strip() for cell in line.strip("|").split(" | ")])
    return {name: rows[1:] for name, rows in found.items()}


def named_tests(rows: list[list[str]]) -> Iterator[tuple[str, str]]:
    """Yield each first cell of a table with each test that its last cell names."""
    for row in rows:
        for name in _CODE.findall(row[-1]):
            yield row[0] if len(row) < 5 or row[0] not in _KINDS else f"{row[0]} {row[1]}", name


def allowances() -> list[Row]:
    """Return the rows about files, programs and hosts."""
    return [
        Row(kind, subject, _commands(row[2]))
        for row in tables()["Files, programs and hosts"]
        for kind in _KINDS[row[0]]
        for subject in _CODE.findall(row[1])
    ]


def _commands(cell: str) -> frozenset[str]:
    named = frozenset(_CODE.findall(cell)) & frozenset(COMMANDS)
    words = [part.strip() for part in _CODE.sub("", cell).split(",")]
    groups = [
        group for part in words for name, group in _GROUPS.items() if part == name or part.startswith(f"{name} with")
    ]
    return named.union(*groups)


def is_allowed(event: Event, command: str, rows: list[Row], user: User) -> bool:
    """Return whether a row allows a command to do something."""
    return any(
        row.kind == event.kind and command in row.commands and SUBJECTS[row.subject](event.subject, user)
        for row in rows
    )


def _of_user(*names: str) -> Callable[[str, User], bool]:
    return lambda path, user: any(is_below(path, user.root / name) for name in names)


def _runs(*names: str) -> Callable[[str, User], bool]:
    # A whole path that PATH leads to, or a name that the system looks up there; never one in the folder.
    programs = [one for name in names for one in (name, shutil.which(name)) if one]
    return lambda words, user: any(words == one or words.startswith(f"{one} ") for one in programs)


def _is_private(path: str, user: User) -> bool:
    return re.match(r"(/tmp|/dev/shm)/statetool-[\w-]+(/|$)", path) is not None


# What the page names, as it is on this machine, and as the hostile folder names it.
SUBJECTS: Final[Mapping[str, Callable[[str, User], bool]]] = {
    # The folder of the tests is on the path of this Python, which lists it to find modules.
    "PROGRAM": lambda path, user: path == str(ROOT) or any(is_below(path, one) for one in _PROGRAM),
    "FOLDER": _of_user("clone"),
    "NAMED": _of_user("out", "home/keys.hcl"),
    # With the folder that it is in, whose names are listed, and the files of statetool and of locks beside it.
    "OUTSIDE_STATE": lambda path, user: (
        path == str(user.victim)
        or re.match(r"(\.?terraform\.tfstate|other\.tfstate|workspaces)", path.removeprefix(f"{user.victim}/"))
        is not None
    ),
    "CONFIGURED": _of_user("victim/module", "home/.ssh"),
    # With the folders of the system in which it is, which are made if they do not exist.
    "RECORDS": lambda path, user: (
        is_below(path, user.home / ".local/state/statetool")
        or path in (str(user.home / ".local"), str(user.home / ".local/state"))
    ),
    "CACHE": _of_user("home/.cache/statetool"),
    "CREDENTIALS": _of_user("home/.aws", "home/.pgpass"),
    "PRIVATE": _is_private,
    "SYSTEM": lambda path, user: re.match(r"/proc/(\d+|self)/mountinfo$|/etc/|/dev/null$", path) is not None,
    "git": _runs("git"),
    "tofu": _runs("tofu"),
    "terraform": _runs("terraform"),
    # As the environment of the user names them.
    "EDITOR": _runs("true"),
    "PAGER": lambda words, user: False,
    "EXTERNAL": lambda words, user: False,
    "HOST_OF_USER": lambda address, user: False,
    "HOST_OF_FOLDER": lambda address, user: address in (user.listener.host, f"{NOWHERE}:80"),
}
