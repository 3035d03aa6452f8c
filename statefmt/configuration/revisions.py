"""Copies the files of a revision in git to a private folder, so that its configuration can be loaded.

Nothing is fetched, no filter runs, and links are left out: what is not there makes what depends on it unknown. That
holds for variables, too, if a file may set them that was not read.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from statefmt.configuration.directory import UNREAD, below, file_names, is_variable_file, list_files, variable_files
from statefmt.configuration.model import Configuration
from statefmt.model.errors import StoreError
from statefmt.store.files import is_inside
from statefmt.store.git import git_reason, repository_top, run_git
from statefmt.store.reading import GIT

# A file of a configuration is smaller, and so are all of them together.
_LARGEST: Final = 4 << 20
_MOST_BYTES: Final = 256 << 20
_FILE_MODES: Final = ("100644", "100755")
_LINK_MODE: Final = "120000"


class Revision(NamedTuple):
    """The folder with the configuration of a revision, and the folder of the working tree with the same path.

    `left_out` are the files that the revision has and the folder has not, by their paths relative to the folder, each
    with the reason.
    """

    folder: Path
    working: Path
    left_out: Mapping[str, str]


class _Entry(NamedTuple):
    mode: str
    path: str
    oid: str


@contextmanager
def folder_of_revision(name: str, folder: str, environment: Mapping[str, str]) -> Iterator[Revision]:
    """Yield the configuration that `git:REVISION[:FOLDER]` names; its folder is deleted afterwards.

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
    entries = list(_entries(name, revision, folder, environment))
    found = [entry for entry in entries if entry.mode in _FILE_MODES]
    left_out = {entry.path: "it is a symbolic link" for entry in entries if entry.mode == _LINK_MODE}
    with tempfile.TemporaryDirectory(prefix="statetool-") as made:
        root = Path(made)
        # Functions may read files of the whole repository, which this marks.
        (root / ".git").mkdir()
        left_out |= _write(root, found, name, folder, environment)
        wanted = root / _checked(inside, name)
        if not wanted.is_dir():
            raise StoreError(f"{name}: the revision has no folder {inside}")
        yield Revision(
            wanted, Path(top) / inside, {os.path.relpath(path, inside): why for path, why in left_out.items()}
        )


def unread_inputs(found: Configuration, beside: Path | None = None, revision: Revision | None = None) -> dict[str, str]:
    """Return the variable files that OpenTofu reads, or read, and that did not count, each with the reason.

    `beside` is the folder of a configuration that reads the files of the same names.
    """
    folder = Path(found.directory)
    left_out = {} if revision is None else revision.left_out
    reasons = {file: why for file, why in left_out.items() if is_variable_file(file)}
    own = variable_files(folder)
    for file in own:
        if found.files_within is not None and not is_inside(folder / file, *found.files_within):
            reasons[file] = "it is a link out of the repository"
        elif any(one.kind in UNREAD and one.range is not None and one.range.file == file for one in found.problems):
            reasons[file] = "it could not be read"
    for file in [] if beside is None else variable_files(beside):
        if file not in own:
            reasons.setdefault(file, "it is only beside the new configuration")
    return reasons


def unread_declarations(
    found: Configuration, revision: Revision, name: str, environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the files of the modules of a revision that were left out, or that git ignores, each with the reason.

    Files that override others count if they are only in the working tree, too. Raises StoreError without git.
    """
    directories = dict.fromkeys(module.declarations.directory for module in found.modules.values())
    reasons = {
        path: why
        for path, why in revision.left_out.items()
        if (os.path.dirname(path) or ".") in directories and _declares(os.path.basename(path))  # noqa: PTH119, PTH120
    }
    for directory in directories:
        working = revision.working / directory
        own = set(file_names(revision.folder / directory) or ())
        listing = list_files([one for one in file_names(working) or () if one not in own])
        for file in listing.overrides:
            reasons.setdefault(below(directory, file), "it is only in the working tree")
        for file, why in _ignored(working, listing.primary, name, environment).items():
            reasons.setdefault(below(directory, file), why)
    return reasons


def _declares(name: str) -> bool:
    listing = list_files([name])
    return bool(listing.primary or listing.overrides)


def _ignored(folder: Path, files: Sequence[str], name: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return those of some files in a folder that git may ignore, each with the reason."""
    if not files:
        return {}
    given = b"".join(os.fsencode(f"./{file}\0") for file in files)
    done = run_git(name, ["check-ignore", "-z", "--stdin"], environment, str(folder), given)
    # 1: none of them.
    if done.returncode not in (0, 1):
        # As where a link leads out of the repository.
        return dict.fromkeys(files, f"git does not say whether it ignores it ({git_reason(done)})")
    return {os.fsdecode(path).removeprefix("./"): "git ignores it" for path in done.stdout.split(b"\0") if path}


def _entries(name: str, revision: str, folder: str, environment: Mapping[str, str]) -> Iterator[_Entry]:
    """Yield the files, links and submodules of a revision."""
    arguments = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", revision]
    done = run_git(name, arguments, environment, folder)
    if done.returncode != 0:
        raise StoreError(f"{name}: {git_reason(done)}")
    for line in filter(None, done.stdout.split(b"\0")):
        head, _, path = line.partition(b"\t")
        mode, _, oid = head.decode().split()
        yield _Entry(mode, os.fsdecode(path), oid)


def _write(root: Path, entries: list[_Entry], name: str, folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Write files, and return those that are left out, each with the reason."""
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
    written = set(small)
    return {
        entry.path: "it is too large" if _is_there(line) else "its content is not in this clone"
        for entry, line in zip(entries, sizes, strict=True)
        if entry not in written
    }


def _batch(options: list[str], entries: list[_Entry], name: str, folder: str, environment: Mapping[str, str]) -> bytes:
    given = "".join(f"{entry.oid}\n" for entry in entries).encode()
    done = run_git(name, ["cat-file", *options], environment, folder, given)
    if done.returncode != 0:
        raise StoreError(f"{name}: {git_reason(done)}")
    return done.stdout


def _size(line: bytes) -> int:
    """Return the size of an object; that of a missing one is too large."""
    return int(line.rpartition(b" ")[2]) if _is_there(line) else _LARGEST + 1


def _is_there(line: bytes) -> bool:
    return line.rpartition(b" ")[2].isdigit()


def _checked(path: str, name: str) -> PurePosixPath:
    """Return a path inside the folder. Raises StoreError: git refuses such names, but a repository can have them."""
    found = PurePosixPath(path)
    if found.is_absolute() or ".." in found.parts or ".git" in map(str.lower, found.parts):
        raise StoreError(f"{name}: {path}: this path leads out of the folder")
    return found
