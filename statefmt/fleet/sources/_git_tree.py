"""Lists the states in a revision of a git repository by running git."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.reading import GIT

_SUFFIX: Final = b".tfstate"


def states_in_git(source: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each state in `git:REVISION:FOLDER`, or of one file, and the id of its blob.

    FOLDER may be empty. Raises StoreError if git is not installed, does not know the revision, or finds no state.
    """
    revision, colon, folder = source.removeprefix(GIT).partition(":")
    if not colon or not revision or revision.startswith("-"):
        raise StoreError(f"{source}: write states in git as git:REVISION:FOLDER, for example git:main:prod")
    arguments = ["git", "ls-tree", "-r", "-z", "--full-tree", revision, "--", *([folder] if folder else [])]
    try:
        done = subprocess.run(
            arguments,
            env={**environment, "LC_ALL": "C", "GIT_LITERAL_PATHSPECS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise StoreError(f"{source}: cannot run git: {error.strerror}") from error
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise StoreError(f"{source}: {reason or 'git cannot read it'}")
    found = False
    for line in filter(None, done.stdout.split(b"\0")):
        about, _, path = line.partition(b"\t")
        name = path.decode("utf-8", "surrogateescape")
        kind, blob = about.split()[1:3]
        if kind == b"blob" and (path.endswith(_SUFFIX) or name == folder):
            found = True
            yield f"{GIT}{revision}:{name}", blob.decode()
    if not found:
        raise StoreError(f"{source}: no state file (*.tfstate) in this folder or below it")
