"""Keeps the loaded state, the store, the keys and the open edit of a `State`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, StateFileError, loaded, repeated_members
from statefmt.model.errors import ConfigurationError, StateError, StatetoolError, StoreError, SurgeryError
from statefmt.model.findings import CONFIGURATION_NOT_KNOWN, Severity
from statefmt.store.reading import GIT, PLAN, display_name

if TYPE_CHECKING:
    from statefmt.configuration.instances import Instances
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.edit.pipeline import EditOptions, OpenedEdit
    from statefmt.encryption import EncryptionConfiguration
    from statefmt.formats.reading import ReadResult
    from statefmt.store.protocol import Store


class StateHandle:
    """The location of a state, its last content, and the open edit."""

    def __init__(self, context: RunContext, location: str) -> None:
        self.context = context
        self.location = location
        self._found: LoadedState | None = None
        self._is_edited = False

    @property
    def loaded(self) -> LoadedState:
        """The loaded state; reads it on first use."""
        if self._found is None:
            self.reload()
        assert self._found is not None
        return self._found

    @cached_property
    def store(self) -> Store:
        """The store of the location."""
        if self.location.startswith(GIT):
            from statefmt.store.git import git_version

            return git_version(self.location, self.context.environment)
        if self.location.startswith(PLAN):
            from statefmt.lifecycle.read_plan import plan_state

            return plan_state(self.location, self.context)
        from statefmt.edit.session import store_at

        return store_at(self.context, self.location)

    def reload(self, like: ReadResult | None = None) -> None:
        """Read the state again; faster if most resources are the same in `like`.

        Raises StoreError, StateError or EncryptionError, and keeps the previous content.
        """
        self.refuse_nested()
        with located(self.location):
            # The context reports progress, and a program that only reads needs no store.
            in_plan = self.location.startswith(PLAN)
            data = self.store.read().data if in_plan else self.context.read(self.location)
            self._found = loaded(self.context, self.location, data, like=like)
            if repeated := repeated_members(self._found):
                self.context.note(f"{display_name(self.location)}: {repeated}")

    @contextmanager
    def opened(
        self, options: EditOptions, opening: Callable[[bytes], LoadedState] | None = None
    ) -> Iterator[OpenedEdit]:
        """Open the state for an edit; forget the loaded state if the edit wrote it or opened it in another way."""
        from statefmt.edit.pipeline import opened_edit

        self.refuse_nested()
        self._is_edited = True
        try:
            with located(self.location), opened_edit(self.context, self.store, options, opening=opening) as opened:
                # Nothing must read the file under the lock.
                self._found = opened.state
                yield opened
                if options.in_place or opening is not None:
                    self._found = None
        finally:
            self._is_edited = False

    def refuse_nested(self) -> None:
        """Raise StoreError if an edit is open."""
        if self._is_edited:
            raise StoreError(f"{self.location}: an edit is open, and its lock would be lost; end it first")


@contextmanager
def located(location: str | None) -> Iterator[None]:
    """Set the location of every error that passes, unless it has one.

    A StateFileError is replaced by the error of a specific kind behind it, such as EncryptedStateError, which keeps its
    name.
    """
    try:
        yield
    except StateFileError as error:
        cause = error.__cause__ if isinstance(error.__cause__, StateError) else error
        cause.name, cause.location = error.name, cause.location or location
        raise cause from None
    except StatetoolError as error:
        error.location = error.location or location
        raise


def loaded_configuration(
    directory: str | os.PathLike[str],
    environment: Mapping[str, str],
    variables: Mapping[str, str] | None = None,
    variable_files: Iterable[str | os.PathLike[str]] = (),
) -> ProviderReferences:
    """Load a configuration with its provider references; `variables` override those of files.

    Raises StoreError if the directory does not exist.
    """
    # Imported late: most programs have no configuration.
    from statefmt.configuration import LoadOptions, VariableOption, load
    from statefmt.configuration.provider_instances import ProviderReferences

    path = Path(directory)
    if not path.is_dir():
        raise StoreError(f"{path}: not a directory; name the directory of the root module")
    files = (VariableOption(file=os.fspath(file)) for file in variable_files)
    given = (VariableOption(name=name, value=value) for name, value in (variables or {}).items())
    return ProviderReferences(
        load(path, LoadOptions(variables=(*files, *given), environment=environment, for_program=True))
    )


def declared_instances(references: ProviderReferences) -> Instances:
    """Return the instances that a configuration declares. Raises SurgeryError if errors hide a part of it."""
    from statefmt.lint.check import check_configuration

    found = check_configuration(references, select=CONFIGURATION_NOT_KNOWN)
    errors = [problem for problem in found if problem.severity is Severity.ERROR]
    if errors:
        raise SurgeryError(
            f"errors hide a part of the configuration ({errors[0].detail}); correct them, or use keys= without config="
        )
    return references.instances


# A path, the text of a configuration, its structure as in JSON, or one that was already read.
Encryption: TypeAlias = "str | os.PathLike[str] | bytes | Mapping[str, object] | EncryptionConfiguration"

# The place of a configuration without a file, for messages.
_ARGUMENT: Final = "encryption="


def encryption_loader(
    encryption: Encryption | None, context: RunContext
) -> Callable[[], EncryptionConfiguration | None] | None:
    """Return a loader of the encryption configuration of a run; None without a configuration.

    A given configuration is read at once and merged over TF_ENCRYPTION of the context's environment. The default is the
    configuration of the context, else TF_ENCRYPTION, read when an encrypted state is opened. Raises ConfigurationError.
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
