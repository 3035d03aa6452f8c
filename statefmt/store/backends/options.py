"""What a user says about the state of a folder, and how to tell that a configuration may say something."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from statefmt.text.pattern import pattern

# What a backend or cloud block begins with in a file, and hardly anything else does.
LIKELY_BLOCK: Final = pattern(rb'\bbackend[\s"]|\bcloud[\s"{]')


class BackendOptions(Struct, frozen=True):
    """What is said about the state of a folder: `--workspace`, and each `--backend-config` as written."""

    workspace: str | None = None
    settings: tuple[str, ...] = ()
