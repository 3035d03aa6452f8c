"""Reads versions of a file from a git repository by running git."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

from statefmt.model.errors import StoreError
from statefmt.store.reading import GIT


def read_git_object(name: str, environment: Mapping[str, str]) -> bytes:
    """Return the bytes of `git:REVISION:PATH`. PATH is relative to the top of the repository, or to here with `./`.

    An empty revision (`git::PATH`) reads the staged version. Raises StoreError if git is not installed or does not
    find the file.
    """
    revision, colon, path = (spec := name.removeprefix(GIT)).rpartition(":")
    if not colon or not path or revision.startswith("-"):
        raise StoreError(
            f"{name}: write a version in git as git:REVISION:PATH, for example git:HEAD~1:prod/terraform.tfstate"
        )
    try:
        done = subprocess.run(
            ["git", "cat-file", "blob", spec],
            # The reason is shown in an English message, and compared below.
            env={**environment, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise StoreError(f"{name}: git is not installed or not on PATH") from error
    except OSError as error:
        raise StoreError(f"{name}: cannot run git: {error.strerror}") from error
    except ValueError as error:
        raise StoreError(f"{name}: a path cannot contain a NUL character") from error
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        if reason.endswith("bad file"):
            # What git reports for a tree.
            reason = "this is a folder in git, not a state file"
        raise StoreError(f"{name}: {reason or 'git cannot read it'}")
    return done.stdout
