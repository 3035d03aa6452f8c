"""An address looks like another one

## What it does
Reports a module, a type, a name, an instance key or a provider with characters that cannot be seen, or with letters
that look like those of another script: a zero-width space, a mark that changes the direction of text, a Cyrillic a
between Latin letters, letters in full width. There is one finding for each text.

## Why is this bad?
Two addresses that look the same are two objects. A command or a review takes one for the other, and a provider address
that looks right names somebody else's provider. Such an address may be meant, so this is a warning.

## Example
```json
{"mode": "managed", "type": "aws_instance", "name": "p\\u0430yments"}
```

## What to do
Compare the address with the configuration. `statetool list --format json` prints the characters as escapes. If the
address is wrong, correct it with `statetool mv` or `statetool replace-provider`.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import ResourcePart, Subject
from statefmt.model.findings import Code, Finding
from statefmt.text import pattern

# Scripts with letters that look like letters of another script in this set. Source: Unicode Technical Standard 39.
_ALIKE: Final = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"})
# Letters of other scripts with these name prefixes look like ASCII.
_STYLED: Final = ("FULLWIDTH ", "MATHEMATICAL ")
# Invisible fillers that count as letters.
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_WORD: Final = pattern(r"\w+")


def _check(subject: Subject) -> Iterable[Finding]:
    seen: set[tuple[str, str]] = set()
    for resource in subject.resources:
        for member, text, pointer in _texts(resource):
            if text.isascii() or (member, text) in seen:
                continue
            seen.add((member, text))
            reason = _misleading(text)
            if reason:
                yield Code.MISLEADING_CHARACTERS.finding(
                    "Address with misleading characters",
                    f"The {member} {text!a} of resource {resource.address} {reason}.",
                    resource.address,
                    pointer,
                    "Compare it with the configuration. If it is wrong, move the resource to the right address, or "
                    "replace the provider.",
                )


def _texts(resource: ResourcePart) -> Iterator[tuple[str, str, str]]:
    document, pointer = resource.document, resource.pointer
    for member, given in (("module", document.module), ("type", document.type), ("name", document.name)):
        yield member, given or "", f"{pointer}/{member}"
    yield "provider", document.provider or "", f"{pointer}/provider"
    for number, obj in enumerate(document.instances or ()):
        if obj is not None:
            if isinstance(obj.index_key, str):
                yield "instance key", obj.index_key, f"{pointer}/instances/{number}/index_key"
            yield "provider", obj.provider or "", f"{pointer}/instances/{number}/provider"


def _misleading(text: str) -> str:
    """Return why a text may be mistaken for another one, or ""."""
    for character in text:
        is_space = character != " " and unicodedata.category(character) == "Zs"
        if unicodedata.category(character) == "Cf" or is_space or character in _FILLERS:
            return f"contains {_named(character)}, which cannot be seen"
        if unicodedata.name(character, "").startswith(_STYLED):
            return f"contains {_named(character)}, which looks like another character"
    for word in _WORD.findall(text):
        scripts = {unicodedata.name(letter, "").partition(" ")[0]: letter for letter in word if letter.isalpha()}
        mixed = sorted(scripts.keys() & _ALIKE)
        if len(mixed) > 1:
            return (
                f"has letters of {' and '.join(mixed)} in one word: {' and '.join(_named(scripts[s]) for s in mixed)}"
            )
    return ""


def _named(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


RULE = Rule(Code.MISLEADING_CHARACTERS, _check)
