"""Models findings: problems in readable data, with their code, severity and fix.

`Code` defines all codes, with name, severity, and whether only statetool reports them. Codes are never reused; each is
a rule with a page (`statetool rule CODE`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum, unique
from functools import lru_cache
from typing import Final


class Severity(Enum):
    """The severity of a finding; compare by `rank`."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    # Members are compared by identity. Enum's hash is not in C, and is called several times for each finding.
    __hash__ = object.__hash__

    @property
    def rank(self) -> int:
        """2 for an error, 1 for a warning, 0 for information."""
        return _RANKS[self]


_RANKS = {Severity.INFO: 0, Severity.WARNING: 1, Severity.ERROR: 2}


@dataclass(frozen=True, slots=True)
class Place:
    """A range in a file, counted as editors do: lines and columns from 1, the end after the last character."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Command:
    """A statetool command: its name and its arguments, without shell quoting."""

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fix:
    """How to fix a finding: advice with commands to run, and configuration to paste."""

    advice: tuple[str | Command, ...] = ()
    snippet: str = ""

    @classmethod
    def of(cls, *parts: str | Command | Fix, snippet: str = "") -> Fix:
        """Join parts into one fix, including the parts of any Fix among them. Drops empty strings."""
        advice: list[str | Command] = []
        for part in parts:
            if isinstance(part, Fix):
                advice += part.advice
            elif part:
                advice.append(part)
        return cls(tuple(advice), snippet)

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands in the order of the advice. The advice says which are alternatives."""
        return tuple([part for part in self.advice if isinstance(part, Command)])


NO_FIX: Final = Fix()


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in readable data.

    `code` is the stable code of a rule (`PRV001`). `summary` is OpenTofu's wording if OpenTofu has a diagnostic for
    the case, so that users can search for it; `detail` may add details. `address` is the resource, instance or output
    (empty for the whole file), `pointer` an RFC 6901 JSON pointer into the file. `fix` is advice. `place` is the
    location of a problem in a configuration instead of the checked state. `anchor` identifies such a finding when
    lines move; it is not meant for display.
    """

    code: str
    severity: Severity
    summary: str
    detail: str = ""
    address: str = ""
    pointer: str = ""
    fix: Fix = NO_FIX
    place: Place | None = None
    anchor: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return the finding as JSON-compatible values; the commands of the fix are lists of words."""
        place = self.place
        return {
            "code": str(self.code),
            "severity": self.severity.value,
            "summary": self.summary,
            "detail": self.detail,
            "address": self.address,
            "pointer": self.pointer,
            "commands": [["statetool", *command.name.split(), *command.arguments] for command in self.fix.commands],
            "snippet": self.fix.snippet,
            "place": place and {name: getattr(place, name) for name in place.__slots__},
        }


_ERROR, _WARNING, _INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


@unique
class Code(StrEnum):
    """A stable code (`PRV001`) with the severity of its rule.

    `only_statetool` is True if OpenTofu reads such a state without a diagnostic. Reading then reports the finding as
    information, and `check` with the severity of the rule.
    """

    def __new__(cls, code: str, *_: object) -> Code:
        member = str.__new__(cls, code)
        member._value_ = code
        return member

    def __init__(self, code: str, severity: Severity, only_statetool: bool = False) -> None:
        self.severity = severity
        self.only_statetool = only_statetool

    @property
    def slug(self) -> str:
        """The name of the rule: `provider-missing`."""
        return self.name.lower().replace("_", "-")

    def finding(
        self,
        summary: str,
        detail: str = "",
        address: str = "",
        pointer: str = "",
        fix: str | Fix = NO_FIX,
        place: Place | None = None,
    ) -> Finding:
        """Return a finding with the severity of the rule."""
        return Finding(self, self.severity, summary, detail, address, pointer, _fix(fix), place)

    def notice(
        self, summary: str, detail: str = "", address: str = "", pointer: str = "", fix: str | Fix = NO_FIX
    ) -> Finding:
        """Return a finding with the severity used while reading."""
        weight = Severity.INFO if self.only_statetool else self.severity
        return Finding(self, weight, summary, detail, address, pointer, _fix(fix))

    # STA: the file and its envelope
    NOT_A_STATE = "STA001", _ERROR
    UNSUPPORTED_VERSION = "STA002", _ERROR
    ENCRYPTED = "STA003", _ERROR
    INVALID_STRUCTURE = "STA004", _ERROR
    UPGRADE_FAILED = "STA005", _ERROR
    INVALID_TERRAFORM_VERSION = "STA006", _ERROR
    NOT_CANONICAL = "STA007", _INFO
    UNKNOWN_MEMBER = "STA008", _INFO
    DUPLICATE_MEMBER = "STA009", _WARNING, True
    UPGRADE_CHOICE = "STA010", _INFO
    NORMALISED_VALUE = "STA011", _INFO
    BACKEND_CONFIGURATION = "STA012", _ERROR, True
    NOT_UTF8 = "STA013", _ERROR, True
    NO_LINEAGE = "STA014", _INFO
    SERIAL_ODD = "STA015", _INFO
    RELEASE_UNKNOWN = "STA016", _INFO
    CHECKS_FAILED = "STA017", _WARNING
    LARGE_STATE = "STA018", _INFO
    JSON_SCHEMA = "STA019", _ERROR

    # PRV: the provider instance of an object
    PROVIDER_BOTH_LEVELS = "PRV001", _WARNING
    PROVIDER_MISSING = "PRV002", _ERROR
    PROVIDER_CONFIGURATIONS_DIFFER = "PRV003", _ERROR
    PROVIDER_ADDRESS_INVALID = "PRV004", _ERROR
    PROVIDER_KEYS_DIFFER = "PRV005", _ERROR, True
    PROVIDER_BLOCKS_DIFFER = "PRV006", _ERROR, True
    PROVIDER_LEGACY = "PRV007", _WARNING
    PROVIDER_IN_KEYED_MODULE = "PRV008", _WARNING
    PROVIDER_HOSTS_MIXED = "PRV009", _WARNING
    PROVIDER_KEYED_AND_KEYLESS = "PRV010", _WARNING
    PROVIDER_KEY_NUMBER = "PRV011", _WARNING

    # ADR: addresses and identity
    MODULE_ADDRESS_INVALID = "ADR001", _ERROR
    DUPLICATE_INSTANCE = "ADR002", _ERROR
    INVALID_MODE = "ADR003", _ERROR
    INVALID_INSTANCE_KEY = "ADR004", _ERROR
    RESOURCE_SPREAD = "ADR005", _WARNING, True
    INSTANCE_KEYS_MIXED = "ADR006", _WARNING
    COUNT_KEYS_GAP = "ADR007", _INFO
    DUPLICATE_REMOTE_OBJECT = "ADR008", _ERROR
    INVALID_IDENTIFIER = "ADR009", _WARNING
    NO_INSTANCES = "ADR010", _INFO
    MISLEADING_CHARACTERS = "ADR011", _WARNING

    # INS: instance objects
    INVALID_STATUS = "INS001", _ERROR
    INVALID_DEPOSED_KEY = "INS002", _ERROR
    INVALID_SENSITIVE_PATHS = "INS003", _ERROR
    BOTH_ATTRIBUTE_FORMS = "INS004", _WARNING, True
    TAINTED = "INS005", _WARNING
    DEPOSED_LEFT_OVER = "INS006", _WARNING
    FLAT_ATTRIBUTES = "INS007", _INFO
    NO_ATTRIBUTES = "INS008", _INFO
    SCHEMA_VERSIONS_DIFFER = "INS009", _INFO
    SENSITIVE_PATH_MISSING = "INS010", _INFO
    PRIVATE_INVALID = "INS011", _ERROR
    IDENTITY_WITHOUT_VERSION = "INS012", _INFO
    DAMAGED_VALUE = "INS013", _WARNING

    # DEP: dependencies
    DEPENDENCY_ADDRESS_INVALID = "DEP001", _ERROR
    DEPENDENCY_DANGLING = "DEP002", _WARNING
    DEPENDENCY_ON_ITSELF = "DEP003", _WARNING
    DEPENDENCY_CYCLE = "DEP004", _WARNING
    DEPENDENCY_DUPLICATED = "DEP005", _INFO

    # ENC: the envelope of an encrypted state
    ENVELOPE_IDENTITY = "ENC001", _ERROR
    METADATA_UNUSED = "ENC002", _WARNING
    WEAK_ITERATIONS = "ENC003", _WARNING
    READ_BY_FALLBACK = "ENC004", _WARNING
    NOT_ENCRYPTED = "ENC005", _INFO
    ENVELOPE_UNKNOWN_MEMBER = "ENC006", _INFO
    ENVELOPE_VERSION = "ENC007", _ERROR

    # OUT: outputs
    INVALID_OUTPUT_TYPE = "OUT001", _ERROR
    INVALID_OUTPUT_VALUE = "OUT002", _ERROR
    OUTPUT_DEPRECATED = "OUT003", _INFO
    OUTPUT_LIKELY_SECRET = "OUT004", _INFO

    # CHK: check results
    CHECK_ADDRESS_INVALID = "CHK001", _ERROR

    # REL: losses in another release
    RELEASE_LOSES_OBJECT = "REL001", _ERROR
    RELEASE_LOSES_MEMBER = "REL002", _ERROR
    RELEASE_REFUSES_STATE = "REL003", _ERROR

    # SEC: secrets in plain sight
    SECRET_PRIVATE_KEY = "SEC001", _INFO
    SECRET_CLOUD_KEY = "SEC002", _INFO
    SECRET_TOKEN = "SEC003", _INFO
    SECRET_PASSWORD = "SEC004", _INFO

    # SCH: a state compared with the schemas of its providers
    ATTRIBUTE_UNDECODABLE = "SCH001", _ERROR
    ATTRIBUTE_UNKNOWN = "SCH002", _WARNING
    SCHEMA_VERSION_NEWER = "SCH003", _ERROR
    SCHEMA_VERSION_OLDER = "SCH004", _INFO
    SENSITIVE_BY_SCHEMA = "SCH005", _INFO
    WRITE_ONLY_STORED = "SCH006", _ERROR
    REQUIRED_MISSING = "SCH007", _WARNING
    BLOCK_COUNT = "SCH008", _WARNING
    DEPRECATED_IN_USE = "SCH009", _INFO
    SCHEMA_MISSING = "SCH010", _WARNING

    # CFG: a configuration on its own
    CONFIGURATION_UNREADABLE = "CFG001", _ERROR
    CONFIGURATION_MODULE_MISSING = "CFG002", _WARNING
    CONFIGURATION_INVALID = "CFG003", _ERROR
    PROVIDER_FOR_EACH_WITHOUT_ALIAS = "CFG004", _ERROR
    PROVIDER_RESERVED_ARGUMENT = "CFG005", _ERROR
    PROVIDER_KEY_MISPLACED = "CFG006", _ERROR
    PROVIDER_REFERENCE_INVALID = "CFG007", _ERROR
    PROVIDER_UNDECLARED = "CFG008", _ERROR
    PROVIDER_FOR_EACH_INVALID = "CFG009", _ERROR
    PROVIDER_FOR_EACH_MATCHES = "CFG010", _WARNING
    PROVIDER_KEY_UNDECLARED = "CFG011", _ERROR
    PROVIDER_PASSING = "CFG012", _ERROR
    PROVIDER_IN_TESTS = "CFG013", _ERROR
    PROVIDER_REQUIRED_TWICE = "CFG014", _WARNING
    IMPORT_PROVIDER = "CFG015", _ERROR
    BACKEND_PATH_OF_INIT = "CFG016", _ERROR
    STATE_IN_RECORD = "CFG017", _ERROR
    INSTANCE_KEYS_INVALID = "CFG018", _ERROR
    INSTANCE_KEYS_UNKNOWN = "CFG019", _WARNING
    CONFIGURATION_UNSUPPORTED = "CFG020", _ERROR
    MODULE_WITHOUT_CALLER = "CFG021", _INFO

    # CFS: a configuration compared with a state
    PROVIDER_CONFIGURATION_GONE = "CFS001", _ERROR
    PROVIDER_INSTANCE_GONE = "CFS002", _ERROR
    PROVIDER_FALLBACK_IMPOSSIBLE = "CFS003", _ERROR
    PROVIDER_WILL_CHANGE = "CFS004", _WARNING
    PROVIDER_KEY_UNUSED = "CFS005", _INFO
    COVERED_BY_MOVE = "CFS006", _INFO
    PROVIDER_UNKNOWN = "CFS007", _INFO
    PROVIDER_MISMATCH = "CFS008", _WARNING

    # PLN: a plan, and its prior state
    PLAN_DESTROYS_PROTECTED = "PLN001", _ERROR
    PLAN_REPLACES = "PLN002", _WARNING
    PLAN_DRIFT = "PLN003", _WARNING
    PLAN_STALE = "PLN004", _ERROR
    PLAN_OF_ANOTHER_RELEASE = "PLN005", _WARNING
    PLAN_FAILED = "PLN006", _ERROR
    PLAN_INCOMPLETE = "PLN007", _WARNING
    PLAN_CHECK_FAILED = "PLN008", _WARNING
    PLAN_DRIFT_IN_FORM = "PLN009", _INFO

    # LIF: plans that providers may not make, and applies compared with their plans
    CHANGE_NOT_MADE = "LIF001", _ERROR
    INSTANCE_LOST = "LIF002", _ERROR
    OBJECT_KEPT = "LIF003", _ERROR
    MOVE_NOT_MADE = "LIF004", _ERROR
    DEPOSED_KEPT = "LIF005", _ERROR
    VALUE_NOT_AS_PLANNED = "LIF006", _ERROR
    VALUE_LEFT_UNKNOWN = "LIF007", _ERROR
    LEFT_TAINTED = "LIF008", _ERROR
    SENSITIVITY_NOT_AS_PLANNED = "LIF009", _ERROR
    PROVIDER_NOT_AS_PLANNED = "LIF010", _ERROR
    CHANGED_WITHOUT_PLAN = "LIF011", _ERROR
    ADDED_WITHOUT_PLAN = "LIF012", _ERROR
    OUTPUT_NOT_AS_PLANNED = "LIF013", _ERROR
    LINEAGE_CHANGED = "LIF014", _ERROR
    SERIAL_NOT_RAISED = "LIF015", _ERROR
    OTHER_STATE_PLANNED = "LIF016", _ERROR
    TOLERATED_FOR_LEGACY = "LIF017", _WARNING
    CHANGE_LOOKS_THE_SAME = "LIF018", _WARNING
    PROVIDER_INSTANCE_CHANGED = "LIF019", _WARNING
    CHANGED_IN_FORM = "LIF020", _INFO
    INVALID_PLAN = "LIF021", _ERROR
    INVALID_PLAN_TOLERATED = "LIF022", _WARNING


def _fix(given: str | Fix) -> Fix:
    return given if isinstance(given, Fix) else _advice(given)


@lru_cache
def _advice(text: str) -> Fix:
    """Return a fix, shared by all findings with the same advice."""
    return Fix.of(text)


# Files with one of these contain no usable state: edits refuse them, and neither settings nor baselines hide these
# findings.
NO_STATE: Final = frozenset({
    Code.NOT_A_STATE, Code.UNSUPPORTED_VERSION, Code.ENCRYPTED, Code.BACKEND_CONFIGURATION, Code.NOT_UTF8
})  # fmt: skip

# With one of these, part of the configuration is unknown.
CONFIGURATION_NOT_KNOWN: Final = (
    Code.CONFIGURATION_UNREADABLE,
    Code.CONFIGURATION_MODULE_MISSING,
    Code.CONFIGURATION_INVALID,
    Code.PROVIDER_FOR_EACH_INVALID,
)
