"""Attribute values have characters of a bad write

## What it does
Reports ids and other attribute values that contain U+0000 (NUL), another control character, or U+FFFD, which takes
the place of bytes that are not UTF-8: one finding for each resource, and one for the whole state if several have
such values. Tabs and line breaks are ignored everywhere, and terminal escapes outside of ids.

## Why is this bad?
Providers return no such characters. A bad write or a bad conversion of the file has left them, usually in many
strings at once. With a damaged id, the next refresh does not find the object, drops it from the state, and the apply
creates it again. The state can be read, and a provider may return odd text, so this is a warning.

## Example
```json
{"schema_version": 1, "attributes": {"id": "i-0f3a\\u0000\\u0000"}}
```

## What to do
Compare the state with a backup: `statetool diff BACKUP STATE` shows which values differ. Restore the backup, or take
the values from it with `statetool set`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import UNSET

from statefmt.formats.versions import InstanceObjectV4
from statefmt.golang import Members, loads_exact
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding
from statefmt.text import pattern

_IN_JSON: Final = pattern(rb"\\u(?:00[01][0-9a-fA-F]|007[fF]|[fF]{3}[dD])|\\[bf]|\xef\xbf\xbd|\x7f|\\u[dD][89a-fA-F]")
_IN_ID: Final = pattern("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")
_IN_VALUE: Final = pattern("[\0-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f\ufffd]")
_NAMES: Final = {"\0": " (NUL)", "\ufffd": " (replacement character)"}
_MOST_NAMED: Final = 3
_ADVICE: Final = (
    "Compare the state with a backup (statetool diff BACKUP STATE), then restore the backup or take the values from it."
)


class _Damage:
    """The damage in a resource: the objects with a damaged id, and with other damaged values, and the characters."""

    def __init__(self, address: str, pointer: str) -> None:
        self.address, self.pointer = address, pointer
        self.ids = self.values = self.objects = 0
        self.characters: Counter[str] = Counter()


def _check(subject: Subject) -> Iterable[Finding]:
    if _IN_JSON.search(subject.inspection.data) is None:
        return
    found: dict[str, _Damage] = {}
    for part in subject.objects:
        ids, values, characters = _damaged(part.document)
        if not characters:
            continue
        address = part.resource.address
        one = found.setdefault(address, _Damage(address, f"{part.pointer}/attributes"))
        if ids and not one.ids:
            one.pointer = f"{part.pointer}/attributes/id"
        one.ids, one.values, one.objects = one.ids + ids, one.values + values, one.objects + 1
        one.characters += characters
    # Damaged ids first: their objects are the lost ones.
    ordered = sorted(found.values(), key=lambda one: not one.ids)
    if len(ordered) > 1:
        yield _finding(_total(ordered), f"In {len(ordered):,} resources: ")
    for one in ordered:
        yield _finding(one, f"{one.address}: ")


def _total(found: Iterable[_Damage]) -> _Damage:
    total = _Damage("", "")
    for one in found:
        total.ids, total.values, total.objects = (
            total.ids + one.ids,
            total.values + one.values,
            total.objects + one.objects,
        )
        total.characters += one.characters
    return total


def _finding(one: _Damage, where: str) -> Finding:
    named = [f"U+{ord(each):04X}{_NAMES.get(each, '')}" for each, _ in one.characters.most_common(_MOST_NAMED)]
    parts = [f"{one.ids:,} id{'s' * (one.ids != 1)}"] * bool(one.ids)
    parts += [f"{one.values:,} other value{'s' * (one.values != 1)}"] * bool(one.values)
    objects = f"{one.objects:,} object{'s' * (one.objects != 1)}"
    verb = "has" if one.ids + one.values == 1 else "have"
    after = " The next refresh does not find an object with a damaged id." if one.ids else ""
    detail = f"{where}{' and '.join(parts)} of {objects} {verb} {', '.join(named)}, which a bad write leaves.{after}"
    return Code.DAMAGED_VALUE.finding("Damaged values", detail, one.address, one.pointer, _ADVICE)


def _damaged(obj: InstanceObjectV4) -> tuple[int, int, Counter[str]]:
    """Return the numbers of damaged ids and other values of an object, and the characters in them."""
    ids = values = 0
    characters: Counter[str] = Counter()
    for name, text in _strings(obj):
        odd = (_IN_ID if name == "id" else _IN_VALUE).findall(text)
        characters.update(odd)
        if odd and name == "id":
            ids += 1
        elif odd:
            values += 1
    return ids, values, characters


def _strings(obj: InstanceObjectV4) -> Iterator[tuple[str, str]]:
    """Yield the strings in the attributes of an object, with the name of the attribute."""
    for name, text in (obj.attributes_flat or {}).items():
        if text is not None:
            yield name, text
    if obj.attributes is UNSET or _IN_JSON.search(bytes(obj.attributes)) is None:
        return
    known = loads_exact(bytes(obj.attributes), replace_invalid=True)
    for name, value in known if isinstance(known, Members) else ():
        open_values: list[object] = [value]
        is_top = True
        while open_values:
            one = open_values.pop()
            if isinstance(one, str):
                yield (name if is_top else ""), one
            elif isinstance(one, Members):
                open_values += [each for _, each in one]
            elif isinstance(one, list):
                open_values += one
            is_top = False


RULE = Rule(Code.DAMAGED_VALUE, _check)
