"""Read names from the Go sources of one revision of OpenTofu or Terraform: members, blocks, arguments, functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final, TypeAlias

# Yields the names in the text of the file at a path.
Reader: TypeAlias = Callable[[PurePosixPath, str], Iterator[str]]

_STRUCT: Final = re.compile(r"^\s*(?:type )?(\w+) struct \{$(.*?)^\s*\}", re.MULTILINE | re.DOTALL)
_TAG: Final = re.compile(r'`[^`\n]*\b(?:json|hcl):"([^",]+)')
_CONSTANT: Final = re.compile(r'^\s*(?:const )?(\w+)(?: \w+)? += "([^"\n]*)"$', re.MULTILINE)
_CASE: Final = re.compile(r"^\s*case (.+):$", re.MULTILINE)
_LITERAL: Final = re.compile(r'"([^"]*)"|\b(\d+)\b')
_SCHEMA: Final = re.compile(r"hcl\.BodySchema\{")
_TOP_LEVEL: Final = re.compile(r"^(?:var|func(?: \([^)]*\))?) (\w+)", re.MULTILINE)
# Some names are constants.
_SCHEMA_PART: Final = re.compile(r'\b(Name|Type):\s*"?(\w+)\b(?!\.)')
_ENTRY: Final = re.compile(r'^\s*"(\w+)":\s|\["(\w+)"\] = ', re.MULTILINE)
# The backend `oci` has constants for names: `KmsKeyIdAttrName`.
_ARGUMENT: Final = re.compile(r'^\s*(?:"(\w+)"|(\w+)AttrName):\s*(?:&?[\w.]+)?\{', re.MULTILINE)
_RETURNED: Final = re.compile(r'ID\(\) [\w.]+ID \{\s*return "(\w+)"')
_PROTO: Final = re.compile(
    r"^\s*(?:(?:message|enum|oneof) (\w+) \{|(?:(?:repeated |optional )?[\w.<>, ]+ )?(\w+) = (\d+)\b[^;]*;|(\}))",
    re.MULTILINE,
)


def _members(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield the members of structs that have tags: `stateV4.serial`."""
    for struct in _STRUCT.finditer(text):
        for tag in _TAG.finditer(struct[2]):
            if re.fullmatch(r"\w+", tag[1]):
                yield f"{struct[1]}.{tag[1]}"


def _constants(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield constants: `FormatVersion = 1.2`."""
    for constant in _CONSTANT.finditer(text):
        yield f"{constant[1]} = {constant[2]}"


def _plan_json(path: PurePosixPath, text: str) -> Iterator[str]:
    for name in (*_members(path, text), *_constants(path, text)):
        yield f"{path.parent.name}.{name}"


def _cases(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield the literals of `case` clauses."""
    for case in _CASE.finditer(text):
        for literal in _LITERAL.finditer(case[1]):
            if literal[0] != '""':
                yield f"{path.stem}: {literal[1] or literal[2]}"


def _schemas(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield the arguments and blocks of body schemas, with the variable or function that has the schema."""
    for schema in _SCHEMA.finditer(text):
        owner = [top[1] for top in _TOP_LEVEL.finditer(text, 0, schema.start())][-1]
        for part in _SCHEMA_PART.finditer(_braces(text, schema.end())):
            yield f"{owner}.{part[2]}" if part[1] == "Name" else f"{owner}.{part[2]} {{}}"


def _braces(text: str, start: int) -> str:
    """Return the text up to the brace that closes the one before `start`."""
    depth = 1
    for brace in re.finditer(r"[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[start : start + brace.start()]
    return text[start:]


def _functions(path: PurePosixPath, text: str) -> Iterator[str]:
    for entry in _ENTRY.finditer(text):
        yield entry[1] or entry[2]


def _backends(path: PurePosixPath, text: str) -> Iterator[str]:
    available, _, removed = text.partition("RemovedBackends = ")
    for part, suffix in ((available, ""), (removed.partition("\n\t}")[0], " (removed)")):
        for entry in _ENTRY.finditer(part):
            if entry[1]:
                yield entry[1] + suffix


def _backend_arguments(path: PurePosixPath, text: str) -> Iterator[str]:
    for argument in _ARGUMENT.finditer(text):
        name = argument[1] or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", argument[2]).lower()
        yield f"{path.parent.name}.{name}"


def _encryption(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield types of key providers and methods, and their arguments."""
    folder = f"{path.parent.parent.name} {path.parent.name}"
    for identifier in _RETURNED.finditer(text):
        yield f"{path.parent.parent.name} {identifier[1]}"
    for tag in re.finditer(r'^[^/\n]*`hcl:"([^",]+)', text, re.MULTILINE):
        yield f"{folder}.{tag[1]}"
    for name in _schemas(path, text):
        yield f"{folder}.{name.partition('.')[2]}"


def _protobuf(path: PurePosixPath, text: str) -> Iterator[str]:
    """Yield the numbered fields and values of messages and enumerations: `Change.action = 1`."""
    within: list[str] = []
    for found in _PROTO.finditer(re.sub(r"//.*", "", text)):
        if found[1]:
            within.append(found[1])
        elif found[4]:
            within.pop()
        elif within:
            yield f"{'.'.join(within)}.{found[2]} = {found[3]}"


@dataclass(frozen=True)
class Group:
    """Names of one kind: the files that have them, and what to do in statetool about a new one."""

    files: re.Pattern[str]
    read: Reader
    advice: str


def _group(files: str, read: Reader, advice: str) -> Group:
    # Up to Terraform 1.0 there is no folder `internal`.
    return Group(re.compile(rf"(?:internal/)?{files}"), read, advice)


GROUPS: Final[Mapping[str, Group]] = {
    "state member": _group(
        r"states/statefile/version4\.go",
        _members,
        "a fact in statefmt/formats/releases.json; see 'member of a state' in docs/architecture.md",
    ),
    "state value": _group(
        r"states/statefile/(?:version4|read)\.go",
        _cases,
        "formats, resource modes and check kinds: a fact in statefmt/formats/releases.json",
    ),
    "address value": _group(
        r"addrs/parse_target\.go",
        _cases,
        "`reserved_types` in statefmt/formats/releases.json; modes in statefmt/model/addrs",
    ),
    "plan JSON": _group(
        r"command/json(?:plan|state|checks|config)/\w+\.go", _plan_json, "statefmt/lifecycle/read_plan.py"
    ),
    "plan file": _group(
        r"plans/(?:internal/)?(?:planproto/)?planfile\.proto",
        _protobuf,
        "the reader of plan files in statefmt/lifecycle",
    ),
    "configuration": _group(r"configs/\w+\.go", _schemas, "statefmt/configuration"),
    "lock file": _group(r"depsfile/locks_file\.go", _schemas, "statefmt/configuration"),
    "backend": _group(r"backend/init/init\.go", _backends, "BACKENDS in statefmt/store/backends/types.py"),
    "backend argument": _group(
        r"(?:backend/remote-state/\w+/backend|backend/(?:local|remote)/backend|cloud/backend)\.go",
        _backend_arguments,
        "_TYPES in statefmt/store/backends/types.py",
    ),
    "function": _group(
        r"lang/functions\.go", _functions, "its group in statefmt/hcl/functions, or NOT_YET or NEVER there"
    ),
    "encryption": _group(
        r"encryption/(?:(?:keyprovider|method)/\w+/\w+|config/config)\.go",
        _encryption,
        "BUILDERS in statefmt/encryption/key_providers.py or _methods.py",
    ),
}


def names_in(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a file, each with its group."""
    if path.endswith("_test.go"):
        return
    for title, group in GROUPS.items():
        if group.files.fullmatch(path):
            for name in group.read(PurePosixPath(path), text):
                yield title, name
