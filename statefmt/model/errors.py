"""The exceptions of statetool. Bad data is a Finding; being unable to go on is one of these.

StatetoolError
├── AddressError           an address cannot be parsed
├── CtyError               a type description or a value is not what it must be (`statefmt.model.cty.errors`)
├── StateError             no snapshot can be made of the bytes; .findings says why
│   ├── NotAStateError         empty, not JSON, no version, something else entirely
│   ├── EncryptedStateError    an encrypted envelope, and no way to open it
│   └── UnsupportedStateError  a state, in a format that cannot be read
├── ReleaseError           the name of a release that is not known
├── SelectionError         a selector is no address, or fits nothing
├── SurgeryError           an operation that would harm a state, or makes no sense for it
├── EncryptionError        an encrypted state cannot be read or written; no message has a secret in it
│   ├── ConfigurationError     an encryption configuration is not what it must be
│   │   ├── KeyServiceError        it needs a service that gives keys, and statetool asks none
│   │   └── ExternalProgramError   it needs a program to be run that only a module names
│   └── UnreadableError        one method cannot read an envelope; another one may
├── SettingsError          a settings file or a baseline is not what it must be
└── StoreError             a file cannot be read or written
    └── LockedError            somebody else holds the lock of a state
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from statefmt.model.findings import Finding, Severity


class StatetoolError(Exception):
    """Base of every exception that statetool raises on purpose."""


class AddressProblem(NamedTuple):
    """One thing that is wrong with an address: 1-based column (in characters), OpenTofu's summary, detail."""

    column: int
    summary: str
    detail: str


class AddressError(StatetoolError, ValueError):
    """An address that cannot be parsed.

    `column`, `summary` and `detail` are those of the first problem; `problems` holds all of them, since
    OpenTofu reports what its scanner and its parser find separately.
    """

    def __init__(self, text: str, problems: Sequence[AddressProblem]) -> None:
        first = problems[0]
        super().__init__(f"{first.summary}: {first.detail} (column {first.column} of {text!r})")
        self.text = text
        self.problems = tuple(problems)
        self.column = first.column
        self.summary = first.summary
        self.detail = first.detail


class StateError(StatetoolError):
    """No snapshot can be made of some bytes. `findings` holds every reason, and whatever else was noticed."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{reason.summary}: {reason.detail}" for reason in self.reasons))

    @property
    def reasons(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)


class NotAStateError(StateError):
    """The bytes are not a state at all: empty, not JSON, no version, or another kind of file."""


class EncryptedStateError(StateError):
    """The bytes are an encrypted state and there is no configuration to open it."""


class UnsupportedStateError(StateError):
    """The bytes are a state in a format version that cannot be read."""


class ReleaseError(StatetoolError, ValueError):
    """The name of a release that is not known; the message has the nearest names."""


class SelectionError(StatetoolError):
    """A selector that is no address or fits nothing; the message says which, and what is near."""


class SurgeryError(StatetoolError):
    """An operation that would harm a state, or makes no sense for it; the message names the address and the way out."""


class EncryptionError(StatetoolError):
    """An encrypted state cannot be read or written; the message says why, and never has a secret in it."""


class ConfigurationError(EncryptionError):
    """An encryption configuration that cannot be used; the message names the block and the argument."""


class KeyServiceError(ConfigurationError):
    """A key provider that needs a service in some cloud; the message says what would be needed."""


class ExternalProgramError(ConfigurationError):
    """A program that a module names, and that may not run; the message names the block and the program."""


class UnreadableError(EncryptionError):
    """A method that cannot read an envelope: it has no key for it, or another one. The next method may read it."""


class SettingsError(StatetoolError):
    """A settings file or a baseline that cannot be read; the message names the file and the key."""


class StoreError(StatetoolError):
    """A file cannot be read or written; the message names it and says what to do."""


class LockedError(StoreError):
    """Somebody else holds the lock of a state; the message says who, since when and what for."""
