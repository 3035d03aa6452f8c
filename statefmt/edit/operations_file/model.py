"""Models an operations file: the states that it names and its operations in order; and writes such files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct, field

from statefmt.hcl.source import Range
from statefmt.model.addrs import hcl_quote
from statefmt.text import pattern

# A selector or several: addresses and patterns, each with its state before it (`state.app.module.vpc`).
Chosen: TypeAlias = str | tuple[str, ...]
# A SHA-256 in hexadecimal digits.
_Hash: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class StateBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """A state of the file: a path as on the command line, relative to the file, and its workspace.

    With `create`, the state must not exist yet. With `allow_plain`, objects may move here between an encrypted and a
    plain state.
    """

    path: Annotated[str, Meta(min_length=1)]
    workspace: str | None = None
    create: bool = False
    allow_plain: bool = False


class MoveBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`move`: to other addresses, in the same or another state, or to a whole state at the same addresses.

    With `keep_dependencies`, dependencies that lead from one state to another stay as they are.
    """

    from_: Chosen = field(name="from")
    to: str
    rebind: bool = False
    keep_dependencies: bool = False


class JoinBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`join`: moves everything in a state to another state, below the module `prefix` if given.

    Objects in both states are kept once. If outputs differ, `outputs_from` is the state whose value is kept.
    """

    from_: str = field(name="from")
    to: str
    prefix: str | None = None
    outputs_from: str | None = None


class ForgetBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`forget`: like `statetool rm`."""

    of: Chosen
    keep_dangling: bool = False


class RekeyBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`rekey`: `keys` maps old keys to new ones, or `by` is the path of an attribute."""

    of: Chosen
    keys: Mapping[str, str | int | None] | None = None
    by: str | None = None
    count: bool = False


class RebindBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`rebind`: to a provider instance, or with a map of provider keys."""

    of: Chosen
    provider: str | None = None
    keys: Mapping[str, str | int | None] | None = None
    whole_resource: bool = False
    new_provider: bool = False


class ReplaceProviderBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`replace_provider`: in the instances `of`, or in a whole state."""

    old: str
    new: str
    of: Chosen | None = None
    state: str | None = None
    whole_resource: bool = False
    new_provider: bool = False


class TaintBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`taint`."""

    of: Chosen


class UntaintBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`untaint`."""

    of: Chosen


class ForgetDeposedBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`forget_deposed`: all deposed objects, or those with a deposed key."""

    of: Chosen
    key: str | None = None


class SetBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`set`: `values` maps paths of attributes to values."""

    of: Chosen
    values: Annotated[Mapping[str, object], Meta(min_length=1)]
    force_type: bool = False

    def __repr__(self) -> str:
        # Values may be secret.
        return f"SetBlock(of={self.of!r})"


class UnsetBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`unset`: the paths of attributes."""

    of: Chosen
    paths: str | Annotated[tuple[str, ...], Meta(min_length=1)]


class SetSerialBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`set_serial`: the state need not be named if the file has no other."""

    serial: int
    state: str | None = None


class NewLineageBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`new_lineage`: a UUID, since a plan and its apply must agree; `state` as in `set_serial`."""

    lineage: str
    state: str | None = None


class Expect(Struct, frozen=True, forbid_unknown_fields=True):
    """The conditions on states, by their names: serials, lineages, and SHA-256 hashes of the stored bytes."""

    serial: Mapping[str, Annotated[int, Meta(ge=0)]] = {}
    lineage: Mapping[str, str] = {}
    hash: Mapping[str, _Hash] = {}


# An operation on instances that it selects, in one state or in several.
SelectingBlock: TypeAlias = (
    ForgetBlock | RekeyBlock | RebindBlock | TaintBlock | UntaintBlock | ForgetDeposedBlock | SetBlock | UnsetBlock
)
# An operation on the identity of a state.
IdentityBlock: TypeAlias = SetSerialBlock | NewLineageBlock
OperationBlock: TypeAlias = MoveBlock | JoinBlock | ReplaceProviderBlock | SelectingBlock | IdentityBlock

# The operations by the names of their blocks.
BLOCKS: Final[Mapping[str, type[OperationBlock]]] = {
    "move": MoveBlock,
    "forget": ForgetBlock,
    "rekey": RekeyBlock,
    "rebind": RebindBlock,
    "replace_provider": ReplaceProviderBlock,
    "taint": TaintBlock,
    "untaint": UntaintBlock,
    "forget_deposed": ForgetDeposedBlock,
    "set": SetBlock,
    "unset": UnsetBlock,
    "join": JoinBlock,
    "set_serial": SetSerialBlock,
    "new_lineage": NewLineageBlock,
}


class FileOperation(Struct, frozen=True):
    """An operation, and where its block is in the file."""

    block: OperationBlock
    range: Range


class OperationsFile(Struct, frozen=True):
    """The content of an operations file; `states` by their names, in file order, and where it names their paths.

    `in_memory` if a command made it: positions are then of no use to the user.
    """

    states: Mapping[str, StateBlock]
    operations: tuple[FileOperation, ...]
    expect: Expect = Expect()
    in_memory: bool = False
    places: Mapping[str, Range] = {}


_KEY: Final = r'\[(?:[0-9]+|"(?:\$\$\{|%%\{|[ !#&-\[\]-~])*")\]'
# An address without wildcards needs no quotes.
_TRAVERSAL: Final = pattern(rf"state(\.[A-Za-z_][A-Za-z0-9_-]*|{_KEY})*\.[A-Za-z_][A-Za-z0-9_-]*({_KEY})?")
# Arguments that may be such addresses.
_ADDRESSES: Final = ("from_", "to", "of", "outputs_from")
_TEMPLATE_STARTS: Final = pattern(r"(?<![$%])[$%]{2,}\{")
_IDENTIFIER: Final = pattern(r"[A-Za-z_][A-Za-z0-9_-]*")


def operations_text(
    states: Mapping[str, StateBlock], operations: Iterable[OperationBlock], expect: Expect | None = None
) -> str:
    """Return an operations file with these states, operations and expectations, as read_operations_file() reads it."""
    names = {of: name for name, of in BLOCKS.items()}
    blocks = [
        *(_block(f"state {hcl_quote(name)}", state) for name, state in states.items()),
        *(_block(names[type(operation)], operation) for operation in operations),
        *(() if expect is None else [_block("expect", expect)]),
    ]
    return "\n".join(blocks)


def _block(head: str, block: msgspec.Struct) -> str:
    lines = dict(_arguments(block))
    # Aligned like `tofu fmt`: a value of several lines is not aligned.
    widths = {name: 0 if "\n" in value else len(name) for name, value in lines.items()}
    width = max(widths.values(), default=0)
    texts = (f"  {name:{width if widths[name] else 0}} = {value}" for name, value in lines.items())
    return "\n".join([f"{head} {{", *texts, "}\n"])


def _arguments(block: msgspec.Struct) -> Iterator[tuple[str, str]]:
    """Yield the arguments that are not the default, as the file has them."""
    for member in msgspec.structs.fields(block):
        value = getattr(block, member.name)
        factory = member.default_factory
        default = member.default if factory is msgspec.NODEFAULT else factory()
        if member.required or value != default:
            yield member.encode_name, _addresses(value) if member.name in _ADDRESSES else _value(value)


def _addresses(value: object) -> str:
    if isinstance(value, str):
        return value if _TRAVERSAL.fullmatch(value) else _quoted(value)
    if isinstance(value, tuple) and len(value) > 1:
        return "\n".join(["[", *(f"    {_addresses(one)}," for one in value), "  ]"])
    return f"[{_addresses(value[0])}]" if isinstance(value, tuple) and value else _value(value)


def _value(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        members = [f"{_name(name)} = {_value(item)}" for name, item in value.items()]
        return f"{{ {', '.join(members)} }}" if members else "{}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _name(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    """Quote a string; `$${` in it has another meaning in HCL even if each dollar sign is doubled."""
    pieces = [hcl_quote(piece)[1:-1] for piece in _TEMPLATE_STARTS.split(text)]
    starts = ["".join(f"\\u{ord(char):04x}" for char in found[:-1]) + "{" for found in _TEMPLATE_STARTS.findall(text)]
    return f'"{"".join(piece + start for piece, start in zip(pieces, [*starts, ""], strict=True))}"'


_UNFIT: Final = pattern(r"[^a-zA-Z0-9_-]+")
_STARTS: Final = pattern(r"[a-zA-Z_]")


def folder_names(paths: Sequence[Path]) -> list[str]:
    """Return a valid and distinct name for each folder, with as many trailing path segments as necessary."""
    names = [_named(path.parts[-1:]) for path in paths]
    depth = 1
    while (repeated := {name for name, times in Counter(names).items() if times > 1}) and depth < 8:
        depth += 1
        names = [
            _named(path.parts[-depth:]) if name in repeated else name for path, name in zip(paths, names, strict=True)
        ]
    if repeated:
        names = [f"{name}-{number}" for number, name in enumerate(names, 1)]
    return names


def fit_name(text: str) -> str:
    """Turn a text into a valid name: other characters become `-`, and `state-` goes before a digit."""
    name = _UNFIT.sub("-", text).strip("-")
    return name if _STARTS.match(name) else f"state-{name}".rstrip("-")


def _named(parts: Sequence[str]) -> str:
    return fit_name("-".join(parts))
