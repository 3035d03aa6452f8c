"""What a user says about the state of a folder, and how to tell that a configuration may say something.

A block in `terraform` that is not known may say where the state is, as `state_store` of Terraform 1.15 does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from statefmt.text import pattern

# What a backend or cloud block begins with in a file, and hardly anything else does.
_LIKELY_BLOCK: Final = pattern(rb'\bbackend[\s"]|\bcloud[\s"{]|\bstate_store[\s"]')
# The arguments and blocks of `terraform` that say nothing of the state's place.
# Source: OpenTofu and Terraform `internal/configs/parser_config.go` (terraformBlockSchema).
HARMLESS: Final = frozenset({
    "required_version", "experiments", "language", "required_providers", "provider_meta", "encryption"
})  # fmt: skip
# A comment may stand before the brace.
_TERRAFORM: Final = pattern(rb'\bterraform"?\s*+(?:[{:]|/\*)')
# The parts of a block: comments, strings, heredocs, braces, and words.
_PART: Final = pattern(
    rb'#[^\n]*|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|<<-?(?P<mark>[\w-]+)\n.*?^[ \t]*(?P=mark)$'
    rb"|(?P<open>[{(\[])|(?P<close>[})\]])|(?P<word>[A-Za-z_][\w-]*)|.",
    re.DOTALL | re.MULTILINE,
)


def may_name_place(content: bytes) -> bool:
    """Return whether a file of a configuration may say where the state is, so that it has to be parsed.

    Parsing all files would double the time of a short run. This only looks at the words directly in `terraform` blocks.
    """
    if _LIKELY_BLOCK.search(content) is not None:
        return True
    return any(_has_other_words(content, found.end()) for found in _TERRAFORM.finditer(content))


def _has_other_words(content: bytes, start: int) -> bool:
    if content[start - 1 : start] != b"{":
        # JSON syntax, where blocks look like anything else, or a comment, behind which there may be a block.
        return True
    depth, after_equals = 1, False
    for part in _PART.finditer(content, start):
        if part["open"]:
            depth += 1
        elif part["close"]:
            depth -= 1
            if not depth:
                return False
        elif depth == 1:
            if part["word"] and not after_equals and part["word"].decode("ascii", "replace") not in HARMLESS:
                return True
            if part[0] == b"=":
                after_equals = True
            elif part[0] == b"\n":
                after_equals = False
    # Not closed: the parser says what is wrong.
    return True


class BackendOptions(Struct, frozen=True):
    """What is said about the state of a folder: `--workspace`, and each `--backend-config` as written.

    The rest is what a run allows on the way to a backend, which a repository must not decide: `allowed_hosts` may be
    sent the credentials of the environment; `allowed_env` are the variables of the environment (`TF_VAR_region`) that
    the backend block of a folder may use; programs that a configuration names run with `allow_external`; certificates
    are checked unless `verify` is False. `agree` asks a question and returns the answer, None if nobody can be asked.
    A state that only files of a folder name may be outside of the folder in `allowed_paths`, files or folders.
    `debug` receives requests, without credentials. `named_by` is the file that names the state if no word of the user
    does, such as an operations file: a host in it is that file's choice.
    """

    workspace: str | None = None
    settings: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    allowed_env: tuple[str, ...] = ()
    allowed_paths: tuple[str, ...] = ()
    allow_external: bool = False
    verify: bool = True
    agree: Callable[[str], bool] | None = None
    debug: Callable[[str], None] | None = None
    named_by: str = ""

    def __repr__(self) -> str:
        # Values may be secret.
        settings = tuple(
            f"{name}=…" if equals else name for name, equals, _ in (one.partition("=") for one in self.settings)
        )
        return f"BackendOptions(workspace={self.workspace!r}, settings={settings!r}, …)"


# Variables of the environment that a backend block may use, as --allow-env names them, with commas in between.
ALLOWED_ENV: Final = "STATETOOL_ALLOW_ENV"


def allowed_variables(options: BackendOptions, environment: Mapping[str, str]) -> frozenset[str]:
    """Return the variables of the environment that the user lets the backend block of a folder use."""
    listed = (name.strip() for name in environment.get(ALLOWED_ENV, "").split(","))
    return frozenset(filter(None, (*options.allowed_env, *listed)))


# Places where a folder may keep its states outside of itself, as --allow-path names them, in the form of PATH.
ALLOWED_PATHS: Final = "STATETOOL_ALLOW_PATH"


def allowed_paths(options: BackendOptions | None, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the files and folders in which the user lets states be that only files of a folder name."""
    listed = environment.get(ALLOWED_PATHS, "").split(os.pathsep)
    return tuple(filter(None, (*(options.allowed_paths if options else ()), *listed)))
