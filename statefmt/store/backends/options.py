"""Options for the state of a folder, and a test whether a configuration may configure its backend.

An unknown block in `terraform` may configure the place of the state, like `state_store` of Terraform 1.15.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from statefmt.text import pattern

# The beginning of a backend or cloud block in a file.
_LIKELY_BLOCK: Final = pattern(rb'\bbackend[\s"]|\bcloud[\s"{]|\bstate_store[\s"]')
# The arguments and blocks of `terraform` that do not affect the place of the state. Source: OpenTofu and Terraform
# `internal/configs/parser_config.go` (terraformBlockSchema).
HARMLESS: Final = frozenset({
    "required_version", "experiments", "language", "required_providers", "provider_meta", "encryption"
})  # fmt: skip
# A comment may precede the brace.
_TERRAFORM: Final = pattern(rb'\bterraform"?\s*+(?:[{:]|/\*)')
# The parts of a block: comments, strings, heredocs, braces, and words.
_PART: Final = pattern(
    rb'#[^\n]*|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|<<-?(?P<mark>[\w-]+)\n.*?^[ \t]*(?P=mark)$'
    rb"|(?P<open>[{(\[])|(?P<close>[})\]])|(?P<word>[A-Za-z_][\w-]*)|.",
    re.DOTALL | re.MULTILINE,
)


def may_name_place(content: bytes) -> bool:
    """Return whether a configuration file may configure the place of the state, and so must be parsed.

    Parsing all files would double the time of a short run. This function only reads the words directly in `terraform`
    blocks.
    """
    if _LIKELY_BLOCK.search(content) is not None:
        return True
    return any(_has_other_words(content, found.end()) for found in _TERRAFORM.finditer(content))


def _has_other_words(content: bytes, start: int) -> bool:
    if content[start - 1 : start] != b"{":
        # JSON syntax, in which blocks are not recognizable, or a comment, which may precede a block.
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
    # Not closed: the parser reports the error.
    return True


class BackendOptions(Struct, frozen=True):
    """The options for the state of a folder: `--workspace`, and each `--backend-config` as written.

    The other fields are permissions, which a repository must not grant: `allowed_hosts` may receive the credentials of
    the environment; `allowed_env` are the variables of the environment (`TF_VAR_region`) that the backend block of a
    folder may use; `allow_external` runs programs that a configuration names; certificates are checked unless `verify`
    is False. `agree` asks a question and returns the answer, None if nobody can be asked. `allowed_paths` are files or
    folders outside the folder for states that only files of the folder name. `debug` receives requests, without
    credentials. `named_by` is the file that names the state if the user does not, such as an operations file: the file
    then chooses the host.
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


# Variables of the environment that a backend block may use, like --allow-env, separated by commas.
ALLOWED_ENV: Final = "STATETOOL_ALLOW_ENV"


def allowed_variables(options: BackendOptions, environment: Mapping[str, str]) -> frozenset[str]:
    """Return the variables of the environment that the backend block of a folder may use."""
    listed = (name.strip() for name in environment.get(ALLOWED_ENV, "").split(","))
    return frozenset(filter(None, (*options.allowed_env, *listed)))


# Places outside a folder for its states, like --allow-path, in the form of PATH.
ALLOWED_PATHS: Final = "STATETOOL_ALLOW_PATH"


def allowed_paths(options: BackendOptions | None, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the allowed files and folders for states that only files of a folder name."""
    listed = environment.get(ALLOWED_PATHS, "").split(os.pathsep)
    return tuple(filter(None, (*(options.allowed_paths if options else ()), *listed)))
