"""Hides sensitive values among the flat attributes of states before Terraform 0.12 (`tags.Name`, `rule.0.port`).

Those formats did not mark sensitive values, so only numbers, bools and strings under names that are known to be
harmless are shown. Hiding too much is a nuisance, hiding too little an accident.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from typing import Final

from statefmt.golang import Members
from statefmt.model.cty import Path
from statefmt.redaction.hidden import HIDDEN
from statefmt.redaction.path_text import step_key
from statefmt.text.pattern import pattern

_SOUNDS_SECRET: Final = pattern(
    r"passw(?:or)?d|passphrase|pwd|secret|token|credential|private_?key|sensitive|plaintext|bearer|cookie"
    r"|(?:^|_)(?:api_?key|access_key|auth|hash|key|otp|pem|pin|salt|sas|seed|signature)(?:_|$)",
    re.IGNORECASE,
)
# Harmless endings of names: location, size, kind, ownership.
_HARMLESS: Final = pattern(
    r"(?:.*_)?(?:acl|ami|architecture|arn|arns|bucket|cidr_blocks?|class|dns|domain|engine|family|group|groups|host"
    r"|hostname|id|identifier|ids|image|ip|ips|ipv4|ipv6|location|method|mode|name|names|owner|owners|platform|project"
    r"|protocol|region|regions|size|state|status|subnet|subnets|type|types|version|zone|zones)"
)
_LABELS: Final = frozenset({"tags", "tags_all", "labels"})
_PLAIN: Final = pattern(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?|true|false|")
# The index of a list element, or the hash of a set element.
_PLACE: Final = pattern(r"~?[0-9]+")
# The number of elements, and of members.
FLAT_COUNTS: Final = ("#", "%")


def flat_value(flat: Mapping[str, str], paths: Sequence[Path], known: Collection[str] = ()) -> Members:
    """Return the flat attributes as an object of strings, with HIDDEN for those that may be sensitive.

    `known` are the names of those that are known to be secret.
    """
    hidden = (_covered(flat, paths) if paths else set()) | set(known)
    hidden |= {name for name, value in flat.items() if name not in hidden and not _is_harmless(name, value)}
    # A secret may be repeated under a harmless name: the id of a random_string is its result.
    secrets = {flat[name] for name in hidden if not _PLAIN.fullmatch(flat[name])}
    return Members((name, HIDDEN if name in hidden or value in secrets else value) for name, value in flat.items())


def hides_any(flat: Mapping[str, str], paths: Sequence[Path]) -> bool:
    """Return whether flat_value() hides a value for its name or for a mark; this is faster."""
    return any(not _is_harmless(name, value) for name, value in flat.items()) or bool(paths and _covered(flat, paths))


def sounds_secret(name: str) -> bool:
    """Return whether a name suggests a secret. (SEC004 matches fewer names, since its findings must be true.)"""
    return _SOUNDS_SECRET.search(name) is not None


def _is_harmless(name: str, value: str) -> bool:
    *holders, last = name.split(".")
    if last in FLAT_COUNTS:
        return value.isdecimal()
    if any(map(sounds_secret, (*holders, last))):
        return False
    named = next((part for part in (last, *reversed(holders)) if not _PLACE.fullmatch(part)), "")
    is_label = len(holders) == 1 and holders[0] in _LABELS
    return is_label or _HARMLESS.fullmatch(named) is not None or _PLAIN.fullmatch(value) is not None


def _covered(flat: Mapping[str, str], paths: Sequence[Path]) -> set[str]:
    """Return the names that `paths` lead to; all names if one of the paths leads to none of them."""
    names = sorted(flat)
    prefixes = {_prefix(path, flat, names) for path in paths}
    if "" in prefixes:
        return set(names)
    below = {name for prefix in prefixes for name in names[_below(prefix, names)]}
    return below | {prefix for prefix in prefixes if prefix in flat}


def _prefix(path: Path, flat: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the longest prefix of a path that matches a name; "" if none does, so that every name may be meant.

    Names of set elements contain a hash, which is not in the path, so such a path covers the whole set.
    """
    steps = [str(key) for key in takewhile(lambda key: isinstance(key, (str, int)), map(step_key, path))]
    beginnings = (".".join(steps[:count]) for count in range(len(steps), 0, -1))
    return next((text for text in beginnings if text in flat or _is_any(_below(text, names))), "")


def _below(prefix: str, names: Sequence[str]) -> slice:
    """Return the slice of the sorted names that start with the prefix and a dot."""
    return slice(bisect_left(names, f"{prefix}."), bisect_left(names, f"{prefix}/"))


def _is_any(place: slice) -> bool:
    return bool(place.start < place.stop)
