"""What a user says about the state of a folder, and how to tell that a configuration may say something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct

from statefmt.text.pattern import pattern

# What a backend or cloud block begins with in a file, and hardly anything else does.
LIKELY_BLOCK: Final = pattern(rb'\bbackend[\s"]|\bcloud[\s"{]')


class BackendOptions(Struct, frozen=True):
    """What is said about the state of a folder: `--workspace`, and each `--backend-config` as written.

    The rest is what a run allows on the way to a backend, which a repository must not decide: `allowed_hosts` may be
    sent the credentials of the environment; `allowed_env` are the variables of the environment (`TF_VAR_region`) that
    the backend block of a folder may use; programs that a configuration names run with `allow_external`; certificates
    are checked unless `verify` is False. `agree` asks a question and returns the answer, None if nobody can be asked.
    `debug` receives requests, without credentials. `named_by` is the file that names the state if no word of the user
    does, such as an operations file: a host in it is that file's choice.
    """

    workspace: str | None = None
    settings: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    allowed_env: tuple[str, ...] = ()
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
