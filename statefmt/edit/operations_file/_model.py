"""Models an operations file: the states that it names, and its operations in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct, field

from statefmt.hcl.source import Range

# A selector or several: addresses and patterns, each with its state before it (`state.app.module.vpc`).
Chosen: TypeAlias = str | tuple[str, ...]
# A SHA-256 in hexadecimal digits.
_Hash: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class StateBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """A state that the file names: a path as on the command line, relative to the file, and its workspace.

    With `create`, there is no such state yet. With `allow_plain`, objects may come here although only one of the two
    states is encrypted.
    """

    path: Annotated[str, Meta(min_length=1)]
    workspace: str | None = None
    create: bool = False
    allow_plain: bool = False


class MoveBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`move`: to other addresses, of the same state or of another one, or to a whole state at the same addresses.

    With `keep_dependencies`, dependencies that lead from one state to another stay as they are.
    """

    from_: Chosen = field(name="from")
    to: str
    rebind: bool = False
    keep_dependencies: bool = False


class JoinBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`join`: everything in a state goes to another one, below the module `prefix` if there is one.

    Objects that both states have stay once. `outputs_from` is the state whose value stays where outputs differ.
    """

    from_: str = field(name="from")
    to: str
    prefix: str | None = None
    outputs_from: str | None = None


class ForgetBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`forget`: as `statetool rm`."""

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
    """`set_serial`: of a state, which need not be named if the file has no other."""

    serial: int
    state: str | None = None


class NewLineageBlock(Struct, frozen=True, forbid_unknown_fields=True):
    """`new_lineage`: a UUID, since a plan and its apply must agree; `state` as in `set_serial`."""

    lineage: str
    state: str | None = None


class Expect(Struct, frozen=True, forbid_unknown_fields=True):
    """What the states must be, by their names: serials, lineages, and SHA-256 hashes of the stored bytes."""

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

    `in_memory` if a command made it, so that nobody has the file that positions lead to.
    """

    states: Mapping[str, StateBlock]
    operations: tuple[FileOperation, ...]
    expect: Expect = Expect()
    in_memory: bool = False
    places: Mapping[str, Range] = {}
