"""Copies the files of a revision in git to a private folder, so that its configuration can be loaded.

Nothing is fetched, no filter runs, and links are left out: what is not there makes what depends on it unknown.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from statefmt.model.errors import StoreError
from statefmt.store.git import git_reason, repository_top, run_git
from statefmt.store.reading import GIT

# A file of a configuration is smaller, and so are all of them together.
_LARGEST: Final = 4 << 20
_MOST_BYTES: Final = 256 << 20
_FILE_MODES: Final = ("100644", "100755")


class _Entry(NamedTuple):
    path: str
    oid: str


@contextmanager
def folder_of_revision(name: str, folder: str, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield a folder with the configuration that `git:REVISION[:FOLDER]` names; it is deleted afterwards.

    FOLDER is relative to the top of the repository of the directory `folder`, or to that directory if it begins with
    `./`; by default it is that directory. Raises StoreError if git cannot read it.
    """
    revision, colon, inside = name.removeprefix(GIT).partition(":")
    if not revision or revision.startswith("-") or inside.startswith("/"):
        raise StoreError(f"{name}: write a configuration in git as git:REVISION or git:REVISION:FOLDER")
    top = repository_top(folder, name, environment)
    if not colon or inside.startswith("./") or inside == ".":
        here = os.path.relpath(os.path.realpath(folder), os.path.realpath(top))
        inside = os.path.normpath(os.path.join(here, inside))  # noqa: PTH118 - Path keeps the dots
    found = list(_entries(name, revision, folder, environment))
    with tempfile.TemporaryDirectory(prefix="statetool-") as made:
        root = Path(made)
        # Functions may read files of the whole repository, which this marks.
        (root / ".git").mkdir()
        _write(root, found, name, folder, environment)
        wanted = root / _checked(inside, name)
        if not wanted.is_dir():
            raise StoreError(f"{name}: the revision has no folder {inside}")
        yield wanted


def _entries(name: str, revision: str, folder: str, environment: Mapping[str, str]) -> Iterator[_Entry]:
    """Yield the regular files of a revision."""
    arguments = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", revision]
    done = run_git(name, arguments, environment, folder)
    if done.returncode != 0:
        raise StoreError(f"{name}: {git_reason(done)}")
    for line in filter(None, done.stdout.split(b"\0")):
        head, _, path = line.partition(b"\t")
        mode, _, oid = head.decode().split()
        if mode in _FILE_MODES:
            yield _Entry(os.fsdecode(path), oid)


def _write(root: Path, entries: list[_Entry], name: str, folder: str, environment: Mapping[str, str]) -> None:
    sizes = _batch(["--batch-check=%(objectname) %(objectsize)"], entries, name, folder, environment).splitlines()
    small = [entry for entry, line in zip(entries, sizes, strict=True) if _size(line) <= _LARGEST]
    if sum(size for line in sizes if (size := _size(line)) <= _LARGEST) > _MOST_BYTES:
        raise StoreError(f"{name}: the revision is too large; check it out with git worktree, and name its folder")
    contents = _batch(["--batch"], small, name, folder, environment)
    at = 0
    for entry in small:
        end = contents.index(b"\n", at)
        size = int(contents[at:end].split()[2])
        file = root / _checked(entry.path, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(contents[end + 1 : end + 1 + size])
        at = end + size + 2


def _batch(options: list[str], entries: list[_Entry], name: str, folder: str, environment: Mapping[str, str]) -> bytes:
    given = "".join(f"{entry.oid}\n" for entry in entries).encode()
    done = run_git(name, ["cat-file", *options], environment, folder, given)
    if done.returncode != 0:
        raise StoreError(f"{name}: {git_reason(done)}")
    return done.stdout


def _size(line: bytes) -> int:
    """Return the size of an object; that of a missing one is too large."""
    _, _, size = line.partition(b" ")
    return int(size) if size.isdigit() else _LARGEST + 1


def _checked(path: str, name: str) -> PurePosixPath:
    """Return a path inside the folder. Raises StoreError: git refuses such names, but a repository can have them."""
    found = PurePosixPath(path)
    if found.is_absolute() or ".." in found.parts or ".git" in map(str.lower, found.parts):
        raise StoreError(f"{name}: {path}: this path leads out of the folder")
    return found
