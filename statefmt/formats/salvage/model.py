"""Models the contents of a damaged state: whole objects with their bytes, and lost parts."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from msgspec import Struct

from statefmt.model.addrs import NO_KEY, InstanceKey


class Doubt(Enum):
    """Why a whole object is uncertain."""

    SEAM = "it may consist of two versions of the object"
    NESTED = "it was found inside a torn object"
    LOOSE = "its place in the state is lost"
    ESCAPED = "it may have characters that are escaped for HTML"
    REPEATED = "another version of the object comes earlier in the file"
    BEHIND = "it follows the end of the state"
    MIXED = "the file mixes several versions"
    HEADLESS = "its resource is lost"
    PROVIDER = "its provider differs from that of the resource in the file"
    ONLY_IN_BACKUP = "only a backup has it: it may have been destroyed since"


class Head(Struct, frozen=True):
    """The members of a resource without its instances: each name with the bytes of its value, in file order."""

    module: str
    mode: str
    type: str
    name: str
    members: tuple[tuple[str, bytes], ...]

    @property
    def address(self) -> str:
        """The address of the resource, as written in the file."""
        prefix = f"{self.module}." if self.module else ""
        return f"{prefix}{'data.' if self.mode == 'data' else ''}{self.type}.{self.name}"

    @property
    def provider(self) -> bytes:
        """The bytes of the member `provider`, b"" if it is missing."""
        return next((value for name, value in self.members if name == "provider"), b"")


class SalvagedKey(Struct, frozen=True):
    """The identity of an object in a state: the resource's address, the instance key, the deposed key."""

    resource: str
    key: InstanceKey = NO_KEY
    deposed: str = ""

    def __str__(self) -> str:
        deposed = f" (deposed object {self.deposed})" if self.deposed else ""
        return f"{self.resource}{self.key}{deposed}"


class FoundObject(Struct, frozen=True, kw_only=True):
    """A whole object: its bytes, unchanged, and its source.

    `source` is the name of a backup, "" for the damaged file itself; `offset` is in bytes of the text in UTF-8.
    `head` is None if the resource of the object is lost, and then so is `key`. `import_id` is the attribute `id`, ""
    if it is missing.
    """

    head: Head | None
    key: SalvagedKey | None
    raw: bytes
    source: str = ""
    offset: int = 0
    doubt: Doubt | None = None
    import_id: str = ""


class LostObject(Struct, frozen=True, kw_only=True):
    """An object that the file names but does not have whole."""

    key: SalvagedKey
    head: Head
    offset: int
    end: int
    import_id: str = ""


class SalvagedEnvelope(Struct, frozen=True):
    """The members of a state other than resources, as far as they are whole; `serial` and `lineage` are decoded.

    `others` are members unknown to the format.
    """

    version: int | None = None
    terraform_version: bytes | None = None
    serial: int | None = None
    lineage: str | None = None
    outputs: tuple[tuple[str, bytes], ...] = ()
    check_results: bytes | None = None
    others: tuple[tuple[str, bytes], ...] = ()
    is_encrypted: bool = False


class StateLayout(Struct, frozen=True, kw_only=True):
    """The layout of a state: its line break (b"" if on one line), indentation, and separator after names."""

    line: bytes = b"\n"
    indent: bytes = b"  "
    colon: bytes = b": "


class SalvagedDocument(Struct, frozen=True, kw_only=True):
    """One state found in a file, from the offset `start` on.

    `lost_outputs` names outputs that are or may be torn, `lost_members` other members of the state. `is_torn` if two
    texts may meet in it. `is_whole` if the state is undamaged, regardless of the rest of the file: then `raw` has the
    bytes of the state, without the text around it, and `serial_at` is the offset of the digits of its serial in
    `raw`, -1 if there is none.
    """

    envelope: SalvagedEnvelope
    objects: tuple[FoundObject, ...] = ()
    lost: tuple[LostObject, ...] = ()
    lost_outputs: tuple[str, ...] = ()
    lost_members: tuple[str, ...] = ()
    is_whole: bool = False
    is_torn: bool = False
    start: int = 0
    raw: bytes = b""
    serial_at: int = -1
    layout: StateLayout = StateLayout()

    @property
    def certain(self) -> tuple[FoundObject, ...]:
        """The objects without a doubt."""
        return tuple(found for found in self.objects if found.doubt is None)


class Salvage(Struct, frozen=True, kw_only=True):
    """The contents of a file: its documents, in order; `undone` names encodings that were removed.

    `text` is the content in UTF-8, without them; `breaks` are byte offsets in it. `is_whole` if the file is one state
    from the first byte to the last, apart from encodings and surrounding text; `lacks_end` if it is truncated: the
    lost content is unknown. `advice` is further advice about a file that contains the state.
    """

    documents: tuple[SalvagedDocument, ...]
    undone: tuple[str, ...] = ()
    breaks: tuple[int, ...] = ()
    text: bytes = b""
    is_whole: bool = False
    lacks_end: bool = False
    advice: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The length of the text in bytes."""
        return len(self.text)

    def lines(self, offsets: Iterable[int]) -> dict[int, int]:
        """Return the 1-based line of each offset in the text."""
        found: dict[int, int] = {}
        line, last = 1, 0
        for offset in sorted(set(offsets)):
            line += self.text.count(b"\n", last, offset)
            found[offset], last = line, offset
        return found
