"""Lists the states in a revision of a git repository by running git."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from statefmt.model.errors import StoreError
from statefmt.store.git import git_path, git_reason, repository_top, run_git
from statefmt.store.reading import GIT

_SUFFIX: Final = b".tfstate"


class GitState(NamedTuple):
    """A state in a revision: its name, which has the absolute path of its repository, and the ID of its blob."""

    name: str
    blob: str
    size: int


def states_in_git(source: str, environment: Mapping[str, str]) -> tuple[str, Iterator[GitState]]:
    """Return `git:REVISION:FOLDER` with an absolute folder, and the states in it; FOLDER may also be one file.

    An empty FOLDER stands for the whole repository. Raises StoreError if git is not installed, or does not know the
    revision.
    """
    found = git_path(source, environment)
    if found is None or not found.revision:
        raise StoreError(f"{source}: write states in git as git:REVISION:FOLDER, for example git:main:prod")
    top = repository_top(found, source, environment)
    folder = found.path.rstrip("/")
    if folder in (".", "..") or folder.startswith(("./", "../")):
        raise StoreError(f"{source}: write the folder relative to the top of the repository, or as an absolute path")
    start = f"{GIT}{found.revision}:{top}"
    arguments = ["ls-tree", "-r", "-z", "-l", "--full-tree", found.revision, "--", *([folder] if folder else [])]
    done = run_git(source, arguments, {**environment, "GIT_LITERAL_PATHSPECS": "1"}, found.folder)
    if done.returncode != 0:
        raise StoreError(f"{source}: {git_reason(done)}")
    return f"{start}/{folder}" if folder else start, _states(done.stdout, start, folder)


def _states(listing: bytes, start: str, folder: str) -> Iterator[GitState]:
    for line in filter(None, listing.split(b"\0")):
        about, _, path = line.partition(b"\t")
        name = path.decode("utf-8", "surrogateescape")
        _, kind, blob, size = about.split()
        if kind == b"blob" and (path.endswith(_SUFFIX) or name == folder):
            yield GitState(f"{start}/{name}", blob.decode(), int(size) if size.isdigit() else 0)
