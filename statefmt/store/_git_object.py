"""Reads versions of a file from a git repository by running git."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.git_path import git_path, git_reason, run_git

_NOT_HERE: Final = "its content is not in this clone; run `git fetch --refetch --no-filter`"


def read_git_object(name: str, environment: Mapping[str, str]) -> bytes:
    """Return the bytes of `git:REVISION:PATH`.

    PATH is relative to the top of the repository, to here with `./`, or absolute. An empty revision (`git::PATH`) reads
    the staged version. Raises StoreError if git is not installed or does not find the file.
    """
    found = git_path(name, environment)
    if found is None or not found.path:
        raise StoreError(
            f"{name}: write a version in git as git:REVISION:PATH, for example git:HEAD~1:prod/terraform.tfstate"
        )
    arguments = ["cat-file", "blob", f"{found.revision}:{found.path}"]
    done = run_git(name, arguments, environment, found.folder)
    if done.returncode != 0:
        reason = git_reason(done)
        if reason.endswith("bad file"):
            # What git reports for a tree, and for a blob that a partial clone does not have.
            kind = run_git(name, ["cat-file", "-t", arguments[-1]], environment, found.folder).stdout
            reason = "this is a folder in git, not a state file" if kind == b"tree\n" else _NOT_HERE
        raise StoreError(f"{name}: {reason}")
    return done.stdout
