"""Defines the exceptions of statetool, for conditions that prevent it from continuing. Bad data is a Finding instead.

StatetoolError
├── AddressError           an address cannot be parsed
├── CtyError               a type description or a value is invalid (`statefmt.model.cty`)
├── StateError             no snapshot can be made of the bytes; .findings has the reasons
│   ├── NotAStateError         empty, not JSON, no version, or another kind of file
│   ├── EncryptedStateError    an encrypted state without a configuration to decrypt it
│   └── UnsupportedStateError  a state in an unsupported format
├── ReleaseError           the name of a release is unknown
├── SelectionError         a selector is invalid or matches nothing
│   ├── NoMatchError           a selector matches nothing
│   ├── MissingPathError       an object or an output has no value at a path; a LookupError, too
│   └── InvalidAddressError    an address, a selector or a provider on the command line is invalid
├── DowngradeError         a release would lose parts of a state (`statefmt.formats.losses`)
├── SurgeryError           an operation would harm the state or does not apply to it
├── EncryptionError        an encrypted state cannot be read or written; messages contain no secrets
│   ├── ConfigurationError     an encryption configuration is invalid
│   │   ├── KeyServiceError        it needs a key service, and statetool calls none
│   │   └── ExternalProgramError   it needs an external program that only the module names
│   └── UnreadableError        a method cannot decrypt an envelope; another method may
├── ProviderSourceError    nothing says where a provider comes from that the state names by its type only
├── SettingsError          a settings file or a baseline is invalid
└── StoreError             a file cannot be read or written
    ├── LockedError            the state is locked by someone else
    ├── ChangedError           the state does not have the expected serial or hash
    └── RemoteStateError       the folder keeps its state in a backend that statetool does not open
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from statefmt.model.findings import Finding, Severity


class StatetoolError(Exception):
    """Base class of all exceptions that statetool raises deliberately.

    `code` is a stable name of the reason: the name of the class, or the rule for a StateError. `address` is the
    address in the state that the error concerns, `location` the location of the state. Each is None if it is unknown.

    The message names arguments of the library, such as `force_type=True`. `parts` are the parts of the message, some
    of them with another wording for the command line, which `on_command_line` joins.
    """

    code: str | None = None
    address: str | None = None
    location: str | None = None
    parts: tuple[MessagePart, ...] = ()

    def __init__(self, *parts: MessagePart, address: object = None) -> None:
        """Join the parts of the message; `address` is any object that prints as an address."""
        super().__init__("".join(map(str, parts)))
        self.parts = parts
        if address is not None:
            self.address = str(address)

    @property
    def on_command_line(self) -> str:
        """The message with options in place of arguments: `--force-type`, not `force_type=True`."""
        return "".join(part.on_command_line if isinstance(part, Wording) else part for part in self.parts)


class AddressProblem(NamedTuple):
    """A problem in an address: column (in characters, from 1), OpenTofu's summary, detail."""

    column: int
    summary: str
    detail: str


class AddressError(StatetoolError, ValueError):
    """An address that cannot be parsed.

    `column`, `summary` and `detail` describe the first problem; `problems` holds all of them, since
    OpenTofu's scanner and parser report separately.
    """

    code = "address"

    def __init__(self, text: str, problems: Sequence[AddressProblem]) -> None:
        first = problems[0]
        super().__init__(f"{first.summary}: {first.detail} (column {first.column} of {text!r})")
        self.text = self.address = text
        self.problems = tuple(problems)
        self.column = first.column
        self.summary = first.summary
        self.detail = first.detail


class StateError(StatetoolError):
    """The bytes cannot become a snapshot. `findings` holds all findings, `reasons` only the errors.

    `name` is the name of the bytes in messages: the state, or a content of it; "" if unknown.
    """

    name: str = ""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("; ".join(f"{reason.summary}: {reason.detail}" for reason in self.reasons))
        first = next(iter(self.reasons), None)
        if first is not None:
            self.code, self.address = first.code, first.address or None

    @property
    def reasons(self) -> tuple[Finding, ...]:
        """The findings of severity error."""
        return tuple(finding for finding in self.findings if finding.severity is Severity.ERROR)


class NotAStateError(StateError):
    """The bytes are not a state: empty, not JSON, no version, or another kind of file."""


class EncryptedStateError(StateError):
    """The bytes are an encrypted state, and there is no configuration to decrypt it.

    The finding names options of the command line, the message arguments of the library.
    """

    def __str__(self) -> str:
        """The message for programs."""
        return (
            "state is encrypted: it cannot be read without its encryption configuration; "
            "give it with statefmt.open(…, encryption=…)"
        )


class UnsupportedStateError(StateError):
    """The bytes are a state in an unsupported format version."""


class ReleaseError(StatetoolError, ValueError):
    """The name of a release is unknown; the message lists the nearest names."""

    code = "release"


class SelectionError(StatetoolError):
    """A selector is invalid or matches nothing; the message names it and lists the nearest matches."""

    code = "selection"


class NoMatchError(SelectionError):
    """A selector is valid and matches nothing; `selector` is the string as given."""

    code = "no-match"

    def __init__(self, selector: str, suggestion: str) -> None:
        option = Wording(f"use --state {selector}", f"use statefmt.open({selector!r})")
        state = ("; ", option, " to name a state") if selector.endswith(".tfstate") else ()
        super().__init__(f"no resource instance matches {selector!r}", *state, suggestion, address=selector)
        self.selector = selector


class MissingPathError(SelectionError, LookupError):
    """An object or an output has no value at a path."""

    code = "missing-path"


class InvalidAddressError(SelectionError):
    """An address, a selector or a provider given by a user is invalid.

    `meant` is the probable intended address, or "". The message omits it, since its spelling depends on the shell.
    """

    code = "invalid-address"

    def __init__(self, what: str, text: str, *reason: MessagePart, meant: str = "") -> None:
        super().__init__(f"invalid {what} {text!r}: ", *reason, address=text)
        self.meant = meant


class SurgeryError(StatetoolError):
    """An operation would harm the state or does not apply to it; the message names the address and the remedy."""

    code = "surgery"


class EncryptionError(StatetoolError):
    """An encrypted state cannot be read or written; the message gives the reason and never contains a secret."""

    code = "encryption"


class ConfigurationError(EncryptionError):
    """An encryption configuration is invalid; the message names the block and the argument."""

    code = "encryption-configuration"


class KeyServiceError(ConfigurationError):
    """A key provider needs a cloud service; the message names the service."""

    code = "key-service"


class ExternalProgramError(ConfigurationError):
    """A module names an external program that is not allowed to run; the message names the block and the program."""

    code = "external-program"


class UnreadableError(EncryptionError):
    """A method cannot decrypt an envelope: its key is missing or wrong. The next method may decrypt it."""

    code = "unreadable"


class ProviderSourceError(StatetoolError):
    """The source of a provider that the state names only by its type is unknown; the message lists remedies.

    `total` is the number of resources, and `short` counts by type the resources that name their provider only by its
    type. `unknown` are the types without a source, `ambiguous` the types with several. `host` is the public registry
    of the other providers, "" if it is unknown, and `problems` lists inputs that could not be used to find the
    sources.
    """

    code = "provider-source"

    def __init__(
        self,
        *parts: MessagePart,
        total: int = 0,
        short: Mapping[str, int] = MappingProxyType({}),
        unknown: Sequence[str] = (),
        ambiguous: Mapping[str, Sequence[str]] = MappingProxyType({}),
        host: str = "",
        problems: Sequence[str] = (),
    ) -> None:
        super().__init__(*parts)
        self.total, self.short, self.host = total, short, host
        self.unknown, self.ambiguous, self.problems = unknown, ambiguous, problems


class SettingsError(StatetoolError):
    """A settings file or a baseline is invalid; the message names the file and the key."""

    code = "settings"


class StoreError(StatetoolError):
    """A file cannot be read or written; the message names the file and the remedy."""

    code = "store"


class MissingStateError(StoreError):
    """No state exists at this location."""


class LockedError(StoreError):
    """Someone else has locked the state; the message names the owner, the time and the operation of the lock."""

    code = "locked"


class ChangedError(StoreError):
    """The state is not the expected one; `expected` is the serial or SHA-256 that was expected."""

    code = "changed"

    def __init__(self, message: str, expected: int | str) -> None:
        super().__init__(message)
        self.expected = expected


class RemoteStateError(StoreError):
    """The state of a folder is in a backend that statetool does not open: none of `local`, `http`, `pg` and `s3`.

    `backend` is its type or, with `declared`, another construct that locates the state: a `state_store`, a Terragrunt
    unit, an unknown block; `declared` is a sentence about it. `programs` are the programs that can pull the state:
    `tofu`, `terraform` or both, or `terragrunt`. `folder` is the folder as named, "" for the current one; `workspace`
    is the requested workspace, "" for the default of the programs.
    """

    code = "remote-state"

    def __init__(
        self, backend: str, programs: Sequence[str], folder: str = "", workspace: str = "", *, declared: str = ""
    ) -> None:
        whose = f"{folder}: its state" if folder else "the state of this folder"
        what = declared or f"{whose} is stored in the backend {backend!r}"
        super().__init__(f"{what}; statetool itself opens local, http, pg and s3")
        self.backend = backend
        self.programs = tuple(programs)
        self.folder = folder
        self.workspace = workspace


class Wording(NamedTuple):
    """A part of a message in two wordings, such as `--force-type` and `force_type=True`."""

    on_command_line: str
    in_program: str

    def __str__(self) -> str:
        return self.in_program


# A part of a message: one text for all readers, or a Wording.
MessagePart: TypeAlias = str | Wording
