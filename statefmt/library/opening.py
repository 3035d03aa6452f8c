"""Opens the state at a place."""

from __future__ import annotations

import os
from dataclasses import replace

from statefmt.context import RunContext
from statefmt.edit.session import state_name
from statefmt.library._encryption import Encryption, encryption_loader
from statefmt.library._located import located
from statefmt.library.state import State


def open(  # noqa: A001 - the public name; nothing here opens files
    location: str | os.PathLike[str],
    *,
    context: RunContext | None = None,
    encryption: Encryption | None = None,
    read: bool = True,
) -> State:
    """Open and read a state.

        state = statefmt.open("terraform.tfstate")
        state = statefmt.open("prod.tfstate", encryption="encryption.hcl")

    Args:
        location: The path of a file, or of a folder for the state of its root module and workspace; a URL of a state in
            a backend, such as `s3://BUCKET/KEY?region=…`, `pg://HOST/DATABASE?workspace=…` or `https://…`; or
            `git:REVISION:PATH` for a version in git, which can only be read.
        context: Environment variables, clock, user and callbacks, made by `run_context()`; default: no variables, and
            the clock and the user of the system.
        encryption: How to open and write an encrypted state: the path of a configuration file (HCL or JSON) or of a
            module, the text of a configuration (bytes, or a string with a brace), its structure as in JSON syntax, or
            an EncryptionConfiguration. It is merged over the variable TF_ENCRYPTION of the context.
        read: Read the state now. Otherwise it is read on first use, such as by `edit()` under its lock.

    Credentials for backends come from the environment of the context, as for OpenTofu. `os.environ` has that of the
    process:

        state = statefmt.open("s3://states/app", context=statefmt.run_context(environment=os.environ))

    Raises StoreError if the state cannot be found or read, RemoteStateError if the folder keeps it in a backend that
    statetool does not support, StateError if it is invalid, EncryptedStateError if it is encrypted
    and `encryption` is missing, and EncryptionError if it cannot be decrypted.
    """
    name = os.fspath(location)
    if context is None:
        from statefmt.library.context import run_context

        context = run_context()
    # Without a location: a URL may have a password.
    name = state_name(context, name)
    with located(name):
        context = replace(context, encryption=encryption_loader(encryption, context))
        state = State(context, name)
        if read:
            state.reload()
    return state
