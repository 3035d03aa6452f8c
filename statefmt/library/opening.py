"""Opens the state at a place, in a run context and with the keys of an encryption configuration."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from statefmt.context import ProgressReport, RunContext
from statefmt.edit.session import state_name
from statefmt.library._handle import located
from statefmt.library.state import State
from statefmt.model.errors import ConfigurationError, StoreError

if TYPE_CHECKING:
    from statefmt.encryption import EncryptionConfiguration
    from statefmt.store.backends.options import BackendOptions
    from statefmt.store.reading import ReadReport


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
        context = run_context()
    # Without a location: a URL may have a password.
    name = state_name(context, name)
    with located(name):
        context = replace(context, encryption=encryption_loader(encryption, context))
        state = State(context, name)
        if read:
            state.reload()
    return state


_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


def run_context(
    *,
    environment: Mapping[str, str] = _NOTHING,
    clock: Callable[[], datetime] | None = None,
    user: Callable[[], str] | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: ProgressReport | None = None,
    backend: BackendOptions | None = None,
) -> RunContext:
    """Return a context for `statefmt.open()`.

        statefmt.open("terraform.tfstate", context=statefmt.run_context(environment=os.environ, note=print))

    Args:
        environment: Variables such as TF_ENCRYPTION, TF_VAR_passphrase and the credentials of backends. The library
            does not read those of the process by itself; without this argument there are none.
        clock: Returns the current time with its time zone, for locks, backups and the history; default: the system's.
        user: Returns `name@host`, for locks and the history; default: the user of the process.
        note: Receives a sentence on each side effect, such as the recovery of an interrupted write.
        progress: Receives the name of a phase, how much is done, of how much, and the unit, "" for bytes. An exception
            that it raises cancels the operation and leaves the state as it was.
        backend: What is said about states in backends, as `statefmt.locations.BackendOptions`: the workspace of a
            folder, settings as `--backend-config` takes them, and what is allowed on the way, such as hosts that get
            credentials of the environment although only a folder names them.
    """
    clock = clock or (lambda: datetime.now(UTC))
    return RunContext(
        environment, clock, user or _user, note, _no_input, _no_output, progress=progress, backend=backend
    )


def _user() -> str:
    """Return the name that the system has for the user, unlike getpass without the environment, and the host."""
    from socket import gethostname

    try:
        import pwd

        name = pwd.getpwuid(os.getuid()).pw_name
    except ImportError:
        name = os.getlogin()
    except KeyError:
        # A container may run as a user without a name.
        name = str(os.getuid())
    return f"{name}@{gethostname()}"


def _no_input(_: ReadReport | None) -> bytes:
    raise StoreError("the library does not read standard input; read it and call statefmt.read()")


def _no_output(_: bytes) -> None:
    raise StoreError("the library does not write to standard output; name a file")


# A path, the text of a configuration, its structure as in JSON, or one that was already read.
Encryption: TypeAlias = "str | os.PathLike[str] | bytes | Mapping[str, object] | EncryptionConfiguration"

# The place of a configuration without a file, for messages.
_ARGUMENT: Final = "encryption="


def encryption_loader(
    encryption: Encryption | None, context: RunContext
) -> Callable[[], EncryptionConfiguration | None] | None:
    """Return what loads the encryption configuration of a run; None if there is none.

    A given configuration is read at once and merged over TF_ENCRYPTION of the context's environment. Without one, that
    of the context counts, else TF_ENCRYPTION, which is read when an encrypted state is opened. Raises
    ConfigurationError.
    """
    if encryption is None:
        if context.encryption is not None:
            return context.encryption
        if not context.environment.get("TF_ENCRYPTION", "").strip():
            return None
        return functools.cache(lambda: _read(None, context))
    found = _read(encryption, context)
    return lambda: found


def _read(encryption: Encryption | None, context: RunContext) -> EncryptionConfiguration | None:
    # Imported late, since nearly every state is plain.
    from statefmt.encryption import EncryptionConfiguration, Origin
    from statefmt.encryption.sources import GivenText, layered_configuration

    if isinstance(encryption, EncryptionConfiguration):
        return encryption
    given, directory = None, None
    if isinstance(encryption, Mapping):
        given = GivenText(Origin.of_file(_ARGUMENT), functools.partial(_json, encryption))
    elif isinstance(encryption, bytes) or (isinstance(encryption, str) and "{" in encryption):
        content = encryption if isinstance(encryption, bytes) else encryption.encode("utf-8", "surrogateescape")
        given = GivenText(Origin.of_file(_ARGUMENT), lambda: content)
    elif encryption is not None and os.path.isdir(encryption):  # noqa: PTH112 - Path.is_dir may raise
        directory = os.fspath(encryption)
    elif encryption is not None:
        given = GivenText.of_file(os.fspath(encryption))
    return layered_configuration(given, directory, (), context.environment)


def _json(configuration: Mapping[str, object]) -> bytes:
    import json

    try:
        return json.dumps(configuration, default=dict).encode()
    except (TypeError, ValueError, RecursionError):
        # Its message may quote a passphrase.
        raise ConfigurationError(f"{_ARGUMENT}: the mapping cannot be written as JSON") from None
