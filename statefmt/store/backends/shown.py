"""URLs as they may be shown: without user names, passwords, and the values of queries."""

from __future__ import annotations

import re
from typing import Final

from statefmt.text.pattern import pattern

_URL: Final = pattern(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL)
_HOST: Final = pattern(r"[^@:\[\]]*(?::[0-9]*)?|\[[0-9A-Fa-f:.%]*\](?::[0-9]*)?")
# What stands for a part that is not shown.
HIDDEN: Final = "…"


def without_credentials(text: str) -> str:
    """Return a text, which may be a URL, without what may be a credential in it.

    The user and password, the values of the query and the fragment become `…`. So does the rest of a URL that is not
    valid, such as one with a `/` in its password.
    """
    found = _URL.fullmatch(text)
    if found is None:
        return text
    scheme, authority, path, query, fragment = found.groups()
    user, at, host = authority.rpartition("@")
    if _HOST.fullmatch(host) is None or "@" in path or "@" in user:
        return scheme + HIDDEN
    shown = scheme + (f"{HIDDEN}@" if at else "") + host + path
    if query:
        shown += "?" + "&".join(
            f"{part.partition('=')[0]}={HIDDEN}" if "=" in part else HIDDEN for part in query[1:].split("&")
        )
    return shown + (f"#{HIDDEN}" if fragment else "")
