"""Matches the wildcards of a pattern against an address and fills in `$1`, `$2`… in a destination."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from statefmt.model.addrs import AbsResourceInstance, ModuleInstance
from statefmt.model.errors import SurgeryError
from statefmt.text import pattern

if TYPE_CHECKING:
    import re2

# `$${` is the escape for `${` in addresses, and stays.
PLACE: Final = pattern(r"(\$\$\{)|(\$\$)|\$(?:(\d+)|\{(\d+)\})", re.ASCII)
_TOKEN: Final = pattern(r'(\[\*\])|("(?:[^"\\]|\\.)*+(?:"|\\?\Z))|(\*\*)|([*?])|(.)', re.DOTALL)
_IN_TEXT: Final = pattern(r"\\([*?])|([*?])|(\\.|.)", re.DOTALL)
# A number, or a string with its quotes.
_KEY: Final = r'\[("(?:[^"\\]|\\.)*"|-?\d+)\]'
_ANY_KEY: Final = r'(?:\["(?:[^"\\]|\\.)*"\]|\[-?\d+\])?'


def captures(pattern: str, addr: AbsResourceInstance | ModuleInstance) -> tuple[str, ...]:
    """Return the match of each wildcard of a pattern, in order. Raises SurgeryError if that is not determined."""
    found = _expression(pattern).fullmatch(str(addr))
    if found is None:
        raise SurgeryError(f"{pattern} does not determine its wildcards in {addr}; write out all keys", address=addr)
    groups: tuple[str, ...] = found.groups()
    return groups


def filled(target: str, values: Sequence[str]) -> str:
    """Replace `$1`, `$2`… and `$$` in a destination. Raises SurgeryError if there is no such wildcard."""

    def value(place: re.Match[str]) -> str:
        template, dollar, plain, braced = place.groups()
        if template or dollar:
            return str(template or "$")
        number = (plain or braced).lstrip("0")
        if not number or len(number) > 9 or int(number) > len(values):
            count = "1 wildcard" if len(values) == 1 else f"{len(values)} wildcards"
            raise SurgeryError(
                f"{place[0]} in {target}: the source has {count}; write $$ for a dollar sign", address=target
            )
        return values[int(number) - 1]

    return PLACE.sub(value, target)


@lru_cache(maxsize=16)
def _expression(pattern: str) -> re2._Regexp:
    # Imported late. re2 matches in linear time, however many wildcards there are.
    try:
        import re2
    except ModuleNotFoundError as error:
        from statefmt.installation import how_to_install

        raise SurgeryError(
            f"$1 and $2 in a destination need the package google-re2: {how_to_install('regex')}"
        ) from error

    parts = []
    for any_key, quoted, depth, wildcard, text in _TOKEN.findall(pattern):
        if any_key:
            parts.append(_KEY)
        elif quoted:
            parts.append(_quoted(quoted))
        elif depth:
            parts.append(r"(.*?)")
        else:
            parts.append(r"([^.\[\]\"]*)" if wildcard == "*" else r"([^.\[\]\"])" if wildcard else re.escape(text))
    # The key of the last step is optional.
    return re2.compile("(?s)" + "".join(parts) + ("" if pattern.endswith("]") else _ANY_KEY))


def _quoted(text: str) -> str:
    one = r'(?:[^"\\]|\\.)'
    return "".join(
        re.escape(literal) if literal else f"({one}{'*' if wildcard == '*' else ''})" if wildcard else re.escape(other)
        for literal, wildcard, other in _IN_TEXT.findall(text)
    )
