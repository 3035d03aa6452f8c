"""Versions of a file out of git's object store, by running git."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Final

from statefmt.model.errors import StoreError

PREFIX: Final = "git:"


def read_git_object(name: str, environment: Mapping[str, str]) -> bytes:
    """The bytes of `git:REVISION:PATH`, with the path from the top of the repository, or from here if it begins `./`.

    Without a revision (`git::PATH`) it is the version that is staged. Raises StoreError where git is not there, or
    finds no such file.
    """
    revision, colon, path = (spec := name.removeprefix(PREFIX)).rpartition(":")
    if not colon or not path or revision.startswith("-"):
        raise StoreError(
            f"{name}: a version in git is named git:REVISION:PATH, as in git:HEAD~1:prod/terraform.tfstate"
        )
    try:
        done = subprocess.run(
            ["git", "cat-file", "blob", spec],
            # In English, for the message.
            env={**environment, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise StoreError(f"{name}: git is not installed, or not on PATH") from error
    except OSError as error:
        raise StoreError(f"{name}: git cannot be run: {error.strerror}") from error
    except ValueError as error:
        raise StoreError(f"{name}: no path has a NUL character in it") from error
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        if reason.endswith("bad file"):
            # What git says of whatever is no file.
            reason = "this is a folder in git, not a state file"
        raise StoreError(f"{name}: {reason or 'git does not know it'}")
    return done.stdout
