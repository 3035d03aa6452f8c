"""Turns docstrings into Markdown: sections into lists, indented examples into code, names into links."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from inspect import cleandoc
from textwrap import dedent
from typing import Any, Final, TypeAlias

from griffe import Docstring, DocstringSectionKind

# Returns the link to what a name stands for, None if the reference does not have it.
Links: TypeAlias = Callable[[str], "str | None"]

# Indented lines, or lines from a prompt to the end of the paragraph.
_EXAMPLE: Final = re.compile(r"(?:^ {4}.*\n|^\n(?= {4}))+|^>>> (?:.+\n)+", re.MULTILINE)
_CODE: Final = re.compile(r"`([^`\n]+)`")
# A word with a capital inside: `StateError` in a sentence is that class, `State` may be just a word.
_NAME: Final = re.compile(r"(?<![\w.])[A-Z]+[a-z]+[A-Z]\w*\b(?!\.\w)")


def markdown(docstring: Docstring | None, links: Links) -> str:
    """Return a docstring as Markdown, "" for none."""
    if docstring is None:
        return ""
    sections: list[Any] = docstring.parse("google", warnings=False)
    return "\n\n".join(part for section in sections for part in _section(section, links))


def summary(docstring: Docstring | None) -> str:
    """Return the first sentence of a docstring without its full stop, "" for none."""
    first = "" if docstring is None else cleandoc(docstring.value).partition("\n\n")[0]
    return re.split(r"\.(?: |$)|:$", first.replace("\n", " "))[0]


def _section(section: Any, links: Links) -> Iterator[str]:
    if section.kind is DocstringSectionKind.text:
        yield text(section.value, links)
    elif section.kind is DocstringSectionKind.parameters:
        yield "Arguments:"
        yield _list(((f"`{item.name}`", item.description) for item in section.value), links)
    elif section.kind is DocstringSectionKind.raises:
        yield "Raises:"
        yield _list(((f"`{item.annotation}`", item.description) for item in section.value), links)
    else:
        raise ValueError(f"the reference has no form for a section of kind {section.kind.value!r}")


def _list(items: Iterable[tuple[str, str]], links: Links) -> str:
    return "\n".join(
        f"- {linked(name, links)}: {linked(' '.join(description.split()), links)}" for name, description in items
    )


def text(value: str, links: Links) -> str:
    """Return text with indented examples as Markdown, with links in the sentences."""
    parts, end = [], 0
    value = f"{value}\n"
    for example in _EXAMPLE.finditer(value):
        parts += [linked(value[end : example.start()], links), _fenced(dedent(example.group()))]
        end = example.end()
    parts.append(linked(value[end:], links))
    return "\n\n".join(stripped for part in parts if (stripped := part.strip("\n")))


def _fenced(example: str) -> str:
    code = example.strip()
    return f"```{'pycon' if code.startswith('>>>') else 'python'}\n{code}\n```"


def linked(value: str, links: Links) -> str:
    """Link the names in code spans, such as `State.undo()`, and names with a capital inside such as StateError."""
    parts, end = [], 0
    for code in _CODE.finditer(value):
        parts += [_linked_words(value[end : code.start()], links), _linked_code(code, links)]
        end = code.end()
    return "".join([*parts, _linked_words(value[end:], links)])


def _linked_code(code: re.Match[str], links: Links) -> str:
    link = links(code[1])
    return code[0] if link is None else f"[{code[0]}]({link})"


def _linked_words(value: str, links: Links) -> str:
    def link(word: re.Match[str]) -> str:
        found = links(word[0])
        return word[0] if found is None else f"[{word[0]}]({found})"

    return _NAME.sub(link, value)
